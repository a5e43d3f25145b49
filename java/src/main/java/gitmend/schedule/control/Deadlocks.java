package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;
import java.util.ArrayList;
import java.util.List;

/** Classification of states in which no thread is enabled. */
final class Deadlocks {
    private Deadlocks() {}

    /** Returns the failure, or null if all threads are idle after the tests. */
    static Failure classify(Scheduler scheduler) {
        List<String> descriptions = new ArrayList<>();
        boolean hasSignalWait = false;
        boolean hasLockWait = false;
        List<ControlledThread> waiting = new ArrayList<>();
        for (ControlledThread thread : scheduler.threads) {
            if (thread.isFinished) {
                continue;
            }
            boolean isLockWait = thread.waitState == ControlledThread.Wait.MONITOR || isWaitingForOwnedLock(thread);
            hasSignalWait |= thread.waitState == ControlledThread.Wait.SIGNAL || isWaitingOnCondition(thread);
            hasLockWait |= isLockWait;
            waiting.add(thread);
            descriptions.add(Names.threadName(thread) + " " + describeWait(thread));
        }
        if (scheduler.mainThread().isFinished && !hasLockWait) {
            return null;
        }
        Failure.Kind kind = hasSignalWait && !hasLockWait ? Failure.Kind.LOST_SIGNAL : Failure.Kind.DEADLOCK;
        ControlledThread first = waiting.isEmpty() ? null : waiting.get(0);
        return new Failure(kind, String.join("; ", descriptions), first, first == null ? 0 : first.site, waiting);
    }

    private static boolean isWaitingForOwnedLock(ControlledThread thread) {
        return thread.waitState == ControlledThread.Wait.PERMIT && thread.monitor != null
                && thread.monitor.owner != null && thread.monitor.owner != thread;
    }

    private static boolean isWaitingOnCondition(ControlledThread thread) {
        return thread.waitState == ControlledThread.Wait.PERMIT && thread.lastCopyMethod != 0
                && Sites.subjectName(thread.lastCopyMethod).contains("Condition");
    }

    private static String describeWait(ControlledThread thread) {
        String position = " at " + Sites.getSite(thread.site);
        switch (thread.waitState) {
            case MONITOR:
                return "waits for " + Names.locationName(thread.monitor) + describeOwner(thread.monitor) + position;
            case SIGNAL:
                return (thread.isSignalled ? "was notified and waits for " : "waits to be notified on ")
                        + Names.locationName(thread.monitor) + position;
            case JOIN:
                return "joins " + Names.threadName(thread.joinTarget) + position;
            case PERMIT:
                if (isWaitingForOwnedLock(thread)) {
                    return "waits for " + Names.locationName(thread.monitor) + describeOwner(thread.monitor) + position;
                }
                String method = thread.lastCopyMethod == 0
                        ? "LockSupport.park" : Names.shortName(Sites.subjectName(thread.lastCopyMethod));
                return "is parked in " + method + position;
            default:
                return "waits" + position;
        }
    }

    private static String describeOwner(Location lock) {
        return lock.owner == null ? "" : ", held by " + Names.threadName(lock.owner) + ",";
    }
}
