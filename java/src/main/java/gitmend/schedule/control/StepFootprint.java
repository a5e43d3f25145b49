package gitmend.schedule.control;

import java.util.HashMap;
import java.util.Map;

/**
 * Footprint of a step: its effects on locations. Steps without a common effect are independent (partial order
 * reduction).
 */
public final class StepFootprint {
    /** Key of the state that copied JDK classes share, which is not observed in detail. */
    static final int COPIED_CLASSES = -1;
    /** Key of the liveness and interrupt status of all threads. */
    static final int THREAD_STATES = -2;
    /** Key of the counter that numbers threads. */
    static final int THREAD_IDS = -3;
    private static final int FIRST_THREAD_KEY = -16;

    /** Number of locations before the step. Later ones may be numbered differently in another schedule. */
    private final int knownLocations;
    /** Maps each key to true if the step modified it. */
    private final Map<Integer, Boolean> changes = new HashMap<>();
    private boolean hasNewLocation;
    /** True if the step made a choice that is no scheduling decision, so that its other effects are unknown. */
    private boolean hasInternalChoice;

    public StepFootprint(int knownLocations) {
        this.knownLocations = knownLocations;
    }

    static int threadKey(int id) {
        return FIRST_THREAD_KEY - id;
    }

    public void addEffect(int key, boolean isChange) {
        changes.merge(key, isChange, Boolean::logicalOr);
        hasNewLocation |= key >= knownLocations;
    }

    public void markInternalChoice() {
        hasInternalChoice = true;
    }

    /** Returns true if the order of two steps of one schedule matters. */
    public boolean isDependentOn(StepFootprint other) {
        return hasInternalChoice || other.hasInternalChoice || hasConflict(other, Integer.MAX_VALUE);
    }

    /** Returns true if this step may depend on a step of another schedule with the same prefix. */
    public boolean canDependOn(StepFootprint later) {
        boolean bothNew = hasNewLocation && later.changes.keySet().stream().anyMatch(key -> key >= knownLocations);
        return hasInternalChoice || later.hasInternalChoice || bothNew || hasConflict(later, knownLocations);
    }

    private boolean hasConflict(StepFootprint other, int limit) {
        Map<Integer, Boolean> smaller = changes.size() < other.changes.size() ? changes : other.changes;
        Map<Integer, Boolean> larger = smaller == changes ? other.changes : changes;
        for (Map.Entry<Integer, Boolean> entry : smaller.entrySet()) {
            Boolean isChange = larger.get(entry.getKey());
            if (entry.getKey() < limit && isChange != null && (isChange || entry.getValue())) {
                return true;
            }
        }
        return false;
    }
}
