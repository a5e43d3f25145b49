package gitmend.schedule.weave;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * JDK classes that are copied into another package so that they use the scheduler's parking: `java.util.concurrent`
 * without its non-blocking classes, and timers. Instrumented classes refer to the copies.
 */
final class RelocatedClasses {
    /** Package of the copies, with slashes; the rest of the name is unchanged. */
    static final String COPY_PACKAGE = "gitmend/copy/";

    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String JDK = "java/util/";
    private static final Set<String> TIMERS =
            new HashSet<>(Arrays.asList("Timer", "TimerTask", "TimerThread", "TaskQueue"));

    /** Classes that are not copied, mostly interfaces that the copies implement. Exceptions are not copied either. */
    private static final Set<String> NOT_COPIED = new HashSet<>(Arrays.asList(
            "TimeUnit", "Callable", "Future", "Executor", "ExecutorService", "ScheduledExecutorService",
            "RunnableFuture", "ScheduledFuture", "RunnableScheduledFuture", "Delayed", "BlockingQueue",
            "BlockingDeque", "TransferQueue", "ThreadFactory", "CompletionService", "ConcurrentMap",
            "ConcurrentNavigableMap", "Flow", "locks/Lock", "locks/Condition", "locks/ReadWriteLock",
            "locks/LockSupport", "atomic/AtomicIntegerFieldUpdater", "atomic/AtomicLongFieldUpdater",
            "atomic/AtomicReferenceFieldUpdater"));

    private RelocatedClasses() {}

    /** Returns true if a JDK class, with slashes in its name, is copied. */
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
        return !NOT_COPIED.contains(own) && !own.endsWith("Exception");
    }

    /** Returns the name of the original of a copy. */
    static String originalName(String copy) {
        return JDK + copy.substring(COPY_PACKAGE.length());
    }

    /** Replaces the names of copied classes in a class name, descriptor or signature. */
    static String renameReferences(String text) {
        int at = text.indexOf(JDK);
        if (at < 0) {
            return text;
        }
        StringBuilder result = new StringBuilder();
        int from = 0;
        while (at >= 0) {
            int end = at;
            while (end < text.length() && ";<:>.,()[ ".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            boolean isWhole = at == 0 || text.charAt(at - 1) == 'L';
            result.append(text, from, at);
            String name = text.substring(at, end);
            boolean isReference = isWhole && isCopied(name);
            result.append(isReference ? COPY_PACKAGE + name.substring(JDK.length()) : name);
            from = end;
            at = text.indexOf(JDK, end);
        }
        return result.append(text, from, text.length()).toString();
    }
}
