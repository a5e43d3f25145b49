package gitmend.schedule.strategy;

import gitmend.schedule.control.Actor;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Each with the same chance. */
final class RandomWalk extends Strategy {
    RandomWalk(long seed) {
        super(seed);
    }

    @Override
    public int choose(List<Actor> enabled, Actor last) {
        return random.nextInt(enabled.size());
    }
}
