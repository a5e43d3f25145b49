package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Replay of the choices of a recorded schedule. */
public final class ReplayStrategy extends Strategy {
    private final int[] choices;
    private int next;
    /**
     * True if a recorded choice was impossible: the code, or a choice that the scheduler does not control, has changed.
     */
    public boolean hasDiverged;

    public ReplayStrategy(int[] choices) {
        super(0);
        this.choices = choices;
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        if (next < choices.length) {
            int threadId = choices[next++];
            for (int i = 0; i < enabled.size(); i++) {
                if (enabled.get(i).id == threadId) {
                    return i;
                }
            }
        }
        hasDiverged = true;
        return Math.max(0, enabled.indexOf(previous));
    }

    @Override
    public int pickAlternative(int count) {
        int alternative = next < choices.length ? choices[next++] : count;
        hasDiverged |= alternative >= count;
        return Math.min(alternative, count - 1);
    }

    @Override
    public boolean decideYield() {
        return pickAlternative(2) == 1;
    }
}
