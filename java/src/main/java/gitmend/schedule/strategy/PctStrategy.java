package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/**
 * Probabilistic concurrency testing (PCT; Burckhardt and others, ASPLOS 2010): thread priorities, lowered at one to
 * three change points. With one, a schedule exposes a bug of depth 2 with a probability of at least 1/(n k), for n
 * threads and k steps (theorem 9).
 */
final class PctStrategy extends Strategy {
    private static final int MAX_CHANGE_POINTS = 3;

    private final int[] changePoints;
    private int steps;

    PctStrategy(long seed, int stepCount) {
        super(seed);
        changePoints = new int[1 + random.nextInt(MAX_CHANGE_POINTS)];
        for (int i = 0; i < changePoints.length; i++) {
            changePoints[i] = random.nextInt(Math.max(1, stepCount));
        }
    }

    @Override
    public boolean hasDepthTwoGuarantee() {
        return changePoints.length == 1;
    }

    /** Yielding would bypass the priorities. */
    @Override
    public boolean decideYield() {
        return false;
    }

    @Override
    public void onThreadStart(ControlledThread thread) {
        thread.priority = MAX_CHANGE_POINTS + 1 + (random.nextLong() >>> 8);
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        int best = indexOfHighestPriority(enabled);
        for (int i = 0; i < changePoints.length; i++) {
            if (changePoints[i] == steps) {
                enabled.get(best).priority = i;
                best = indexOfHighestPriority(enabled);
            }
        }
        steps++;
        return best;
    }
}
