package gitmend.schedule.control;

import gitmend.schedule.weave.InstrumentingClassLoader;
import gitmend.schedule.weave.OverriddenMethods;
import java.lang.reflect.Field;

/** Operations on threads: start, end, join, interrupt, sleep. */
public final class Threads {
    /** How long a thread may take to come to its first step, in milliseconds. */
    private static final int GRACE = 5000;

    private Threads() {}

    /** The thread's actor; null for one that is not started yet, or not ours, of which nothing is a step. */
    private static ControlledThread known(Thread thread) {
        ControlledThread other = Scheduler.now.of(thread);
        if (other == null) {
            Scheduler.now.leaveOut();
        }
        return other;
    }

    private static ControlledThread self() {
        Scheduler scheduler = Scheduler.now;
        return scheduler == null ? null : scheduler.self();
    }

    static void start(Thread thread) {
        ControlledThread me = self();
        if (me == null) {
            startPlainly(thread);
            return;
        }
        Scheduler scheduler = Scheduler.now;
        me.target = null;
        Task.into(thread);
        if (!isOurs(thread)) {
            startPlainly(thread);
            return;
        }
        if (thread.getState() != Thread.State.NEW || scheduler.of(thread) != null) {
            scheduler.leaveOut();
            throw new IllegalThreadStateException();
        }
        ControlledThread other = scheduler.add(thread);
        other.clock = VectorClocks.joined(other.clock, me.clock);
        other.forks = VectorClocks.joined(other.forks, me.forks);
        me.tick();
        me.forks = VectorClocks.with(me.forks, me.id, me.forks[me.id] + 1);
        scheduler.trace.add(me, Trace.Kind.START, null, other.id, me.site);
        startPlainly(thread);
        awaitBegin(scheduler, other);
        scheduler.did(me, true);
        scheduler.decide(me);
    }

    private static void startPlainly(Thread thread) {
        if (OverriddenMethods.has(thread, "start")) {
            OverriddenMethods.plain(thread, "start");
        } else {
            thread.start();
        }
    }

    private static void awaitBegin(Scheduler scheduler, ControlledThread other) {
        synchronized (other) {
            long end = System.nanoTime() + GRACE * 1_000_000L;
            while (!other.hasBegun && other.thread.isAlive() && System.nanoTime() < end) {
                try {
                    other.wait(1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        if (!other.hasBegun) {
            // It has nothing to run.
            other.isFinished = true;
            scheduler.alive--;
        }
    }

    /** Whether its code stops at its beginning. */
    private static boolean isOurs(Thread thread) {
        try {
            Class<?> runs = thread.getClass().getMethod("run").getDeclaringClass();
            return runs == Thread.class || runs.getClassLoader() instanceof InstrumentingClassLoader;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    public static void begin(Thread thread) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.of(Thread.currentThread());
        if (me == null || thread != Thread.currentThread()) {
            return;
        }
        me.depth++;
        if (me.hasBegun) {
            return;
        }
        synchronized (me) {
            me.hasBegun = true;
            me.notifyAll();
        }
        me.await();
        scheduler.self();
        me.wait = ControlledThread.Wait.NOTHING;
        scheduler.trace.add(me, Trace.Kind.BEGIN, null, -1, 0);
        scheduler.did(me, true);
    }

    public static void end(Thread thread) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.of(thread);
        if (me != null && thread == Thread.currentThread() && --me.depth == 0) {
            scheduler.end(me);
        }
    }

    /** Ends a thread with an uncaught exception, unless its `run` was called by another `run`. */
    public static void thrown(Throwable what, Thread thread) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.of(thread);
        if (me == null || thread != Thread.currentThread() || --me.depth > 0 || me.isFinished) {
            return;
        }
        Thread.UncaughtExceptionHandler own = thread.getUncaughtExceptionHandler();
        boolean isHandled = own != thread.getThreadGroup() || Thread.getDefaultUncaughtExceptionHandler() != null;
        thread.setUncaughtExceptionHandler((one, ignored) -> { });
        if (!scheduler.isOver && !(what instanceof ScheduleAborted)) {
            if (isHandled) {
                own.uncaughtException(thread, what);
            } else {
                scheduler.fail(new Failure(Failure.Kind.EXCEPTION, what + place(what), me, me.site));
            }
        }
        scheduler.end(me);
    }

    /** Returns the place where an exception was thrown, without frames of our replacements of JDK
     * code. */
    private static String place(Throwable what) {
        for (StackTraceElement frame : what.getStackTrace()) {
            if (!frame.getClassName().startsWith("gitmend.")) {
                return " at " + frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber();
            }
        }
        return "";
    }

    static void join(Thread thread, long nanos) throws InterruptedException {
        ControlledThread me = self();
        ControlledThread other = me == null ? null : known(thread);
        if (other == null) {
            if (me == null || thread.isAlive()) {
                thread.join(nanos < 0 ? 0 : Math.max(1, nanos / 1_000_000));
            }
            return;
        }
        Scheduler scheduler = Scheduler.now;
        checkInterrupt(me);
        me.wait = ControlledThread.Wait.JOIN;
        me.joined = other;
        me.target = null;
        me.deadline = nanos < 0 ? -1 : scheduler.time.after(nanos);
        scheduler.decide(me);
        me.wait = ControlledThread.Wait.NOTHING;
        me.deadline = -1;
        if (other.isFinished) {
            me.clock = VectorClocks.joined(me.clock, other.clock);
            me.forks = VectorClocks.joined(me.forks, other.forks);
            scheduler.trace.add(me, Trace.Kind.JOIN, null, other.id, me.site);
        }
        scheduler.did(me, true);
        checkInterrupt(me);
    }

    static void checkInterrupt(ControlledThread me) throws InterruptedException {
        if (taken(me)) {
            throw new InterruptedException();
        }
    }

    static void interrupt(Thread thread) {
        ControlledThread me = self();
        ControlledThread other = me == null ? null : known(thread);
        if (other == null) {
            if (OverriddenMethods.has(thread, "interrupt")) {
                OverriddenMethods.plain(thread, "interrupt");
            } else {
                thread.interrupt();
            }
            return;
        }
        me.target = null;
        Scheduler.now.decide(me);
        other.isInterrupted = !other.isFinished;
        other.interrupter = VectorClocks.joined(other.interrupter, me.clock);
        me.tick();
        Scheduler.now.trace.add(me, Trace.Kind.INTERRUPT, null, other.id, me.site);
        Scheduler.now.did(me, true);
    }

    static boolean isInterrupted(Thread thread) {
        ControlledThread me = self();
        ControlledThread other = me == null ? null : known(thread);
        if (other == null) {
            return isReallyInterrupted(thread);
        }
        look(me);
        return seen(me, other);
    }

    static boolean interrupted() {
        ControlledThread me = self();
        if (me == null) {
            return Thread.interrupted();
        }
        look(me);
        return taken(me);
    }

    /** As copies ask, in the midst of a step. */
    static boolean interruptedInside() {
        ControlledThread me = self();
        return me == null ? Thread.interrupted() : taken(me);
    }

    static boolean isInterruptedInside(Thread thread) {
        ControlledThread me = self();
        ControlledThread other = me == null ? null : known(thread);
        return other == null ? isReallyInterrupted(thread) : seen(me, other);
    }

    private static boolean isReallyInterrupted(Thread thread) {
        return OverriddenMethods.has(thread, "isInterrupted")
                ? (Boolean) OverriddenMethods.plain(thread, "isInterrupted") : thread.isInterrupted();
    }

    private static boolean taken(ControlledThread me) {
        boolean was = seen(me, me);
        if (was) {
            Scheduler.now.strategy.touched(StepFootprint.thread(me.id), true);
        }
        me.isInterrupted = false;
        return was;
    }

    /** Returns true if a thread is interrupted. A thread that sees this is ordered after the
     * interrupting one. */
    static boolean seen(ControlledThread me, ControlledThread interrupted) {
        Scheduler.now.strategy.touched(StepFootprint.thread(interrupted.id), false);
        if (interrupted.isInterrupted) {
            me.clock = VectorClocks.joined(me.clock, interrupted.interrupter);
        }
        return interrupted.isInterrupted;
    }

    /** Handles a repeated look at a thread's state: the caller may wait for it, or only check it
     * while computing. */
    private static void look(ControlledThread me) {
        me.target = null;
        Scheduler.now.decide(me);
        me.idle = Math.min(me.idle, Scheduler.PATIENCE + 1);
        Scheduler.now.strategy.touched(StepFootprint.STATES, true);
        Scheduler.now.did(me, false);
    }

    static boolean isAlive(Thread thread) {
        ControlledThread me = self();
        ControlledThread other = me == null ? null : known(thread);
        if (other == null) {
            return thread.isAlive();
        }
        look(me);
        if (other.isFinished) {
            me.clock = VectorClocks.joined(me.clock, other.clock);
        }
        return !other.isFinished;
    }

    static Thread.State state(Thread thread) {
        ControlledThread me = self();
        ControlledThread other = me == null ? null : known(thread);
        if (other == null) {
            return thread.getState();
        }
        look(me);
        // What it waits for changes without a step of its own.
        Scheduler.now.leaveOut();
        if (other.isFinished) {
            return Thread.State.TERMINATED;
        }
        switch (other.wait) {
            case MONITOR:
                return Thread.State.BLOCKED;
            case JOIN:
            case SIGNAL:
            case PERMIT:
                return other.deadline < 0 ? Thread.State.WAITING : Thread.State.TIMED_WAITING;
            case SLEEP:
                return Thread.State.TIMED_WAITING;
            default:
                return Thread.State.RUNNABLE;
        }
    }

    static void sleep(long nanos) throws InterruptedException {
        ControlledThread me = self();
        if (me == null) {
            Thread.sleep(nanos / 1_000_000);
            return;
        }
        Scheduler scheduler = Scheduler.now;
        checkInterrupt(me);
        me.wait = ControlledThread.Wait.SLEEP;
        me.target = null;
        me.deadline = scheduler.time.after(nanos);
        scheduler.trace.add(me, Trace.Kind.SLEEP, null, -1, me.site);
        scheduler.decide(me);
        me.wait = ControlledThread.Wait.NOTHING;
        me.deadline = -1;
        scheduler.did(me, false);
        checkInterrupt(me);
    }

    static void giveWay() {
        ControlledThread me = self();
        if (me != null) {
            Scheduler scheduler = Scheduler.now;
            me.target = null;
            if (scheduler.alive > 1 && scheduler.givesWay()) {
                me.idle = Math.max(me.idle, Scheduler.PATIENCE);
            }
            scheduler.decide(me);
            scheduler.did(me, false);
        }
    }

    static void exit(int code) {
        ControlledThread me = self();
        if (me == null) {
            return;
        }
        Scheduler scheduler = Scheduler.now;
        scheduler.fail(new Failure(Failure.Kind.EXIT, "System.exit(" + code + ")", me, me.site));
        scheduler.self();
    }

    /** The body of a thread, with its begin and end reported to the scheduler. */
    private static final class Task implements Runnable {
        private final Runnable own;

        Task(Runnable own) {
            this.own = own;
        }

        @Override
        public void run() {
            Thread thread = Thread.currentThread();
            try {
                begin(thread);
                own.run();
            } catch (Throwable e) {
                thrown(e, thread);
                if (isInside(thread)) {
                    Task.<RuntimeException>rethrow(e);
                }
                return;
            }
            end(thread);
        }

        /** Whether a `run` that called this one is on its way, and gets what comes out of it. */
        private static boolean isInside(Thread thread) {
            Scheduler scheduler = Scheduler.now;
            ControlledThread me = scheduler == null ? null : scheduler.of(thread);
            return me != null && me.depth > 0;
        }

        /** Throws what it is given, checked or not. */
        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void rethrow(Throwable what) throws T {
            throw (T) what;
        }

        /** Puts itself around what a thread runs. */
        static void into(Thread thread) {
            try {
                Object holder = thread;
                Field field = field(Thread.class, "target");
                if (field == null) {
                    Field of = field(Thread.class, "holder");
                    holder = of == null ? null : of.get(thread);
                    field = holder == null ? null : field(holder.getClass(), "task");
                }
                Object own = field == null ? null : field.get(holder);
                if (own != null && !(own instanceof Task)) {
                    field.set(holder, new Task((Runnable) own));
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Field field(Class<?> type, String name) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                return null;
            }
        }
    }
}
