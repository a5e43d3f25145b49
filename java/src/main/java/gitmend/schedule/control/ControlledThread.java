package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A thread controlled by the scheduler. */
public final class ControlledThread {
    /** What it waits for. */
    enum Wait { NOTHING, MONITOR, JOIN, SIGNAL, PERMIT, SLEEP }

    public final int id;
    public final Thread thread;

    Wait wait = Wait.NOTHING;
    /** The monitor that it waits to lock, or to be notified on. */
    Location monitor;
    /** The thread whose end it waits for. */
    ControlledThread joined;
    /** When it goes on in any case, in nanoseconds of the schedule's time; negative for never. */
    long deadline = -1;
    boolean isSignalled;
    boolean isInterrupted;
    /** The clock of the interrupting thread: it happens before the interrupt is detected. */
    int[] interrupter;
    boolean hasPermit;
    public boolean isFinished;
    boolean hasBegun;
    /** How many `run` methods it is in, one calling the other one by `super`. */
    int depth;

    /** What it is about to do. */
    public Location target;
    public boolean isWrite;
    public int site;
    /** The call of a copy's method that it is about to make, or 0. */
    int pending;
    /** The method of a copy that it called last. */
    int method;
    /** How deep it is in class initialisers. */
    int initialising;

    public long priority;
    /** How often it has come by since anything changed, and whether it gives way therefore. */
    int idle;
    long seen;
    boolean givesWay;
    /** Number of accesses to unshared locations since its last decision. */
    int quiet;
    /** Whether others could go first already in the call that it is about to make, of all that comes to. */
    boolean isInCall;
    /** Whether what it prints next is the step that it has just come to. */
    boolean isPrinting;

    int[] clock;
    /** As the clock, along starts and ends of threads only. */
    int[] forks;
    final List<Location> held = new ArrayList<>();
    private volatile boolean isChosen;

    ControlledThread(int id, Thread thread) {
        this.id = id;
        this.thread = thread;
        clock = VectorClocks.with(null, id, 1);
        forks = VectorClocks.with(null, id, 1);
    }

    void tick() {
        clock = VectorClocks.with(clock, id, clock[id] + 1);
    }

    public void go() {
        isChosen = true;
        LockSupport.unpark(thread);
    }

    void await() {
        while (!isChosen) {
            LockSupport.park(this);
        }
        isChosen = false;
    }

    boolean isFree(Location lock) {
        return lock.owner == null || lock.owner == this;
    }

    /** Whether it can go on at this time. */
    public boolean isEnabled(long now) {
        boolean isDue = deadline >= 0 && deadline <= now;
        switch (wait) {
            case NOTHING:
            case SLEEP:
                return true;
            case MONITOR:
                return isFree(monitor);
            case JOIN:
                return joined.isFinished || isInterrupted || isDue;
            case SIGNAL:
                return (isSignalled || isInterrupted || isDue) && isFree(monitor);
            case PERMIT:
                return hasPermit || isInterrupted || isDue;
            default:
                return false;
        }
    }

    /** Of one that cannot go on: whether there is only a monitor that it wants. */
    public boolean isWoken(long now) {
        boolean isDue = deadline >= 0 && deadline <= now;
        return wait == Wait.MONITOR || wait == Wait.SIGNAL && (isSignalled || isInterrupted || isDue);
    }
}
