package gitmend.schedule.control;

import java.util.Arrays;

/** Operations on vector clocks (Fidge and Mattern, 1988): for each thread, its latest time that happens before. */
public final class VectorClocks {
    private VectorClocks() {}

    public static int getTime(int[] clock, int thread) {
        return clock != null && thread < clock.length ? clock[thread] : 0;
    }

    /** Joins the second clock into the first, which may be modified or null. */
    public static int[] join(int[] clock, int[] other) {
        if (other == null) {
            return clock;
        }
        int[] result = clock == null ? new int[other.length]
                : clock.length < other.length ? Arrays.copyOf(clock, other.length) : clock;
        for (int i = 0; i < other.length; i++) {
            result[i] = Math.max(result[i], other[i]);
        }
        return result;
    }

    public static int[] setTime(int[] clock, int thread, int time) {
        int[] result = clock == null ? new int[thread + 1]
                : clock.length <= thread ? Arrays.copyOf(clock, thread + 1) : clock;
        result[thread] = time;
        return result;
    }
}
