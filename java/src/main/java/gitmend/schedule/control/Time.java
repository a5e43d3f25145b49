package gitmend.schedule.control;

/** Virtual time of a schedule, in nanoseconds since its start. Steps and waits advance it. */
public final class Time {
    private static final long STEP = 1_000;
    private static final long LOOK = 10_000;
    /** Consecutive reads of the clock after which its pace doubles, because the caller waits for
     * it. */
    private static final int PACE = 50;
    private static final int FASTEST = 12;
    private static final long EPOCH = 1_700_000_000_000L;

    public long now;
    /** Whether a thread read the time, or waited with a timeout. */
    public boolean matters;
    private int looks;

    void step() {
        now += STEP;
        looks = 0;
    }

    long nanos() {
        matters = true;
        now += LOOK << Math.min(looks++ / PACE, FASTEST);
        return now;
    }

    long millis() {
        return EPOCH + nanos() / 1_000_000;
    }

    /** When something that takes this long is due. */
    long after(long nanos) {
        long due = now + Math.max(0, nanos);
        return due < 0 ? Long.MAX_VALUE : due;
    }
}
