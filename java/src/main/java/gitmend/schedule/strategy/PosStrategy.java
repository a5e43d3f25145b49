package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Partial order sampling: each step has a priority, drawn anew when it races with a step that was taken. */
final class PosStrategy extends Strategy {
    PosStrategy(long seed) {
        super(seed);
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread last) {
        return highest(enabled);
    }

    @Override
    public void started(ControlledThread actor) {
        actor.priority = draw();
    }

    @Override
    public void stepped(ControlledThread actor, List<ControlledThread> all) {
        for (ControlledThread other : all) {
            boolean isRacing = other != actor && !other.isFinished && other.target != null
                    && other.target == actor.target && (other.isWrite || actor.isWrite);
            if (isRacing) {
                other.priority = draw();
            }
        }
        actor.priority = draw();
    }

    private long draw() {
        return random.nextLong() >>> 1;
    }
}
