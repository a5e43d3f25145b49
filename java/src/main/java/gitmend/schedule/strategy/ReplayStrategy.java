package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Replay of the choices of a recorded schedule. */
public final class ReplayStrategy extends Strategy {
    private final int[] choices;
    private int next;
    /** Whether a choice could not be taken: the code, or what it does by itself, has changed. */
    public boolean hasDiverged;

    public ReplayStrategy(int[] choices) {
        super(0);
        this.choices = choices;
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread last) {
        if (next < choices.length) {
            int wanted = choices[next++];
            for (int i = 0; i < enabled.size(); i++) {
                if (enabled.get(i).id == wanted) {
                    return i;
                }
            }
        }
        hasDiverged = true;
        return Math.max(0, enabled.indexOf(last));
    }

    @Override
    public int pick(int count) {
        int picked = next < choices.length ? choices[next++] : count;
        hasDiverged |= picked >= count;
        return Math.min(picked, count - 1);
    }

    @Override
    public boolean givesWay() {
        return pick(2) == 1;
    }
}
