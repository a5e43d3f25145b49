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

/** Writer of the syntax nodes of one file in preorder, each with its type and symbol. */
final class Walker extends TreePathScanner<Void, Void> {
    final Writer nodes = new Writer();
    int count;

    private final Facts facts;
    private final CompilationUnitTree unit;
    private final SourceText source;
    private final int file;
    private final SourcePositions positions;
    private final Deque<Integer> openNodes = new ArrayDeque<>();
    /** Parameter types by argument of a call. */
    private final Map<Tree, TypeMirror> expectedTypes = new IdentityHashMap<>();

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
        boolean isInSource = start >= 0 && end >= start || tree == unit;
        if (!isInSource) {
            return scanImplied(tree, path);
        }
        recordExpectedTypes(tree, path);
        writeNode(tree, path, tree == unit ? 0 : start, tree == unit ? source.text.length() : end);
        openNodes.push(count++);
        super.scan(tree, nothing);
        writeImpliedClose(tree, path);
        openNodes.pop();
        return null;
    }

    /** Writes the implied call of `close()` for a resource of a `try` statement. */
    private void writeImpliedClose(Tree tree, TreePath path) {
        Tree parent = path.getParentPath() == null ? null : path.getParentPath().getLeaf();
        if (!(parent instanceof TryTree) || !((TryTree) parent).getResources().contains(tree)) {
            return;
        }
        Element variable = elementOf(path);
        TypeMirror type = variable == null ? null : variable.asType();
        Element closeMethod = type == null ? null : facts.closeMethod(type);
        int offset = nameOffset(tree, path);
        if (closeMethod != null && offset >= 0) {
            writeRow("IMPLIED_CLOSE", 0, offset, offset, offset, type, closeMethod, null);
            count++;
        }
    }

    /** Scans a node that the compiler has added. Only calls of constructors are written. */
    private Void scanImplied(Tree tree, TreePath path) {
        if (tree instanceof MethodInvocationTree) {
            Element constructor = elementOf(path);
            if (constructor != null && constructor.getKind() == ElementKind.CONSTRUCTOR) {
                writeRow("IMPLIED_SUPER", 0, nearestNameOffset(path), nearestNameOffset(path), -1, null, constructor,
                        null);
                count++;
            }
            return null;
        }
        return super.scan(tree, null);
    }

    private int nearestNameOffset(TreePath path) {
        for (TreePath ancestor = path; ancestor != null; ancestor = ancestor.getParentPath()) {
            if (ancestor.getLeaf() instanceof NewClassTree) {
                return (int) positions.getStartPosition(unit, ancestor.getLeaf());
            }
            int name = nameOffset(ancestor.getLeaf(), ancestor);
            if (name >= 0) {
                return name;
            }
        }
        return 0;
    }

    private void writeNode(Tree tree, TreePath path, int start, int end) {
        Element element = elementOf(path);
        int name = nameOffset(tree, path);
        boolean isDeclaration = isDeclaration(tree);
        if (isDeclaration && element != null && name >= 0) {
            facts.symbols.addDeclaration(element, file, source.byteOffset(name));
        }
        if (tree instanceof ClassTree && element instanceof TypeElement) {
            if (name < 0) {
                facts.symbols.addDeclaration(element, file, source.byteOffset(start));
            }
            facts.obligations.addClass((TypeElement) element);
        }
        Element symbol = isDeclaration || isReference(tree) ? element : null;
        int role = Role.roleOf(path);
        writeRow(tree.getKind().name(), role, start, end, name, typeOf(tree, path), symbol, expectedTypes.get(tree));
    }

    private void writeRow(
            String kind, int role, int start, int end, int name, TypeMirror type, Element symbol,
            TypeMirror expectedType) {
        nodes.writeNumber(facts.strings.intern(kind));
        nodes.writeNumber(openNodes.isEmpty() ? 0 : openNodes.peek() + 1);
        nodes.writeNumber(role);
        int from = source.byteOffset(start);
        nodes.writeNumber(from);
        nodes.writeNumber(source.byteOffset(end) - from);
        nodes.writeNumber(name < 0 ? 0 : source.byteOffset(name) + 1);
        int[] typeNames = facts.symbols.internType(type);
        nodes.writeNumber(typeNames[0]);
        nodes.writeNumber(typeNames[1]);
        nodes.writeNumber(facts.symbols.intern(symbol));
        int[] expectedNames = facts.symbols.internType(expectedType);
        nodes.writeNumber(expectedNames[0]);
        nodes.writeNumber(expectedNames[1]);
    }

    private TypeMirror typeOf(Tree tree, TreePath path) {
        if (tree instanceof ExpressionTree || isReference(tree) || tree.getKind() == Tree.Kind.PRIMITIVE_TYPE
                || tree.getKind() == Tree.Kind.PARAMETERIZED_TYPE || tree.getKind() == Tree.Kind.ARRAY_TYPE) {
            try {
                return facts.trees.getTypeMirror(path);
            } catch (RuntimeException e) {
                return null;
            }
        }
        return null;
    }

    /** Returns the symbol of a node; null if it cannot be resolved. */
    private Element elementOf(TreePath path) {
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
        return isUnknown && !isDeclaration(path.getLeaf()) ? null : element;
    }

    private static boolean isDeclaration(Tree tree) {
        return tree instanceof ClassTree || tree instanceof MethodTree || tree instanceof VariableTree
                || tree instanceof TypeParameterTree;
    }

    private static boolean isReference(Tree tree) {
        return tree instanceof IdentifierTree || tree instanceof MemberSelectTree || tree instanceof NewClassTree
                || tree instanceof MethodInvocationTree || tree instanceof MemberReferenceTree;
    }

    /** Returns the offset of the name in a node; -1 if it has none. */
    private int nameOffset(Tree tree, TreePath path) {
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
            return methodNameOffset((MethodTree) tree, start, end, path);
        } else if (tree instanceof ClassTree) {
            ClassTree type = (ClassTree) tree;
            String name = type.getSimpleName().toString();
            return name.isEmpty() ? -1 : source.findWord(name, endOf(type.getModifiers(), start), end);
        } else if (tree instanceof VariableTree) {
            VariableTree variable = (VariableTree) tree;
            int from = Math.max(endOf(variable.getModifiers(), start), endOf(variable.getType(), start));
            String name = variable.getName().toString();
            int offset = source.findWord(name, from, end);
            // If brackets follow the name, the type ends after the name.
            return offset >= 0 ? offset : source.findWord(name, endOf(variable.getModifiers(), start), end);
        } else if (tree instanceof TypeParameterTree) {
            return source.findWord(((TypeParameterTree) tree).getName().toString(), start, end);
        }
        return -1;
    }

    private int methodNameOffset(MethodTree method, int start, int end, TreePath path) {
        String name = method.getName().toString();
        int from = Math.max(endOf(method.getModifiers(), start), endOf(method.getReturnType(), start));
        for (TypeParameterTree parameter : method.getTypeParameters()) {
            from = Math.max(from, endOf(parameter, start));
        }
        if (name.equals("<init>") && path.getParentPath().getLeaf() instanceof ClassTree) {
            name = ((ClassTree) path.getParentPath().getLeaf()).getSimpleName().toString();
        }
        return source.findWord(name, from, end);
    }

    /**
     * Returns the end of a part before a name; `start` if the part is not in the source, for example the type of an
     * enum constant.
     */
    private int endOf(Tree part, int start) {
        if (part == null) {
            return start;
        }
        int begin = (int) positions.getStartPosition(unit, part);
        int end = (int) positions.getEndPosition(unit, part);
        return begin < start || part instanceof IdentifierTree && begin == start && end == start ? start
                : Math.max(start, end);
    }

    /** Records the parameter types of a call for its arguments. */
    private void recordExpectedTypes(Tree tree, TreePath path) {
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
                Element constructor = elementOf(path);
                boolean isMember = constructor != null && type instanceof DeclaredType;
                callee = !isMember ? null : facts.types.asMemberOf((DeclaredType) type, constructor);
            } else {
                return;
            }
        } catch (RuntimeException e) {
            return;
        }
        Element method = elementOf(path);
        if (callee instanceof ExecutableType && method instanceof ExecutableElement) {
            boolean isVarArgs = ((ExecutableElement) method).isVarArgs();
            recordExpectedTypes(path, arguments, ((ExecutableType) callee).getParameterTypes(), isVarArgs);
        }
    }

    private void recordExpectedTypes(
            TreePath call,
            List<? extends Tree> arguments,
            List<? extends TypeMirror> parameters,
            boolean isVarArgs) {
        for (int i = 0; i < arguments.size() && !parameters.isEmpty(); i++) {
            TypeMirror parameter = parameters.get(Math.min(i, parameters.size() - 1));
            boolean isVariableArgument = isVarArgs && i >= parameters.size() - 1 && parameter instanceof ArrayType;
            if (isVariableArgument
                    && !(arguments.size() == parameters.size() && isArray(new TreePath(call, arguments.get(i))))) {
                parameter = ((ArrayType) parameter).getComponentType();
            }
            expectedTypes.put(arguments.get(i), parameter);
        }
    }

    private boolean isArray(TreePath argument) {
        TypeMirror type = facts.trees.getTypeMirror(argument);
        return type != null && (type.getKind() == TypeKind.ARRAY || type.getKind() == TypeKind.NULL);
    }
}
