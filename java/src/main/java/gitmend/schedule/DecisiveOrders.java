package gitmend.schedule;

import gitmend.schedule.control.Trace;
import gitmend.schedule.report.Patterns;
import gitmend.schedule.run.Schedule;
import gitmend.schedule.run.ScheduleRunner;
import gitmend.schedule.strategy.ReorderStrategy;
import java.util.ArrayList;
import java.util.List;

/**
 * Search for the accesses whose order decides the outcome of a failing schedule (after Choi and Zeller, ISSTA 2002):
 * two conflicting accesses of two threads such that the schedule still fails if nothing but their order is kept, and
 * passes if they are swapped.
 */
final class DecisiveOrders {
    /** Maximum number of pairs that are swapped. */
    private static final int MAX_PAIRS = 40;
    /** Maximum number of steps at which a thread is delayed to swap one pair. */
    private static final int MAX_DELAY_POINTS = 3;
    private static final long MAX_NANOS = 1_500_000_000;

    private final ScheduleRunner runner;
    private final Schedule schedule;
    private final Trace trace;

    DecisiveOrders(ScheduleRunner runner, Schedule schedule, Trace trace) {
        this.runner = runner;
        this.schedule = schedule;
        this.trace = trace;
    }

    /** Returns the pairs of steps whose order decides. */
    List<int[]> find(Patterns patterns) throws Exception {
        List<int[]> decisive = new ArrayList<>();
        List<int[]> pairs = patterns.findConflicts(trace);
        long endNanos = System.nanoTime() + MAX_NANOS;
        for (int i = 0; i < pairs.size() && i < MAX_PAIRS && System.nanoTime() < endNanos; i++) {
            int[] pair = pairs.get(i);
            if (failsWithPrefix(trace.decisionCounts[pair[1]]) && passesIfSwapped(pair[0], pair[1])) {
                decisive.add(pair);
            }
        }
        return decisive;
    }

    /** Returns true if the schedule fails even if no thread is preempted after these decisions. */
    private boolean failsWithPrefix(int decisionCount) throws Exception {
        ReorderStrategy strategy = new ReorderStrategy(schedule.choices, decisionCount);
        boolean hasFailed = runner.run(schedule, strategy).hasFailed();
        ScheduleRunner.clearScheduler();
        return hasFailed && !strategy.isImpossible;
    }

    private boolean passesIfSwapped(int first, int second) throws Exception {
        int delayed = startOfCriticalSection(first);
        for (int attempts = 0; attempts < MAX_DELAY_POINTS && delayed >= 0; attempts++) {
            ReorderStrategy strategy = createSwap(delayed, first, second);
            ScheduleRunner.Execution execution = runner.run(schedule, strategy);
            ScheduleRunner.clearScheduler();
            if (strategy.hasReordered()) {
                return execution.obstacle == null && !execution.hasFailed();
            }
            // The other thread may need a lock of the project's own, which an earlier step acquired.
            delayed = previousAcquisition(delayed);
        }
        return false;
    }

    private ReorderStrategy createSwap(int delayed, int first, int second) {
        int prefixLength = Math.max(0, trace.decisionCounts[delayed] - 1);
        return new ReorderStrategy(schedule.choices, prefixLength, trace.threadIds[first], trace.threadIds[second],
                trace.sites[second]);
    }

    /** Returns the last step before another one at which its thread acquired a lock, or -1. */
    private int previousAcquisition(int step) {
        int earlier = step - 1;
        while (earlier >= 0 && (trace.threadIds[earlier] != trace.threadIds[step]
                || trace.kinds[earlier] != Trace.Kind.LOCK)) {
            earlier--;
        }
        return earlier;
    }

    /**
     * Returns the step at which the thread acquired the first of the locks that it holds at a step: the other thread
     * may need them. Returns the step itself if no lock is held.
     */
    private int startOfCriticalSection(int step) {
        int start = step;
        for (int i = step; i >= 0 && trace.heldLocks[step].length > 0; i--) {
            if (trace.threadIds[i] == trace.threadIds[step]) {
                if (trace.heldLocks[i].length == 0) {
                    break;
                }
                start = i;
            }
        }
        return start;
    }
}
