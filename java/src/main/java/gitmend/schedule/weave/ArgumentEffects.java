package gitmend.schedule.weave;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Effects of JDK methods on the collections and arrays that they take as arguments. */
final class ArgumentEffects {
    /** What is done to an argument. */
    enum Use { NONE, READ, WRITE }

    private static final Set<String> CHANGING_ARRAYS = new HashSet<>(Arrays.asList(
            "sort", "parallelSort", "fill", "setAll", "parallelSetAll", "parallelPrefix"));
    private static final Set<String> CHANGING_LISTS = new HashSet<>(Arrays.asList(
            "sort", "shuffle", "reverse", "swap", "fill", "rotate", "replaceAll", "addAll", "copy"));
    /** Methods of `Collections` that go through what they are given. */
    private static final Set<String> READING = new HashSet<>(Arrays.asList(
            "max", "min", "frequency", "disjoint", "binarySearch", "indexOfSubList", "lastIndexOfSubList"));
    /** Methods of collections that go through another one; others only keep it. */
    private static final Set<String> TAKING = new HashSet<>(Arrays.asList(
            "<init>", "addAll", "putAll", "removeAll", "retainAll", "containsAll", "copyOf", "invokeAll", "invokeAny"));
    private static final Set<String> MANY = new HashSet<>(Arrays.asList(
            "Ljava/util/Collection;", "Ljava/util/Map;", "Ljava/util/List;", "Ljava/util/Set;", "Ljava/util/SortedMap;",
            "Ljava/util/SortedSet;", "Ljava/lang/Iterable;"));
    private static final Set<String> TEXTS = new HashSet<>(Arrays.asList(
            "Ljava/lang/CharSequence;", "Ljava/lang/StringBuffer;", "Ljava/lang/Object;"));

    private ArgumentEffects() {}

    /** Whether calls are seen for their arguments alone. */
    static boolean isWatched(String holder, String name) {
        return holder.equals("java/util/Arrays") && !name.equals("asList")
                || holder.equals("java/util/Collections") && (CHANGING_LISTS.contains(name) || READING.contains(name))
                || holder.equals("java/lang/System") && name.equals("arraycopy")
                || holder.equals("java/lang/String") && name.equals("join")
                || holder.startsWith("[") && name.equals("clone");
    }

    /** What is done to the argument at a place, of some type. */
    static Use of(String holder, String name, int place, String type) {
        if (holder.equals("java/util/Arrays")) {
            boolean isChange = place == 0 && CHANGING_ARRAYS.contains(name);
            return !type.startsWith("[") ? Use.NONE : isChange ? Use.WRITE : Use.READ;
        }
        if (holder.equals("java/util/Collections")) {
            boolean isChange = place == 0 && CHANGING_LISTS.contains(name);
            return !MANY.contains(type) ? Use.NONE : isChange ? Use.WRITE : Use.READ;
        }
        if (holder.startsWith("java/lang/StringBu")) {
            return TEXTS.contains(type) ? Use.READ : Use.NONE;
        }
        if (name.equals("drainTo")) {
            return MANY.contains(type) ? Use.WRITE : Use.NONE;
        }
        boolean isTaken = MANY.contains(type) && (TAKING.contains(name) || name.equals("join"));
        return isTaken || name.equals("equals") ? Use.READ : Use.NONE;
    }
}
