package gitmend.schedule.control;

import java.util.concurrent.locks.LockSupport;

/** Permits, on which all of `java.util.concurrent` stands. */
final class Parking {
    private Parking() {}

    /** Waits for a permit, for this long at most, in nanoseconds, if that is not below 0. */
    static void park(Object blocker, long nanos) {
        Control control = Control.now;
        Actor me = control == null ? null : control.self();
        if (me == null) {
            LockSupport.parkNanos(nanos < 0 ? 1_000_000 : nanos);
            return;
        }
        if (Threads.seen(me, me)) {
            return;
        }
        if (!me.hasPermit) {
            me.wait = Actor.Wait.PERMIT;
            me.monitor = blocker == null ? null : control.locations.of(blocker);
            me.target = null;
            me.deadline = nanos < 0 ? -1 : control.time.after(nanos);
            control.trace.add(me, Trace.Kind.PARK, me.monitor, -1, me.site);
            control.decide(me);
            me.wait = Actor.Wait.NOTHING;
            me.deadline = -1;
            control.did(me, false);
            Threads.seen(me, me);
        }
        if (me.hasPermit) {
            control.strategy.touched(Effects.thread(me.id), true);
            me.hasPermit = false;
            me.clock = Clocks.joined(me.clock, control.locations.of(me.thread).released);
        }
    }

    static void unpark(Thread thread) {
        Control control = Control.now;
        Actor other = control == null || thread == null ? null : control.of(thread);
        if (other == null) {
            LockSupport.unpark(thread);
            return;
        }
        other.hasPermit = true;
        Actor me = control.isOver ? null : control.self();
        if (me != null) {
            control.locations.of(thread).release(me);
            me.tick();
            control.trace.add(me, Trace.Kind.UNPARK, null, other.id, me.site);
            control.progress++;
        }
    }
}
