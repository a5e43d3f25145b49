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
final class Change {
    /** What a loop or a block with resources calls without naming it. */
    private static final List<String> CALLED_BY_THE_LANGUAGE =
            Arrays.asList("iterator", "hasNext", "next", "close", "addSuppressed");

    private static final Pattern ESCAPE = Pattern.compile("\\\\u+([0-9a-fA-F]{4})");

    boolean isEverywhere;
    final Set<String> names = new TreeSet<>();
    /** Those of which methods changed: what is below one may need them, or override them, without naming them. */
    private final Set<String> classes = new HashSet<>();

    /** Adds the difference between classes as they were and as they are, both by their names. */
    void add(Map<String, ClassShape> before, Map<String, ClassShape> now) {
        Set<String> all = new HashSet<>(before.keySet());
        all.addAll(now.keySet());
        for (String name : all) {
            ClassShape old = before.get(name);
            ClassShape fresh = now.get(name);
            if (old == null || fresh == null) {
                ClassShape one = old == null ? fresh : old;
                if (!one.isLocal) {
                    // Code that does not name it can only reach it through members, and these
                    // change with it.
                    names.add(simpleName(one.name));
                }
            } else if (old != fresh) {
                add(old, fresh);
            }
        }
    }

    private void add(ClassShape old, ClassShape fresh) {
        if (old.isLocal && fresh.isLocal) {
            return;
        }
        Set<String> changed = new HashSet<>();
        Set<String> all = new HashSet<>(old.members.keySet());
        all.addAll(fresh.members.keySet());
        for (String member : all) {
            if (!String.valueOf(old.members.get(member)).equals(fresh.members.get(member))) {
                changed.add(member);
            }
        }
        isEverywhere |= !old.header.toString().equals(fresh.header.toString());
        if (changed.isEmpty()) {
            return;
        }
        for (String member : changed) {
            int space = member.indexOf(' ');
            String name = space < 0 ? member : member.substring(0, space);
            if (member.contains("(")) {
                classes.add(fresh.name);
            }
            isEverywhere |= fresh.isInterface || fresh.isEnum && space < 0
                    || CALLED_BY_THE_LANGUAGE.contains(name);
            names.add(name.equals("<init>") ? simpleName(fresh.name) : name);
        }
    }

    boolean isNothing() {
        return !isEverywhere && names.isEmpty();
    }

    /** Whether it may concern a file that has these classes; supertypes are looked up among all classes. */
    boolean concerns(String text, Collection<MemoryClass> own, Map<String, ClassShape> all) {
        if (isEverywhere || isNamedIn(text) || text.contains("\\u") && isNamedIn(unescaped(text))) {
            return true;
        }
        for (MemoryClass one : own) {
            if (isBelow(one.shape(), all, 0)) {
                return true;
            }
        }
        return false;
    }

    private boolean isNamedIn(String text) {
        for (String name : names) {
            if (text.contains(name)) {
                return true;
            }
        }
        return false;
    }

    /** A text with Unicode escapes as the characters that they stand for. */
    private static String unescaped(String text) {
        Matcher escape = ESCAPE.matcher(text);
        StringBuffer unescaped = new StringBuffer();
        while (escape.find()) {
            char character = (char) Integer.parseInt(escape.group(1), 16);
            escape.appendReplacement(unescaped, Matcher.quoteReplacement(String.valueOf(character)));
        }
        return escape.appendTail(unescaped).toString();
    }

    private boolean isBelow(ClassShape shape, Map<String, ClassShape> all, int depth) {
        if (shape == null) {
            return false;
        } else if (depth > 64 || classes.contains(shape.superName)) {
            return true;
        }
        return isBelow(all.get(shape.superName), all, depth + 1);
    }

    private static String simpleName(String name) {
        String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
        return last.isEmpty() ? name : last;
    }
}
