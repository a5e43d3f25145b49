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
                return new ActiveTestingStrategy(seed, targets);
            case "pos":
                return new PosStrategy(seed);
            case "pct":
                return new PctStrategy(seed, length);
            case "random":
                return new RandomWalkStrategy(seed);
            default:
                return new NonPreemptiveStrategy(seed);
        }
    }
}
