package gitmend.schedule.strategy;

import gitmend.schedule.control.Strategy;
import java.util.Set;

/** Factory of strategies. */
public final class Strategies {
    private Strategies() {}

    /** Returns the strategy of this name. The targets are the variables of active testing. */
    public static Strategy create(String name, long seed, int stepCount, Set<String> targets) {
        switch (name) {
            case "directed":
                return new ActiveTestingStrategy(seed, targets);
            case "pos":
                return new PosStrategy(seed);
            case "pct":
                return new PctStrategy(seed, stepCount);
            case "random":
                return new RandomWalkStrategy(seed);
            default:
                return new NonPreemptiveStrategy(seed);
        }
    }
}
