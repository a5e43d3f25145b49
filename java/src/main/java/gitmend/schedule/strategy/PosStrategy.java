package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/**
 * Partial order sampling (POS; Yuan, Yang and Gu, CAV 2018): each step has a random priority, drawn again when it races
 * with a step that was taken.
 */
final class PosStrategy extends Strategy {
    PosStrategy(long seed) {
        super(seed);
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        return indexOfHighestPriority(enabled);
    }

    @Override
    public void onThreadStart(ControlledThread thread) {
        thread.priority = drawPriority();
    }

    @Override
    public void onStepDone(ControlledThread thread, List<ControlledThread> threads) {
        for (ControlledThread other : threads) {
            boolean isRacing = other != thread && !other.isFinished && other.nextLocation != null
                    && other.nextLocation == thread.nextLocation && (other.isNextWrite || thread.isNextWrite);
            if (isRacing) {
                other.priority = drawPriority();
            }
        }
        thread.priority = drawPriority();
    }

    private long drawPriority() {
        return random.nextLong() >>> 1;
    }
}
