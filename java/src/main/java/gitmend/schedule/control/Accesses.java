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
    /** The subject of all elements of arrays, and of what collections hold. */
    static final int ELEMENTS = -2;
    static final int CONTENTS = -3;
    private static final int CALLS = -4;
    /** Maximum number of elements of an array that one operation records. */
    private static final int MOST_ELEMENTS = 64;
    private static final int FOREIGN = 0;
    private static final int COPIED = 1;
    private static final int COLLECTION = 2;
    private static final int STREAM = 3;

    private static final ClassValue<Integer> KINDS = new ClassValue<Integer>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            for (Class<?> one = type; one != null; one = one.getSuperclass()) {
                String name = one.getName();
                if (name.startsWith("gitmend.copy.")) {
                    return COPIED;
                } else if (ModelledMethods.isWatched(name.replace('.', '/'))) {
                    return COLLECTION;
                } else if (ModelledMethods.isStream(name.replace('.', '/'))) {
                    return STREAM;
                }
            }
            return FOREIGN;
        }
    };

    /** The methods that classes of the project have in place of the JDK's, whose own calls are seen instead. */
    private static final ClassValue<Set<String>> OWN = new ClassValue<Set<String>>() {
        @Override
        protected Set<String> computeValue(Class<?> type) {
            Set<String> own = new HashSet<>();
            Class<?> jdk = type;
            while (isOfProject(jdk)) {
                jdk = jdk.getSuperclass();
            }
            for (Class<?> one = type; one != jdk; one = one.getSuperclass()) {
                for (Method method : declared(one)) {
                    if (isOneOf(jdk, method)) {
                        own.add(method.getName());
                    }
                }
            }
            return own;
        }
    };

    /** None where the types of a method are not there: the JVM does not ask for them before the method is called. */
    private static Method[] declared(Class<?> type) {
        try {
            return type.getDeclaredMethods();
        } catch (LinkageError e) {
            return new Method[0];
        }
    }

    private static boolean isOfProject(Class<?> type) {
        return type.getClassLoader() instanceof InstrumentingClassLoader && !type.getName().startsWith("gitmend.copy.");
    }

    /** Whether a method stands in the place of one that the JDK's superclass has, and is not one more of that name. */
    private static boolean isOneOf(Class<?> jdk, Method method) {
        try {
            jdk.getMethod(method.getName(), method.getParameterTypes());
            return true;
        } catch (NoSuchMethodException | LinkageError e) {
            return false;
        }
    }

    private Accesses() {}

    private static ControlledThread self() {
        Scheduler scheduler = Scheduler.now;
        return scheduler == null ? null : scheduler.self();
    }

    /** Returns the controlled thread that reaches this place; null if the scheduler does not
     * control it. */
    private static ControlledThread self(int site) {
        ControlledThread me = self();
        Scheduler scheduler = Scheduler.now;
        if (me == null && scheduler != null && Sites.get(site).isProject) {
            scheduler.intrude(Thread.currentThread());
        }
        return me;
    }

    static void variable(Object object, int site, boolean isWrite) {
        ControlledThread me = self(site);
        if (me != null) {
            Sites.Site place = Sites.get(site);
            Scheduler scheduler = Scheduler.now;
            Location location = scheduler.locations.of(object, place.subject, -1);
            if (place.isProject) {
                access(scheduler, me, location, place.subject, site, isWrite);
            } else {
                order(me, location, isWrite);
            }
        }
    }

    static void element(Object array, int index, int site, boolean isWrite) {
        ControlledThread me = self(site);
        if (me != null) {
            Scheduler scheduler = Scheduler.now;
            Location location = scheduler.locations.of(array, ELEMENTS, index);
            access(scheduler, me, location, Sites.get(site).subject, site, isWrite);
        }
    }

    static void call(Object object, int site, boolean isOfSuper) {
        int kind = KINDS.get(object.getClass());
        Set<String> own = kind == FOREIGN || isOfSuper ? Collections.emptySet() : OWN.get(object.getClass());
        if (!own.isEmpty() && own.contains(Sites.get(site).called())) {
            kind = FOREIGN;
        }
        if (kind == COPIED) {
            Hooks.at(site);
            return;
        }
        if (kind == COLLECTION) {
            contents(object, site, !Sites.get(site).isRead);
        }
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.running;
        if (kind == STREAM && me != null && scheduler.isWatched(object)) {
            contents(object, site, true);
            me.isPrinting = true;
        }
        if (me != null && me.thread == Thread.currentThread()) {
            me.isInCall = false;
        }
    }

    /** A method of the JDK goes through what it is given; only of collections and arrays is known what that is. */
    static void given(Object object, int site, boolean isWrite) {
        if (object != null && object.getClass().isArray()) {
            elements(object, 0, Integer.MAX_VALUE, site, isWrite);
        } else if (object != null && KINDS.get(object.getClass()) == COLLECTION) {
            contents(object, site, isWrite);
        }
    }

    /** Records one step of a thread on the first elements of an array. */
    static void elements(Object array, int from, int to, int site, boolean isWrite) {
        ControlledThread me = array != null && array.getClass().isArray() ? self(site) : null;
        int end = me == null ? 0 : Math.min(Math.min(to, Array.getLength(array)), from + MOST_ELEMENTS);
        if (from < 0 || from >= end) {
            return;
        }
        Scheduler scheduler = Scheduler.now;
        if (end < Math.min(to, Array.getLength(array))) {
            scheduler.leaveOut();
        }
        Location first = scheduler.locations.of(array, ELEMENTS, from);
        for (int i = from; i < end && !first.isForeignTo(me); i++) {
            Location next = scheduler.locations.of(array, ELEMENTS, i);
            first = next.isForeignTo(me) ? next : first;
        }
        int subject = Sites.subject("[]", false);
        boolean isShared = approach(scheduler, me, first, subject, site, isWrite);
        me.isInCall |= isShared;
        for (int i = from; i < end; i++) {
            book(scheduler, me, scheduler.locations.of(array, ELEMENTS, i), subject, site, isWrite, isShared);
        }
    }

    private static void contents(Object object, int site, boolean isWrite) {
        ControlledThread me = self(site);
        if (me == null) {
            return;
        }
        Scheduler scheduler = Scheduler.now;
        Object root = ModelledMethods.root(object);
        Sites.Site place = Sites.get(site);
        Location itself = scheduler.locations.of(root);
        String holder = itself.name == 0 ? place.toString() : Sites.subjectName(itself.name);
        int subject = Sites.subject("contents of " + holder, false);
        Location location = scheduler.locations.of(root, CONTENTS, -1);
        Location own = object == root ? location : scheduler.locations.of(object, CONTENTS, -1);
        boolean isMore = isWrite ? ModelledMethods.isView(object, root)
                : ModelledMethods.mayChangeWhenAsked(object) && own.isForeignTo(me);
        if (isMore) {
            scheduler.leaveOut();
        }
        if (own != location) {
            own.prepare(me, false);
        }
        boolean isShared = approach(scheduler, me, location, subject, site, isWrite);
        me.isInCall |= isShared;
        if (ModelledMethods.isGuarded(object)) {
            // Others may have had the monitor up to the decision: it is taken after that, without
            // another step in between.
            Location mutex = scheduler.locations.of(ModelledMethods.mutex(object));
            Monitors.pass(me, mutex, site);
            book(scheduler, me, location, subject, site, isWrite, isShared);
            Monitors.passed(me, mutex);
        } else {
            book(scheduler, me, location, subject, site, isWrite, isShared);
        }
    }

    private static void access(
            Scheduler scheduler, ControlledThread me, Location location, int sharing, int site, boolean isWrite) {
        boolean isShared = approach(scheduler, me, location, sharing, site, isWrite);
        book(scheduler, me, location, sharing, site, isWrite, isShared);
    }

    /** Lets others go first where they may share what comes next; gives whether they may. */
    private static boolean approach(
            Scheduler scheduler, ControlledThread me, Location location, int sharing, int site, boolean isWrite) {
        boolean isShared = scheduler.shared.get(sharing) || location.isForeignTo(me);
        me.site = site;
        if (isShared && scheduler.alive > 1 && !me.isInCall) {
            me.target = location;
            me.isWrite = isWrite;
            scheduler.decide(me);
        } else if (!isShared) {
            me.target = location;
            me.isWrite = isWrite;
            scheduler.quiet(me);
        }
        return isShared;
    }

    private static void book(
            Scheduler scheduler, ControlledThread me, Location location, int sharing, int site, boolean isWrite,
            boolean wasShared) {
        if (me.initialising > 0) {
            // Every use of a class happens after its initialiser.
            location.prepare(me, isWrite);
            return;
        }
        boolean isShared = wasShared;
        if (location.isVolatile) {
            order(me, location, isWrite);
        }
        location.known(sharing);
        if (location.contends(me, isWrite)) {
            location.isContended = true;
            // An object that no variable holds itself has another name at each place: others may come before any.
            location.share(scheduler.shared);
            isShared = true;
        }
        int race = location.touch(me, isWrite, site);
        if (race != 0 && !location.isVolatile) {
            scheduler.races.add(site, race, sharing);
        }
        if (isShared || isWrite) {
            scheduler.trace.add(me, isWrite ? Trace.Kind.WRITE : Trace.Kind.READ, location, -1, site);
        }
        if (isShared) {
            scheduler.did(me, isWrite);
        }
    }

    /** A write of a volatile variable comes before what is done after reading it; reads order nothing. */
    private static void order(ControlledThread me, Location location, boolean isWrite) {
        Scheduler.now.strategy.touched(location.number, isWrite);
        if (isWrite) {
            location.release(me);
            me.tick();
        } else {
            me.clock = VectorClocks.joined(me.clock, location.released);
        }
    }

    /** Orders this thread after all threads that have synchronised here before. */
    private static void synchronise(ControlledThread me, Location location) {
        Scheduler.now.strategy.touched(StepFootprint.COPIES, true);
        me.clock = VectorClocks.joined(me.clock, location.released);
        location.release(me);
        me.tick();
    }

    static void opaque(int site) {
        ControlledThread me = self(site);
        if (me != null) {
            Scheduler scheduler = Scheduler.now;
            Location location = scheduler.locations.of(null, CALLS, -1);
            me.site = site;
            me.target = location;
            me.isWrite = true;
            // Which field it is about is not known.
            scheduler.leaveOut();
            scheduler.decide(me);
            synchronise(me, location);
            scheduler.trace.add(me, Trace.Kind.CALL, location, -1, site);
            scheduler.did(me, !Sites.get(site).isRead);
        }
    }

    /** A method of a copy begins; only where the project calls it, others may go first. */
    static void enter(Object object, int subject) {
        ControlledThread me = self();
        if (me == null) {
            return;
        }
        Scheduler scheduler = Scheduler.now;
        Location location = scheduler.locations.of(object, CALLS, -1);
        int site = me.pending;
        me.pending = 0;
        if (site != 0) {
            boolean isWrite = !Sites.get(site).isRead;
            me.site = site;
            me.method = subject;
            me.target = location;
            me.isWrite = isWrite;
            scheduler.decide(me);
            scheduler.trace.add(me, Trace.Kind.CALL, location, -1, site);
            scheduler.did(me, isWrite && !isAttempt(subject));
        }
        synchronise(me, location);
    }

    /** Whether a method may come to nothing: who only tries does not get any further by that. */
    static boolean isAttempt(int subject) {
        String name = Sites.subjectName(subject);
        String own = name.substring(name.lastIndexOf('.') + 1);
        return own.startsWith("try") || own.startsWith("compareAnd") || own.startsWith("weakCompareAnd")
                || own.startsWith("offer") || own.startsWith("poll");
    }

    static void meet(Object object) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null || scheduler.isOver ? null : scheduler.self();
        if (me != null) {
            synchronise(me, scheduler.locations.of(object, CALLS, -1));
        }
    }

    static void named(Object holder, Object value, int subject) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null || scheduler.isOver ? null : scheduler.running;
        if (me == null || me.thread != Thread.currentThread()) {
            return;
        }
        Location itself = scheduler.locations.of(value);
        if (itself.name == 0 && itself.holder == null) {
            if (subject == 0) {
                // What a lock works with is called as the lock is.
                itself.holder = holder;
            } else {
                itself.name = subject;
            }
        }
    }
}
