package gitmend.schedule.strategy;

import gitmend.schedule.control.Actor;
import gitmend.schedule.control.Strategy;
import java.util.List;

/** Takes the choices of a schedule that was written down. */
public final class Replay extends Strategy {
    private final int[] choices;
    private int next;
    /** Whether a choice could not be taken: the code, or what it does by itself, has changed. */
    public boolean hasDiverged;

    public Replay(int[] choices) {
        super(0);
        this.choices = choices;
    }

    @Override
    public int choose(List<Actor> enabled, Actor last) {
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
