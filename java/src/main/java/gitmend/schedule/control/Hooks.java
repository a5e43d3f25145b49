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
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Hooks that instrumented code calls before or instead of its own operations. */
public final class Hooks {
    private Hooks() {}

    private static ControlledThread currentThread() {
        Scheduler scheduler = Scheduler.active;
        return scheduler == null ? null : scheduler.currentThread();
    }

    /** Records the site of the next call, which may reach a copied class. */
    public static void beforeCall(int site) {
        setCallSite(site, site);
    }

    /** Records the site of a redirected call, which reaches no copied class. */
    public static void beforeRedirect(int site) {
        setCallSite(site, 0);
    }

    private static void setCallSite(int site, int pending) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.running;
        if (current != null && current.thread == Thread.currentThread()) {
            current.site = site;
            current.pendingCallSite = pending;
            current.isInCall = false;
        }
    }

    public static void read(Object object, int site) {
        if (object != null) {
            Accesses.accessVariable(object, site, false);
        }
    }

    public static void readStatic(int site) {
        Accesses.accessVariable(null, site, false);
    }

    public static void write(Object object, int site) {
        if (object != null) {
            Accesses.accessVariable(object, site, true);
        }
    }

    public static void write(Object object, Object value, int site) {
        if (object != null) {
            nameValue(object, value, site);
            Accesses.accessVariable(object, site, true);
        }
    }

    public static void writeStatic(int site) {
        Accesses.accessVariable(null, site, true);
    }

    /** Names an object by the field that it is stored in. */
    public static void nameValue(Object object, Object value, int site) {
        if (value != null && !(value instanceof String)) {
            Accesses.recordName(object, value, Sites.getSite(site).subject);
        }
    }

    /** Names an object by the static field that it is stored in. */
    public static void nameStaticValue(Object value, int site) {
        nameValue(null, value, site);
    }

    /** Names the synchronizer of a copied lock by the lock. */
    public static void nameSync(Object object, Object value) {
        if (value != null) {
            Accesses.recordName(object, value, 0);
        }
    }

    public static void readElement(Object array, int index, int site) {
        if (array != null) {
            Accesses.accessElement(array, index, site, false);
        }
    }

    public static void writeElement(Object array, int index, int site) {
        if (array != null) {
            Accesses.accessElement(array, index, site, true);
        }
    }

    /** Called before a method of an object that may be one of the JDK's. */
    public static void call(Object object, int site) {
        if (object != null) {
            Accesses.callMethod(object, site, false);
        }
    }

    /** Called before a method of the superclass. */
    public static void callSuper(Object object, int site) {
        Accesses.callMethod(object, site, true);
    }

    /** Called before all elements of a collection or an array are read. */
    public static void readAll(Object object, int site) {
        Accesses.accessArgument(object, site, false);
    }

    /** Called before an array is cloned. */
    public static void cloneArray(Object array, int site) {
        Accesses.accessArgument(array, site, false);
        beforeRedirect(site);
    }

    public static void writeAll(Object object, int site) {
        Accesses.accessArgument(object, site, true);
    }

    /** Called before a range of an array is read. */
    public static void readPart(Object array, int from, int to, int site) {
        Accesses.accessElements(array, from, to, site, false);
    }

    public static void writePart(Object array, int from, int to, int site) {
        Accesses.accessElements(array, from, to, site, true);
    }

    /** Called before `count` elements of an array are copied into another one. */
    public static void copyArray(Object source, int sourceStart, Object target, int targetStart, int count, int site) {
        Accesses.accessElements(source, sourceStart, sourceStart + count, site, false);
        Accesses.accessElements(target, targetStart, targetStart + count, site, true);
    }

    /** Called before an access to a variable that cannot be determined. */
    public static void accessOpaque(int site) {
        Accesses.accessUnknownVariable(site);
    }

    /** Called at the entry of a method of a copied class. */
    public static void enterCopy(Object object, int subject) {
        Accesses.enterCopiedMethod(object, subject);
    }

    public static void synchroniseCopy(Object object) {
        Accesses.synchroniseOn(object);
    }

    /** Called when a lock of `java.util.concurrent` changes its owner; null releases it. */
    public static void setLockOwner(Object sync, Thread thread) {
        Monitors.setOwner(sync, thread);
    }

    /** Records the site of the next call of a project class that behaves as a lock. */
    public static void beforeLockCall(int site) {
        ControlledThread current = currentThread();
        if (current != null) {
            current.lockCallSite = site;
        }
    }

    /** Called when a method that acquires a project's own lock returns. */
    public static void acquireOwnLock(Object lock) {
        addLockStep(lock, Trace.Kind.ACQUIRE);
    }

    /** Called when a method that tries to acquire a project's own lock returns. */
    public static void acquireOwnLock(boolean isAcquired, Object lock) {
        if (isAcquired) {
            addLockStep(lock, Trace.Kind.ACQUIRE);
        }
    }

    /** Called at the entry of a method that releases a project's own lock. */
    public static void releaseOwnLock(Object lock) {
        addLockStep(lock, Trace.Kind.RELEASE);
    }

    private static void addLockStep(Object lock, Trace.Kind kind) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null || scheduler.isOver ? null : scheduler.currentThread();
        if (current != null) {
            int site = current.lockCallSite == 0 ? current.site : current.lockCallSite;
            scheduler.trace.addStep(current, kind, scheduler.locations.locate(lock), -1, site);
            current.lockCallSite = 0;
        }
    }

    public static void enterMonitor(Object object, int site) {
        Monitors.enter(object, site);
    }

    public static void exitMonitor(Object object, int site) {
        Monitors.exit(object);
    }

    /** Called at the entry of a project class initialiser, whose accesses are no steps. */
    public static void enterOwnInitialiser() {
        Scheduler scheduler = Scheduler.active;
        if (scheduler != null) {
            scheduler.markPartial();
        }
        enterInitialiser();
    }

    public static void enterInitialiser() {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.findThread(Thread.currentThread());
        if (current != null) {
            current.initialiserDepth++;
        }
    }

    public static void exitInitialiser() {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.findThread(Thread.currentThread());
        if (current != null) {
            current.initialiserDepth--;
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
        return Monitors.holdsLock(object);
    }

    public static void begin(Object thread) {
        Threads.beginThread((Thread) thread);
    }

    public static void end(Object thread) {
        Threads.endThread((Thread) thread);
    }

    public static void endWithException(Throwable exception, Object thread) {
        Threads.endWithException(exception, (Thread) thread);
    }

    public static void start(Thread thread) {
        Threads.start(thread);
    }

    /** Starts a thread whose class may override `start`. The override's `super.start()` reaches the other hook. */
    public static void startOwn(Thread thread) {
        if (OverriddenMethods.isOverridden(thread, "start")) {
            thread.start();
        } else {
            Threads.start(thread);
        }
    }

    public static void interruptOwn(Thread thread) {
        if (OverriddenMethods.isOverridden(thread, "interrupt")) {
            thread.interrupt();
        } else {
            Threads.interrupt(thread);
        }
    }

    public static boolean isInterruptedOwn(Thread thread) {
        return OverriddenMethods.isOverridden(thread, "isInterrupted")
                ? thread.isInterrupted() : Threads.isInterrupted(thread);
    }

    /** Starts a thread of a JDK pool. */
    public static void start(Object container, Thread thread) {
        Threads.start(thread);
    }

    /** Starts a thread of a JDK pool, in newer releases. */
    public static void start(Object access, Thread thread, Object container) {
        Threads.start(thread);
    }

    public static Thread start(Object builder, Runnable task) {
        Thread thread = ThreadBuilders.createUnstarted(builder, task);
        Threads.start(thread);
        return thread;
    }

    public static Thread unstarted(Object builder, Runnable task) {
        return ThreadBuilders.createUnstarted(builder, task);
    }

    public static ThreadFactory factory(Object builder) {
        return task -> ThreadBuilders.createUnstarted(builder, task);
    }

    public static Thread startVirtualThread(Runnable task) {
        Thread thread = ThreadBuilders.createVirtual(task);
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
        return Threads.interruptedInCopy();
    }

    public static boolean isInterruptedInside(Thread thread) {
        return Threads.isInterruptedInCopy(thread);
    }

    public static boolean isAlive(Thread thread) {
        return Threads.isAlive(thread);
    }

    public static Thread.State getState(Thread thread) {
        return Threads.getState(thread);
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
        Threads.sleep(toNanos(time));
    }

    /** Returns the duration in nanoseconds, or the largest number: some callers wait for ever. */
    private static long toNanos(Duration time) {
        try {
            return time.toNanos();
        } catch (ArithmeticException e) {
            return time.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    public static boolean join(Thread thread, Duration time) throws InterruptedException {
        if (toNanos(time) > 0) {
            Threads.join(thread, toNanos(time));
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
        Threads.yieldThread();
    }

    public static void onSpinWait() {
        Threads.yieldThread();
    }

    /** Replaces `forEach` of a stream. */
    public static void forEachOfStream(Object stream, Object action, int site) {
        if (startStream(stream, site)) {
            ParallelStreams.forEach(stream, action);
        } else if (stream instanceof IntStream) {
            ((IntStream) stream).forEach((IntConsumer) action);
        } else if (stream instanceof LongStream) {
            ((LongStream) stream).forEach((LongConsumer) action);
        } else if (stream instanceof DoubleStream) {
            ((DoubleStream) stream).forEach((DoubleConsumer) action);
        } else {
            @SuppressWarnings("unchecked") // The stream has this action.
            Consumer<Object> consumer = (Consumer<Object>) action;
            ((Stream<?>) stream).forEach(consumer);
        }
    }

    /** Called before another terminal operation. Returns the stream that it uses. */
    public static Object evaluateStream(Object stream, int site) {
        String subject = Sites.subjectName(Sites.getSite(site).subject);
        return startStream(stream, site)
                ? ParallelStreams.evaluate(stream, subject.substring(subject.lastIndexOf('.') + 1)) : stream;
    }

    /** Returns true if controlled threads run a stream. */
    private static boolean startStream(Object stream, int site) {
        beforeRedirect(site);
        ControlledThread current = currentThread();
        boolean isParallel = current != null && current.initialiserDepth == 0 && stream instanceof BaseStream
                && ((BaseStream<?, ?>) stream).isParallel();
        if (isParallel) {
            Scheduler.active.markPartial();
        }
        return isParallel;
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

    /** Parks a thread like `Unsafe.park`, which some JDK classes call directly. */
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
        ControlledThread current = currentThread();
        return current == null ? System.currentTimeMillis() : Scheduler.active.time.readMillis();
    }

    public static long nanoTime() {
        ControlledThread current = currentThread();
        return current == null ? System.nanoTime() : Scheduler.active.time.readNanos();
    }

    public static Instant nowInstant() {
        return Instant.now(VirtualClock.inDefaultZone());
    }

    public static LocalDate nowLocalDate() {
        return LocalDate.now(VirtualClock.inDefaultZone());
    }

    public static LocalTime nowLocalTime() {
        return LocalTime.now(VirtualClock.inDefaultZone());
    }

    public static LocalDateTime nowLocalDateTime() {
        return LocalDateTime.now(VirtualClock.inDefaultZone());
    }

    public static OffsetDateTime nowOffsetDateTime() {
        return OffsetDateTime.now(VirtualClock.inDefaultZone());
    }

    public static ZonedDateTime nowZonedDateTime() {
        return ZonedDateTime.now(VirtualClock.inDefaultZone());
    }

    public static Clock systemUTC() {
        return new VirtualClock(ZoneOffset.UTC);
    }

    public static Clock systemDefaultZone() {
        return VirtualClock.inDefaultZone();
    }

    public static Clock system(ZoneId zone) {
        return new VirtualClock(zone);
    }

    public static void exit(int code) {
        Threads.exitProcess(code);
    }

    public static void exit(Runtime runtime, int code) {
        Threads.exitProcess(code);
    }

    public static void halt(Runtime runtime, int code) {
        Threads.exitProcess(code);
    }

    /** Returns a deterministic seed for a generator without an explicit one. */
    public static long seed() {
        ControlledThread current = currentThread();
        return current == null ? new Random().nextLong() : 0x5DEECE66DL + current.id;
    }

    public static void shuffle(List<?> list) {
        ControlledThread current = currentThread();
        if (current != null) {
            Accesses.accessArgument(list, current.site, true);
            // No call follows that would reset this.
            current.isInCall = false;
        }
        Collections.shuffle(list, new Random(seed()));
    }

    public static double random() {
        ControlledThread current = currentThread();
        if (current == null) {
            return Math.random();
        }
        Scheduler.active.markPartial();
        return Scheduler.active.random.nextDouble();
    }

    public static long threadId(Thread thread) {
        return thread.getId();
    }

    public static boolean returnTrue() {
        return true;
    }

    /** Returns the identity hash code: the number of the object's location, which is the same in each replay. */
    public static int identityHashCode(Object object) {
        Scheduler scheduler = Scheduler.active;
        boolean isOurs = scheduler != null && object != null && !scheduler.isOver && scheduler.running != null
                && scheduler.running.thread == Thread.currentThread();
        if (!isOurs) {
            return System.identityHashCode(object);
        }
        // The number depends on the schedule, and differs from that of a JVM without the scheduler.
        scheduler.markPartial();
        return scheduler.locations.locate(object).number;
    }
}
