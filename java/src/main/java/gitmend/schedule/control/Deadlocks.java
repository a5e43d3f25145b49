package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;
import java.util.ArrayList;
import java.util.List;

/** Classifies a state in which no thread can run. */
final class Deadlocks {
    private Deadlocks() {}

    /** Returns null if every thread waits only for work. */
    static Failure found(Scheduler scheduler) {
        List<String> waits = new ArrayList<>();
        boolean hasSignal = false;
        boolean isForLock = false;
        List<ControlledThread> waiting = new ArrayList<>();
        for (ControlledThread one : scheduler.actors) {
            if (one.isFinished) {
                continue;
            }
            boolean isOnLock = one.wait == ControlledThread.Wait.MONITOR || isOnOwned(one);
            hasSignal |= one.wait == ControlledThread.Wait.SIGNAL || isOnCondition(one);
            isForLock |= isOnLock;
            waiting.add(one);
            waits.add(Names.of(one) + " " + wait(one));
        }
        if (scheduler.main().isFinished && !isForLock) {
            return null;
        }
        Failure.Kind kind = hasSignal && !isForLock ? Failure.Kind.LOST_SIGNAL : Failure.Kind.DEADLOCK;
        ControlledThread first = waiting.isEmpty() ? null : waiting.get(0);
        return new Failure(kind, String.join("; ", waits), first, first == null ? 0 : first.site, waiting);
    }

    private static boolean isOnOwned(ControlledThread one) {
        return one.wait == ControlledThread.Wait.PERMIT && one.monitor != null && one.monitor.owner != null
                && one.monitor.owner != one;
    }

    private static boolean isOnCondition(ControlledThread one) {
        return one.wait == ControlledThread.Wait.PERMIT && one.method != 0
                && Sites.subjectName(one.method).contains("Condition");
    }

    private static String wait(ControlledThread one) {
        String place = " at " + Sites.get(one.site);
        switch (one.wait) {
            case MONITOR:
                return "waits for " + Names.of(one.monitor) + held(one.monitor) + place;
            case SIGNAL:
                return (one.isSignalled ? "was notified and waits for " : "waits to be notified on ")
                        + Names.of(one.monitor) + place;
            case JOIN:
                return "joins " + Names.of(one.joined) + place;
            case PERMIT:
                if (isOnOwned(one)) {
                    return "waits for " + Names.of(one.monitor) + held(one.monitor) + place;
                }
                String method = one.method == 0 ? "LockSupport.park" : Names.brief(Sites.subjectName(one.method));
                return "is parked in " + method + place;
            default:
                return "waits" + place;
        }
    }

    private static String held(Location lock) {
        return lock.owner == null ? "" : ", held by " + Names.of(lock.owner) + ",";
    }
}
