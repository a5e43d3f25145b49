package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Simulated program for tests of strategies: each thread writes some variables, one after the other. */
public final class SimulatedProgram {
    /** Private variable: only one thread writes it. */
    public static final int PRIVATE = -1;

    private final int[][] threads;

    /** Creates a program from the variables that each thread writes, in this order. */
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
            scheduler.addThread(new Thread());
            reachNextStep(scheduler, i, done);
        }
        List<Integer> schedule = new ArrayList<>();
        ControlledThread previous = scheduler.threads.get(0);
        while (true) {
            List<ControlledThread> enabled = new ArrayList<>(scheduler.threads);
            enabled.removeIf(thread -> thread.isFinished);
            if (enabled.isEmpty()) {
                return schedule;
            }
            previous = enabled.get(strategy.chooseNext(scheduler, enabled, previous));
            priorities.add(scheduler.threads.stream().mapToLong(thread -> thread.priority).toArray());
            schedule.add(previous.id);
            strategy.onStepDone(previous, scheduler.threads);
            done[previous.id]++;
            reachNextStep(scheduler, previous.id, done);
        }
    }

    /** Sets the next access of a thread. */
    private void reachNextStep(Scheduler scheduler, int thread, int[] done) {
        ControlledThread controlled = scheduler.threads.get(thread);
        controlled.isFinished = done[thread] == threads[thread].length;
        if (!controlled.isFinished) {
            int variable = threads[thread][done[thread]];
            Object object = variable == PRIVATE ? controlled : this;
            controlled.nextLocation = scheduler.locations.locate(object, -1, variable);
            controlled.isNextWrite = true;
        }
    }
}
