package gitmend.schedule.control;

import gitmend.schedule.weave.InstrumentingClassLoader;
import gitmend.schedule.weave.OverriddenMethods;
import java.lang.reflect.Field;

/** Operations on threads: start, end, join, interrupt, sleep. */
public final class Threads {
    /** Time limit for a started thread to reach its first hook. */
    private static final int BEGIN_TIMEOUT_MILLIS = 5000;

    private Threads() {}

    /**
     * Returns the controlled thread, or null for one that is not started or not controlled. Operations on the latter
     * are no steps.
     */
    private static ControlledThread findStarted(Thread thread) {
        ControlledThread other = Scheduler.active.findThread(thread);
        if (other == null) {
            Scheduler.active.markPartial();
        }
        return other;
    }

    private static ControlledThread currentThread() {
        Scheduler scheduler = Scheduler.active;
        return scheduler == null ? null : scheduler.currentThread();
    }

    static void start(Thread thread) {
        ControlledThread current = currentThread();
        if (current == null) {
            startUncontrolled(thread);
            return;
        }
        Scheduler scheduler = Scheduler.active;
        current.nextLocation = null;
        Task.wrapTask(thread);
        if (!isControllable(thread)) {
            startUncontrolled(thread);
            return;
        }
        if (thread.getState() != Thread.State.NEW || scheduler.findThread(thread) != null) {
            scheduler.markPartial();
            throw new IllegalThreadStateException();
        }
        ControlledThread other = scheduler.addThread(thread);
        other.clock = VectorClocks.join(other.clock, current.clock);
        other.forkClock = VectorClocks.join(other.forkClock, current.forkClock);
        current.incrementClock();
        current.forkClock = VectorClocks.setTime(current.forkClock, current.id, current.forkClock[current.id] + 1);
        scheduler.trace.addStep(current, Trace.Kind.START, null, other.id, current.site);
        startUncontrolled(thread);
        awaitBegin(scheduler, other);
        scheduler.completeStep(current, true);
        scheduler.reachSchedulingPoint(current);
    }

    private static void startUncontrolled(Thread thread) {
        if (OverriddenMethods.isOverridden(thread, "start")) {
            OverriddenMethods.callOriginal(thread, "start");
        } else {
            thread.start();
        }
    }

    private static void awaitBegin(Scheduler scheduler, ControlledThread other) {
        synchronized (other) {
            long deadline = System.nanoTime() + BEGIN_TIMEOUT_MILLIS * 1_000_000L;
            while (!other.hasBegun && other.thread.isAlive() && System.nanoTime() < deadline) {
                try {
                    other.wait(1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        if (!other.hasBegun) {
            // The thread has no task.
            other.isFinished = true;
            scheduler.aliveCount--;
        }
    }

    /** Returns true if the thread's `run` calls a hook at its beginning. */
    private static boolean isControllable(Thread thread) {
        try {
            Class<?> declaringClass = thread.getClass().getMethod("run").getDeclaringClass();
            return declaringClass == Thread.class
                    || declaringClass.getClassLoader() instanceof InstrumentingClassLoader;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    public static void beginThread(Thread thread) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.findThread(Thread.currentThread());
        if (current == null || thread != Thread.currentThread()) {
            return;
        }
        current.runDepth++;
        if (current.hasBegun) {
            return;
        }
        synchronized (current) {
            current.hasBegun = true;
            current.notifyAll();
        }
        current.awaitTurn();
        scheduler.currentThread();
        current.waitState = ControlledThread.Wait.NOTHING;
        scheduler.trace.addStep(current, Trace.Kind.BEGIN, null, -1, 0);
        scheduler.completeStep(current, true);
    }

    public static void endThread(Thread thread) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.findThread(thread);
        if (current != null && thread == Thread.currentThread() && --current.runDepth == 0) {
            scheduler.endThread(current);
        }
    }

    /** Ends a thread with an uncaught exception, unless another `run` called its `run`. */
    public static void endWithException(Throwable exception, Thread thread) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.findThread(thread);
        if (current == null || thread != Thread.currentThread() || --current.runDepth > 0 || current.isFinished) {
            return;
        }
        Thread.UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
        boolean isHandled = handler != thread.getThreadGroup() || Thread.getDefaultUncaughtExceptionHandler() != null;
        thread.setUncaughtExceptionHandler((one, ignored) -> { });
        if (!scheduler.isOver && !(exception instanceof ScheduleAborted)) {
            if (isHandled) {
                handler.uncaughtException(thread, exception);
            } else {
                String text = exception + describeThrowSite(exception);
                scheduler.recordFailure(new Failure(Failure.Kind.EXCEPTION, text, current, current.site));
            }
        }
        scheduler.endThread(current);
    }

    /** Returns the frame that threw an exception. Frames of copied JDK classes are skipped. */
    private static String describeThrowSite(Throwable exception) {
        for (StackTraceElement frame : exception.getStackTrace()) {
            if (!frame.getClassName().startsWith("gitmend.")) {
                return " at " + frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber();
            }
        }
        return "";
    }

    static void join(Thread thread, long nanos) throws InterruptedException {
        ControlledThread current = currentThread();
        ControlledThread other = current == null ? null : findStarted(thread);
        if (other == null) {
            if (current == null || thread.isAlive()) {
                thread.join(nanos < 0 ? 0 : Math.max(1, nanos / 1_000_000));
            }
            return;
        }
        Scheduler scheduler = Scheduler.active;
        throwIfInterrupted(current);
        current.waitState = ControlledThread.Wait.JOIN;
        current.joinTarget = other;
        current.nextLocation = null;
        current.deadline = nanos < 0 ? -1 : scheduler.time.deadlineAfter(nanos);
        scheduler.reachSchedulingPoint(current);
        current.waitState = ControlledThread.Wait.NOTHING;
        current.deadline = -1;
        if (other.isFinished) {
            current.clock = VectorClocks.join(current.clock, other.clock);
            current.forkClock = VectorClocks.join(current.forkClock, other.forkClock);
            scheduler.trace.addStep(current, Trace.Kind.JOIN, null, other.id, current.site);
        }
        scheduler.completeStep(current, true);
        throwIfInterrupted(current);
    }

    static void throwIfInterrupted(ControlledThread current) throws InterruptedException {
        if (clearInterrupt(current)) {
            throw new InterruptedException();
        }
    }

    static void interrupt(Thread thread) {
        ControlledThread current = currentThread();
        ControlledThread other = current == null ? null : findStarted(thread);
        if (other == null) {
            if (OverriddenMethods.isOverridden(thread, "interrupt")) {
                OverriddenMethods.callOriginal(thread, "interrupt");
            } else {
                thread.interrupt();
            }
            return;
        }
        current.nextLocation = null;
        Scheduler.active.reachSchedulingPoint(current);
        other.isInterrupted = !other.isFinished;
        other.interrupterClock = VectorClocks.join(other.interrupterClock, current.clock);
        current.incrementClock();
        Scheduler.active.trace.addStep(current, Trace.Kind.INTERRUPT, null, other.id, current.site);
        Scheduler.active.completeStep(current, true);
    }

    static boolean isInterrupted(Thread thread) {
        ControlledThread current = currentThread();
        ControlledThread other = current == null ? null : findStarted(thread);
        if (other == null) {
            return isInterruptedInJvm(thread);
        }
        observeState(current);
        return observeInterrupt(current, other);
    }

    static boolean interrupted() {
        ControlledThread current = currentThread();
        if (current == null) {
            return Thread.interrupted();
        }
        observeState(current);
        return clearInterrupt(current);
    }

    /** Clears the interrupt status for a copied JDK class. This is part of a step, so no scheduling point. */
    static boolean interruptedInCopy() {
        ControlledThread current = currentThread();
        return current == null ? Thread.interrupted() : clearInterrupt(current);
    }

    static boolean isInterruptedInCopy(Thread thread) {
        ControlledThread current = currentThread();
        ControlledThread other = current == null ? null : findStarted(thread);
        return other == null ? isInterruptedInJvm(thread) : observeInterrupt(current, other);
    }

    private static boolean isInterruptedInJvm(Thread thread) {
        return OverriddenMethods.isOverridden(thread, "isInterrupted")
                ? (Boolean) OverriddenMethods.callOriginal(thread, "isInterrupted") : thread.isInterrupted();
    }

    private static boolean clearInterrupt(ControlledThread current) {
        boolean wasInterrupted = observeInterrupt(current, current);
        if (wasInterrupted) {
            Scheduler.active.strategy.onEffect(StepFootprint.threadKey(current.id), true);
        }
        current.isInterrupted = false;
        return wasInterrupted;
    }

    /** Returns true if a thread is interrupted. The interrupt then happens before the current thread's next step. */
    static boolean observeInterrupt(ControlledThread current, ControlledThread interrupted) {
        Scheduler.active.strategy.onEffect(StepFootprint.threadKey(interrupted.id), false);
        if (interrupted.isInterrupted) {
            current.clock = VectorClocks.join(current.clock, interrupted.interrupterClock);
        }
        return interrupted.isInterrupted;
    }

    /** Schedules a read of a thread's state. Repeated reads may be a busy wait or a computation. */
    private static void observeState(ControlledThread current) {
        current.nextLocation = null;
        Scheduler.active.reachSchedulingPoint(current);
        current.idleSteps = Math.min(current.idleSteps, Scheduler.YIELD_THRESHOLD + 1);
        Scheduler.active.strategy.onEffect(StepFootprint.THREAD_STATES, true);
        Scheduler.active.completeStep(current, false);
    }

    static boolean isAlive(Thread thread) {
        ControlledThread current = currentThread();
        ControlledThread other = current == null ? null : findStarted(thread);
        if (other == null) {
            return thread.isAlive();
        }
        observeState(current);
        if (other.isFinished) {
            current.clock = VectorClocks.join(current.clock, other.clock);
        }
        return !other.isFinished;
    }

    static Thread.State getState(Thread thread) {
        ControlledThread current = currentThread();
        ControlledThread other = current == null ? null : findStarted(thread);
        if (other == null) {
            return thread.getState();
        }
        observeState(current);
        // The state of a waiting thread changes without a step of its own.
        Scheduler.active.markPartial();
        if (other.isFinished) {
            return Thread.State.TERMINATED;
        }
        switch (other.waitState) {
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
        ControlledThread current = currentThread();
        if (current == null) {
            Thread.sleep(nanos / 1_000_000);
            return;
        }
        Scheduler scheduler = Scheduler.active;
        throwIfInterrupted(current);
        current.waitState = ControlledThread.Wait.SLEEP;
        current.nextLocation = null;
        current.deadline = scheduler.time.deadlineAfter(nanos);
        scheduler.trace.addStep(current, Trace.Kind.SLEEP, null, -1, current.site);
        scheduler.reachSchedulingPoint(current);
        current.waitState = ControlledThread.Wait.NOTHING;
        current.deadline = -1;
        scheduler.completeStep(current, false);
        throwIfInterrupted(current);
    }

    static void yieldThread() {
        ControlledThread current = currentThread();
        if (current != null) {
            Scheduler scheduler = Scheduler.active;
            current.nextLocation = null;
            if (scheduler.aliveCount > 1 && scheduler.decideYield()) {
                current.idleSteps = Math.max(current.idleSteps, Scheduler.YIELD_THRESHOLD);
            }
            scheduler.reachSchedulingPoint(current);
            scheduler.completeStep(current, false);
        }
    }

    static void exitProcess(int code) {
        ControlledThread current = currentThread();
        if (current == null) {
            return;
        }
        Scheduler scheduler = Scheduler.active;
        scheduler.recordFailure(new Failure(Failure.Kind.EXIT, "System.exit(" + code + ")", current, current.site));
        scheduler.currentThread();
    }

    /** Task of a thread that reports its begin and end to the scheduler. */
    private static final class Task implements Runnable {
        private final Runnable task;

        Task(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            Thread thread = Thread.currentThread();
            try {
                beginThread(thread);
                task.run();
            } catch (Throwable e) {
                endWithException(e, thread);
                if (isNestedRun(thread)) {
                    Task.<RuntimeException>rethrow(e);
                }
                return;
            }
            endThread(thread);
        }

        /** Returns true if an outer `run` called this one and receives its exception. */
        private static boolean isNestedRun(Thread thread) {
            Scheduler scheduler = Scheduler.active;
            ControlledThread current = scheduler == null ? null : scheduler.findThread(thread);
            return current != null && current.runDepth > 0;
        }

        /** Throws a checked exception as an unchecked one. */
        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void rethrow(Throwable exception) throws T {
            throw (T) exception;
        }

        /** Wraps the task of a thread. */
        static void wrapTask(Thread thread) {
            try {
                Object holder = thread;
                Field field = findField(Thread.class, "target");
                if (field == null) {
                    Field holderField = findField(Thread.class, "holder");
                    holder = holderField == null ? null : holderField.get(thread);
                    field = holder == null ? null : findField(holder.getClass(), "task");
                }
                Object task = field == null ? null : field.get(holder);
                if (task != null && !(task instanceof Task)) {
                    field.set(holder, new Task((Runnable) task));
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Field findField(Class<?> type, String name) {
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
