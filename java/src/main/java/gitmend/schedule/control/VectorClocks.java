package gitmend.schedule.control;

import java.util.Arrays;

/** Vector clocks: for each thread, the latest of its times that happens before. */
public final class VectorClocks {
    private VectorClocks() {}

    public static int at(int[] clock, int thread) {
        return clock != null && thread < clock.length ? clock[thread] : 0;
    }

    /** The first clock, which may be changed, after the second. */
    public static int[] joined(int[] clock, int[] other) {
        if (other == null) {
            return clock;
        }
        int[] all = clock == null ? new int[other.length]
                : clock.length < other.length ? Arrays.copyOf(clock, other.length) : clock;
        for (int i = 0; i < other.length; i++) {
            all[i] = Math.max(all[i], other[i]);
        }
        return all;
    }

    public static int[] with(int[] clock, int thread, int time) {
        int[] all = clock == null ? new int[thread + 1]
                : clock.length <= thread ? Arrays.copyOf(clock, thread + 1) : clock;
        all[thread] = time;
        return all;
    }
}
