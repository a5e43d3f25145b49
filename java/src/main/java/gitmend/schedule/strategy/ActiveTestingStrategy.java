package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Location;
import gitmend.schedule.control.Strategy;
import gitmend.schedule.weave.Sites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Active testing (RaceFuzzer; Sen, PLDI 2008): suspends a thread before an access to a target variable until another
 * thread reaches the same location. This exposes faults between two steps of a thread.
 */
final class ActiveTestingStrategy extends Strategy {
    /** Target variables and methods, as {@link Sites} names them. */
    private final Set<String> targets;
    /** Suspended threads and the locations of their next accesses. */
    private final Map<ControlledThread, Location> suspended = new HashMap<>();

    ActiveTestingStrategy(long seed, Set<String> targets) {
        super(seed);
        this.targets = targets;
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        List<ControlledThread> candidates = new ArrayList<>(enabled);
        candidates.removeIf(suspended::containsKey);
        if (candidates.isEmpty()) {
            // No other thread can reach those locations.
            suspended.clear();
            candidates = enabled;
        }
        return enabled.indexOf(candidates.get(random.nextInt(candidates.size())));
    }

    @Override
    public void onStepDone(ControlledThread thread, List<ControlledThread> threads) {
        Location location = thread.nextLocation;
        if (location == null || !targets.contains(Sites.subjectName(Sites.getSite(thread.site).subject))) {
            return;
        }
        suspended.values().removeIf(other -> other == location);
        // Half of the threads continue, so that later steps are suspended as well.
        if (random.nextBoolean()) {
            suspended.put(thread, location);
        }
    }
}
