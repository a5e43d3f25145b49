package gitmend.facts;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;

/** Implementation obligations: the abstract methods that each class must implement, and their implementations. */
final class Obligations {
    private final Facts facts;
    private final Writer out = new Writer();
    private int count;

    Obligations(Facts facts) {
        this.facts = facts;
    }

    /** Returns all supertypes of a class, breadth first, without the class itself. */
    private Set<TypeElement> supertypes(TypeElement type) {
        Set<TypeElement> supertypes = new LinkedHashSet<>();
        List<TypeElement> queue = new ArrayList<>();
        queue.add(type);
        for (int i = 0; i < queue.size(); i++) {
            for (TypeMirror mirror : facts.types.directSupertypes(queue.get(i).asType())) {
                if (mirror instanceof DeclaredType) {
                    Element element = ((DeclaredType) mirror).asElement();
                    if (element instanceof TypeElement && supertypes.add((TypeElement) element)) {
                        queue.add((TypeElement) element);
                    }
                }
            }
        }
        return supertypes;
    }

    /** Returns the methods of supertypes that a method overrides. */
    List<ExecutableElement> overriddenMethods(ExecutableElement method) {
        List<ExecutableElement> overridden = new ArrayList<>();
        Element owner = method.getEnclosingElement();
        if (method.getKind() != ElementKind.METHOD || !(owner instanceof TypeElement)) {
            return overridden;
        }
        for (TypeElement type : supertypes((TypeElement) owner)) {
            for (ExecutableElement other : declaredMethods(type, method.getSimpleName().toString())) {
                if (facts.elements.overrides(method, other, (TypeElement) owner)) {
                    overridden.add(other);
                }
            }
        }
        return overridden;
    }

    private static List<ExecutableElement> declaredMethods(TypeElement type, String name) {
        List<ExecutableElement> methods = new ArrayList<>();
        for (Element member : type.getEnclosedElements()) {
            if (member.getKind() == ElementKind.METHOD
                    && (name == null || member.getSimpleName().contentEquals(name))) {
                methods.add((ExecutableElement) member);
            }
        }
        return methods;
    }

    private static boolean isAbstract(Element element) {
        return element.getModifiers().contains(Modifier.ABSTRACT);
    }

    /** Adds the inherited abstract methods of a class, and the implementation of each. */
    void addClass(TypeElement type) {
        if (type.getKind().isInterface()) {
            return;
        }
        Set<TypeElement> supertypes = supertypes(type);
        List<TypeElement> candidates = new ArrayList<>();
        candidates.add(type);
        candidates.addAll(supertypes);
        for (TypeElement other : supertypes) {
            for (ExecutableElement abstractMethod : declaredMethods(other, null)) {
                if (isAbstract(abstractMethod)) {
                    count++;
                    out.writeNumber(facts.symbols.intern(type));
                    out.writeNumber(facts.symbols.intern(abstractMethod));
                    out.writeNumber(facts.symbols.intern(implementation(abstractMethod, type, candidates)));
                }
            }
        }
    }

    private ExecutableElement implementation(
            ExecutableElement abstractMethod, TypeElement type, List<TypeElement> candidates) {
        for (TypeElement candidate : candidates) {
            for (ExecutableElement method : declaredMethods(candidate, abstractMethod.getSimpleName().toString())) {
                if (!isAbstract(method) && facts.elements.overrides(method, abstractMethod, type)) {
                    return method;
                }
            }
        }
        return null;
    }

    void write(Writer answer) {
        answer.writeNumber(count);
        answer.write(out.toByteArray(), 0, out.size());
    }
}
