package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Strategy;
import java.util.List;

/**
 * Probabilistic concurrency testing: fixed priorities, lowered at one to three steps. With one, a fault that takes
 * two orderings of steps (of depth 2) shows itself in at least one schedule of n k, where there are n threads and k
 * steps (Burckhardt and others, ASPLOS 2010, theorem 9).
 */
final class PctStrategy extends Strategy {
    private static final int MOST_CHANGES = 3;

    private final int[] changes;
    private int steps;

    PctStrategy(long seed, int length) {
        super(seed);
        changes = new int[1 + random.nextInt(MOST_CHANGES)];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = random.nextInt(Math.max(1, length));
        }
    }

    @Override
    public boolean isOfDepthTwo() {
        return changes.length == 1;
    }

    /** Priorities alone say who goes on. */
    @Override
    public boolean givesWay() {
        return false;
    }

    @Override
    public void started(ControlledThread actor) {
        actor.priority = MOST_CHANGES + 1 + (random.nextLong() >>> 8);
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread last) {
        int best = highest(enabled);
        for (int i = 0; i < changes.length; i++) {
            if (changes[i] == steps) {
                enabled.get(best).priority = i;
                best = highest(enabled);
            }
        }
        steps++;
        return best;
    }
}
