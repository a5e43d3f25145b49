package gitmend.testserver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Shutdown hooks. Those of a variant run when its tests have ended, as they do at the end of a JVM. */
final class ShutdownHooks {
    /** Time limit for all hooks, in milliseconds. */
    private static final int TIME_LIMIT_MILLIS = 10_000;

    private final Set<Thread> initialHooks = read();

    /** Runs the added hooks, and returns true if there are any. A hook that does not end remains as a thread. */
    boolean runAdded() {
        Set<Thread> added = read();
        added.removeAll(initialHooks);
        added.removeIf(ShutdownHooks::isOfJdk);
        List<Thread> running = new ArrayList<>();
        for (Thread hook : added) {
            if (Runtime.getRuntime().removeShutdownHook(hook)) {
                hook.start();
                running.add(hook);
            }
        }
        long deadline = System.nanoTime() + TIME_LIMIT_MILLIS * 1_000_000L;
        for (Thread hook : running) {
            try {
                hook.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return !added.isEmpty();
    }

    /** Returns true for a hook that a class of the JDK adds once, when it is initialised. */
    private static boolean isOfJdk(Thread hook) {
        return hook.getClass() != Thread.class && hook.getClass().getClassLoader() == null;
    }

    /** Returns the hooks; none if the JDK does not have the field. */
    private static Set<Thread> read() {
        Set<Thread> hooks = new HashSet<>();
        try {
            Object all = JdkField.ofClass("java.lang.ApplicationShutdownHooks", "hooks").get();
            for (Object hook : ((Map<?, ?>) all).keySet()) {
                hooks.add((Thread) hook);
            }
        } catch (ReflectiveOperationException e) {
            // The hooks then run at the end of this JVM.
        }
        return hooks;
    }
}
