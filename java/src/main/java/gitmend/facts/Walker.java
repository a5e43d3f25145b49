package gitmend.facts;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Writes the nodes of one file in preorder, each with its type and the symbol that it means. */
final class Walker extends TreePathScanner<Void, Void> {
    final Writer nodes = new Writer();
    int count;

    private final Facts facts;
    private final CompilationUnitTree unit;
    private final SourceText source;
    private final int file;
    private final SourcePositions positions;
    private final Deque<Integer> open = new ArrayDeque<>();
    /** What is passed to a parameter, with the parameter's type at that call. */
    private final Map<Tree, TypeMirror> targets = new IdentityHashMap<>();

    Walker(Facts facts, CompilationUnitTree unit, SourceText source, int file) {
        this.facts = facts;
        this.unit = unit;
        this.source = source;
        this.file = file;
        this.positions = facts.trees.getSourcePositions();
    }

    @Override
    public Void scan(Tree tree, Void nothing) {
        if (tree == null) {
            return null;
        }
        TreePath parent = getCurrentPath();
        TreePath path = parent == null ? new TreePath(unit) : new TreePath(parent, tree);
        int start = (int) positions.getStartPosition(unit, tree);
        int end = (int) positions.getEndPosition(unit, tree);
        boolean isWritten = start >= 0 && end >= start || tree == unit;
        if (!isWritten) {
            return implied(tree, path);
        }
        expect(tree, path);
        node(tree, path, tree == unit ? 0 : start, tree == unit ? source.text.length() : end);
        open.push(count++);
        super.scan(tree, nothing);
        closed(tree, path);
        open.pop();
        return null;
    }

    /** A resource is closed where its `try` ends. */
    private void closed(Tree tree, TreePath path) {
        Tree parent = path.getParentPath() == null ? null : path.getParentPath().getLeaf();
        if (!(parent instanceof TryTree) || !((TryTree) parent).getResources().contains(tree)) {
            return;
        }
        Element variable = element(path);
        TypeMirror type = variable == null ? null : variable.asType();
        Element closing = type == null ? null : facts.closing(type);
        int at = name(tree, path);
        if (closing != null && at >= 0) {
            row("IMPLIED_CLOSE", 0, at, at, at, type, closing, null);
            count++;
        }
    }

    /** What the compiler put in: only the constructors that it calls matter. */
    private Void implied(Tree tree, TreePath path) {
        if (tree instanceof MethodInvocationTree) {
            Element constructor = element(path);
            if (constructor != null && constructor.getKind() == ElementKind.CONSTRUCTOR) {
                row("IMPLIED_SUPER", 0, nearestName(path), nearestName(path), -1, null, constructor, null);
                count++;
            }
            return null;
        }
        return super.scan(tree, null);
    }

    private int nearestName(TreePath path) {
        for (TreePath at = path; at != null; at = at.getParentPath()) {
            if (at.getLeaf() instanceof NewClassTree) {
                return (int) positions.getStartPosition(unit, at.getLeaf());
            }
            int name = name(at.getLeaf(), at);
            if (name >= 0) {
                return name;
            }
        }
        return 0;
    }

    private void node(Tree tree, TreePath path, int start, int end) {
        Element element = element(path);
        int name = name(tree, path);
        boolean declares = declares(tree);
        if (declares && element != null && name >= 0) {
            facts.symbols.declared(element, file, source.byteAt(name));
        }
        if (tree instanceof ClassTree && element instanceof TypeElement) {
            if (name < 0) {
                facts.symbols.declared(element, file, source.byteAt(start));
            }
            facts.obligations.of((TypeElement) element);
        }
        Element used = declares || named(tree) ? element : null;
        int role = Role.of(path);
        row(tree.getKind().name(), role, start, end, name, type(tree, path), used, targets.get(tree));
    }

    private void row(
            String kind, int role, int start, int end, int name, TypeMirror type, Element symbol, TypeMirror target) {
        nodes.number(facts.strings.of(kind));
        nodes.number(open.isEmpty() ? 0 : open.peek() + 1);
        nodes.number(role);
        int from = source.byteAt(start);
        nodes.number(from);
        nodes.number(source.byteAt(end) - from);
        nodes.number(name < 0 ? 0 : source.byteAt(name) + 1);
        int[] names = facts.symbols.type(type);
        nodes.number(names[0]);
        nodes.number(names[1]);
        nodes.number(facts.symbols.of(symbol));
        int[] wanted = facts.symbols.type(target);
        nodes.number(wanted[0]);
        nodes.number(wanted[1]);
    }

    private TypeMirror type(Tree tree, TreePath path) {
        if (tree instanceof ExpressionTree || named(tree) || tree.getKind() == Tree.Kind.PRIMITIVE_TYPE
                || tree.getKind() == Tree.Kind.PARAMETERIZED_TYPE || tree.getKind() == Tree.Kind.ARRAY_TYPE) {
            try {
                return facts.trees.getTypeMirror(path);
            } catch (RuntimeException e) {
                return null;
            }
        }
        return null;
    }

    /** A symbol, unless it could not be found. */
    private Element element(TreePath path) {
        Element element;
        try {
            element = facts.trees.getElement(path);
        } catch (RuntimeException e) {
            return null;
        }
        if (element == null) {
            return null;
        }
        TypeMirror type = element.asType();
        boolean isUnknown = type != null && type.getKind() == TypeKind.ERROR;
        return isUnknown && !declares(path.getLeaf()) ? null : element;
    }

    private static boolean declares(Tree tree) {
        return tree instanceof ClassTree || tree instanceof MethodTree || tree instanceof VariableTree
                || tree instanceof TypeParameterTree;
    }

    private static boolean named(Tree tree) {
        return tree instanceof IdentifierTree || tree instanceof MemberSelectTree || tree instanceof NewClassTree
                || tree instanceof MethodInvocationTree || tree instanceof MemberReferenceTree;
    }

    /** The first character of a node's own name; -1 if it has none. */
    private int name(Tree tree, TreePath path) {
        int start = (int) positions.getStartPosition(unit, tree);
        int end = (int) positions.getEndPosition(unit, tree);
        if (start < 0 || end < start) {
            return -1;
        }
        if (tree instanceof IdentifierTree) {
            return start;
        } else if (tree instanceof MemberSelectTree) {
            return end - ((MemberSelectTree) tree).getIdentifier().length();
        } else if (tree instanceof MemberReferenceTree) {
            MemberReferenceTree reference = (MemberReferenceTree) tree;
            String name = reference.getMode() == MemberReferenceTree.ReferenceMode.NEW
                    ? "new" : reference.getName().toString();
            return end - name.length();
        } else if (tree instanceof MethodTree) {
            return methodName((MethodTree) tree, start, end, path);
        } else if (tree instanceof ClassTree) {
            ClassTree type = (ClassTree) tree;
            String name = type.getSimpleName().toString();
            return name.isEmpty() ? -1 : source.find(name, after(type.getModifiers(), start), end);
        } else if (tree instanceof VariableTree) {
            VariableTree variable = (VariableTree) tree;
            int from = Math.max(after(variable.getModifiers(), start), after(variable.getType(), start));
            String name = variable.getName().toString();
            int at = source.find(name, from, end);
            // Brackets may follow the name, and the type then ends after it.
            return at >= 0 ? at : source.find(name, after(variable.getModifiers(), start), end);
        } else if (tree instanceof TypeParameterTree) {
            return source.find(((TypeParameterTree) tree).getName().toString(), start, end);
        }
        return -1;
    }

    private int methodName(MethodTree method, int start, int end, TreePath path) {
        String name = method.getName().toString();
        int from = Math.max(after(method.getModifiers(), start), after(method.getReturnType(), start));
        for (TypeParameterTree parameter : method.getTypeParameters()) {
            from = Math.max(from, after(parameter, start));
        }
        if (name.equals("<init>") && path.getParentPath().getLeaf() instanceof ClassTree) {
            name = ((ClassTree) path.getParentPath().getLeaf()).getSimpleName().toString();
        }
        return source.find(name, from, end);
    }

    /** The end of a part that stands before a name. An enum constant's type stands nowhere. */
    private int after(Tree part, int start) {
        if (part == null) {
            return start;
        }
        int begin = (int) positions.getStartPosition(unit, part);
        int end = (int) positions.getEndPosition(unit, part);
        return begin < start || part instanceof IdentifierTree && begin == start && end == start ? start
                : Math.max(start, end);
    }

    /** Notes the parameter types of a call for its arguments. */
    private void expect(Tree tree, TreePath path) {
        List<? extends Tree> arguments;
        TypeMirror callee;
        try {
            if (tree instanceof MethodInvocationTree) {
                MethodInvocationTree call = (MethodInvocationTree) tree;
                arguments = call.getArguments();
                callee = facts.trees.getTypeMirror(new TreePath(path, call.getMethodSelect()));
            } else if (tree instanceof NewClassTree) {
                arguments = ((NewClassTree) tree).getArguments();
                TypeMirror type = facts.trees.getTypeMirror(path);
                Element constructor = element(path);
                boolean isMember = constructor != null && type instanceof DeclaredType;
                callee = !isMember ? null : facts.types.asMemberOf((DeclaredType) type, constructor);
            } else {
                return;
            }
        } catch (RuntimeException e) {
            return;
        }
        Element method = element(path);
        if (callee instanceof ExecutableType && method instanceof ExecutableElement) {
            boolean isVariable = ((ExecutableElement) method).isVarArgs();
            expect(path, arguments, ((ExecutableType) callee).getParameterTypes(), isVariable);
        }
    }

    private void expect(
            TreePath call,
            List<? extends Tree> arguments,
            List<? extends TypeMirror> parameters,
            boolean isVariable) {
        for (int i = 0; i < arguments.size() && !parameters.isEmpty(); i++) {
            TypeMirror parameter = parameters.get(Math.min(i, parameters.size() - 1));
            boolean isSpread = isVariable && i >= parameters.size() - 1 && parameter instanceof ArrayType;
            if (isSpread && !(arguments.size() == parameters.size() && isArray(new TreePath(call, arguments.get(i))))) {
                parameter = ((ArrayType) parameter).getComponentType();
            }
            targets.put(arguments.get(i), parameter);
        }
    }

    private boolean isArray(TreePath argument) {
        TypeMirror type = facts.trees.getTypeMirror(argument);
        return type != null && (type.getKind() == TypeKind.ARRAY || type.getKind() == TypeKind.NULL);
    }
}
