package gitmend.schedule.control;

import java.util.concurrent.locks.LockSupport;

/** Parking and its permits, on which `java.util.concurrent` is built. */
final class Parking {
    private Parking() {}

    /** Waits for a permit, for this long at most, in nanoseconds, if that is not below 0. */
    static void park(Object blocker, long nanos) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread me = scheduler == null ? null : scheduler.self();
        if (me == null) {
            LockSupport.parkNanos(nanos < 0 ? 1_000_000 : nanos);
            return;
        }
        if (Threads.seen(me, me)) {
            return;
        }
        if (!me.hasPermit) {
            me.wait = ControlledThread.Wait.PERMIT;
            me.monitor = blocker == null ? null : scheduler.locations.of(blocker);
            me.target = null;
            me.deadline = nanos < 0 ? -1 : scheduler.time.after(nanos);
            scheduler.trace.add(me, Trace.Kind.PARK, me.monitor, -1, me.site);
            scheduler.decide(me);
            me.wait = ControlledThread.Wait.NOTHING;
            me.deadline = -1;
            scheduler.did(me, false);
            Threads.seen(me, me);
        }
        if (me.hasPermit) {
            scheduler.strategy.touched(StepFootprint.thread(me.id), true);
            me.hasPermit = false;
            me.clock = VectorClocks.joined(me.clock, scheduler.locations.of(me.thread).released);
        }
    }

    static void unpark(Thread thread) {
        Scheduler scheduler = Scheduler.now;
        ControlledThread other = scheduler == null || thread == null ? null : scheduler.of(thread);
        if (other == null) {
            LockSupport.unpark(thread);
            return;
        }
        other.hasPermit = true;
        ControlledThread me = scheduler.isOver ? null : scheduler.self();
        if (me != null) {
            scheduler.locations.of(thread).release(me);
            me.tick();
            scheduler.trace.add(me, Trace.Kind.UNPARK, null, other.id, me.site);
            scheduler.progress++;
        }
    }
}
