package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Record of the steps of one schedule. */
public final class Trace {
    public enum Kind {
        READ, WRITE, LOCK, UNLOCK, CALL, WAIT, NOTIFY, START, JOIN, BEGIN, END, PARK, UNPARK, SLEEP, INTERRUPT,
        /** A project class that behaves as a lock is acquired or released. */
        ACQUIRE, RELEASE;

        /** Returns true for steps that summarise others, which have the effects. */
        boolean isSummary() {
            return this == ACQUIRE || this == RELEASE;
        }
    }

    private static final int MAX_STEPS = 100_000;
    /** Maximum number of recorded stacks, since each takes as long as many steps. */
    private static final int MAX_STACKS = 10_000;

    public int length;
    public int[] threadIds = new int[256];
    public int[] sites = new int[256];
    /** Number of the affected thread, or -1. For `notifyAll`, -2 minus the number of notified threads. */
    public int[] otherThreads = new int[256];
    public Kind[] kinds = new Kind[256];
    public Location[] locations = new Location[256];
    public Location[][] heldLocks = new Location[256][];
    public int[] clockTimes = new int[256];
    /** Number of decisions before each step ran, including the one that chose its thread. */
    public int[] decisionCounts = new int[256];
    /** Number of decisions so far. */
    int decisionCount;
    public boolean isTruncated;
    /** Classes whose frames are recorded at each step, or null. */
    private Set<String> stackClasses;
    /** Stack of each step, innermost frame first. */
    public final List<List<String>> stacks = new ArrayList<>();
    /** Values read and written; null for other steps. Recorded with the stacks. */
    public final List<String> values = new ArrayList<>();
    /** Write whose value is known once it has happened, or null. */
    private Location pendingWrite;
    /** True if the schedule is over: threads that end add nothing any more. */
    volatile boolean isClosed;
    private final List<Location[]> lastSnapshots = new ArrayList<>();
    private final Strategy strategy;

    Trace(Strategy strategy) {
        this.strategy = strategy;
    }

    /** Records the stack of each step, limited to frames of these classes. */
    public void recordStacks(Set<String> classes) {
        stackClasses = classes;
    }

    void addStep(ControlledThread thread, Kind kind, Location location, int other, int site) {
        if (isClosed) {
            return;
        }
        recordWrittenValue();
        reportEffects(thread, kind, location, other);
        if (length == MAX_STEPS) {
            isTruncated = true;
            return;
        }
        if (length == threadIds.length) {
            grow();
        }
        threadIds[length] = thread.id;
        kinds[length] = kind;
        locations[length] = location;
        otherThreads[length] = other;
        sites[length] = site;
        heldLocks[length] = snapshotHeldLocks(thread);
        clockTimes[length] = thread.clock[thread.id];
        decisionCounts[length] = decisionCount;
        if (stackClasses != null && length < MAX_STACKS) {
            stacks.add(captureStack(thread));
            values.add(kind == Kind.READ ? Values.readVariable(location) : null);
            pendingWrite = kind == Kind.WRITE ? location : null;
        }
        length++;
    }

    /** Records the value of the last step if it was a write: hooks run before the writes. */
    public void recordWrittenValue() {
        if (pendingWrite != null) {
            values.set(values.size() - 1, Values.readVariable(pendingWrite));
            pendingWrite = null;
        }
    }

    private List<String> captureStack(ControlledThread thread) {
        List<String> frames = new ArrayList<>();
        for (StackTraceElement frame : thread.thread.getStackTrace()) {
            if (stackClasses.contains(frame.getClassName())) {
                frames.add(frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber());
            }
        }
        return frames;
    }

    /** Reports the effects of a step to the strategy, which finds dependent steps. */
    private void reportEffects(ControlledThread thread, Kind kind, Location location, int other) {
        if (location != null && !kind.isSummary()) {
            strategy.onEffect(location.number, kind != Kind.READ);
        }
        switch (kind) {
            case START:
                strategy.onEffect(StepFootprint.THREAD_IDS, true);
                strategy.onEffect(StepFootprint.threadKey(other), true);
                strategy.onEffect(StepFootprint.THREAD_STATES, false);
                break;
            case UNPARK:
            case INTERRUPT:
                strategy.onEffect(StepFootprint.threadKey(other), true);
                strategy.onEffect(StepFootprint.THREAD_STATES, false);
                break;
            case END:
            case PARK:
                strategy.onEffect(StepFootprint.threadKey(thread.id), true);
                strategy.onEffect(StepFootprint.THREAD_STATES, false);
                break;
            case JOIN:
                strategy.onEffect(StepFootprint.threadKey(other), false);
                break;
            default:
        }
    }

    /**
     * Returns the locks that a thread holds, in the order of acquisition. Steps with the same locks share one array.
     */
    private Location[] snapshotHeldLocks(ControlledThread thread) {
        while (lastSnapshots.size() <= thread.id) {
            lastSnapshots.add(new Location[0]);
        }
        Location[] snapshot = lastSnapshots.get(thread.id);
        boolean isSame = snapshot.length == thread.heldLocks.size();
        for (int i = 0; isSame && i < snapshot.length; i++) {
            isSame = snapshot[i] == thread.heldLocks.get(i);
        }
        if (!isSame) {
            snapshot = thread.heldLocks.toArray(new Location[0]);
            lastSnapshots.set(thread.id, snapshot);
        }
        return snapshot;
    }

    private void grow() {
        int size = 2 * length;
        threadIds = Arrays.copyOf(threadIds, size);
        sites = Arrays.copyOf(sites, size);
        otherThreads = Arrays.copyOf(otherThreads, size);
        kinds = Arrays.copyOf(kinds, size);
        locations = Arrays.copyOf(locations, size);
        heldLocks = Arrays.copyOf(heldLocks, size);
        clockTimes = Arrays.copyOf(clockTimes, size);
        decisionCounts = Arrays.copyOf(decisionCounts, size);
    }
}
