package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Runs the current thread until it blocks. */
final class NonPreemptiveStrategy extends Strategy {
    NonPreemptiveStrategy(long seed) {
        super(seed);
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        return Math.max(0, enabled.indexOf(previous));
    }

    @Override
    public int pickAlternative(int count) {
        return 0;
    }

    @Override
    public boolean decideYield() {
        return true;
    }
}
