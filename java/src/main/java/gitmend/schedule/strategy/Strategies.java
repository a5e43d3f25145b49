package gitmend.schedule.strategy;

import gitmend.schedule.control.Strategy;
import java.util.Set;

/** Finds a strategy by its name. */
public final class Strategies {
    private Strategies() {}

    /** Returns the scheduler of a name; `targets` are the variables of a directed one. */
    public static Strategy of(String name, long seed, int length, Set<String> targets) {
        switch (name) {
            case "directed":
                return new Directed(seed, targets);
            case "pos":
                return new PartialOrderSampling(seed);
            case "pct":
                return new PriorityChanges(seed, length);
            case "random":
                return new RandomWalk(seed);
            default:
                return new NoPreemption(seed);
        }
    }
}
