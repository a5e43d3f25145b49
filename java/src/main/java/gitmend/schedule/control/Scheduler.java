package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Scheduler of one execution: one thread runs at a time, and a strategy chooses the next. */
public final class Scheduler {
    /** Scheduler of the running schedule, or null. */
    public static volatile Scheduler active;

    /** Number of steps without progress after which a thread yields to others. */
    static final int YIELD_THRESHOLD = 24;
    /** Number of hooks that aborted threads may reach before they are parked for ever. */
    private static final int MAX_ABORTS = 2000;
    private static final int MAX_IDLE_STEPS = 200_000;
    private static final int MAX_STEPS = 1_000_000;
    /** Accesses to unshared locations after which other threads may run: this may be a busy wait. */
    private static final int MAX_UNSHARED_ACCESSES = 5000;
    /** Number of steps that such accesses count for after the tests. */
    private static final int STEPS_PER_BUSY_WAIT = 100;
    /** Maximum number of steps of leftover threads after the tests. */
    private static final int MAX_STEPS_AFTER_TESTS = 20_000;

    /** Threads that did not end with their schedules. */
    public static final Set<Thread> LEFTOVER_THREADS = java.util.Collections.synchronizedSet(
            java.util.Collections.newSetFromMap(new java.util.WeakHashMap<>()));

    final Strategy strategy;
    public final BitSet sharedSubjects;
    public final Locations locations = new Locations();
    public final Trace trace;
    public final Races races = new Races();
    public final LockOrder lockOrder = new LockOrder();
    public final Time time = new Time();
    final java.util.Random random = new java.util.Random(1);
    public final List<ControlledThread> threads = new ArrayList<>();
    private final Map<Thread, ControlledThread> controlledThreads = new IdentityHashMap<>();
    private final List<ControlledThread> enabled = new ArrayList<>();
    /** Chosen threads and alternatives, one at each decision. */
    private int[] choices = new int[64];
    private int choiceCount;
    /** The running thread. */
    public volatile ControlledThread running;
    volatile boolean isOver;
    volatile int steps;
    private int stepsAtMainEnd;
    /** Number of changes that another thread may wait for. */
    long progressCount;
    int aliveCount;
    /** First failure, or null. */
    public volatile Failure failure;
    /** Names of uncontrolled threads that ran instrumented code. */
    public final Set<String> uncontrolledThreads = new TreeSet<>();
    /** Name of one of them that accessed shared state of the project or a monitor. */
    public volatile String uncontrolledAccessor;
    /** True if some scheduling points were omitted, so that some orders are never run. */
    public boolean isPartial;
    /** Stream whose prints are steps because their order matters, or null. */
    private Object watchedOutput;
    private int abortCount;

    public Scheduler(Strategy strategy, BitSet shared) {
        this.strategy = strategy;
        this.sharedSubjects = shared;
        trace = new Trace(strategy);
    }

    /** Makes prints to a stream steps. */
    public void watchOutput(Object out) {
        this.watchedOutput = out;
        locations.locate(out).nameSubject = Sites.subjectNumber("java.lang.System.out", false);
    }

    boolean isWatchedOutput(Object stream) {
        return stream == watchedOutput;
    }

    /**
     * Records that text or a line end was printed. A print outside a scheduled step could happen at other times too.
     */
    public void recordPrint(boolean isLine) {
        ControlledThread caller = findThread(Thread.currentThread());
        if (caller == null || !caller.isPrinting) {
            markPartial();
        } else {
            caller.isPrinting = !isLine;
        }
    }

    public int[] copyChoices() {
        return Arrays.copyOf(choices, choiceCount);
    }

    ControlledThread mainThread() {
        return threads.get(0);
    }

    public synchronized ControlledThread addThread(Thread thread) {
        ControlledThread controlled = new ControlledThread(threads.size(), thread);
        threads.add(controlled);
        controlledThreads.put(thread, controlled);
        aliveCount++;
        strategy.onThreadStart(controlled);
        return controlled;
    }

    synchronized ControlledThread findThread(Thread thread) {
        return controlledThreads.get(thread);
    }

    /**
     * Returns the current thread, or null if the scheduler does not control it. Once the schedule is over, aborts the
     * thread.
     */
    ControlledThread currentThread() {
        ControlledThread controlled = running;
        Thread caller = Thread.currentThread();
        if (controlled == null || controlled.thread != caller) {
            if (findThread(caller) == null) {
                recordUncontrolledThread(caller);
                return null;
            }
            controlled = findThread(caller);
        }
        if (isOver) {
            abortThread();
        }
        return controlled;
    }

    /**
     * Records an uncontrolled thread. JVM threads only clean up and are ignored; leftovers of earlier schedules are
     * parked.
     */
    private void recordUncontrolledThread(Thread caller) {
        while (LEFTOVER_THREADS.contains(caller)) {
            java.util.concurrent.locks.LockSupport.park();
        }
        if (!isOver && isUncontrolled(caller)) {
            synchronized (uncontrolledThreads) {
                uncontrolledThreads.add(caller.getName());
            }
        }
    }

    /** Records that a thread outside the scheduler reached code reserved for controlled threads. */
    void recordUncontrolledAccess(Thread caller) {
        if (!isOver && isUncontrolled(caller)) {
            uncontrolledAccessor = caller.getName().isEmpty() ? "a thread without a name" : caller.getName();
        }
    }

    private static boolean isUncontrolled(Thread caller) {
        ThreadGroup group = caller.getThreadGroup();
        return group != null && group.getParent() != null;
    }

    private void abortThread() {
        synchronized (this) {
            abortCount++;
        }
        while (abortCount > MAX_ABORTS) {
            java.util.concurrent.locks.LockSupport.park();
        }
        throw new ScheduleAborted();
    }

    /** Reaches a scheduling point: another thread may run first. The caller has set its next access. */
    void reachSchedulingPoint(ControlledThread current) {
        boolean isReady = current.waitState == ControlledThread.Wait.NOTHING;
        current.isPrinting = false;
        steps++;
        current.unsharedAccesses = 0;
        countIdleStep(current);
        isPartial |= aliveCount > 1 && current.initialiserDepth > 0;
        if (!isReady || !hasNoAlternative(current)) {
            switchThread(current);
        }
    }

    private boolean hasNoAlternative(ControlledThread current) {
        return aliveCount == 1 || current.initialiserDepth > 0;
    }

    /** Counts an access to an unshared location. A thread with many of them may be busy-waiting. */
    void countUnsharedAccess(ControlledThread current) {
        if (++current.unsharedAccesses < MAX_UNSHARED_ACCESSES) {
            return;
        }
        current.unsharedAccesses = 0;
        isPartial |= aliveCount > 1;
        steps += mainThread().isFinished ? STEPS_PER_BUSY_WAIT : 0;
        countIdleStep(current);
        // The thread may compute, which is no livelock.
        current.idleSteps = Math.min(current.idleSteps, YIELD_THRESHOLD + 1);
        if (!hasNoAlternative(current)) {
            switchThread(current);
        }
    }

    private void switchThread(ControlledThread current) {
        time.advanceStep();
        ControlledThread next = selectNext(current);
        if (next == null) {
            handleBlockedState();
            abortThread();
        }
        if (next != current) {
            running = next;
            next.resume();
            current.awaitTurn();
            if (isOver) {
                abortThread();
            }
        }
        current.waitState = ControlledThread.Wait.NOTHING;
    }

    /**
     * Counts a step without progress. A thread with many of them is spinning: it yields, and fails as a livelock in the
     * end.
     */
    private void countIdleStep(ControlledThread current) {
        if (current.lastProgress != progressCount) {
            current.idleSteps = 0;
            current.lastProgress = progressCount;
            current.isYielding = false;
        } else if (++current.idleSteps > YIELD_THRESHOLD) {
            current.isYielding = true;
        }
        boolean isAfter = mainThread().isFinished && steps > stepsAtMainEnd + MAX_STEPS_AFTER_TESTS;
        if (isAfter) {
            isPartial = true;
            finish();
            abortThread();
        }
        boolean isEndless = current.idleSteps > MAX_IDLE_STEPS;
        if (isEndless || steps > MAX_STEPS) {
            String text = isEndless ? "no thread makes progress" : "still running after " + MAX_STEPS + " steps";
            recordFailure(new Failure(Failure.Kind.LIVELOCK, text, current, current.site));
            abortThread();
        }
    }

    /**
     * Returns the next thread, or null if none can run. Advances the virtual time to the next deadline if all threads
     * wait.
     */
    private ControlledThread selectNext(ControlledThread current) {
        while (true) {
            enabled.clear();
            boolean hasReadyThread = false;
            for (ControlledThread thread : threads) {
                time.isObserved |= thread.deadline >= 0 && thread.waitState != ControlledThread.Wait.SLEEP;
                if (!thread.isFinished && thread.isEnabled(time.now)) {
                    enabled.add(thread);
                    hasReadyThread |= !thread.isYielding;
                }
            }
            if (!enabled.isEmpty()) {
                return chooseEnabled(current, hasReadyThread);
            }
            long earliestDeadline = Long.MAX_VALUE;
            for (ControlledThread thread : threads) {
                boolean isTimed = !thread.isFinished && thread.deadline > time.now;
                earliestDeadline = isTimed ? Math.min(earliestDeadline, thread.deadline) : earliestDeadline;
            }
            // Idle threads of a pool would time out again and again after the tests.
            if (earliestDeadline == Long.MAX_VALUE || mainThread().isFinished) {
                isPartial |= earliestDeadline < Long.MAX_VALUE;
                return null;
            }
            time.now = earliestDeadline;
        }
    }

    private ControlledThread chooseEnabled(ControlledThread current, boolean hasReadyThread) {
        if (hasReadyThread) {
            isPartial |= enabled.removeIf(thread -> thread.isYielding);
        }
        ControlledThread next = enabled.get(strategy.chooseNext(this, enabled, current));
        if (enabled.size() > 1) {
            recordChoice(next.id);
        }
        if (next.waitState == ControlledThread.Wait.SLEEP) {
            time.now = Math.max(time.now, next.deadline);
        }
        return next;
    }

    private void recordChoice(int choice) {
        if (choiceCount == choices.length) {
            choices = Arrays.copyOf(choices, 2 * choiceCount);
        }
        choices[choiceCount++] = choice;
        trace.decisionCount = choiceCount;
    }

    /** Returns true if `Thread.yield` lets other threads run first, and records the decision. */
    boolean decideYield() {
        boolean gives = strategy.decideYield();
        recordChoice(gives ? 1 : 0);
        return gives;
    }

    /** Picks one of `count` alternatives that are not threads. */
    int pickAlternative(int count) {
        int alternative = count == 1 ? 0 : strategy.pickAlternative(count);
        if (count > 1) {
            recordChoice(alternative);
        }
        return alternative;
    }

    /** Marks the schedule as partial: the caller's action is no scheduling point, so that some orders are never run. */
    public void markPartial() {
        isPartial |= threads.size() > 1;
    }

    /** Completes a step of the current thread. */
    void completeStep(ControlledThread current, boolean isChange) {
        if (isChange) {
            progressCount++;
            current.lastProgress = progressCount;
            current.idleSteps = 0;
            current.isYielding = false;
        }
        if (aliveCount > 1) {
            strategy.onStepDone(current, threads);
        }
    }

    /** Ends the current thread. */
    void endThread(ControlledThread current) {
        if (current.isFinished) {
            return;
        }
        current.isFinished = true;
        current.nextLocation = null;
        aliveCount--;
        progressCount++;
        trace.addStep(current, Trace.Kind.END, null, -1, 0);
        for (ControlledThread thread : threads) {
            if (thread.waitState == ControlledThread.Wait.JOIN && thread.joinTarget == current) {
                strategy.onEffect(StepFootprint.threadKey(thread.id), true);
            }
        }
        if (current == mainThread()) {
            stepsAtMainEnd = steps;
        }
        if (isOver) {
            return;
        }
        ControlledThread next = selectNext(current);
        if (next != null) {
            running = next;
            next.resume();
        } else if (aliveCount == 0) {
            finish();
        } else {
            handleBlockedState();
        }
    }

    /** Handles a state in which no thread is enabled. */
    private void handleBlockedState() {
        Failure deadlock = Deadlocks.classify(this);
        if (deadlock == null) {
            // Only idle threads are left after the tests.
            finish();
        } else {
            recordFailure(deadlock);
        }
    }

    void recordFailure(Failure first) {
        if (failure == null) {
            failure = first;
        }
        finish();
    }

    /** Ends the schedule. Threads that are left abort at their next hook. */
    public synchronized void finish() {
        trace.isClosed = true;
        isOver = true;
        for (ControlledThread thread : threads) {
            if (!thread.isFinished) {
                thread.resume();
            }
        }
        notifyAll();
    }

    /**
     * Waits for the end of the schedule. Returns false if no step happened for `limit` milliseconds, or a fifth of that
     * if the running thread is blocked.
     */
    public synchronized boolean awaitEnd(long limit) throws InterruptedException {
        int lastSteps = -1;
        long lastStepTime = System.nanoTime();
        while (!isOver) {
            wait(Math.min(limit, 500));
            boolean isWaiting = running.thread.getState() != Thread.State.RUNNABLE;
            long timeout = isWaiting ? limit / 5 : limit;
            if (steps != lastSteps) {
                lastSteps = steps;
                lastStepTime = System.nanoTime();
            } else if (!isOver && System.nanoTime() - lastStepTime > timeout * 1_000_000) {
                return false;
            }
        }
        return true;
    }
}
