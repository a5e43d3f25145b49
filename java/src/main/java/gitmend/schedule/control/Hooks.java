package gitmend.schedule.control;

import gitmend.schedule.weave.OverriddenMethods;
import gitmend.schedule.weave.Sites;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Hooks that instrumented code calls before or instead of its own operations. */
public final class Hooks {
    private Hooks() {}

    private static ControlledThread self() {
        Scheduler scheduler = Scheduler.now;
        return scheduler == null ? null : scheduler.self();
    }

    /** The place of the call that comes next. */
    public static void at(int site) {
        come(site, site);
    }

    /** The place of what a hook stands for: no copy's method is called there. */
    public static void place(int site) {
        come(site, 0);
    }

    private static void come(int site, int pending) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.running;
        if (me != null && me.thread == Thread.currentThread()) {
            me.site = site;
            me.pending = pending;
            me.isInCall = false;
        }
    }

    public static void read(Object object, int site) {
        if (object != null) {
            Accesses.variable(object, site, false);
        }
    }

    public static void readStatic(int site) {
        Accesses.variable(null, site, false);
    }

    public static void write(Object object, int site) {
        if (object != null) {
            Accesses.variable(object, site, true);
        }
    }

    public static void write(Object object, Object value, int site) {
        if (object != null) {
            name(object, value, site);
            Accesses.variable(object, site, true);
        }
    }

    public static void writeStatic(int site) {
        Accesses.variable(null, site, true);
    }

    /** A field is given its value. */
    public static void name(Object object, Object value, int site) {
        if (value != null && !(value instanceof String)) {
            Accesses.named(object, value, Sites.get(site).subject);
        }
    }

    /** A field of a class is given its value. */
    public static void nameStatic(Object value, int site) {
        name(null, value, site);
    }

    /** A copy's object is given what it works with. */
    public static void named(Object object, Object value) {
        if (value != null) {
            Accesses.named(object, value, 0);
        }
    }

    public static void readElement(Object array, int index, int site) {
        if (array != null) {
            Accesses.element(array, index, site, false);
        }
    }

    public static void writeElement(Object array, int index, int site) {
        if (array != null) {
            Accesses.element(array, index, site, true);
        }
    }

    /** A method is about to be called on an object that may be one of the JDK's. */
    public static void call(Object object, int site) {
        if (object != null) {
            Accesses.call(object, site, false);
        }
    }

    /** A method of the superclass is about to be called. */
    public static void callOfSuper(Object object, int site) {
        Accesses.call(object, site, true);
    }

    /** A collection or an array is about to be gone through. */
    public static void readAll(Object object, int site) {
        Accesses.given(object, site, false);
    }

    /** An array is about to be copied. */
    public static void clones(Object array, int site) {
        Accesses.given(array, site, false);
        place(site);
    }

    public static void writeAll(Object object, int site) {
        Accesses.given(object, site, true);
    }

    /** A part of an array is about to be gone through. */
    public static void readPart(Object array, int from, int to, int site) {
        Accesses.elements(array, from, to, site, false);
    }

    public static void writePart(Object array, int from, int to, int site) {
        Accesses.elements(array, from, to, site, true);
    }

    /** Called before `count` elements of an array are copied into another one. */
    public static void copies(Object from, int start, Object to, int at, int count, int site) {
        Accesses.elements(from, start, start + count, site, false);
        Accesses.elements(to, at, at + count, site, true);
    }

    /** Called before an action on a variable that cannot be determined. */
    public static void opaque(int site) {
        Accesses.opaque(site);
    }

    /** A copy's method begins. */
    public static void enter(Object object, int subject) {
        Accesses.enter(object, subject);
    }

    public static void meet(Object object) {
        Accesses.meet(object);
    }

    /** A lock of `java.util.concurrent` has another owner, or none. */
    public static void owner(Object sync, Thread thread) {
        Monitors.owner(sync, thread);
    }

    public static void enterMonitor(Object object, int site) {
        Monitors.enter(object, site);
    }

    public static void exitMonitor(Object object, int site) {
        Monitors.exit(object);
    }

    /** The initialiser of a class of the project: what it reads and writes is no step. */
    public static void enterOwnInitialiser() {
        Scheduler scheduler = Scheduler.now;
        if (scheduler != null) {
            scheduler.leaveOut();
        }
        enterInitialiser();
    }

    public static void enterInitialiser() {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.of(Thread.currentThread());
        if (me != null) {
            me.initialising++;
        }
    }

    public static void exitInitialiser() {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.of(Thread.currentThread());
        if (me != null) {
            me.initialising--;
        }
    }

    public static void onwait(Object object) throws InterruptedException {
        Monitors.await(object, -1);
    }

    public static void onwait(Object object, long millis) throws InterruptedException {
        Monitors.await(object, millis <= 0 ? -1 : millis * 1_000_000);
    }

    public static void onwait(Object object, long millis, int nanos) throws InterruptedException {
        Monitors.await(object, millis <= 0 && nanos <= 0 ? -1 : millis * 1_000_000 + nanos);
    }

    public static void onnotify(Object object) {
        Monitors.notify(object, false);
    }

    public static void onnotifyAll(Object object) {
        Monitors.notify(object, true);
    }

    public static boolean holdsLock(Object object) {
        return Monitors.holds(object);
    }

    public static void begin(Object thread) {
        Threads.begin((Thread) thread);
    }

    public static void end(Object thread) {
        Threads.end((Thread) thread);
    }

    public static void thrown(Throwable what, Object thread) {
        Threads.thrown(what, (Thread) thread);
    }

    public static void start(Thread thread) {
        Threads.start(thread);
    }

    /** A call that may be of a method that the thread's class overrides; from there, `super` leads to the hooks. */
    public static void startOwn(Thread thread) {
        if (OverriddenMethods.has(thread, "start")) {
            thread.start();
        } else {
            Threads.start(thread);
        }
    }

    public static void interruptOwn(Thread thread) {
        if (OverriddenMethods.has(thread, "interrupt")) {
            thread.interrupt();
        } else {
            Threads.interrupt(thread);
        }
    }

    public static boolean isInterruptedOwn(Thread thread) {
        return OverriddenMethods.has(thread, "isInterrupted") ? thread.isInterrupted() : Threads.isInterrupted(thread);
    }

    /** As the JDK starts the threads of its own pools. */
    public static void start(Object container, Thread thread) {
        Threads.start(thread);
    }

    /** As newer releases start the threads of their pools. */
    public static void start(Object access, Thread thread, Object container) {
        Threads.start(thread);
    }

    public static Thread start(Object builder, Runnable task) {
        Thread thread = ThreadBuilders.unstarted(builder, task);
        Threads.start(thread);
        return thread;
    }

    public static Thread unstarted(Object builder, Runnable task) {
        return ThreadBuilders.unstarted(builder, task);
    }

    public static ThreadFactory factory(Object builder) {
        return task -> ThreadBuilders.unstarted(builder, task);
    }

    public static Thread startVirtualThread(Runnable task) {
        Thread thread = ThreadBuilders.virtual(task);
        Threads.start(thread);
        return thread;
    }

    public static boolean isVirtual(Thread thread) {
        return ThreadBuilders.isVirtual(thread);
    }

    public static void join(Thread thread) throws InterruptedException {
        Threads.join(thread, -1);
    }

    public static void join(Thread thread, long millis) throws InterruptedException {
        Threads.join(thread, millis <= 0 ? -1 : millis * 1_000_000);
    }

    public static void join(Thread thread, long millis, int nanos) throws InterruptedException {
        Threads.join(thread, millis <= 0 && nanos <= 0 ? -1 : millis * 1_000_000 + nanos);
    }

    public static void interrupt(Thread thread) {
        Threads.interrupt(thread);
    }

    public static boolean isInterrupted(Thread thread) {
        return Threads.isInterrupted(thread);
    }

    public static boolean interrupted() {
        return Threads.interrupted();
    }

    public static boolean interruptedInside() {
        return Threads.interruptedInside();
    }

    public static boolean isInterruptedInside(Thread thread) {
        return Threads.isInterruptedInside(thread);
    }

    public static boolean isAlive(Thread thread) {
        return Threads.isAlive(thread);
    }

    public static Thread.State getState(Thread thread) {
        return Threads.state(thread);
    }

    public static void sleep(long millis) throws InterruptedException {
        Threads.sleep(millis * 1_000_000);
    }

    public static void sleep(long millis, int nanos) throws InterruptedException {
        Threads.sleep(millis * 1_000_000 + nanos);
    }

    public static void sleep(TimeUnit unit, long time) throws InterruptedException {
        Threads.sleep(unit.toNanos(time));
    }

    public static void sleep(Duration time) throws InterruptedException {
        Threads.sleep(nanos(time));
    }

    /** Returns the duration in nanoseconds, or the largest number: some callers wait "for ever". */
    private static long nanos(Duration time) {
        try {
            return time.toNanos();
        } catch (ArithmeticException e) {
            return time.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    public static boolean join(Thread thread, Duration time) throws InterruptedException {
        if (nanos(time) > 0) {
            Threads.join(thread, nanos(time));
        }
        return !Threads.isAlive(thread);
    }

    public static void timedWait(TimeUnit unit, Object object, long time) throws InterruptedException {
        if (time > 0) {
            Monitors.await(object, unit.toNanos(time));
        }
    }

    public static void timedJoin(TimeUnit unit, Thread thread, long time) throws InterruptedException {
        if (time > 0) {
            Threads.join(thread, unit.toNanos(time));
        }
    }

    public static void yield() {
        Threads.giveWay();
    }

    public static void onSpinWait() {
        Threads.giveWay();
    }

    public static void park() {
        Parking.park(null, -1);
    }

    public static void park(Object blocker) {
        Parking.park(blocker, -1);
    }

    public static void parkNanos(long nanos) {
        parkNanos(null, nanos);
    }

    public static void parkNanos(Object blocker, long nanos) {
        if (nanos > 0) {
            Parking.park(blocker, nanos);
        }
    }

    public static void parkUntil(long deadline) {
        parkUntil(null, deadline);
    }

    public static void parkUntil(Object blocker, long deadline) {
        Parking.park(blocker, Math.max(1, (deadline - currentTimeMillis()) * 1_000_000));
    }

    /** As the JDK's own classes park, some of them. */
    public static void park(Object unsafe, boolean isAbsolute, long time) {
        if (isAbsolute) {
            parkUntil(null, time);
        } else if (time == 0) {
            park();
        } else {
            parkNanos(time);
        }
    }

    public static void unpark(Object unsafe, Object thread) {
        Parking.unpark((Thread) thread);
    }

    public static void unpark(Thread thread) {
        Parking.unpark(thread);
    }

    public static long currentTimeMillis() {
        ControlledThread me = self();
        return me == null ? System.currentTimeMillis() : Scheduler.now.time.millis();
    }

    public static long nanoTime() {
        ControlledThread me = self();
        return me == null ? System.nanoTime() : Scheduler.now.time.nanos();
    }

    public static Instant nowInstant() {
        return Instant.now(VirtualClock.here());
    }

    public static LocalDate nowLocalDate() {
        return LocalDate.now(VirtualClock.here());
    }

    public static LocalTime nowLocalTime() {
        return LocalTime.now(VirtualClock.here());
    }

    public static LocalDateTime nowLocalDateTime() {
        return LocalDateTime.now(VirtualClock.here());
    }

    public static OffsetDateTime nowOffsetDateTime() {
        return OffsetDateTime.now(VirtualClock.here());
    }

    public static ZonedDateTime nowZonedDateTime() {
        return ZonedDateTime.now(VirtualClock.here());
    }

    public static Clock systemUTC() {
        return new VirtualClock(ZoneOffset.UTC);
    }

    public static Clock systemDefaultZone() {
        return VirtualClock.here();
    }

    public static Clock system(ZoneId zone) {
        return new VirtualClock(zone);
    }

    public static void exit(int code) {
        Threads.exit(code);
    }

    public static void exit(Runtime runtime, int code) {
        Threads.exit(code);
    }

    public static void halt(Runtime runtime, int code) {
        Threads.exit(code);
    }

    /** A seed for a generator that would seed itself. */
    public static long seed() {
        ControlledThread me = self();
        return me == null ? new Random().nextLong() : 0x5DEECE66DL + me.id;
    }

    public static void shuffle(List<?> list) {
        ControlledThread me = self();
        if (me != null) {
            Accesses.given(list, me.site, true);
            // No call follows that would end this one.
            me.isInCall = false;
        }
        Collections.shuffle(list, new Random(seed()));
    }

    public static double random() {
        ControlledThread me = self();
        if (me == null) {
            return Math.random();
        }
        Scheduler.now.leaveOut();
        return Scheduler.now.numbers.nextDouble();
    }

    public static long threadId(Thread thread) {
        return thread.getId();
    }

    public static boolean yes() {
        return true;
    }

    /** Returns the hash of an object without its own `hashCode`: the same in each run of a
     * schedule. */
    public static int identityHashCode(Object object) {
        Scheduler scheduler = Scheduler.now;
        boolean isOurs = scheduler != null && object != null && !scheduler.isOver && scheduler.running != null
                && scheduler.running.thread == Thread.currentThread();
        if (!isOurs) {
            return System.identityHashCode(object);
        }
        // Another number in another order, and in a JVM that is not ours.
        scheduler.leaveOut();
        return scheduler.locations.of(object).number;
    }
}
