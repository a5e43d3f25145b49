package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A program without code: each thread writes some variables, one after the other. For tests of strategies. */
public final class SimulatedProgram {
    /** A variable that only one thread writes. */
    public static final int PRIVATE = -1;

    private final int[][] threads;

    /** The variables that each thread writes, in this order. */
    public SimulatedProgram(int[]... threads) {
        this.threads = threads;
    }

    /** Returns a thread with this number of private steps. */
    public static int[] privateSteps(int count) {
        int[] steps = new int[count];
        java.util.Arrays.fill(steps, PRIVATE);
        return steps;
    }

    /** Runs the program under a strategy, and returns the thread of each step. */
    public List<Integer> run(Strategy strategy) {
        return run(strategy, new ArrayList<>());
    }

    /** Adds the priorities of all threads before each step to a list. */
    public List<Integer> run(Strategy strategy, List<long[]> priorities) {
        Scheduler scheduler = new Scheduler(strategy, new BitSet());
        int[] done = new int[threads.length];
        for (int i = 0; i < threads.length; i++) {
            scheduler.add(new Thread());
            come(scheduler, i, done);
        }
        List<Integer> schedule = new ArrayList<>();
        ControlledThread last = scheduler.actors.get(0);
        while (true) {
            List<ControlledThread> enabled = new ArrayList<>(scheduler.actors);
            enabled.removeIf(one -> one.isFinished);
            if (enabled.isEmpty()) {
                return schedule;
            }
            last = enabled.get(strategy.next(scheduler, enabled, last));
            priorities.add(scheduler.actors.stream().mapToLong(one -> one.priority).toArray());
            schedule.add(last.id);
            strategy.stepped(last, scheduler.actors);
            done[last.id]++;
            come(scheduler, last.id, done);
        }
    }

    /** Has a thread come to its next step. */
    private void come(Scheduler scheduler, int thread, int[] done) {
        ControlledThread one = scheduler.actors.get(thread);
        one.isFinished = done[thread] == threads[thread].length;
        if (!one.isFinished) {
            int variable = threads[thread][done[thread]];
            Object object = variable == PRIVATE ? one : this;
            one.target = scheduler.locations.of(object, -1, variable);
            one.isWrite = true;
        }
    }
}
