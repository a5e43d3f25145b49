package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;

/** Display names of threads, objects and variables. */
public final class Names {
    private Names() {}

    /** Returns the name of a thread, or a generated one: most virtual threads have none. */
    public static String threadName(ControlledThread thread) {
        String name = thread.thread.getName();
        return name.isEmpty() ? (ThreadBuilders.isVirtual(thread.thread) ? "virtual-" : "thread-") + thread.id : name;
    }

    /** Returns the name of a class or member without its package. */
    static String shortName(String name) {
        int end = name.lastIndexOf('.');
        int start = name.lastIndexOf('.', end - 1);
        return name.substring(start + 1).replace('$', '.');
    }

    /** Returns the name of an object's class without its package. */
    public static String typeName(Object object) {
        if (object instanceof Class) {
            return shortName(((Class<?>) object).getName() + ".class");
        }
        String name = object.getClass().getName();
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
    }

    public static String locationName(Location location) {
        if (location.object == null) {
            return shortName(Sites.subjectName(location.subject));
        }
        if (location.subject >= 0) {
            return shortName(Sites.subjectName(location.subject));
        }
        Location objectLocation = Scheduler.active == null ? location
                : Scheduler.active.locations.locate(location.object);
        // A lock's synchronizer is named like the lock.
        while (objectLocation.nameSubject == 0 && objectLocation.nameHolder != null) {
            objectLocation = Scheduler.active.locations.locate(objectLocation.nameHolder);
        }
        String objectName = objectLocation.nameSubject == 0
                ? typeName(objectLocation.object) + "#" + objectLocation.number
                : shortName(Sites.subjectName(objectLocation.nameSubject));
        return location.index >= 0 ? objectName + "[" + location.index + "]" : objectName;
    }
}
