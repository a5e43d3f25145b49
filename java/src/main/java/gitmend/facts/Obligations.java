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

/** Override relations: which methods override which, and which abstract methods a class must implement. */
final class Obligations {
    private final Facts facts;
    private final Writer out = new Writer();
    private int count;

    Obligations(Facts facts) {
        this.facts = facts;
    }

    /** All supertypes of a class, nearest first and without itself. */
    private Set<TypeElement> above(TypeElement type) {
        Set<TypeElement> all = new LinkedHashSet<>();
        List<TypeElement> open = new ArrayList<>();
        open.add(type);
        for (int i = 0; i < open.size(); i++) {
            for (TypeMirror mirror : facts.types.directSupertypes(open.get(i).asType())) {
                if (mirror instanceof DeclaredType) {
                    Element element = ((DeclaredType) mirror).asElement();
                    if (element instanceof TypeElement && all.add((TypeElement) element)) {
                        open.add((TypeElement) element);
                    }
                }
            }
        }
        return all;
    }

    List<ExecutableElement> overridden(ExecutableElement method) {
        List<ExecutableElement> found = new ArrayList<>();
        Element owner = method.getEnclosingElement();
        if (method.getKind() != ElementKind.METHOD || !(owner instanceof TypeElement)) {
            return found;
        }
        for (TypeElement type : above((TypeElement) owner)) {
            for (ExecutableElement other : methods(type, method.getSimpleName().toString())) {
                if (facts.elements.overrides(method, other, (TypeElement) owner)) {
                    found.add(other);
                }
            }
        }
        return found;
    }

    private static List<ExecutableElement> methods(TypeElement type, String name) {
        List<ExecutableElement> found = new ArrayList<>();
        for (Element member : type.getEnclosedElements()) {
            if (member.getKind() == ElementKind.METHOD
                    && (name == null || member.getSimpleName().contentEquals(name))) {
                found.add((ExecutableElement) member);
            }
        }
        return found;
    }

    private static boolean isAbstract(Element element) {
        return element.getModifiers().contains(Modifier.ABSTRACT);
    }

    /** Notes what a class must implement before it may have instances, and what implements it. */
    void of(TypeElement type) {
        if (type.getKind().isInterface()) {
            return;
        }
        Set<TypeElement> above = above(type);
        List<TypeElement> line = new ArrayList<>();
        line.add(type);
        line.addAll(above);
        for (TypeElement other : above) {
            for (ExecutableElement wanted : methods(other, null)) {
                if (isAbstract(wanted)) {
                    count++;
                    out.number(facts.symbols.of(type));
                    out.number(facts.symbols.of(wanted));
                    out.number(facts.symbols.of(implementation(wanted, type, line)));
                }
            }
        }
    }

    private ExecutableElement implementation(
            ExecutableElement wanted, TypeElement type, List<TypeElement> line) {
        for (TypeElement candidate : line) {
            for (ExecutableElement method : methods(candidate, wanted.getSimpleName().toString())) {
                if (!isAbstract(method) && facts.elements.overrides(method, wanted, type)) {
                    return method;
                }
            }
        }
        return null;
    }

    void write(Writer answer) {
        answer.number(count);
        answer.write(out.toByteArray(), 0, out.size());
    }
}
