package gitmend.schedule.control;

import java.util.concurrent.locks.LockSupport;

/** Parking and permits, which `java.util.concurrent` is built on. */
final class Parking {
    private Parking() {}

    /** Waits for a permit, at most this number of nanoseconds unless it is negative. */
    static void park(Object blocker, long nanos) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null ? null : scheduler.currentThread();
        if (current == null) {
            LockSupport.parkNanos(nanos < 0 ? 1_000_000 : nanos);
            return;
        }
        if (Threads.observeInterrupt(current, current)) {
            return;
        }
        if (!current.hasPermit) {
            current.waitState = ControlledThread.Wait.PERMIT;
            current.monitor = blocker == null ? null : scheduler.locations.locate(blocker);
            current.nextLocation = null;
            current.deadline = nanos < 0 ? -1 : scheduler.time.deadlineAfter(nanos);
            scheduler.trace.addStep(current, Trace.Kind.PARK, current.monitor, -1, current.site);
            scheduler.reachSchedulingPoint(current);
            current.waitState = ControlledThread.Wait.NOTHING;
            current.deadline = -1;
            scheduler.completeStep(current, false);
            Threads.observeInterrupt(current, current);
        }
        if (current.hasPermit) {
            scheduler.strategy.onEffect(StepFootprint.threadKey(current.id), true);
            current.hasPermit = false;
            current.clock = VectorClocks.join(current.clock, scheduler.locations.locate(current.thread).releaseClock);
        }
    }

    static void unpark(Thread thread) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread other = scheduler == null || thread == null ? null : scheduler.findThread(thread);
        if (other == null) {
            LockSupport.unpark(thread);
            return;
        }
        other.hasPermit = true;
        ControlledThread current = scheduler.isOver ? null : scheduler.currentThread();
        if (current != null) {
            scheduler.locations.locate(thread).joinReleaseClock(current);
            current.incrementClock();
            scheduler.trace.addStep(current, Trace.Kind.UNPARK, null, other.id, current.site);
            scheduler.progressCount++;
        }
    }
}
