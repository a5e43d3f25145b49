package gitmend.schedule.control;

import gitmend.schedule.weave.Controlled;
import gitmend.schedule.weave.Overridden;
import java.lang.reflect.Field;

/** What threads do to threads. */
public final class Threads {
    /** How long a thread may take to come to its first step, in milliseconds. */
    private static final int GRACE = 5000;

    private Threads() {}

    /** The thread's actor; null for one that is not started yet, or not ours, of which nothing is a step. */
    private static Actor known(Thread thread) {
        Actor other = Control.now.of(thread);
        if (other == null) {
            Control.now.leaveOut();
        }
        return other;
    }

    private static Actor self() {
        Control control = Control.now;
        return control == null ? null : control.self();
    }

    static void start(Thread thread) {
        Actor me = self();
        if (me == null) {
            startPlainly(thread);
            return;
        }
        Control control = Control.now;
        me.target = null;
        Task.into(thread);
        if (!isOurs(thread)) {
            startPlainly(thread);
            return;
        }
        if (thread.getState() != Thread.State.NEW || control.of(thread) != null) {
            control.leaveOut();
            throw new IllegalThreadStateException();
        }
        Actor other = control.add(thread);
        other.clock = Clocks.joined(other.clock, me.clock);
        other.forks = Clocks.joined(other.forks, me.forks);
        me.tick();
        me.forks = Clocks.with(me.forks, me.id, me.forks[me.id] + 1);
        control.trace.add(me, Trace.Kind.START, null, other.id, me.site);
        startPlainly(thread);
        awaitBegin(control, other);
        control.did(me, true);
        control.decide(me);
    }

    private static void startPlainly(Thread thread) {
        if (Overridden.has(thread, "start")) {
            Overridden.plain(thread, "start");
        } else {
            thread.start();
        }
    }

    private static void awaitBegin(Control control, Actor other) {
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
            control.alive--;
        }
    }

    /** Whether its code stops at its beginning. */
    private static boolean isOurs(Thread thread) {
        try {
            Class<?> runs = thread.getClass().getMethod("run").getDeclaringClass();
            return runs == Thread.class || runs.getClassLoader() instanceof Controlled;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    public static void begin(Thread thread) {
        Control control = Control.now;
        Actor me = control == null ? null : control.of(Thread.currentThread());
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
        control.self();
        me.wait = Actor.Wait.NOTHING;
        control.trace.add(me, Trace.Kind.BEGIN, null, -1, 0);
        control.did(me, true);
    }

    public static void end(Thread thread) {
        Control control = Control.now;
        Actor me = control == null ? null : control.of(thread);
        if (me != null && thread == Thread.currentThread() && --me.depth == 0) {
            control.end(me);
        }
    }

    /** Ends a thread with an uncaught exception, unless its `run` was called by another `run`. */
    public static void thrown(Throwable what, Thread thread) {
        Control control = Control.now;
        Actor me = control == null ? null : control.of(thread);
        if (me == null || thread != Thread.currentThread() || --me.depth > 0 || me.isFinished) {
            return;
        }
        Thread.UncaughtExceptionHandler own = thread.getUncaughtExceptionHandler();
        boolean isHandled = own != thread.getThreadGroup() || Thread.getDefaultUncaughtExceptionHandler() != null;
        thread.setUncaughtExceptionHandler((one, ignored) -> { });
        if (!control.isOver && !(what instanceof Abort)) {
            if (isHandled) {
                own.uncaughtException(thread, what);
            } else {
                control.fail(new Failure(Failure.Kind.EXCEPTION, what + place(what), me, me.site));
            }
        }
        control.end(me);
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
        Actor me = self();
        Actor other = me == null ? null : known(thread);
        if (other == null) {
            if (me == null || thread.isAlive()) {
                thread.join(nanos < 0 ? 0 : Math.max(1, nanos / 1_000_000));
            }
            return;
        }
        Control control = Control.now;
        checkInterrupt(me);
        me.wait = Actor.Wait.JOIN;
        me.joined = other;
        me.target = null;
        me.deadline = nanos < 0 ? -1 : control.time.after(nanos);
        control.decide(me);
        me.wait = Actor.Wait.NOTHING;
        me.deadline = -1;
        if (other.isFinished) {
            me.clock = Clocks.joined(me.clock, other.clock);
            me.forks = Clocks.joined(me.forks, other.forks);
            control.trace.add(me, Trace.Kind.JOIN, null, other.id, me.site);
        }
        control.did(me, true);
        checkInterrupt(me);
    }

    static void checkInterrupt(Actor me) throws InterruptedException {
        if (taken(me)) {
            throw new InterruptedException();
        }
    }

    static void interrupt(Thread thread) {
        Actor me = self();
        Actor other = me == null ? null : known(thread);
        if (other == null) {
            if (Overridden.has(thread, "interrupt")) {
                Overridden.plain(thread, "interrupt");
            } else {
                thread.interrupt();
            }
            return;
        }
        me.target = null;
        Control.now.decide(me);
        other.isInterrupted = !other.isFinished;
        other.interrupter = Clocks.joined(other.interrupter, me.clock);
        me.tick();
        Control.now.trace.add(me, Trace.Kind.INTERRUPT, null, other.id, me.site);
        Control.now.did(me, true);
    }

    static boolean isInterrupted(Thread thread) {
        Actor me = self();
        Actor other = me == null ? null : known(thread);
        if (other == null) {
            return isReallyInterrupted(thread);
        }
        look(me);
        return seen(me, other);
    }

    static boolean interrupted() {
        Actor me = self();
        if (me == null) {
            return Thread.interrupted();
        }
        look(me);
        return taken(me);
    }

    /** As copies ask, in the midst of a step. */
    static boolean interruptedInside() {
        Actor me = self();
        return me == null ? Thread.interrupted() : taken(me);
    }

    static boolean isInterruptedInside(Thread thread) {
        Actor me = self();
        Actor other = me == null ? null : known(thread);
        return other == null ? isReallyInterrupted(thread) : seen(me, other);
    }

    private static boolean isReallyInterrupted(Thread thread) {
        return Overridden.has(thread, "isInterrupted")
                ? (Boolean) Overridden.plain(thread, "isInterrupted") : thread.isInterrupted();
    }

    private static boolean taken(Actor me) {
        boolean was = seen(me, me);
        if (was) {
            Control.now.strategy.touched(Effects.thread(me.id), true);
        }
        me.isInterrupted = false;
        return was;
    }

    /** Returns true if a thread is interrupted. A thread that sees this is ordered after the
     * interrupting one. */
    static boolean seen(Actor me, Actor interrupted) {
        Control.now.strategy.touched(Effects.thread(interrupted.id), false);
        if (interrupted.isInterrupted) {
            me.clock = Clocks.joined(me.clock, interrupted.interrupter);
        }
        return interrupted.isInterrupted;
    }

    /** Handles a repeated look at a thread's state: the caller may wait for it, or only check it
     * while computing. */
    private static void look(Actor me) {
        me.target = null;
        Control.now.decide(me);
        me.idle = Math.min(me.idle, Control.PATIENCE + 1);
        Control.now.strategy.touched(Effects.STATES, true);
        Control.now.did(me, false);
    }

    static boolean isAlive(Thread thread) {
        Actor me = self();
        Actor other = me == null ? null : known(thread);
        if (other == null) {
            return thread.isAlive();
        }
        look(me);
        if (other.isFinished) {
            me.clock = Clocks.joined(me.clock, other.clock);
        }
        return !other.isFinished;
    }

    static Thread.State state(Thread thread) {
        Actor me = self();
        Actor other = me == null ? null : known(thread);
        if (other == null) {
            return thread.getState();
        }
        look(me);
        // What it waits for changes without a step of its own.
        Control.now.leaveOut();
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
        Actor me = self();
        if (me == null) {
            Thread.sleep(nanos / 1_000_000);
            return;
        }
        Control control = Control.now;
        checkInterrupt(me);
        me.wait = Actor.Wait.SLEEP;
        me.target = null;
        me.deadline = control.time.after(nanos);
        control.trace.add(me, Trace.Kind.SLEEP, null, -1, me.site);
        control.decide(me);
        me.wait = Actor.Wait.NOTHING;
        me.deadline = -1;
        control.did(me, false);
        checkInterrupt(me);
    }

    static void giveWay() {
        Actor me = self();
        if (me != null) {
            Control control = Control.now;
            me.target = null;
            if (control.alive > 1 && control.givesWay()) {
                me.idle = Math.max(me.idle, Control.PATIENCE);
            }
            control.decide(me);
            control.did(me, false);
        }
    }

    static void exit(int code) {
        Actor me = self();
        if (me == null) {
            return;
        }
        Control control = Control.now;
        control.fail(new Failure(Failure.Kind.EXIT, "System.exit(" + code + ")", me, me.site));
        control.self();
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
            Control control = Control.now;
            Actor me = control == null ? null : control.of(thread);
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
