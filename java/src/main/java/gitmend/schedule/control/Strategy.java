package gitmend.schedule.control;

import java.util.List;
import java.util.Random;

/** Scheduling strategy: chooses the next thread where several are enabled. */
public abstract class Strategy {
    protected final Random random;

    protected Strategy(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L ^ seed >>> 17);
    }

    /** The place in the list of the one that goes on. */
    public abstract int choose(List<ControlledThread> enabled, ControlledThread last);

    /** The same, called at each decision, even if only one thread is enabled. */
    public int next(Scheduler scheduler, List<ControlledThread> enabled, ControlledThread last) {
        return enabled.size() == 1 ? 0 : choose(enabled, last);
    }

    public void started(ControlledThread actor) {}

    /** What is running came to something: the number of a location, or one of those in {@link StepFootprint}. */
    public void touched(int key, boolean isChange) {}

    /** The actor did what it was about to do. */
    public void stepped(ControlledThread actor, List<ControlledThread> all) {}

    /** Returns true if it finds each fault of depth 2 with at least the probability that PCT guarantees. */
    public boolean isOfDepthTwo() {
        return false;
    }

    /** Picks one of `count` alternatives that are not threads. */
    public int pick(int count) {
        return random.nextInt(count);
    }

    /** Whether a thread that offers others to go first has them go first; a machine may take no notice of it. */
    public boolean givesWay() {
        return random.nextBoolean();
    }

    /** Returns the place in the list of the thread with the highest priority. */
    protected static int highest(List<ControlledThread> enabled) {
        int best = 0;
        for (int i = 1; i < enabled.size(); i++) {
            if (enabled.get(i).priority > enabled.get(best).priority) {
                best = i;
            }
        }
        return best;
    }
}
