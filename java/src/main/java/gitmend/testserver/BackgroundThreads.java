package gitmend.testserver;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.regex.Pattern;

/** Threads that may remain after a variant: nothing that they do can change the result of a later one. */
final class BackgroundThreads {
    /**
     * Names of library threads that only serve objects of their own class loader. Every variant has its own copies of
     * these libraries, so a later variant never meets these objects. Each has a test with the real library.
     */
    private static final List<Pattern> LIBRARY_THREADS = Collections.singletonList(
            // HikariCP retires idle connections of its pool, and opens and closes them.
            Pattern.compile("HikariPool-\\d+[ :](housekeeper|connection (adder|closer).*)"));

    private BackgroundThreads() {}

    static boolean isHarmless(Thread thread) {
        return isJdkThread(thread) || isIdlePoolThread(thread) || isIdleLibraryThread(thread);
    }

    /** Returns true for a thread that the JDK starts on demand, and that runs no code of tests. */
    private static boolean isJdkThread(Thread thread) {
        return thread.getClass().getName().endsWith(".InnocuousThread")
                || thread.getName().equals("process reaper")
                || isInSystemGroup(thread) && thread.getName().equals("Attach Listener");
    }

    /** Returns true if the thread is in the group of the JVM, where tests start no threads by accident. */
    private static boolean isInSystemGroup(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && group.getParent() == null;
    }

    /** Returns true for an idle worker of the common pool that refers to no variant's class loader. */
    private static boolean isIdlePoolThread(Thread thread) {
        return thread instanceof ForkJoinWorkerThread
                && thread.getClass().getClassLoader() == null
                && ((ForkJoinWorkerThread) thread).getPool() == ForkJoinPool.commonPool()
                && ForkJoinPool.commonPool().isQuiescent()
                && thread.getContextClassLoader() == ClassLoader.getSystemClassLoader();
    }

    /** Returns true for a known library thread that waits, and that does not keep a JVM from exiting. */
    private static boolean isIdleLibraryThread(Thread thread) {
        Thread.State state = thread.getState();
        boolean isWaiting = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        return isWaiting && thread.isDaemon()
                && LIBRARY_THREADS.stream().anyMatch(name -> name.matcher(thread.getName()).matches());
    }
}
