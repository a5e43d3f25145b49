package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A thread controlled by the scheduler. */
public final class ControlledThread {
    /** State of a wait. */
    enum Wait { NOTHING, MONITOR, JOIN, SIGNAL, PERMIT, SLEEP }

    public final int id;
    public final Thread thread;

    Wait waitState = Wait.NOTHING;
    /** Monitor that the thread waits to lock, or to be notified on. */
    Location monitor;
    /** Thread that this one joins. */
    ControlledThread joinTarget;
    /** Timeout of the wait, in virtual nanoseconds; negative for none. */
    long deadline = -1;
    boolean isSignalled;
    boolean isInterrupted;
    /** Clock of the interrupting thread, which happens before the interrupt is detected. */
    int[] interrupterClock;
    boolean hasPermit;
    public boolean isFinished;
    boolean hasBegun;
    /** Number of nested `run` methods: one may call another with `super`. */
    int runDepth;

    /** Access that the thread performs when it is scheduled next. */
    public Location nextLocation;
    public boolean isNextWrite;
    public int site;
    /** Site of the call of a copied class that comes next, or 0. */
    int pendingCallSite;
    /** Site of the current call of a project class that behaves as a lock, or 0. */
    int lockCallSite;
    /** Method of a copied class that was called last. */
    int lastCopyMethod;
    /** Number of nested class initialisers. */
    int initialiserDepth;

    public long priority;
    /** Number of steps since the last progress of any thread. A thread with too many yields. */
    int idleSteps;
    long lastProgress;
    boolean isYielding;
    /** Number of accesses to unshared locations since the last scheduling point. */
    int unsharedAccesses;
    /** True if the next call had its scheduling point already, so that its accesses need none. */
    boolean isInCall;
    /** True if the next print belongs to the current step. */
    boolean isPrinting;

    int[] clock;
    /** Vector clock of starts and joins of threads only. */
    int[] forkClock;
    final List<Location> heldLocks = new ArrayList<>();
    private volatile boolean isChosen;

    ControlledThread(int id, Thread thread) {
        this.id = id;
        this.thread = thread;
        clock = VectorClocks.setTime(null, id, 1);
        forkClock = VectorClocks.setTime(null, id, 1);
    }

    void incrementClock() {
        clock = VectorClocks.setTime(clock, id, clock[id] + 1);
    }

    public void resume() {
        isChosen = true;
        LockSupport.unpark(thread);
    }

    void awaitTurn() {
        while (!isChosen) {
            LockSupport.park(this);
        }
        isChosen = false;
    }

    boolean canLock(Location lock) {
        return lock.owner == null || lock.owner == this;
    }

    /** Returns true if the thread is enabled at this virtual time. */
    public boolean isEnabled(long now) {
        boolean isDue = deadline >= 0 && deadline <= now;
        switch (waitState) {
            case NOTHING:
            case SLEEP:
                return true;
            case MONITOR:
                return canLock(monitor);
            case JOIN:
                return joinTarget.isFinished || isInterrupted || isDue;
            case SIGNAL:
                return (isSignalled || isInterrupted || isDue) && canLock(monitor);
            case PERMIT:
                return hasPermit || isInterrupted || isDue;
            default:
                return false;
        }
    }

    /** Returns true if a disabled thread waits for nothing but a monitor. */
    public boolean isBlockedOnMonitorOnly(long now) {
        boolean isDue = deadline >= 0 && deadline <= now;
        return waitState == Wait.MONITOR || waitState == Wait.SIGNAL && (isSignalled || isInterrupted || isDue);
    }
}
