package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;

/** Display names of threads, objects and variables. */
public final class Names {
    private Names() {}

    /** Threads may have no name, as virtual ones mostly do. */
    public static String of(ControlledThread actor) {
        String name = actor.thread.getName();
        return name.isEmpty() ? (ThreadBuilders.isVirtual(actor.thread) ? "virtual-" : "thread-") + actor.id : name;
    }

    /** A class or member without packages. */
    static String brief(String name) {
        int end = name.lastIndexOf('.');
        int start = name.lastIndexOf('.', end - 1);
        return name.substring(start + 1).replace('$', '.');
    }

    static String type(Object object) {
        if (object instanceof Class) {
            return brief(((Class<?>) object).getName() + ".class");
        }
        String name = object.getClass().getName();
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
    }

    public static String of(Location location) {
        if (location.object == null) {
            return brief(Sites.subjectName(location.subject));
        }
        if (location.subject >= 0) {
            return brief(Sites.subjectName(location.subject));
        }
        Location itself = Scheduler.now == null ? location : Scheduler.now.locations.of(location.object);
        // What a lock works with is called as the lock is.
        while (itself.name == 0 && itself.holder != null) {
            itself = Scheduler.now.locations.of(itself.holder);
        }
        String own = itself.name == 0
                ? type(itself.object) + "#" + itself.number : brief(Sites.subjectName(itself.name));
        return location.index >= 0 ? own + "[" + location.index + "]" : own;
    }
}
