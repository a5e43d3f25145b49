package gitmend.schedule.control;

import java.util.LinkedHashMap;
import java.util.Map;

/** Data races of one schedule: unordered conflicting accesses. */
public final class Races {
    private static final int MOST = 200;

    /** By the sites of both, the variable. */
    public final Map<Long, Integer> found = new LinkedHashMap<>();

    void add(int site, int other, int subject) {
        long key = (long) Math.min(site, other) << 32 | Math.max(site, other);
        if (found.size() < MOST) {
            found.putIfAbsent(key, subject);
        }
    }
}
