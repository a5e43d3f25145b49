package gitmend.facts;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.NestingKind;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;

/** Table of interned symbols (program elements) with numbers from 1; 0 stands for none. */
final class Symbols {
    private static final int VARARGS = 1 << 8;
    private static final int GENERIC = 1 << 9;
    private static final int ANONYMOUS = 1 << 10;
    private static final int CONSTANT = 1 << 11;
    private static final int HAS_DEFAULT = 1 << 12;
    private static final int LOCAL = 1 << 13;
    private static final int SEALED = 1 << 14;

    private final Facts facts;
    private final Map<Element, Integer> numbers = new IdentityHashMap<>();
    private final List<Element> symbols = new ArrayList<>();
    private final Map<TypeMirror, int[]> typeNames = new IdentityHashMap<>();
    /** Declarations: file number and byte offset of the name. */
    private final Map<Element, int[]> declarations = new IdentityHashMap<>();

    Symbols(Facts facts) {
        this.facts = facts;
    }

    int intern(Element element) {
        // Methods of arrays have no type in javac.
        if (element == null || element.asType() == null) {
            return 0;
        }
        Integer number = numbers.get(element);
        if (number != null) {
            return number;
        }
        symbols.add(element);
        numbers.put(element, symbols.size());
        return symbols.size();
    }

    void addDeclaration(Element element, int file, int offset) {
        declarations.put(element, new int[] {file, offset});
    }

    boolean isDeclared(Element element) {
        return declarations.containsKey(element);
    }

    /** Returns the string numbers of a type and of its erasure; both 0 for an unknown type. */
    int[] internType(TypeMirror type) {
        if (type == null) {
            return new int[] {0, 0};
        }
        int[] names = typeNames.get(type);
        if (names == null) {
            names = internTypeNames(type);
            typeNames.put(type, names);
        }
        return names;
    }

    private int[] internTypeNames(TypeMirror type) {
        switch (type.getKind()) {
            case ERROR:
            case EXECUTABLE:
            case PACKAGE:
            case NONE:
            case OTHER:
                return new int[] {0, 0};
            default:
        }
        try {
            return new int[] {facts.strings.intern(type.toString()), facts.strings.intern(erasedTypeName(type))};
        } catch (RuntimeException e) {
            return new int[] {0, 0};
        }
    }

    String erasedTypeName(TypeMirror type) {
        TypeMirror erased = type.getKind() == TypeKind.NULL ? type : facts.types.erasure(type);
        if (erased.getKind() == TypeKind.ARRAY) {
            return erasedTypeName(((ArrayType) erased).getComponentType()) + "[]";
        }
        if (erased.getKind() == TypeKind.DECLARED) {
            Element element = ((DeclaredType) erased).asElement();
            // The symbol is interned so that its supertypes are reported too.
            int number = intern(element);
            String name = ((TypeElement) element).getQualifiedName().toString();
            return name.isEmpty() ? "#" + number : name;
        }
        return erased.toString();
    }

    private static boolean isGeneric(TypeMirror type) {
        if (type instanceof DeclaredType) {
            for (TypeMirror argument : ((DeclaredType) type).getTypeArguments()) {
                if (isGeneric(argument)) {
                    return true;
                }
            }
            return false;
        }
        if (type instanceof ArrayType) {
            return isGeneric(((ArrayType) type).getComponentType());
        }
        if (type instanceof WildcardType) {
            WildcardType wildcard = (WildcardType) type;
            return wildcard.getExtendsBound() != null && isGeneric(wildcard.getExtendsBound())
                    || wildcard.getSuperBound() != null && isGeneric(wildcard.getSuperBound());
        }
        return type.getKind() == TypeKind.TYPEVAR;
    }

    void write(Writer out) {
        Writer body = new Writer();
        // Writing a symbol can intern further symbols, so the list grows.
        for (int i = 0; i < symbols.size(); i++) {
            write(symbols.get(i), body);
        }
        out.writeNumber(symbols.size());
        out.write(body.toByteArray(), 0, body.size());
    }

    private void write(Element element, Writer out) {
        boolean isType = element instanceof TypeElement;
        String name = isType && ((TypeElement) element).getNestingKind() != NestingKind.LOCAL
                        || element instanceof PackageElement
                ? element.toString()
                : element.getSimpleName().toString();
        out.writeNumber(facts.strings.intern(element.getKind().name()));
        out.writeNumber(facts.strings.intern(isType ? ((TypeElement) element).getSimpleName().toString() : name));
        out.writeNumber(isType ? facts.strings.intern(erasedClassName((TypeElement) element)) : 0);
        out.writeNumber(intern(element.getEnclosingElement()));
        out.writeNumber(flags(element));
        int[] declaration = findDeclaration(element);
        out.writeNumber(declaration == null ? 0 : declaration[0] + 1);
        out.writeNumber(declaration == null ? 0 : declaration[1]);
        if (isType) {
            writeType((TypeElement) element, out);
        } else if (element instanceof ExecutableElement) {
            writeMethod((ExecutableElement) element, out);
        } else {
            TypeMirror type = element instanceof PackageElement ? null : element.asType();
            writeTypeName(type, out);
            out.writeNumber(0);
            out.writeNumber(0);
            out.writeNumber(0);
        }
    }

    /** Returns the declaration of a symbol: for accessors and constructor parameters of a record, the component. */
    private int[] findDeclaration(Element element) {
        int[] declaration = declarations.get(element);
        Element owner = element.getEnclosingElement();
        if (declaration != null || owner == null) {
            return declaration;
        }
        boolean isParameter = element.getKind() == ElementKind.PARAMETER && owner.getKind() == ElementKind.CONSTRUCTOR;
        Element record = isParameter ? owner.getEnclosingElement() : owner;
        boolean isAccessor = element instanceof ExecutableElement && element.getKind() == ElementKind.METHOD
                && ((ExecutableElement) element).getParameters().isEmpty();
        if (record == null || !record.getKind().name().equals("RECORD") || !isParameter && !isAccessor) {
            return null;
        }
        for (Element member : record.getEnclosedElements()) {
            if (member.getKind() == ElementKind.FIELD && member.getSimpleName().equals(element.getSimpleName())) {
                return declarations.get(member);
            }
        }
        return null;
    }

    private String erasedClassName(TypeElement element) {
        String name = element.getQualifiedName().toString();
        return name.isEmpty() ? "#" + intern(element) : name;
    }

    private void writeType(TypeElement element, Writer out) {
        writeTypeName(element.asType(), out);
        out.writeNumber(0);
        List<TypeMirror> supers = new ArrayList<>();
        if (element.getSuperclass().getKind() == TypeKind.DECLARED) {
            supers.add(element.getSuperclass());
        }
        supers.addAll(element.getInterfaces());
        out.writeNumber(supers.size());
        for (TypeMirror type : supers) {
            out.writeNumber(intern(facts.types.asElement(type)));
        }
        List<? extends TypeParameterElement> parameters = element.getTypeParameters();
        out.writeNumber(parameters.size());
        for (TypeParameterElement parameter : parameters) {
            out.writeNumber(intern(parameter));
        }
    }

    private void writeMethod(ExecutableElement method, Writer out) {
        writeTypeName(method.getReturnType(), out);
        out.writeNumber(method.getParameters().size());
        for (VariableElement parameter : method.getParameters()) {
            out.writeNumber(intern(parameter));
        }
        out.writeNumber(method.getThrownTypes().size());
        for (TypeMirror thrown : method.getThrownTypes()) {
            out.writeNumber(internType(thrown)[1]);
        }
        List<ExecutableElement> overridden =
                isDeclared(method) ? facts.obligations.overriddenMethods(method) : new ArrayList<>();
        out.writeNumber(overridden.size());
        for (ExecutableElement other : overridden) {
            out.writeNumber(intern(other));
        }
    }

    private void writeTypeName(TypeMirror type, Writer out) {
        int[] names = internType(type);
        out.writeNumber(names[0]);
        out.writeNumber(names[1]);
    }

    private int flags(Element element) {
        int flags = 0;
        int bit = 1;
        for (Modifier modifier :
                new Modifier[] {
                    Modifier.PUBLIC, Modifier.PROTECTED, Modifier.PRIVATE, Modifier.STATIC,
                    Modifier.FINAL, Modifier.ABSTRACT, Modifier.DEFAULT, Modifier.NATIVE
                }) {
            if (element.getModifiers().contains(modifier)) {
                flags |= bit;
            }
            bit <<= 1;
        }
        for (Modifier modifier : element.getModifiers()) {
            // `Modifier.SEALED` does not exist before Java 17.
            flags |= modifier.name().equals("SEALED") ? SEALED : 0;
        }
        if (element instanceof ExecutableElement) {
            ExecutableElement method = (ExecutableElement) element;
            flags |= method.isVarArgs() ? VARARGS : 0;
            flags |= isGeneric(method.getReturnType()) ? GENERIC : 0;
            flags |= method.getDefaultValue() != null ? HAS_DEFAULT : 0;
        } else if (element instanceof VariableElement) {
            flags |= isGeneric(element.asType()) ? GENERIC : 0;
            flags |= ((VariableElement) element).getConstantValue() != null ? CONSTANT : 0;
        } else if (element instanceof TypeElement) {
            NestingKind nesting = ((TypeElement) element).getNestingKind();
            flags |= nesting == NestingKind.ANONYMOUS ? ANONYMOUS : 0;
            flags |= nesting == NestingKind.LOCAL ? LOCAL : 0;
        }
        return flags;
    }
}
