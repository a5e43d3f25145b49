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
 * Holds a thread up that has come to one of some variables until another one has come to the same: what breaks between
 * two steps of a thread breaks then.
 */
final class ActiveTestingStrategy extends Strategy {
    /** The variables, and the calls of what is taken as a whole, as {@link Sites} name them. */
    private final Set<String> targets;
    /** Who is held up, and where. */
    private final Map<ControlledThread, Location> held = new HashMap<>();

    ActiveTestingStrategy(long seed, Set<String> targets) {
        super(seed);
        this.targets = targets;
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread last) {
        List<ControlledThread> free = new ArrayList<>(enabled);
        free.removeIf(held::containsKey);
        if (free.isEmpty()) {
            // The threads that these were held for cannot arrive.
            held.clear();
            free = enabled;
        }
        return enabled.indexOf(free.get(random.nextInt(free.size())));
    }

    @Override
    public void stepped(ControlledThread actor, List<ControlledThread> all) {
        Location at = actor.target;
        if (at == null || !targets.contains(Sites.subjectName(Sites.get(actor.site).subject))) {
            return;
        }
        held.values().removeIf(one -> one == at);
        // In half of the cases, so that the steps after it are held up as well.
        if (random.nextBoolean()) {
            held.put(actor, at);
        }
    }
}
