package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Random walk: each enabled thread has the same probability at each step. */
final class RandomWalkStrategy extends Strategy {
    RandomWalkStrategy(long seed) {
        super(seed);
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        return random.nextInt(enabled.size());
    }
}
