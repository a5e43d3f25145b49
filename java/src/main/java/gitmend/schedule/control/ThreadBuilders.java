package gitmend.schedule.control;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;

/** Threads created by builders of newer JDKs. Virtual threads run as daemons that report to be virtual. */
final class ThreadBuilders {
    /** What runs in place of a virtual thread. */
    private static final class Virtual extends Thread {
        Virtual(Runnable task, String name) {
            super(null, task, name, 0, false);
            setDaemon(true);
        }
    }

    private ThreadBuilders() {}

    /** Returns true for virtual threads, ours and those of newer releases. */
    static boolean isVirtual(Thread thread) {
        return thread instanceof Virtual || thread.getClass().getName().equals("java.lang.VirtualThread");
    }

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
    private static Thread ordinary(Thread virtual, Runnable task) throws ReflectiveOperationException {
        Thread thread = new Virtual(task, virtual.getName());
        Thread.UncaughtExceptionHandler handler = virtual.getUncaughtExceptionHandler();
        if (handler != virtual.getThreadGroup()) {
            thread.setUncaughtExceptionHandler(handler);
        }
        for (String inherited : new String[] {"inheritableThreadLocals", "contextClassLoader"}) {
            Field field = Thread.class.getDeclaredField(inherited);
            field.setAccessible(true);
            field.set(thread, field.get(virtual));
        }
        return thread;
    }

    /** What `Thread.startVirtualThread` makes, not started yet. */
    static Thread virtual(Runnable task) {
        try {
            return unstarted(Thread.class.getMethod("ofVirtual").invoke(null), task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
