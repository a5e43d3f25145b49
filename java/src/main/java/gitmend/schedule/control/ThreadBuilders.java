package gitmend.schedule.control;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;

/** Threads created by builders of newer JDKs. Virtual threads run as daemons that report to be virtual. */
final class ThreadBuilders {
    /** Platform thread that replaces a virtual thread. */
    private static final class Virtual extends Thread {
        Virtual(Runnable task, String name) {
            super(null, task, name, 0, false);
            setDaemon(true);
        }
    }

    private ThreadBuilders() {}

    /** Returns true for virtual threads and for their replacements. */
    static boolean isVirtual(Thread thread) {
        return thread instanceof Virtual || thread.getClass().getName().equals("java.lang.VirtualThread");
    }

    static Thread createUnstarted(Object builder, Runnable task) {
        try {
            Thread created = (Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class)
                    .invoke(builder, task);
            return created.getClass() == Thread.class ? created : replaceVirtual(created, task);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException) {
                throw (RuntimeException) e.getCause();
            }
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a platform thread with the name, handler and inherited values of a virtual thread. */
    private static Thread replaceVirtual(Thread virtual, Runnable task) throws ReflectiveOperationException {
        Thread thread = new Virtual(task, virtual.getName());
        Thread.UncaughtExceptionHandler handler = virtual.getUncaughtExceptionHandler();
        if (handler != virtual.getThreadGroup()) {
            thread.setUncaughtExceptionHandler(handler);
        }
        for (String fieldName : new String[] {"inheritableThreadLocals", "contextClassLoader"}) {
            Field field = Thread.class.getDeclaredField(fieldName);
            field.setAccessible(true);
            field.set(thread, field.get(virtual));
        }
        return thread;
    }

    /** Returns the thread that `Thread.startVirtualThread` would create, not started yet. */
    static Thread createVirtual(Runnable task) {
        try {
            return createUnstarted(Thread.class.getMethod("ofVirtual").invoke(null), task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
