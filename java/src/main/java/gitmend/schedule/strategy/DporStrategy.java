package gitmend.schedule.strategy;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Scheduler;
import gitmend.schedule.control.StepFootprint;
import gitmend.schedule.control.Strategy;
import gitmend.schedule.control.VectorClocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Dynamic partial order reduction (Flanagan and Godefroid, POPL 2005) with sleep sets: runs all orders of dependent
 * steps, one schedule after the other. A pair of dependent steps that could be reversed adds a backtrack point.
 */
public final class DporStrategy extends Strategy {
    /** Maximum number of decisions in a schedule; with more there are too many orders. */
    private static final int MAX_DECISIONS = 400;

    /** State of a thread at a decision. */
    private enum ThreadState { ABSENT, WAITING, AT_MONITOR, READY }

    /** Decision between enabled threads or between other alternatives. */
    private static final class Node {
        /** Enabled threads, or the numbers of the alternatives. */
        final int[] options;
        final boolean isPick;
        final ThreadState[] threadStates;
        /** Sleep set: threads whose steps here were explored in another order, with the footprints of these steps. */
        final Map<Integer, StepFootprint> sleepSet = new HashMap<>();
        final Set<Integer> backtrackSet = new LinkedHashSet<>();
        int chosen;
        /** Footprint of the chosen thread's step, up to the next decision. */
        StepFootprint footprint;

        Node(int[] options, boolean isPick, ThreadState[] threadStates) {
            this.options = options;
            this.isPick = isPick;
            this.threadStates = threadStates;
        }

        ThreadState threadState(int thread) {
            return thread < threadStates.length ? threadStates[thread] : ThreadState.ABSENT;
        }

        boolean hasOption(int choice) {
            return Arrays.stream(options).anyMatch(one -> one == choice);
        }
    }

    private final List<Node> path = new ArrayList<>();
    /** Number of decisions of the path that this schedule has taken. */
    private int depth;
    /** Decision whose thread is running; null once the rest of the schedule explores nothing new. */
    private Node currentNode;
    /** True if every enabled thread is in the sleep set: the schedule only runs to its end. */
    private boolean isRedundant;
    /** True if some orders are not explored. */
    private boolean isAbandoned;
    private int completedSchedules;

    public DporStrategy() {
        super(0);
    }

    public void beginSchedule() {
        depth = 0;
        currentNode = null;
        isRedundant = false;
    }

    public boolean isAbandoned() {
        return isAbandoned;
    }

    public int completedSchedules() {
        return completedSchedules;
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread previous) {
        return Math.max(0, enabled.indexOf(previous));
    }

    @Override
    public int chooseNext(Scheduler scheduler, List<ControlledThread> enabled, ControlledThread previous) {
        if (Thread.currentThread() == previous.thread && isCallback(previous.thread.getStackTrace())) {
            scheduler.markPartial();
        }
        int[] options = enabled.stream().mapToInt(thread -> thread.id).toArray();
        Node node = nodeAtDepth(options, false, threadStates(scheduler));
        if (node == null) {
            currentNode = null;
            return choose(enabled, previous);
        }
        if (depth == path.size()) {
            inheritSleepSet(node);
            int preferred = node.sleepSet.containsKey(previous.id) || !node.hasOption(previous.id) ? -1 : previous.id;
            node.chosen = preferred >= 0 ? preferred
                    : Arrays.stream(options).filter(one -> !node.sleepSet.containsKey(one)).findFirst().orElse(-1);
            if (node.chosen < 0) {
                isRedundant = true;
                currentNode = null;
                return choose(enabled, previous);
            }
            path.add(node);
        }
        depth++;
        currentNode = node;
        node.footprint = new StepFootprint(scheduler.locations.count());
        for (int i = 0; i < options.length; i++) {
            if (options[i] == node.chosen) {
                return i;
            }
        }
        throw new IllegalStateException("no thread was chosen");
    }

    /** Returns true if a JDK method called back into the project. JDK code between its callbacks is no step. */
    private static boolean isCallback(StackTraceElement[] stack) {
        for (int i = 1; i < stack.length; i++) {
            String caller = stack[i].getClassName();
            boolean isJdk = caller.startsWith("java.util.") || caller.startsWith("gitmend.copy.");
            boolean isTask = caller.contains("ThreadPoolExecutor") || caller.contains(".Executors$")
                    || caller.endsWith(".FutureTask");
            if (isJdk && !isTask && isOfProject(stack[i - 1].getClassName())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfProject(String name) {
        return !name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun.")
                && !name.startsWith("gitmend.") && !name.startsWith("org.junit.");
    }

    @Override
    public int pickAlternative(int count) {
        int[] options = new int[count];
        Arrays.setAll(options, i -> i);
        Node node = nodeAtDepth(options, true, new ThreadState[0]);
        if (node == null) {
            return 0;
        }
        if (depth == path.size()) {
            Arrays.stream(options).forEach(node.backtrackSet::add);
            path.add(node);
        }
        depth++;
        if (currentNode != null) {
            currentNode.footprint.markInternalChoice();
        }
        return node.chosen;
    }

    @Override
    public boolean decideYield() {
        // Loops that yield until another thread proceeds would have infinitely many orders.
        return true;
    }

    /** Returns the next decision of the path or a new one; null if decisions no longer count. */
    private Node nodeAtDepth(int[] options, boolean isPick, ThreadState[] threadStates) {
        isAbandoned |= depth == MAX_DECISIONS;
        if (isRedundant || isAbandoned) {
            return null;
        }
        if (depth == path.size()) {
            return new Node(options, isPick, threadStates);
        }
        Node existing = path.get(depth);
        // The same choices led to another state: the scheduler does not control everything that matters.
        isAbandoned |= existing.isPick != isPick || !Arrays.equals(existing.options, options);
        return isAbandoned ? null : existing;
    }

    private static ThreadState[] threadStates(Scheduler scheduler) {
        return scheduler.threads.stream().map(thread -> {
            if (thread.isFinished) {
                return ThreadState.WAITING;
            } else if (thread.isEnabled(scheduler.time.now)) {
                return ThreadState.READY;
            }
            return thread.isBlockedOnMonitorOnly(scheduler.time.now) ? ThreadState.AT_MONITOR : ThreadState.WAITING;
        }).toArray(ThreadState[]::new);
    }

    private void inheritSleepSet(Node node) {
        Node previous = currentNode;
        if (previous == null) {
            return;
        }
        previous.sleepSet.forEach((thread, footprint) -> {
            if (thread != previous.chosen && !footprint.canDependOn(previous.footprint)) {
                node.sleepSet.put(thread, footprint);
            }
        });
    }

    @Override
    public void onEffect(int key, boolean isChange) {
        if (currentNode != null) {
            currentNode.footprint.addEffect(key, isChange);
        }
    }

    /** Selects the next order. Returns false if there is none, or if some are not explored. */
    public boolean advance(Scheduler scheduler) {
        isAbandoned |= scheduler.isPartial || scheduler.trace.isTruncated || depth < path.size();
        if (isAbandoned) {
            return false;
        }
        completedSchedules += isRedundant ? 0 : 1;
        new Reversals().addBacktrackPoints();
        for (int index = path.size() - 1; index >= 0; index--) {
            Node node = path.get(index);
            node.sleepSet.put(node.chosen, node.footprint);
            for (int choice : node.backtrackSet) {
                if (!node.sleepSet.containsKey(choice)) {
                    node.chosen = choice;
                    return true;
                }
            }
            path.remove(index);
        }
        return false;
    }

    /** Reversible pairs of dependent steps in one schedule. */
    private final class Reversals {
        /** Vector clock of each step: by thread, the number of its last step that happens before, plus one. */
        private final int[][] clocks = new int[path.size()][];
        private final Map<Integer, Integer> lastSteps = new HashMap<>();

        void addBacktrackPoints() {
            for (int step = 0; step < path.size(); step++) {
                if (!path.get(step).isPick) {
                    int[] before = clockBefore(step);
                    clocks[step] = VectorClocks.setTime(addReversals(step, before), path.get(step).chosen, step + 1);
                    lastSteps.put(path.get(step).chosen, step);
                }
            }
        }

        /** Returns the clock of a step without its dependences: the thread's own steps and the step that woke it. */
        private int[] clockBefore(int step) {
            int thread = path.get(step).chosen;
            int ownStep = lastSteps.getOrDefault(thread, -1);
            int[] clock = ownStep < 0 ? new int[0] : clocks[ownStep].clone();
            for (int waker = step - 1; waker > ownStep; waker--) {
                Node node = path.get(waker);
                boolean isWaiting = node.threadState(thread) == ThreadState.WAITING;
                if (!node.isPick && (isWaiting || node.threadState(thread) == ThreadState.ABSENT)) {
                    return VectorClocks.join(clock, clocks[waker]);
                }
            }
            return clock;
        }

        /**
         * Adds a backtrack point for each earlier dependent step that can be reversed. Returns the clock of this step.
         */
        private int[] addReversals(int step, int[] before) {
            Node node = path.get(step);
            int[] clock = before.clone();
            List<Integer> races = new ArrayList<>();
            for (int i = 0; i < step; i++) {
                Node other = path.get(i);
                if (!other.isPick && other.chosen != node.chosen && other.footprint.isDependentOn(node.footprint)) {
                    if (i >= VectorClocks.getTime(before, other.chosen)) {
                        races.add(i);
                    }
                    clock = VectorClocks.join(clock, clocks[i]);
                }
            }
            for (int earlier : races) {
                if (!addInitial(earlier, step, clock)) {
                    addBacktrackPoint(earlier, step, before);
                }
            }
            return clock;
        }

        /**
         * Adds an initial of the reversal (Abdulla and others, POPL 2014): the thread of the first step that must
         * precede the later step and need not follow the earlier one. The thread of the later step itself may be in the
         * sleep set. Returns false if there is no such step.
         */
        private boolean addInitial(int earlier, int step, int[] clock) {
            Node node = path.get(earlier);
            for (int between = earlier + 1; between < step; between++) {
                Node first = path.get(between);
                boolean isNeeded = !first.isPick && between < VectorClocks.getTime(clock, first.chosen)
                        && VectorClocks.getTime(clocks[between], node.chosen) <= earlier;
                if (isNeeded) {
                    boolean isReady = node.threadState(first.chosen) == ThreadState.READY;
                    if (isReady) {
                        node.backtrackSet.add(first.chosen);
                    }
                    return isReady;
                }
            }
            return false;
        }

        /**
         * Adds the thread of the later step as a backtrack point at the earlier one. If it is disabled there, adds a
         * thread that enables it, or all enabled ones.
         */
        private void addBacktrackPoint(int earlier, int step, int[] before) {
            Node node = path.get(earlier);
            int thread = path.get(step).chosen;
            ThreadState state = node.threadState(thread);
            if (state == ThreadState.READY) {
                node.backtrackSet.add(thread);
                return;
            }
            for (int between = earlier + 1; between < step; between++) {
                Node enabler = path.get(between);
                boolean isNeeded = !enabler.isPick && between < VectorClocks.getTime(before, enabler.chosen);
                if (isNeeded && node.threadState(enabler.chosen) == ThreadState.READY) {
                    node.backtrackSet.add(enabler.chosen);
                    return;
                }
            }
            // The owner entered the monitor in an earlier step, which is reversed instead.
            if (state != ThreadState.AT_MONITOR) {
                Arrays.stream(node.options).forEach(node.backtrackSet::add);
            }
        }
    }
}
