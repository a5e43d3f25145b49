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
    /** The schedule that is on its way, or null. */
    public static volatile Scheduler now;

    /** A thread that came by so often without anything changed gives way to others. */
    static final int PATIENCE = 24;
    /** How often a thread that is to end may come by before it is left where it is. */
    private static final int MOST_ABORTS = 2000;
    private static final int MOST_IDLE = 200_000;
    private static final int MOST_STEPS = 1_000_000;
    /** Accesses to unshared locations after which other threads may run: this may be a busy wait. */
    private static final int MOST_QUIET = 5000;
    /** How many steps these count for once the tests are over. */
    private static final int QUIET_STEPS = 100;
    /** How long what was left running after the tests may go on, in steps. */
    private static final int MOST_AFTER = 20_000;

    /** Threads that did not end with their schedules. */
    public static final Set<Thread> LEFT = java.util.Collections.synchronizedSet(
            java.util.Collections.newSetFromMap(new java.util.WeakHashMap<>()));

    final Strategy strategy;
    public final BitSet shared;
    public final Locations locations = new Locations();
    public final Trace trace;
    public final Races races = new Races();
    public final LockOrder locks = new LockOrder();
    public final Time time = new Time();
    final java.util.Random numbers = new java.util.Random(1);
    public final List<ControlledThread> actors = new ArrayList<>();
    private final Map<Thread, ControlledThread> byThread = new IdentityHashMap<>();
    private final List<ControlledThread> enabled = new ArrayList<>();
    /** Which thread went on, where several could. */
    private int[] choices = new int[64];
    private int choiceCount;
    /** The running thread. */
    public volatile ControlledThread running;
    volatile boolean isOver;
    volatile int steps;
    private int stepsAtEnd;
    /** Goes up with each change that another thread may have waited for. */
    long progress;
    int alive;
    /** What went wrong first. */
    public volatile Failure failure;
    /** Threads that the scheduler does not control and that ran instrumented code. */
    public final Set<String> strangers = new TreeSet<>();
    /** One of them that accessed shared state of the project or a monitor, without scheduling. */
    public volatile String intruder;
    /** Whether threads went on where others could have, and no decision was taken. */
    public boolean isPartial;
    /** What everybody prints to, where the order of that matters; else null. */
    private Object out;
    private int aborts;

    public Scheduler(Strategy strategy, BitSet shared) {
        this.strategy = strategy;
        this.shared = shared;
        trace = new Trace(strategy);
    }

    /** Prints to this are steps from now on. */
    public void watch(Object out) {
        this.out = out;
        locations.of(out).name = Sites.subject("java.lang.System.out", false);
    }

    boolean isWatched(Object stream) {
        return stream == out;
    }

    /** Reports that text or a line end was printed. A print outside a scheduled step could happen
     * at other times too. */
    public void printed(boolean isLine) {
        ControlledThread caller = of(Thread.currentThread());
        if (caller == null || !caller.isPrinting) {
            leaveOut();
        } else {
            caller.isPrinting = !isLine;
        }
    }

    public int[] choices() {
        return Arrays.copyOf(choices, choiceCount);
    }

    ControlledThread main() {
        return actors.get(0);
    }

    public synchronized ControlledThread add(Thread thread) {
        ControlledThread actor = new ControlledThread(actors.size(), thread);
        actors.add(actor);
        byThread.put(thread, actor);
        alive++;
        strategy.started(actor);
        return actor;
    }

    synchronized ControlledThread of(Thread thread) {
        return byThread.get(thread);
    }

    /** Returns the calling thread if the scheduler controls it; a finished schedule aborts it. */
    ControlledThread self() {
        ControlledThread actor = running;
        Thread caller = Thread.currentThread();
        if (actor == null || actor.thread != caller) {
            if (of(caller) == null) {
                notice(caller);
                return null;
            }
            actor = of(caller);
        }
        if (isOver) {
            abort();
        }
        return actor;
    }

    /** A thread that is not ours; the JVM's own ones only clean up, and one of an earlier schedule stays here. */
    private void notice(Thread caller) {
        while (LEFT.contains(caller)) {
            java.util.concurrent.locks.LockSupport.park();
        }
        if (!isOver && isStranger(caller)) {
            synchronized (strangers) {
                strangers.add(caller.getName());
            }
        }
    }

    /** Records that a thread outside the scheduler reached code reserved for controlled threads. */
    void intrude(Thread caller) {
        if (!isOver && isStranger(caller)) {
            intruder = caller.getName().isEmpty() ? "a thread without a name" : caller.getName();
        }
    }

    private static boolean isStranger(Thread caller) {
        ThreadGroup group = caller.getThreadGroup();
        return group != null && group.getParent() != null;
    }

    private void abort() {
        synchronized (this) {
            aborts++;
        }
        while (aborts > MOST_ABORTS) {
            java.util.concurrent.locks.LockSupport.park();
        }
        throw new ScheduleAborted();
    }

    /** A scheduling decision: another thread may run first. The caller has recorded its next step
     * in `me`. */
    void decide(ControlledThread me) {
        boolean isReady = me.wait == ControlledThread.Wait.NOTHING;
        me.isPrinting = false;
        steps++;
        me.quiet = 0;
        idle(me);
        isPartial |= alive > 1 && me.initialising > 0;
        if (!isReady || !isAlone(me)) {
            pass(me);
        }
    }

    private boolean isAlone(ControlledThread me) {
        return alive == 1 || me.initialising > 0;
    }

    /** Counts an access to an unshared location. A thread that makes many of them may be
     * busy-waiting. */
    void quiet(ControlledThread me) {
        if (++me.quiet < MOST_QUIET) {
            return;
        }
        me.quiet = 0;
        isPartial |= alive > 1;
        steps += main().isFinished ? QUIET_STEPS : 0;
        idle(me);
        // It may as well compute, which is no livelock.
        me.idle = Math.min(me.idle, PATIENCE + 1);
        if (!isAlone(me)) {
            pass(me);
        }
    }

    private void pass(ControlledThread me) {
        time.step();
        ControlledThread next = next(me);
        if (next == null) {
            stuck();
            abort();
        }
        if (next != me) {
            running = next;
            next.go();
            me.await();
            if (isOver) {
                abort();
            }
        }
        me.wait = ControlledThread.Wait.NOTHING;
    }

    /** Who comes by again and again while nothing changes spins. */
    private void idle(ControlledThread me) {
        if (me.seen != progress) {
            me.idle = 0;
            me.seen = progress;
            me.givesWay = false;
        } else if (++me.idle > PATIENCE) {
            me.givesWay = true;
        }
        boolean isAfter = main().isFinished && steps > stepsAtEnd + MOST_AFTER;
        if (isAfter) {
            isPartial = true;
            finish();
            abort();
        }
        boolean isEndless = me.idle > MOST_IDLE;
        if (isEndless || steps > MOST_STEPS) {
            String text = isEndless ? "no thread makes progress" : "still running after " + MOST_STEPS + " steps";
            fail(new Failure(Failure.Kind.LIVELOCK, text, me, me.site));
            abort();
        }
    }

    /** The next one to run; it has done its waiting. Null if there is none. */
    private ControlledThread next(ControlledThread me) {
        while (true) {
            enabled.clear();
            boolean isPatient = false;
            for (ControlledThread one : actors) {
                time.matters |= one.deadline >= 0 && one.wait != ControlledThread.Wait.SLEEP;
                if (!one.isFinished && one.isEnabled(time.now)) {
                    enabled.add(one);
                    isPatient |= !one.givesWay;
                }
            }
            if (!enabled.isEmpty()) {
                return chosen(me, isPatient);
            }
            long due = Long.MAX_VALUE;
            for (ControlledThread one : actors) {
                boolean isTimed = !one.isFinished && one.deadline > time.now;
                due = isTimed ? Math.min(due, one.deadline) : due;
            }
            // What idles in a pool when the tests are over would be due for ever.
            if (due == Long.MAX_VALUE || main().isFinished) {
                isPartial |= due < Long.MAX_VALUE;
                return null;
            }
            time.now = due;
        }
    }

    private ControlledThread chosen(ControlledThread me, boolean isPatient) {
        if (isPatient) {
            isPartial |= enabled.removeIf(one -> one.givesWay);
        }
        ControlledThread next = enabled.get(strategy.next(this, enabled, me));
        if (enabled.size() > 1) {
            chose(next.id);
        }
        if (next.wait == ControlledThread.Wait.SLEEP) {
            time.now = Math.max(time.now, next.deadline);
        }
        return next;
    }

    private void chose(int choice) {
        if (choiceCount == choices.length) {
            choices = Arrays.copyOf(choices, 2 * choiceCount);
        }
        choices[choiceCount++] = choice;
    }

    /** Whether a thread that offers it has others go first. */
    boolean givesWay() {
        boolean gives = strategy.givesWay();
        chose(gives ? 1 : 0);
        return gives;
    }

    /** Picks one of `count` alternatives that are not threads. */
    int pick(int count) {
        int picked = count == 1 ? 0 : strategy.pick(count);
        if (count > 1) {
            chose(picked);
        }
        return picked;
    }

    /** Marks the exploration as partial: the caller's action is no schedulable step, so that some
     * orders are never run. */
    public void leaveOut() {
        isPartial |= actors.size() > 1;
    }

    /** The actor has done what it was about to do. */
    void did(ControlledThread me, boolean isChange) {
        if (isChange) {
            progress++;
            me.seen = progress;
            me.idle = 0;
            me.givesWay = false;
        }
        if (alive > 1) {
            strategy.stepped(me, actors);
        }
    }

    /** The caller has come to its end. */
    void end(ControlledThread me) {
        if (me.isFinished) {
            return;
        }
        me.isFinished = true;
        me.target = null;
        alive--;
        progress++;
        trace.add(me, Trace.Kind.END, null, -1, 0);
        for (ControlledThread one : actors) {
            if (one.wait == ControlledThread.Wait.JOIN && one.joined == me) {
                strategy.touched(StepFootprint.thread(one.id), true);
            }
        }
        if (me == main()) {
            stepsAtEnd = steps;
        }
        if (isOver) {
            return;
        }
        ControlledThread next = next(me);
        if (next != null) {
            running = next;
            next.go();
        } else if (alive == 0) {
            finish();
        } else {
            stuck();
        }
    }

    /** Handles a state in which no thread can run. */
    private void stuck() {
        Failure deadlock = Deadlocks.found(this);
        if (deadlock == null) {
            // What only idles after the tests.
            finish();
        } else {
            fail(deadlock);
        }
    }

    void fail(Failure what) {
        if (failure == null) {
            failure = what;
        }
        finish();
    }

    /** Ends the schedule; all threads that are left end at what they do next. */
    public synchronized void finish() {
        trace.isClosed = true;
        isOver = true;
        for (ControlledThread one : actors) {
            if (!one.isFinished) {
                one.go();
            }
        }
        notifyAll();
    }

    /** Waits for the end; false if no thread came by for this long, in milliseconds, or sooner if it waits. */
    public synchronized boolean await(long limit) throws InterruptedException {
        int seen = -1;
        long since = System.nanoTime();
        while (!isOver) {
            wait(Math.min(limit, 500));
            boolean isWaiting = running.thread.getState() != Thread.State.RUNNABLE;
            long patience = isWaiting ? limit / 5 : limit;
            if (steps != seen) {
                seen = steps;
                since = System.nanoTime();
            } else if (!isOver && System.nanoTime() - since > patience * 1_000_000) {
                return false;
            }
        }
        return true;
    }
}
