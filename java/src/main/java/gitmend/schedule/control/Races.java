package gitmend.schedule.control;

import java.util.LinkedHashMap;
import java.util.Map;

/** Data races of one schedule: unordered conflicting accesses. */
public final class Races {
    private static final int MAX_RACES = 200;

    /** Subject of the variable, by the sites of both accesses. */
    public final Map<Long, Integer> subjectBySites = new LinkedHashMap<>();

    void addRace(int site, int other, int subject) {
        long key = (long) Math.min(site, other) << 32 | Math.max(site, other);
        if (subjectBySites.size() < MAX_RACES) {
            subjectBySites.putIfAbsent(key, subject);
        }
    }
}
