package gitmend.runtime;

import java.lang.reflect.InvocationTargetException;

/** Threads that builders of newer releases make. Virtual ones run as ordinary daemons. */
final class Builders {
    private Builders() {}

    static Thread unstarted(Object builder, Runnable task) {
        try {
            Thread made = (Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class)
                    .invoke(builder, task);
            return made.getClass() == Thread.class ? made : ordinary(made, task);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException) {
                throw (RuntimeException) e.getCause();
            }
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As a virtual thread, but for what it runs on. */
    private static Thread ordinary(Thread virtual, Runnable task) {
        Thread thread = new Thread(task);
        if (!virtual.getName().isEmpty()) {
            thread.setName(virtual.getName());
        }
        thread.setDaemon(true);
        Thread.UncaughtExceptionHandler handler = virtual.getUncaughtExceptionHandler();
        if (handler != virtual.getThreadGroup()) {
            thread.setUncaughtExceptionHandler(handler);
        }
        return thread;
    }
}
