package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.List;

/** Monitors and owned locks: enter, exit, wait and notify. */
final class Monitors {
    private Monitors() {}

    private static ControlledThread currentThread() {
        Scheduler scheduler = Scheduler.active;
        return scheduler == null ? null : scheduler.currentThread();
    }

    static void enter(Object object, int site) {
        if (object == null) {
            throw new NullPointerException();
        }
        ControlledThread current = currentThread();
        Scheduler scheduler = Scheduler.active;
        if (current == null) {
            if (scheduler != null) {
                scheduler.recordUncontrolledAccess(Thread.currentThread());
            }
            return;
        }
        Location monitor = scheduler.locations.locate(object);
        current.site = site;
        if (monitor.owner != current) {
            current.waitState = ControlledThread.Wait.MONITOR;
            current.monitor = monitor;
            current.nextLocation = monitor;
            current.isNextWrite = true;
            scheduler.lockOrder.recordAcquisition(current, monitor, site);
            if (current.initialiserDepth == 0 || !current.canLock(monitor)) {
                scheduler.reachSchedulingPoint(current);
            }
            current.waitState = ControlledThread.Wait.NOTHING;
        }
        acquire(current, monitor);
        if (monitor.lockCount == 1) {
            scheduler.trace.addStep(current, Trace.Kind.LOCK, monitor, -1, site);
            scheduler.completeStep(current, false);
        }
    }

    private static void acquire(ControlledThread current, Location monitor) {
        monitor.owner = current;
        if (++monitor.lockCount == 1) {
            current.heldLocks.add(monitor);
            current.clock = VectorClocks.join(current.clock, monitor.releaseClock);
        }
    }

    /** Exits a monitor. Once the schedule is over, this does nothing: aborted threads unwind through it. */
    static void exit(Object object) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null || scheduler.isOver ? null : scheduler.currentThread();
        if (current == null) {
            return;
        }
        Location monitor = scheduler.locations.locate(object);
        if (monitor.owner != current) {
            throw new IllegalMonitorStateException();
        }
        if (--monitor.lockCount == 0) {
            scheduler.trace.addStep(current, Trace.Kind.UNLOCK, monitor, -1, current.site);
            release(scheduler, current, monitor);
        }
    }

    private static void release(Scheduler scheduler, ControlledThread current, Location monitor) {
        monitor.owner = null;
        current.heldLocks.remove(monitor);
        monitor.joinReleaseClock(current);
        current.incrementClock();
        scheduler.progressCount++;
        current.lastProgress = scheduler.progressCount;
    }

    /** Enters the monitor that a JDK class locks by itself, as soon as it is free. */
    static void enterJdkMonitor(ControlledThread current, Location monitor, int site) {
        if (!current.canLock(monitor)) {
            current.waitState = ControlledThread.Wait.MONITOR;
            current.monitor = monitor;
            current.nextLocation = monitor;
            current.isNextWrite = true;
            current.site = site;
            Scheduler.active.reachSchedulingPoint(current);
        }
        Scheduler.active.strategy.onEffect(monitor.number, true);
        current.clock = VectorClocks.join(current.clock, monitor.releaseClock);
        current.heldLocks.add(monitor);
    }

    static void exitJdkMonitor(ControlledThread current, Location monitor) {
        current.heldLocks.remove(current.heldLocks.lastIndexOf(monitor));
        monitor.joinReleaseClock(current);
        current.incrementClock();
    }

    static void await(Object object, long nanos) throws InterruptedException {
        ControlledThread current = currentThread();
        if (current == null) {
            object.wait(nanos < 0 ? 0 : Math.max(1, nanos / 1_000_000));
            return;
        }
        Scheduler scheduler = Scheduler.active;
        Location monitor = scheduler.locations.locate(object);
        if (monitor.owner != current) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        Threads.throwIfInterrupted(current);
        scheduler.trace.addStep(current, Trace.Kind.WAIT, monitor, -1, current.site);
        int count = monitor.lockCount;
        monitor.lockCount = 0;
        release(scheduler, current, monitor);
        current.waitState = ControlledThread.Wait.SIGNAL;
        current.monitor = monitor;
        current.nextLocation = monitor;
        current.isNextWrite = true;
        current.isSignalled = false;
        current.deadline = nanos < 0 ? -1 : scheduler.time.deadlineAfter(nanos);
        scheduler.reachSchedulingPoint(current);
        boolean wasSignalled = current.isSignalled;
        current.isSignalled = false;
        current.waitState = ControlledThread.Wait.NOTHING;
        current.deadline = -1;
        acquire(current, monitor);
        monitor.lockCount = count;
        scheduler.trace.addStep(current, Trace.Kind.LOCK, monitor, -1, current.site);
        scheduler.completeStep(current, true);
        if (!wasSignalled) {
            Threads.throwIfInterrupted(current);
        }
    }

    static void notify(Object object, boolean wakesAll) {
        ControlledThread current = currentThread();
        if (current == null) {
            return;
        }
        Scheduler scheduler = Scheduler.active;
        Location monitor = scheduler.locations.locate(object);
        if (monitor.owner != current) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        List<ControlledThread> waiting = new ArrayList<>();
        for (ControlledThread thread : scheduler.threads) {
            boolean isWaiting = thread.waitState == ControlledThread.Wait.SIGNAL && thread.monitor == monitor;
            if (isWaiting && !thread.isSignalled && !thread.isFinished) {
                waiting.add(thread);
            }
        }
        int woken = -1;
        if (wakesAll) {
            waiting.forEach(Monitors::notifyThread);
        } else if (!waiting.isEmpty()) {
            ControlledThread thread = waiting.get(scheduler.pickAlternative(waiting.size()));
            notifyThread(thread);
            woken = thread.id;
        }
        int notified = wakesAll ? -2 - waiting.size() : woken;
        scheduler.trace.addStep(current, Trace.Kind.NOTIFY, monitor, notified, current.site);
        scheduler.completeStep(current, true);
    }

    private static void notifyThread(ControlledThread waiting) {
        waiting.isSignalled = true;
        Scheduler.active.strategy.onEffect(StepFootprint.threadKey(waiting.id), true);
    }

    static boolean holdsLock(Object object) {
        ControlledThread current = currentThread();
        return current == null ? Thread.holdsLock(object) : Scheduler.active.locations.locate(object).owner == current;
    }

    static void setOwner(Object sync, Thread thread) {
        Scheduler scheduler = Scheduler.active;
        ControlledThread current = scheduler == null || scheduler.isOver ? null : scheduler.currentThread();
        // A pool's worker locks itself while it runs a task, and no thread waits for that.
        if (current == null || sync.getClass().getName().endsWith("ThreadPoolExecutor$Worker")) {
            return;
        }
        Location lock = scheduler.locations.locate(sync);
        if (thread != null) {
            if (!Accesses.isAttempt(current.lastCopyMethod)) {
                scheduler.lockOrder.recordAcquisition(current, lock, current.site);
            }
            lock.owner = current;
            current.heldLocks.add(lock);
            scheduler.trace.addStep(current, Trace.Kind.LOCK, lock, -1, current.site);
        } else if (lock.owner != null) {
            scheduler.trace.addStep(current, Trace.Kind.UNLOCK, lock, -1, current.site);
            lock.owner.heldLocks.remove(lock);
            lock.owner = null;
            scheduler.progressCount++;
        }
    }
}
