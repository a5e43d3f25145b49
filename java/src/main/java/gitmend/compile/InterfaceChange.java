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

/**
 * Changes of class interfaces (ABI) that affect unchanged files.
 *
 * <p>A compiler that compiles such a file finds a member by its name, which then occurs in the file; by going
 * through all methods of a supertype, all members of an interface or of an enum; or by one of the names that the
 * language itself calls. Any other change affects every file.
 */
final class InterfaceChange {
    /** What a loop or a block with resources calls without naming it. */
    private static final List<String> IMPLICITLY_CALLED =
            Arrays.asList("iterator", "hasNext", "next", "close", "addSuppressed");

    private static final Pattern ESCAPE = Pattern.compile("\\\\u+([0-9a-fA-F]{4})");

    boolean affectsAllFiles;
    final Set<String> affectedNames = new TreeSet<>();
    /** Those of which methods changed: what is below one may need them, or override them, without naming them. */
    private final Set<String> changedClasses = new HashSet<>();

    /** Adds the difference between classes as they were and as they are, both by their names. */
    void add(Map<String, ClassShape> before, Map<String, ClassShape> after) {
        Set<String> allNames = new HashSet<>(before.keySet());
        allNames.addAll(after.keySet());
        for (String name : allNames) {
            ClassShape oldShape = before.get(name);
            ClassShape newShape = after.get(name);
            if (oldShape == null || newShape == null) {
                ClassShape shape = oldShape == null ? newShape : oldShape;
                if (!shape.isLocal) {
                    // Code that does not name it can only reach it through members, and these
                    // change with it.
                    affectedNames.add(simpleName(shape.name));
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

    boolean isEmpty() {
        return !affectsAllFiles && affectedNames.isEmpty();
    }

    /** Whether it may concern a file that has these classes; supertypes are looked up among all classes. */
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

    /** A text with Unicode escapes as the characters that they stand for. */
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
