package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Scheduler;
import gitmend.schedule.control.Strategy;
import java.util.List;

/**
 * Replay of a schedule up to a step, which is then delayed until another thread has made its step. After that, the
 * delayed thread continues, and each thread runs until it blocks.
 */
public final class ReorderStrategy extends Strategy {
    private static final int NONE = -1;

    private final int[] choices;
    private final int prefixLength;
    private final int delayedThread;
    private final int awaitedThread;
    private final int awaitedSite;
    private int next;
    private boolean isDelaying;
    private boolean isResuming;
    /** True if the schedule cannot be followed, or the step cannot be delayed that long. */
    public boolean isImpossible;

    /** Creates a strategy that replays the first decisions, then delays a thread until another reaches a site. */
    public ReorderStrategy(int[] choices, int prefixLength, int delayedThread, int awaitedThread, int awaitedSite) {
        super(0);
        this.choices = choices;
        this.prefixLength = prefixLength;
        this.delayedThread = delayedThread;
        this.awaitedThread = awaitedThread;
        this.awaitedSite = awaitedSite;
        isDelaying = true;
    }

    /** Creates a strategy that replays the first decisions and delays nothing. */
    public ReorderStrategy(int[] choices, int prefixLength) {
        this(choices, prefixLength, NONE, NONE, NONE);
        isDelaying = false;
    }

    @Override
    public int chooseNext(Scheduler scheduler, List<ControlledThread> enabled,
            ControlledThread previous) {
        boolean isForced = enabled.size() == 1 && enabled.get(0).id == delayedThread;
        if (isForced && isDelaying && next >= prefixLength) {
            isImpossible = true;
            isDelaying = false;
        }
        return super.chooseNext(scheduler, enabled, previous);
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        if (next < prefixLength) {
            int index = indexOf(enabled, choices[next++]);
            isImpossible |= index < 0;
            return Math.max(0, index);
        }
        int preferred = isDelaying ? indexOf(enabled, awaitedThread)
                : isResuming ? indexOf(enabled, delayedThread) : enabled.indexOf(previous);
        isResuming &= preferred < 0;
        preferred = preferred < 0 ? enabled.indexOf(previous) : preferred;
        boolean isExcluded = preferred < 0 || isDelaying && enabled.get(preferred).id == delayedThread;
        // Several threads are enabled, so one of the first two is not delayed.
        return isExcluded ? enabled.get(0).id == delayedThread ? 1 : 0 : preferred;
    }

    private static int indexOf(List<ControlledThread> enabled, int id) {
        for (int i = 0; i < enabled.size(); i++) {
            if (enabled.get(i).id == id) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void onStepDone(ControlledThread thread, List<ControlledThread> threads) {
        if (isDelaying && next >= prefixLength && thread.id == awaitedThread && thread.site == awaitedSite) {
            isDelaying = false;
            isResuming = true;
        }
    }

    /** Returns true if the awaited step happened while the other one was delayed. */
    public boolean hasReordered() {
        return !isImpossible && !isDelaying;
    }

    @Override
    public int pickAlternative(int count) {
        int alternative = next < prefixLength ? choices[next++] : 0;
        isImpossible |= alternative >= count;
        return Math.min(alternative, count - 1);
    }

    @Override
    public boolean decideYield() {
        return next >= prefixLength || pickAlternative(2) == 1;
    }
}
