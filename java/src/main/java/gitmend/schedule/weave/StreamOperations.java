package gitmend.schedule.weave;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Terminal operations of streams, which start the work of a parallel stream. */
final class StreamOperations {
    private static final Set<String> STREAMS = new HashSet<>(Arrays.asList(
            "java/util/stream/Stream", "java/util/stream/IntStream", "java/util/stream/LongStream",
            "java/util/stream/DoubleStream"));
    private static final Set<String> TERMINAL = new HashSet<>(Arrays.asList(
            "forEach", "forEachOrdered", "toArray", "toList", "reduce", "collect", "min", "max", "count", "sum",
            "average", "summaryStatistics", "anyMatch", "allMatch", "noneMatch", "findFirst", "findAny", "iterator",
            "spliterator"));

    private StreamOperations() {}

    /** Returns true for an operation of a class with slashes in its name. */
    static boolean isTerminal(String holder, String method) {
        return STREAMS.contains(holder) && TERMINAL.contains(method);
    }
}
