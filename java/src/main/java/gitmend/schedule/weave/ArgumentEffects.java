package gitmend.schedule.weave;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Effects of JDK methods on the collections and arrays that they take as arguments. */
final class ArgumentEffects {
    enum Effect { NONE, READ, WRITE }

    private static final Set<String> ARRAY_MUTATORS = new HashSet<>(Arrays.asList(
            "sort", "parallelSort", "fill", "setAll", "parallelSetAll", "parallelPrefix"));
    private static final Set<String> LIST_MUTATORS = new HashSet<>(Arrays.asList(
            "sort", "shuffle", "reverse", "swap", "fill", "rotate", "replaceAll", "addAll", "copy"));
    /** Methods of `Collections` that iterate over their arguments. */
    private static final Set<String> LIST_READERS = new HashSet<>(Arrays.asList(
            "max", "min", "frequency", "disjoint", "binarySearch", "indexOfSubList", "lastIndexOfSubList"));
    /** Methods of collections that iterate over an argument; others only store it. */
    private static final Set<String> BULK_METHODS = new HashSet<>(Arrays.asList(
            "<init>", "addAll", "putAll", "removeAll", "retainAll", "containsAll", "copyOf", "invokeAll", "invokeAny"));
    private static final Set<String> CONTAINER_TYPES = new HashSet<>(Arrays.asList(
            "Ljava/util/Collection;", "Ljava/util/Map;", "Ljava/util/List;", "Ljava/util/Set;", "Ljava/util/SortedMap;",
            "Ljava/util/SortedSet;", "Ljava/lang/Iterable;"));
    private static final Set<String> TEXT_TYPES = new HashSet<>(Arrays.asList(
            "Ljava/lang/CharSequence;", "Ljava/lang/StringBuffer;", "Ljava/lang/Object;"));

    private ArgumentEffects() {}

    /** Returns true if calls are hooked for their arguments alone. */
    static boolean isModelled(String holder, String name) {
        return holder.equals("java/util/Arrays") && !name.equals("asList")
                || holder.equals("java/util/Collections")
                        && (LIST_MUTATORS.contains(name) || LIST_READERS.contains(name))
                || holder.equals("java/lang/System") && name.equals("arraycopy")
                || holder.equals("java/lang/String") && name.equals("join")
                || holder.startsWith("[") && name.equals("clone");
    }

    /** Returns the effect on the argument at an index, of this type. */
    static Effect effectOn(String holder, String name, int index, String type) {
        if (holder.equals("java/util/Arrays")) {
            boolean isChange = index == 0 && ARRAY_MUTATORS.contains(name);
            return !type.startsWith("[") ? Effect.NONE : isChange ? Effect.WRITE : Effect.READ;
        }
        if (holder.equals("java/util/Collections")) {
            boolean isChange = index == 0 && LIST_MUTATORS.contains(name);
            return !CONTAINER_TYPES.contains(type) ? Effect.NONE : isChange ? Effect.WRITE : Effect.READ;
        }
        if (holder.startsWith("java/lang/StringBu")) {
            return TEXT_TYPES.contains(type) ? Effect.READ : Effect.NONE;
        }
        if (name.equals("drainTo")) {
            return CONTAINER_TYPES.contains(type) ? Effect.WRITE : Effect.NONE;
        }
        boolean isRead = CONTAINER_TYPES.contains(type) && (BULK_METHODS.contains(name) || name.equals("join"));
        return isRead || name.equals("equals") ? Effect.READ : Effect.NONE;
    }
}
