package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.List;

/** Monitors and owned locks: enter, exit, wait and notify. */
final class Monitors {
    private Monitors() {}

    private static ControlledThread self() {
        Scheduler scheduler = Scheduler.now;
        return scheduler == null ? null : scheduler.self();
    }

    static void enter(Object object, int site) {
        if (object == null) {
            throw new NullPointerException();
        }
        ControlledThread me = self();
        Scheduler scheduler = Scheduler.now;
        if (me == null) {
            if (scheduler != null) {
                scheduler.intrude(Thread.currentThread());
            }
            return;
        }
        Location monitor = scheduler.locations.of(object);
        me.site = site;
        if (monitor.owner != me) {
            me.wait = ControlledThread.Wait.MONITOR;
            me.monitor = monitor;
            me.target = monitor;
            me.isWrite = true;
            scheduler.locks.taken(me, monitor, site);
            if (me.initialising == 0 || !me.isFree(monitor)) {
                scheduler.decide(me);
            }
            me.wait = ControlledThread.Wait.NOTHING;
        }
        take(me, monitor);
        if (monitor.count == 1) {
            scheduler.trace.add(me, Trace.Kind.LOCK, monitor, -1, site);
            scheduler.did(me, false);
        }
    }

    private static void take(ControlledThread me, Location monitor) {
        monitor.owner = me;
        if (++monitor.count == 1) {
            me.held.add(monitor);
            me.clock = VectorClocks.joined(me.clock, monitor.released);
        }
    }

    /** Never fails once the schedule is over: it is called on the way out. */
    static void exit(Object object) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null || scheduler.isOver ? null : scheduler.self();
        if (me == null) {
            return;
        }
        Location monitor = scheduler.locations.of(object);
        if (monitor.owner != me) {
            throw new IllegalMonitorStateException();
        }
        if (--monitor.count == 0) {
            scheduler.trace.add(me, Trace.Kind.UNLOCK, monitor, -1, me.site);
            free(scheduler, me, monitor);
        }
    }

    private static void free(Scheduler scheduler, ControlledThread me, Location monitor) {
        monitor.owner = null;
        me.held.remove(monitor);
        monitor.release(me);
        me.tick();
        scheduler.progress++;
        me.seen = scheduler.progress;
    }

    /** Waits until a monitor that a class of the JDK takes by itself can be taken. */
    static void pass(ControlledThread me, Location monitor, int site) {
        if (!me.isFree(monitor)) {
            me.wait = ControlledThread.Wait.MONITOR;
            me.monitor = monitor;
            me.target = monitor;
            me.isWrite = true;
            me.site = site;
            Scheduler.now.decide(me);
        }
        Scheduler.now.strategy.touched(monitor.number, true);
        me.clock = VectorClocks.joined(me.clock, monitor.released);
        me.held.add(monitor);
    }

    static void passed(ControlledThread me, Location monitor) {
        me.held.remove(me.held.lastIndexOf(monitor));
        monitor.release(me);
        me.tick();
    }

    static void await(Object object, long nanos) throws InterruptedException {
        ControlledThread me = self();
        if (me == null) {
            object.wait(nanos < 0 ? 0 : Math.max(1, nanos / 1_000_000));
            return;
        }
        Scheduler scheduler = Scheduler.now;
        Location monitor = scheduler.locations.of(object);
        if (monitor.owner != me) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        Threads.checkInterrupt(me);
        scheduler.trace.add(me, Trace.Kind.WAIT, monitor, -1, me.site);
        int count = monitor.count;
        monitor.count = 0;
        free(scheduler, me, monitor);
        me.wait = ControlledThread.Wait.SIGNAL;
        me.monitor = monitor;
        me.target = monitor;
        me.isWrite = true;
        me.isSignalled = false;
        me.deadline = nanos < 0 ? -1 : scheduler.time.after(nanos);
        scheduler.decide(me);
        boolean wasSignalled = me.isSignalled;
        me.isSignalled = false;
        me.wait = ControlledThread.Wait.NOTHING;
        me.deadline = -1;
        take(me, monitor);
        monitor.count = count;
        scheduler.trace.add(me, Trace.Kind.LOCK, monitor, -1, me.site);
        scheduler.did(me, true);
        if (!wasSignalled) {
            Threads.checkInterrupt(me);
        }
    }

    static void notify(Object object, boolean all) {
        ControlledThread me = self();
        if (me == null) {
            return;
        }
        Scheduler scheduler = Scheduler.now;
        Location monitor = scheduler.locations.of(object);
        if (monitor.owner != me) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        List<ControlledThread> waiting = new ArrayList<>();
        for (ControlledThread one : scheduler.actors) {
            boolean isWaiting = one.wait == ControlledThread.Wait.SIGNAL && one.monitor == monitor;
            if (isWaiting && !one.isSignalled && !one.isFinished) {
                waiting.add(one);
            }
        }
        int woken = -1;
        if (all) {
            waiting.forEach(Monitors::signal);
        } else if (!waiting.isEmpty()) {
            ControlledThread one = waiting.get(scheduler.pick(waiting.size()));
            signal(one);
            woken = one.id;
        }
        scheduler.trace.add(me, Trace.Kind.NOTIFY, monitor, all ? -2 - waiting.size() : woken, me.site);
        scheduler.did(me, true);
    }

    private static void signal(ControlledThread waiting) {
        waiting.isSignalled = true;
        Scheduler.now.strategy.touched(StepFootprint.thread(waiting.id), true);
    }

    static boolean holds(Object object) {
        ControlledThread me = self();
        return me == null ? Thread.holdsLock(object) : Scheduler.now.locations.of(object).owner == me;
    }

    static void owner(Object sync, Thread thread) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null || scheduler.isOver ? null : scheduler.self();
        // A pool's thread is its own lock while it works, and no thread ever waits for that.
        if (me == null || sync.getClass().getName().endsWith("ThreadPoolExecutor$Worker")) {
            return;
        }
        Location lock = scheduler.locations.of(sync);
        if (thread != null) {
            if (!Accesses.isAttempt(me.method)) {
                scheduler.locks.taken(me, lock, me.site);
            }
            lock.owner = me;
            me.held.add(lock);
            scheduler.trace.add(me, Trace.Kind.LOCK, lock, -1, me.site);
        } else if (lock.owner != null) {
            scheduler.trace.add(me, Trace.Kind.UNLOCK, lock, -1, me.site);
            lock.owner.held.remove(lock);
            lock.owner = null;
            scheduler.progress++;
        }
    }
}
