package gitmend.schedule.weave;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The JDK classes that are copied so that they use our own parking: `java.util.concurrent` without
 * its non-blocking classes, and timers. The copies are in another package, and instrumented classes
 * refer to the copies.
 */
final class RelocatedClasses {
    /** Where the copies are, with slashes; the rest of the name stays. */
    static final String PLACE = "gitmend/copy/";

    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String JDK = "java/util/";
    private static final Set<String> TIMERS =
            new HashSet<>(Arrays.asList("Timer", "TimerTask", "TimerThread", "TaskQueue"));

    /** What is no more than a form that the copies have, too, and all that is thrown. */
    private static final Set<String> KEPT = new HashSet<>(Arrays.asList(
            "TimeUnit", "Callable", "Future", "Executor", "ExecutorService", "ScheduledExecutorService",
            "RunnableFuture", "ScheduledFuture", "RunnableScheduledFuture", "Delayed", "BlockingQueue",
            "BlockingDeque", "TransferQueue", "ThreadFactory", "CompletionService", "ConcurrentMap",
            "ConcurrentNavigableMap", "Flow", "locks/Lock", "locks/Condition", "locks/ReadWriteLock",
            "locks/LockSupport", "atomic/AtomicIntegerFieldUpdater", "atomic/AtomicLongFieldUpdater",
            "atomic/AtomicReferenceFieldUpdater"));

    private RelocatedClasses() {}

    /** Whether a class of the JDK, with slashes in its name, is one that is copied. */
    static boolean isCopied(String name) {
        if (!name.startsWith(JDK)) {
            return false;
        }
        int inner = name.indexOf('$');
        String top = inner < 0 ? name : name.substring(0, inner);
        if (!name.startsWith(CONCURRENT)) {
            return TIMERS.contains(top.substring(JDK.length()));
        }
        String own = top.substring(CONCURRENT.length());
        return !KEPT.contains(own) && !own.endsWith("Exception");
    }

    /** The name of the original of a copy. */
    static String original(String copy) {
        return JDK + copy.substring(PLACE.length());
    }

    /** A class's name, or a type, with the names of copies. */
    static String renamed(String text) {
        int at = text.indexOf(JDK);
        if (at < 0) {
            return text;
        }
        StringBuilder all = new StringBuilder();
        int from = 0;
        while (at >= 0) {
            int end = at;
            while (end < text.length() && ";<:>.,()[ ".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            boolean isWhole = at == 0 || text.charAt(at - 1) == 'L';
            all.append(text, from, at);
            String name = text.substring(at, end);
            boolean isOther = isWhole && isCopied(name);
            all.append(isOther ? PLACE + name.substring(JDK.length()) : name);
            from = end;
            at = text.indexOf(JDK, end);
        }
        return all.append(text, from, text.length()).toString();
    }
}
