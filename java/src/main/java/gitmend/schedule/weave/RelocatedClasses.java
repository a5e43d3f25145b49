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
        int innerStart = name.indexOf('$');
        String topLevelName = innerStart < 0 ? name : name.substring(0, innerStart);
        if (!name.startsWith(CONCURRENT)) {
            return TIMERS.contains(topLevelName.substring(JDK.length()));
        }
        String simpleName = topLevelName.substring(CONCURRENT.length());
        return !NOT_COPIED.contains(simpleName) && !simpleName.endsWith("Exception");
    }

    /** Returns the name of the original of a copy. */
    static String originalName(String copy) {
        return JDK + copy.substring(COPY_PACKAGE.length());
    }

    /** Replaces the names of copied classes in a class name, descriptor or signature. */
    static String renameReferences(String text) {
        int start = text.indexOf(JDK);
        if (start < 0) {
            return text;
        }
        StringBuilder result = new StringBuilder();
        int copied = 0;
        while (start >= 0) {
            int end = start;
            while (end < text.length() && ";<:>.,()[ ".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            boolean isWhole = start == 0 || text.charAt(start - 1) == 'L';
            result.append(text, copied, start);
            String name = text.substring(start, end);
            boolean isReference = isWhole && isCopied(name);
            result.append(isReference ? COPY_PACKAGE + name.substring(JDK.length()) : name);
            copied = end;
            start = text.indexOf(JDK, end);
        }
        return result.append(text, copied, text.length()).toString();
    }
}
