package gitmend.schedule.control;

/** Virtual time of a schedule, in nanoseconds since its start. Steps and waits advance it. */
public final class Time {
    private static final long STEP_NANOS = 1_000;
    private static final long READ_NANOS = 10_000;
    /** Consecutive reads of the clock after which its pace doubles, because a thread polls it. */
    private static final int READS_PER_DOUBLING = 50;
    private static final int MAX_DOUBLINGS = 12;
    private static final long EPOCH_MILLIS = 1_700_000_000_000L;

    public long now;
    /** True if a thread read the time, or waited with a timeout. */
    public boolean isObserved;
    private int consecutiveReads;

    void advanceStep() {
        now += STEP_NANOS;
        consecutiveReads = 0;
    }

    long readNanos() {
        isObserved = true;
        now += READ_NANOS << Math.min(consecutiveReads++ / READS_PER_DOUBLING, MAX_DOUBLINGS);
        return now;
    }

    long readMillis() {
        return EPOCH_MILLIS + readNanos() / 1_000_000;
    }

    /** Returns the deadline of a wait of this duration. */
    long deadlineAfter(long nanos) {
        long due = now + Math.max(0, nanos);
        return due < 0 ? Long.MAX_VALUE : due;
    }
}
