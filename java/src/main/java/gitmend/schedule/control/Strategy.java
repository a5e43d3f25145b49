package gitmend.schedule.control;

import java.util.List;
import java.util.Random;

/** Scheduling strategy: chooses the next thread if several are enabled. */
public abstract class Strategy {
    protected final Random random;

    protected Strategy(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L ^ seed >>> 17);
    }

    /** Returns the index of the enabled thread that runs next. */
    public abstract int choose(List<ControlledThread> enabled, ControlledThread previous);

    /**
     * Returns the index of the enabled thread that runs next. Called at each scheduling point, even if only one thread
     * is enabled.
     */
    public int chooseNext(Scheduler scheduler, List<ControlledThread> enabled, ControlledThread previous) {
        return enabled.size() == 1 ? 0 : choose(enabled, previous);
    }

    public void onThreadStart(ControlledThread thread) {}

    /** Called for each effect of the current step. The key is a location's number or one of {@link StepFootprint}. */
    public void onEffect(int key, boolean isChange) {}

    /** Called when a thread has completed its step. */
    public void onStepDone(ControlledThread thread, List<ControlledThread> threads) {}

    /** Returns true if the schedule finds each bug of depth 2 with at least the probability that PCT guarantees. */
    public boolean hasDepthTwoGuarantee() {
        return false;
    }

    /** Picks one of `count` alternatives that are not threads. */
    public int pickAlternative(int count) {
        return random.nextInt(count);
    }

    /** Returns true if `Thread.yield` lets other threads run first; a JVM may ignore it. */
    public boolean decideYield() {
        return random.nextBoolean();
    }

    protected static int indexOfHighestPriority(List<ControlledThread> enabled) {
        int best = 0;
        for (int i = 1; i < enabled.size(); i++) {
            if (enabled.get(i).priority > enabled.get(best).priority) {
                best = i;
            }
        }
        return best;
    }
}
