package gitmend.schedule.strategy;

import gitmend.schedule.control.Actor;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Runs the current thread until it blocks. */
final class NoPreemption extends Strategy {
    NoPreemption(long seed) {
        super(seed);
    }

    @Override
    public int choose(List<Actor> enabled, Actor last) {
        return Math.max(0, enabled.indexOf(last));
    }

    @Override
    public int pick(int count) {
        return 0;
    }

    @Override
    public boolean givesWay() {
        return true;
    }
}
