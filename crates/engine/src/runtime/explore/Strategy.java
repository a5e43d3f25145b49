package gitmend.runtime;

import java.util.List;
import java.util.Random;
import java.util.Set;

/** Scheduler: chooses the next thread where several are enabled. */
abstract class Strategy {
    final Random random;

    Strategy(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L ^ seed >>> 17);
    }

    /** The place in the list of the one that goes on. */
    abstract int choose(List<Actor> enabled, Actor last);

    /** The same, called at each decision, even if only one thread is enabled. */
    int next(Control control, List<Actor> enabled, Actor last) {
        return enabled.size() == 1 ? 0 : choose(enabled, last);
    }

    void started(Actor actor) {}

    /** What is running came to something: the number of a location, or one of those in {@link Effects}. */
    void touched(int key, boolean isChange) {}

    /** The actor did what it was about to do. */
    void stepped(Actor actor, List<Actor> all) {}

    /** Whether it shows any fault that takes two orderings of steps with at least the chance of {@link Priorities}. */
    boolean isOfDepthTwo() {
        return false;
    }

    /** Picks one of `count` alternatives that are not threads. */
    int pick(int count) {
        return random.nextInt(count);
    }

    /** Whether a thread that offers others to go first has them go first; a machine may take no notice of it. */
    boolean givesWay() {
        return random.nextBoolean();
    }

    /** Returns the scheduler of a name; `targets` are the variables of a directed one. */
    static Strategy of(String name, long seed, int length, Set<String> targets) {
        switch (name) {
            case "directed":
                return new Directed(seed, targets);
            case "pos":
                return new PartialOrder(seed);
            case "pct":
                return new Priorities(seed, length);
            case "random":
                return new Walk(seed);
            default:
                return new Straightforward(seed);
        }
    }

    /** Runs the current thread until it blocks. */
    private static final class Straightforward extends Strategy {
        Straightforward(long seed) {
            super(seed);
        }

        @Override
        int choose(List<Actor> enabled, Actor last) {
            return Math.max(0, enabled.indexOf(last));
        }

        @Override
        int pick(int count) {
            return 0;
        }

        @Override
        boolean givesWay() {
            return true;
        }
    }

    /** Each with the same chance. */
    private static final class Walk extends Strategy {
        Walk(long seed) {
            super(seed);
        }

        @Override
        int choose(List<Actor> enabled, Actor last) {
            return random.nextInt(enabled.size());
        }
    }

    /** Partial order sampling: each step has a priority, drawn anew when it races with a step that was taken. */
    private static final class PartialOrder extends Strategy {
        PartialOrder(long seed) {
            super(seed);
        }

        @Override
        int choose(List<Actor> enabled, Actor last) {
            return highest(enabled);
        }

        @Override
        void started(Actor actor) {
            actor.priority = draw();
        }

        @Override
        void stepped(Actor actor, List<Actor> all) {
            for (Actor other : all) {
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

    /**
     * Probabilistic concurrency testing: fixed priorities, lowered at one to three steps. With one, a fault that takes
     * two orderings of steps (of depth 2) shows itself in at least one schedule of n k, where there are n threads and k
     * steps (Burckhardt and others, ASPLOS 2010, theorem 9).
     */
    private static final class Priorities extends Strategy {
        private static final int MOST_CHANGES = 3;

        private final int[] changes;
        private int steps;

        Priorities(long seed, int length) {
            super(seed);
            changes = new int[1 + random.nextInt(MOST_CHANGES)];
            for (int i = 0; i < changes.length; i++) {
                changes[i] = random.nextInt(Math.max(1, length));
            }
        }

        @Override
        boolean isOfDepthTwo() {
            return changes.length == 1;
        }

        /** Priorities alone say who goes on. */
        @Override
        boolean givesWay() {
            return false;
        }

        @Override
        void started(Actor actor) {
            actor.priority = MOST_CHANGES + 1 + (random.nextLong() >>> 8);
        }

        @Override
        int choose(List<Actor> enabled, Actor last) {
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

    static int highest(List<Actor> enabled) {
        int best = 0;
        for (int i = 1; i < enabled.size(); i++) {
            if (enabled.get(i).priority > enabled.get(best).priority) {
                best = i;
            }
        }
        return best;
    }
}
