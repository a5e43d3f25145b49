package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.List;

/** Monitors, and locks that have an owner. */
final class Monitors {
    private Monitors() {}

    private static Actor self() {
        Control control = Control.now;
        return control == null ? null : control.self();
    }

    static void enter(Object object, int site) {
        if (object == null) {
            throw new NullPointerException();
        }
        Actor me = self();
        Control control = Control.now;
        if (me == null) {
            if (control != null) {
                control.intrude(Thread.currentThread());
            }
            return;
        }
        Location monitor = control.locations.of(object);
        me.site = site;
        if (monitor.owner != me) {
            me.wait = Actor.Wait.MONITOR;
            me.monitor = monitor;
            me.target = monitor;
            me.isWrite = true;
            control.locks.taken(me, monitor, site);
            if (me.initialising == 0 || !me.isFree(monitor)) {
                control.decide(me);
            }
            me.wait = Actor.Wait.NOTHING;
        }
        take(me, monitor);
        if (monitor.count == 1) {
            control.trace.add(me, Trace.Kind.LOCK, monitor, -1, site);
            control.did(me, false);
        }
    }

    private static void take(Actor me, Location monitor) {
        monitor.owner = me;
        if (++monitor.count == 1) {
            me.held.add(monitor);
            me.clock = Clocks.joined(me.clock, monitor.released);
        }
    }

    /** Never fails once the schedule is over: it is called on the way out. */
    static void exit(Object object) {
        Control control = Control.now;
        Actor me = control == null || control.isOver ? null : control.self();
        if (me == null) {
            return;
        }
        Location monitor = control.locations.of(object);
        if (monitor.owner != me) {
            throw new IllegalMonitorStateException();
        }
        if (--monitor.count == 0) {
            control.trace.add(me, Trace.Kind.UNLOCK, monitor, -1, me.site);
            free(control, me, monitor);
        }
    }

    private static void free(Control control, Actor me, Location monitor) {
        monitor.owner = null;
        me.held.remove(monitor);
        monitor.release(me);
        me.tick();
        control.progress++;
        me.seen = control.progress;
    }

    /** Waits until a monitor that a class of the JDK takes by itself can be taken. */
    static void pass(Actor me, Location monitor, int site) {
        if (!me.isFree(monitor)) {
            me.wait = Actor.Wait.MONITOR;
            me.monitor = monitor;
            me.target = monitor;
            me.isWrite = true;
            me.site = site;
            Control.now.decide(me);
        }
        Control.now.strategy.touched(monitor.number, true);
        me.clock = Clocks.joined(me.clock, monitor.released);
        me.held.add(monitor);
    }

    static void passed(Actor me, Location monitor) {
        me.held.remove(me.held.lastIndexOf(monitor));
        monitor.release(me);
        me.tick();
    }

    static void await(Object object, long nanos) throws InterruptedException {
        Actor me = self();
        if (me == null) {
            object.wait(nanos < 0 ? 0 : Math.max(1, nanos / 1_000_000));
            return;
        }
        Control control = Control.now;
        Location monitor = control.locations.of(object);
        if (monitor.owner != me) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        Threads.checkInterrupt(me);
        control.trace.add(me, Trace.Kind.WAIT, monitor, -1, me.site);
        int count = monitor.count;
        monitor.count = 0;
        free(control, me, monitor);
        me.wait = Actor.Wait.SIGNAL;
        me.monitor = monitor;
        me.target = monitor;
        me.isWrite = true;
        me.isSignalled = false;
        me.deadline = nanos < 0 ? -1 : control.time.after(nanos);
        control.decide(me);
        boolean wasSignalled = me.isSignalled;
        me.isSignalled = false;
        me.wait = Actor.Wait.NOTHING;
        me.deadline = -1;
        take(me, monitor);
        monitor.count = count;
        control.trace.add(me, Trace.Kind.LOCK, monitor, -1, me.site);
        control.did(me, true);
        if (!wasSignalled) {
            Threads.checkInterrupt(me);
        }
    }

    static void notify(Object object, boolean all) {
        Actor me = self();
        if (me == null) {
            return;
        }
        Control control = Control.now;
        Location monitor = control.locations.of(object);
        if (monitor.owner != me) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        List<Actor> waiting = new ArrayList<>();
        for (Actor one : control.actors) {
            if (one.wait == Actor.Wait.SIGNAL && one.monitor == monitor && !one.isSignalled && !one.isFinished) {
                waiting.add(one);
            }
        }
        int woken = -1;
        if (all) {
            waiting.forEach(Monitors::signal);
        } else if (!waiting.isEmpty()) {
            Actor one = waiting.get(control.pick(waiting.size()));
            signal(one);
            woken = one.id;
        }
        control.trace.add(me, Trace.Kind.NOTIFY, monitor, all ? -2 - waiting.size() : woken, me.site);
        control.did(me, true);
    }

    private static void signal(Actor waiting) {
        waiting.isSignalled = true;
        Control.now.strategy.touched(Effects.thread(waiting.id), true);
    }

    static boolean holds(Object object) {
        Actor me = self();
        return me == null ? Thread.holdsLock(object) : Control.now.locations.of(object).owner == me;
    }

    static void owner(Object sync, Thread thread) {
        Control control = Control.now;
        Actor me = control == null || control.isOver ? null : control.self();
        // A pool's thread is its own lock while it works, and no thread ever waits for that.
        if (me == null || sync.getClass().getName().endsWith("ThreadPoolExecutor$Worker")) {
            return;
        }
        Location lock = control.locations.of(sync);
        if (thread != null) {
            if (!Accesses.isAttempt(me.method)) {
                control.locks.taken(me, lock, me.site);
            }
            lock.owner = me;
            me.held.add(lock);
            control.trace.add(me, Trace.Kind.LOCK, lock, -1, me.site);
        } else if (lock.owner != null) {
            control.trace.add(me, Trace.Kind.UNLOCK, lock, -1, me.site);
            lock.owner.held.remove(lock);
            lock.owner = null;
            control.progress++;
        }
    }
}
