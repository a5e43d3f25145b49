package gitmend.schedule.control;

import gitmend.schedule.weave.InstrumentingClassLoader;
import gitmend.schedule.weave.ModelledMethods;
import gitmend.schedule.weave.Sites;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/** Accesses of threads to locations that may be shared. */
final class Accesses {
    /** Pseudo-subject of array elements. */
    static final int ARRAY_ELEMENTS = -2;
    static final int COLLECTION_CONTENTS = -3;
    private static final int OBJECT_CALLS = -4;
    /** Maximum number of elements of an array that one operation records. */
    private static final int MAX_ELEMENTS = 64;
    private static final int UNMODELLED = 0;
    private static final int COPIED = 1;
    private static final int COLLECTION = 2;
    private static final int STREAM = 3;

    private static final ClassValue<Integer> KIND_BY_CLASS = new ClassValue<Integer>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            for (Class<?> ancestor = type; ancestor != null; ancestor = ancestor.getSuperclass()) {
                String name = ancestor.getName();
                if (name.startsWith("gitmend.copy.")) {
                    return COPIED;
                } else if (ModelledMethods.isModelled(name.replace('.', '/'))) {
                    return COLLECTION;
                } else if (ModelledMethods.isPrintStream(name.replace('.', '/'))) {
                    return STREAM;
                }
            }
            return UNMODELLED;
        }
    };

    /** JDK methods that project classes override. Their bodies are instrumented, so their calls are not modelled. */
    private static final ClassValue<Set<String>> OVERRIDES_BY_CLASS = new ClassValue<Set<String>>() {
        @Override
        protected Set<String> computeValue(Class<?> type) {
            Set<String> overrides = new HashSet<>();
            Class<?> jdk = type;
            while (isOfProject(jdk)) {
                jdk = jdk.getSuperclass();
            }
            for (Class<?> ancestor = type; ancestor != jdk; ancestor = ancestor.getSuperclass()) {
                for (Method method : declaredMethods(ancestor)) {
                    if (isOverride(jdk, method)) {
                        overrides.add(method.getName());
                    }
                }
            }
            return overrides;
        }
    };

    /** Returns no methods if a type in a signature is missing: the JVM resolves it at the first call only. */
    private static Method[] declaredMethods(Class<?> type) {
        try {
            return type.getDeclaredMethods();
        } catch (LinkageError e) {
            return new Method[0];
        }
    }

    private static boolean isOfProject(Class<?> type) {
        return type.getClassLoader() instanceof InstrumentingClassLoader && !type.getName().startsWith("gitmend.copy.");
    }

    /** Returns true if a method overrides one of the JDK superclass, and does not only share its name. */
    private static boolean isOverride(Class<?> superclass, Method method) {
        try {
            superclass.getMethod(method.getName(), method.getParameterTypes());
            return true;
        } catch (NoSuchMethodException | LinkageError e) {
            return false;
        }
    }

    private Accesses() {}

    private static ControlledThread currentThread() {
        Scheduler scheduler = Scheduler.active;
        return scheduler == null ? null : scheduler.currentThread();
    }

    /**
     * Returns the current controlled thread; null, and a record of the access, if the scheduler does not control it.
     */
    private static ControlledThread currentThreadAt(int site) {
        ControlledThread current = currentThread();
        Scheduler scheduler = Scheduler.active;
        if (current == null && scheduler != null && Sites.getSite(site).isProject) {
            scheduler.recordUncontrolledAccess(Thread.currentThread());
        }
        return current;
    }

    static void accessVariable(Object object, int site, boolean isWrite) {
        ControlledThread current = currentThreadAt(site);
        if (current != null) {
            Sites.Site siteData = Sites.getSite(site);
            Scheduler scheduler = Scheduler.active;
            Location location = scheduler.locations.locate(object, siteData.subject, -1);
            if (siteData.isProject) {
                accessLocation(scheduler, current, location, siteData.subject, site, isWrite);
            } else {
                orderVolatileAccess(current, location, isWrite);
            }
        }
    }

    static void accessElement(Object array, int index, int site, boolean isWrite) {
        ControlledThread current = currentThreadAt(site);
        if (current != null) {
            Scheduler scheduler = Scheduler.active;
            Location location = scheduler.locations.locate(array, ARRAY_ELEMENTS, index);
            accessLocation(scheduler, current, location, Sites.getSite(site).subject, site, isWrite);
        }
    }

    static void callMethod(Object object, int site, boolean isOfSuper) {
        int kind = KIND_BY_CLASS.get(object.getClass());
        Set<String> overrides = kind == UNMODELLED || isOfSuper
                ? Collections.emptySet() : OVERRIDES_BY_CLASS.get(object.getClass());
        if (!overrides.isEmpty() && overrides.contains(Sites.getSite(site).calledMethod())) {
            kind = UNMODELLED;
        }
        if (kind == COPIED) {
            Hooks.beforeCall(site);
            return;
        }
        if (kind == COLLECTION) {
            accessContents(object, site, !Sites.getSite(site).isRead);
        }
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.running;
        if (kind == STREAM && current != null && scheduler.isWatchedOutput(object)) {
            accessContents(object, site, true);
            current.isPrinting = true;
        }
        if (current != null && current.thread == Thread.currentThread()) {
            current.isInCall = false;
        }
    }

    /** Records that a JDK method iterates over an argument, if that is a modelled collection or an array. */
    static void accessArgument(Object object, int site, boolean isWrite) {
        if (object != null && object.getClass().isArray()) {
            accessElements(object, 0, Integer.MAX_VALUE, site, isWrite);
        } else if (object != null && KIND_BY_CLASS.get(object.getClass()) == COLLECTION) {
            accessContents(object, site, isWrite);
        }
    }

    /** Records an access to a range of an array as one step; only its first elements are recorded. */
    static void accessElements(Object array, int from, int to, int site, boolean isWrite) {
        ControlledThread current = array != null && array.getClass().isArray() ? currentThreadAt(site) : null;
        int end = current == null ? 0 : Math.min(Math.min(to, Array.getLength(array)), from + MAX_ELEMENTS);
        if (from < 0 || from >= end) {
            return;
        }
        Scheduler scheduler = Scheduler.active;
        if (end < Math.min(to, Array.getLength(array))) {
            scheduler.markPartial();
        }
        Location first = scheduler.locations.locate(array, ARRAY_ELEMENTS, from);
        for (int i = from; i < end && !first.hasOtherAccessor(current); i++) {
            Location next = scheduler.locations.locate(array, ARRAY_ELEMENTS, i);
            first = next.hasOtherAccessor(current) ? next : first;
        }
        int subject = Sites.subjectNumber("[]", false);
        boolean isShared = scheduleAccess(scheduler, current, first, subject, site, isWrite);
        current.isInCall |= isShared;
        for (int i = from; i < end; i++) {
            Location element = scheduler.locations.locate(array, ARRAY_ELEMENTS, i);
            recordAccess(scheduler, current, element, subject, site, isWrite, isShared);
        }
    }

    private static void accessContents(Object object, int site, boolean isWrite) {
        ControlledThread current = currentThreadAt(site);
        if (current == null) {
            return;
        }
        Scheduler scheduler = Scheduler.active;
        Object root = ModelledMethods.findRoot(object);
        Sites.Site siteData = Sites.getSite(site);
        Location rootLocation = scheduler.locations.locate(root);
        String holder = rootLocation.nameSubject == 0 ? siteData.toString()
                : Sites.subjectName(rootLocation.nameSubject);
        int subject = Sites.subjectNumber("contents of " + holder, false);
        Location location = scheduler.locations.locate(root, COLLECTION_CONTENTS, -1);
        Location ownLocation = object == root ? location : scheduler.locations.locate(object, COLLECTION_CONTENTS, -1);
        boolean hasUnknownEffect = isWrite ? ModelledMethods.canBeView(object, root)
                : ModelledMethods.canReadsMutate(object) && ownLocation.hasOtherAccessor(current);
        if (hasUnknownEffect) {
            scheduler.markPartial();
        }
        if (ownLocation != location) {
            ownLocation.recordInitialAccess(current);
        }
        boolean isShared = scheduleAccess(scheduler, current, location, subject, site, isWrite);
        current.isInCall |= isShared;
        if (ModelledMethods.isThreadSafe(object)) {
            // Another thread may hold the monitor until the scheduling point. It is entered after that, without a step
            // in between.
            Location mutex = scheduler.locations.locate(ModelledMethods.findMutex(object));
            Monitors.enterJdkMonitor(current, mutex, site);
            recordAccess(scheduler, current, location, subject, site, isWrite, isShared);
            Monitors.exitJdkMonitor(current, mutex);
        } else {
            recordAccess(scheduler, current, location, subject, site, isWrite, isShared);
        }
    }

    private static void accessLocation(
            Scheduler scheduler, ControlledThread current, Location location, int subject, int site, boolean isWrite) {
        boolean isShared = scheduleAccess(scheduler, current, location, subject, site, isWrite);
        recordAccess(scheduler, current, location, subject, site, isWrite, isShared);
    }

    /** Reaches a scheduling point if the location may be shared. Returns true in that case. */
    private static boolean scheduleAccess(
            Scheduler scheduler, ControlledThread current, Location location, int subject, int site, boolean isWrite) {
        boolean isShared = scheduler.sharedSubjects.get(subject) || location.hasOtherAccessor(current);
        current.site = site;
        if (isShared && scheduler.aliveCount > 1 && !current.isInCall) {
            current.nextLocation = location;
            current.isNextWrite = isWrite;
            scheduler.reachSchedulingPoint(current);
        } else if (!isShared) {
            current.nextLocation = location;
            current.isNextWrite = isWrite;
            scheduler.countUnsharedAccess(current);
        }
        return isShared;
    }

    private static void recordAccess(
            Scheduler scheduler, ControlledThread current, Location location, int subject, int site, boolean isWrite,
            boolean wasShared) {
        if (current.initialiserDepth > 0) {
            // The class initialiser happens before every use of the class.
            location.recordInitialAccess(current);
            return;
        }
        boolean isShared = wasShared;
        if (location.isVolatile) {
            orderVolatileAccess(current, location, isWrite);
        }
        location.addSubject(subject);
        if (location.isUnorderedByForks(current, isWrite)) {
            location.isContended = true;
            // An object without a name has another subject at each site, and each needs scheduling points.
            location.addSubjectsTo(scheduler.sharedSubjects);
            isShared = true;
        }
        int race = location.recordAccess(current, isWrite, site);
        if (race != 0 && !location.isVolatile) {
            scheduler.races.addRace(site, race, subject);
        }
        if (isShared || isWrite) {
            scheduler.trace.addStep(current, isWrite ? Trace.Kind.WRITE : Trace.Kind.READ, location, -1, site);
        }
        if (isShared) {
            scheduler.completeStep(current, isWrite);
        }
    }

    /** Orders volatile accesses: a write happens before each later read; reads order nothing. */
    private static void orderVolatileAccess(ControlledThread current, Location location, boolean isWrite) {
        Scheduler.active.strategy.onEffect(location.number, isWrite);
        if (isWrite) {
            location.joinReleaseClock(current);
            current.incrementClock();
        } else {
            current.clock = VectorClocks.join(current.clock, location.releaseClock);
        }
    }

    /** Orders the current thread after all threads that have synchronised on the location before. */
    private static void synchronise(ControlledThread current, Location location) {
        Scheduler.active.strategy.onEffect(StepFootprint.COPIED_CLASSES, true);
        current.clock = VectorClocks.join(current.clock, location.releaseClock);
        location.joinReleaseClock(current);
        current.incrementClock();
    }

    static void accessUnknownVariable(int site) {
        ControlledThread current = currentThreadAt(site);
        if (current != null) {
            Scheduler scheduler = Scheduler.active;
            Location location = scheduler.locations.locate(null, OBJECT_CALLS, -1);
            current.site = site;
            current.nextLocation = location;
            current.isNextWrite = true;
            // The field is unknown.
            scheduler.markPartial();
            scheduler.reachSchedulingPoint(current);
            synchronise(current, location);
            scheduler.trace.addStep(current, Trace.Kind.CALL, location, -1, site);
            scheduler.completeStep(current, !Sites.getSite(site).isRead);
        }
    }

    /** Enters a method of a copied class. Only a call from the project is a scheduling point. */
    static void enterCopiedMethod(Object object, int subject) {
        ControlledThread current = currentThread();
        if (current == null) {
            return;
        }
        Scheduler scheduler = Scheduler.active;
        Location location = scheduler.locations.locate(object, OBJECT_CALLS, -1);
        int site = current.pendingCallSite;
        current.pendingCallSite = 0;
        if (site != 0) {
            boolean isWrite = !Sites.getSite(site).isRead;
            current.site = site;
            current.lastCopyMethod = subject;
            current.nextLocation = location;
            current.isNextWrite = isWrite;
            scheduler.reachSchedulingPoint(current);
            scheduler.trace.addStep(current, Trace.Kind.CALL, location, -1, site);
            scheduler.completeStep(current, isWrite && !isAttempt(subject));
        }
        synchronise(current, location);
    }

    /** Returns true if a method may fail without effect. A failed attempt is no progress. */
    static boolean isAttempt(int subject) {
        String name = Sites.subjectName(subject);
        String method = name.substring(name.lastIndexOf('.') + 1);
        return method.startsWith("try") || method.startsWith("compareAnd") || method.startsWith("weakCompareAnd")
                || method.startsWith("offer") || method.startsWith("poll");
    }

    static void synchroniseOn(Object object) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null || scheduler.isOver ? null : scheduler.currentThread();
        if (current != null) {
            synchronise(current, scheduler.locations.locate(object, OBJECT_CALLS, -1));
        }
    }

    static void recordName(Object holder, Object value, int subject) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null || scheduler.isOver ? null : scheduler.running;
        if (current == null || current.thread != Thread.currentThread()) {
            return;
        }
        Location location = scheduler.locations.locate(value);
        if (location.nameSubject == 0 && location.nameHolder == null) {
            if (subject == 0) {
                // A lock's synchronizer is named like the lock.
                location.nameHolder = holder;
            } else {
                location.nameSubject = subject;
            }
        }
    }
}
