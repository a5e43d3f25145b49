package gitmend.schedule.control;

import java.util.HashMap;
import java.util.Map;

/** Footprint of a step: its effects on locations. Steps without a common effect are independent (DPOR). */
public final class StepFootprint {
    /** What all copies of the JDK's classes have, which share more than can be seen. */
    static final int COPIES = -1;
    /** Whether threads live or are interrupted, as others may ask. */
    static final int STATES = -2;
    /** The numbers that threads get. */
    static final int STARTS = -3;
    private static final int THREADS = -16;

    /** How many locations there were before: later ones may have other numbers in another order. */
    private final int known;
    /** By the number of a location, or one of the above: whether it was changed. */
    private final Map<Integer, Boolean> changes = new HashMap<>();
    private boolean isNew;
    /** Whether the step chose something by itself, and might have come to other things. */
    private boolean isOpen;

    public StepFootprint(int known) {
        this.known = known;
    }

    static int thread(int id) {
        return THREADS - id;
    }

    public void add(int key, boolean isChange) {
        changes.merge(key, isChange, Boolean::logicalOr);
        isNew |= key >= known;
    }

    public void open() {
        isOpen = true;
    }

    /** Whether it makes a difference which of two steps of one schedule comes first. */
    public boolean meets(StepFootprint other) {
        return isOpen || other.isOpen || clash(other, Integer.MAX_VALUE);
    }

    /** The same, of a step that might be taken now and one of another schedule that was the same up to this one. */
    public boolean mayMeet(StepFootprint later) {
        boolean bothNew = isNew && later.changes.keySet().stream().anyMatch(key -> key >= known);
        return isOpen || later.isOpen || bothNew || clash(later, known);
    }

    private boolean clash(StepFootprint other, int limit) {
        Map<Integer, Boolean> few = changes.size() < other.changes.size() ? changes : other.changes;
        Map<Integer, Boolean> many = few == changes ? other.changes : changes;
        for (Map.Entry<Integer, Boolean> one : few.entrySet()) {
            Boolean isChange = many.get(one.getKey());
            if (one.getKey() < limit && isChange != null && (isChange || one.getValue())) {
                return true;
            }
        }
        return false;
    }
}
