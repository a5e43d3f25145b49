package gitmend.compile;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Set of changes of class interfaces (ABI), to decide which unchanged files they can affect.
 *
 * <p>The compiler can reach a changed member in three ways. The file names it; the compiler enumerates the methods of
 * a supertype or the members of an interface or enum; or a statement calls it implicitly. Other changes affect all
 * files.
 */
final class InterfaceChange {
    /** Methods that loops and `try` with resources call implicitly. */
    private static final List<String> IMPLICITLY_CALLED =
            Arrays.asList("iterator", "hasNext", "next", "close", "addSuppressed");

    private static final Pattern ESCAPE = Pattern.compile("\\\\u+([0-9a-fA-F]{4})");

    boolean affectsAllFiles;
    final Set<String> affectedNames = new TreeSet<>();
    /** Internal names of added classes, and of removed ones. */
    private final Set<String> addedClasses = new HashSet<>();
    private final Set<String> removedClasses = new HashSet<>();
    /** Classes with changed methods. Subclasses may override or have to implement them without naming them. */
    private final Set<String> changedClasses = new HashSet<>();

    /** Adds the differences between two sets of classes, both by name. */
    void add(Map<String, ClassShape> before, Map<String, ClassShape> after) {
        Set<String> allNames = new HashSet<>(before.keySet());
        allNames.addAll(after.keySet());
        for (String name : allNames) {
            ClassShape oldShape = before.get(name);
            ClassShape newShape = after.get(name);
            if (oldShape == null || newShape == null) {
                ClassShape shape = oldShape == null ? newShape : oldShape;
                if (!shape.isLocal) {
                    // Code that does not name the class reaches it only through members, whose types change too.
                    affectedNames.add(simpleName(shape.name));
                    (oldShape == null ? addedClasses : removedClasses).add(shape.name);
                    // A class that moves between units may have other members, which its users need not name.
                    affectsAllFiles |= addedClasses.contains(shape.name) && removedClasses.contains(shape.name);
                }
            } else if (oldShape != newShape) {
                add(oldShape, newShape);
            }
        }
    }

    private void add(ClassShape oldShape, ClassShape newShape) {
        if (oldShape.isLocal && newShape.isLocal) {
            return;
        }
        Set<String> changedMembers = new HashSet<>();
        Set<String> allNames = new HashSet<>(oldShape.members.keySet());
        allNames.addAll(newShape.members.keySet());
        for (String member : allNames) {
            if (!String.valueOf(oldShape.members.get(member)).equals(newShape.members.get(member))) {
                changedMembers.add(member);
            }
        }
        affectsAllFiles |= !oldShape.header.toString().equals(newShape.header.toString());
        if (changedMembers.isEmpty()) {
            return;
        }
        for (String member : changedMembers) {
            int space = member.indexOf(' ');
            String name = space < 0 ? member : member.substring(0, space);
            if (member.contains("(")) {
                changedClasses.add(newShape.name);
            }
            affectsAllFiles |= newShape.isInterface || newShape.isEnum && space < 0
                    || IMPLICITLY_CALLED.contains(name);
            affectedNames.add(name.equals("<init>") ? simpleName(newShape.name) : name);
        }
    }

    /** Returns the binary names of added and removed classes. */
    Set<String> addedAndRemovedClasses() {
        return Stream.concat(addedClasses.stream(), removedClasses.stream())
                .map(name -> name.replace('/', '.'))
                .collect(Collectors.toSet());
    }

    boolean isEmpty() {
        return !affectsAllFiles && affectedNames.isEmpty();
    }

    /** Returns true if the change can affect a file with these classes. `shapes` are all classes, for supertypes. */
    boolean canAffect(String text, Collection<MemoryClass> classes, Map<String, ClassShape> shapes) {
        if (affectsAllFiles || hasNameIn(text) || text.contains("\\u") && hasNameIn(decodeEscapes(text))) {
            return true;
        }
        for (MemoryClass type : classes) {
            if (isSubclassOfChanged(type.shape(), shapes, 0)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasNameIn(String text) {
        for (String name : affectedNames) {
            if (text.contains(name)) {
                return true;
            }
        }
        return false;
    }

    /** Replaces Unicode escapes by their characters. */
    private static String decodeEscapes(String text) {
        Matcher escape = ESCAPE.matcher(text);
        StringBuffer decoded = new StringBuffer();
        while (escape.find()) {
            char character = (char) Integer.parseInt(escape.group(1), 16);
            escape.appendReplacement(decoded, Matcher.quoteReplacement(String.valueOf(character)));
        }
        return escape.appendTail(decoded).toString();
    }

    private boolean isSubclassOfChanged(ClassShape shape, Map<String, ClassShape> shapes, int depth) {
        if (shape == null) {
            return false;
        } else if (depth > 64 || changedClasses.contains(shape.superName)) {
            return true;
        }
        return isSubclassOfChanged(shapes.get(shape.superName), shapes, depth + 1);
    }

    private static String simpleName(String name) {
        String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
        return last.isEmpty() ? name : last;
    }
}
