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
 * Takes all orders of steps that can make a difference, one schedule after the other: dynamic partial order reduction
 * (Flanagan and Godefroid, POPL 2005) with sleep sets. Where two steps that came to the same might have been taken the
 * other way round, that is tried later.
 */
public final class DporStrategy extends Strategy {
    /** With more decisions than this in a schedule there are too many orders. */
    private static final int LONGEST = 400;

    /** What a thread is about, where another one goes on. */
    private enum Standing { ABSENT, WAITING, AT_MONITOR, READY }

    /** A decision: who goes on, or what is picked. */
    private static final class Node {
        /** The threads that could go on, or as many numbers as there are things to pick. */
        final int[] ready;
        final boolean isPick;
        final Standing[] standings;
        /** What need not be taken here: all that follows was seen in another order. */
        final Map<Integer, StepFootprint> asleep = new HashMap<>();
        final Set<Integer> wanted = new LinkedHashSet<>();
        int chosen;
        /** What the thread came to, up to the next decision. */
        StepFootprint effects;

        Node(int[] ready, boolean isPick, Standing[] standings) {
            this.ready = ready;
            this.isPick = isPick;
            this.standings = standings;
        }

        Standing standing(int thread) {
            return thread < standings.length ? standings[thread] : Standing.ABSENT;
        }

        boolean has(int choice) {
            return Arrays.stream(ready).anyMatch(one -> one == choice);
        }
    }

    private final List<Node> path = new ArrayList<>();
    /** How many decisions of the path were taken in this schedule. */
    private int depth;
    /** The decision whose thread is running; null once nothing new can come. */
    private Node current;
    /** Whether all that could follow was seen in another order: the schedule only comes to its end. */
    private boolean isSpent;
    /** Whether orders were left out. */
    private boolean isGivenUp;
    /** How many orders came to their end. */
    private int count;

    public DporStrategy() {
        super(0);
    }

    /** A schedule begins. */
    public void begin() {
        depth = 0;
        current = null;
        isSpent = false;
    }

    public boolean isGivenUp() {
        return isGivenUp;
    }

    public int count() {
        return count;
    }

    @Override
    public int choose(List<ControlledThread> enabled, ControlledThread last) {
        return Math.max(0, enabled.indexOf(last));
    }

    @Override
    public int next(Scheduler scheduler, List<ControlledThread> enabled, ControlledThread last) {
        if (Thread.currentThread() == last.thread && isCalledBack(last.thread.getStackTrace())) {
            scheduler.leaveOut();
        }
        int[] ready = enabled.stream().mapToInt(one -> one.id).toArray();
        Node node = node(ready, false, standings(scheduler));
        if (node == null) {
            current = null;
            return choose(enabled, last);
        }
        if (depth == path.size()) {
            inherit(node);
            int preferred = node.asleep.containsKey(last.id) || !node.has(last.id) ? -1 : last.id;
            node.chosen = preferred >= 0 ? preferred
                    : Arrays.stream(ready).filter(one -> !node.asleep.containsKey(one)).findFirst().orElse(-1);
            if (node.chosen < 0) {
                isSpent = true;
                current = null;
                return choose(enabled, last);
            }
            path.add(node);
        }
        depth++;
        current = node;
        node.effects = new StepFootprint(scheduler.locations.count());
        for (int i = 0; i < ready.length; i++) {
            if (ready[i] == node.chosen) {
                return i;
            }
        }
        throw new IllegalStateException("no thread was chosen");
    }

    /** Whether a method of the JDK called what decides now: what that does between its calls is no step. */
    private static boolean isCalledBack(StackTraceElement[] stack) {
        for (int i = 1; i < stack.length; i++) {
            String caller = stack[i].getClassName();
            boolean isOfJdk = caller.startsWith("java.util.") || caller.startsWith("gitmend.copy.");
            boolean isTask = caller.contains("ThreadPoolExecutor") || caller.contains(".Executors$")
                    || caller.endsWith(".FutureTask");
            if (isOfJdk && !isTask && isOfProject(stack[i - 1].getClassName())) {
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
    public int pick(int count) {
        int[] ready = new int[count];
        Arrays.setAll(ready, i -> i);
        Node node = node(ready, true, new Standing[0]);
        if (node == null) {
            return 0;
        }
        if (depth == path.size()) {
            Arrays.stream(ready).forEach(node.wanted::add);
            path.add(node);
        }
        depth++;
        if (current != null) {
            current.effects.open();
        }
        return node.chosen;
    }

    @Override
    public boolean givesWay() {
        // Loops that wait for others by it would have no end of orders.
        return true;
    }

    /** The decision that comes next: the one that is on the path, or a new one. Null where none counts any more. */
    private Node node(int[] ready, boolean isPick, Standing[] standings) {
        isGivenUp |= depth == LONGEST;
        if (isSpent || isGivenUp) {
            return null;
        }
        if (depth == path.size()) {
            return new Node(ready, isPick, standings);
        }
        Node known = path.get(depth);
        // The same choices led to another state: the scheduler does not control everything that
        // matters.
        isGivenUp |= known.isPick != isPick || !Arrays.equals(known.ready, ready);
        return isGivenUp ? null : known;
    }

    private static Standing[] standings(Scheduler scheduler) {
        return scheduler.actors.stream().map(one -> {
            if (one.isFinished) {
                return Standing.WAITING;
            } else if (one.isEnabled(scheduler.time.now)) {
                return Standing.READY;
            }
            return one.isWoken(scheduler.time.now) ? Standing.AT_MONITOR : Standing.WAITING;
        }).toArray(Standing[]::new);
    }

    private void inherit(Node node) {
        Node before = current;
        if (before == null) {
            return;
        }
        before.asleep.forEach((thread, effects) -> {
            if (thread != before.chosen && !effects.mayMeet(before.effects)) {
                node.asleep.put(thread, effects);
            }
        });
    }

    @Override
    public void touched(int key, boolean isChange) {
        if (current != null) {
            current.effects.add(key, isChange);
        }
    }

    /** Goes on to the next order; false if there is none, or if some were left out. */
    public boolean advance(Scheduler scheduler) {
        isGivenUp |= scheduler.isPartial || scheduler.trace.isCutShort || depth < path.size();
        if (isGivenUp) {
            return false;
        }
        count += isSpent ? 0 : 1;
        new Reversals().find();
        for (int at = path.size() - 1; at >= 0; at--) {
            Node node = path.get(at);
            node.asleep.put(node.chosen, node.effects);
            for (int choice : node.wanted) {
                if (!node.asleep.containsKey(choice)) {
                    node.chosen = choice;
                    return true;
                }
            }
            path.remove(at);
        }
        return false;
    }

    /** The steps of a schedule that might have been taken the other way round. */
    private final class Reversals {
        /** Of each step, by thread, the number of the last step that comes before it in any order, plus one. */
        private final int[][] clocks = new int[path.size()][];
        private final Map<Integer, Integer> latest = new HashMap<>();

        void find() {
            for (int at = 0; at < path.size(); at++) {
                if (!path.get(at).isPick) {
                    int[] before = before(at);
                    clocks[at] = VectorClocks.with(reversed(at, before), path.get(at).chosen, at + 1);
                    latest.put(path.get(at).chosen, at);
                }
            }
        }

        /** What comes before a step whatever it does: the thread's own steps, and what it was woken by. */
        private int[] before(int at) {
            int thread = path.get(at).chosen;
            int own = latest.getOrDefault(thread, -1);
            int[] before = own < 0 ? new int[0] : clocks[own].clone();
            for (int waker = at - 1; waker > own; waker--) {
                Node node = path.get(waker);
                boolean isWaiting = node.standing(thread) == Standing.WAITING;
                if (!node.isPick && (isWaiting || node.standing(thread) == Standing.ABSENT)) {
                    return VectorClocks.joined(before, clocks[waker]);
                }
            }
            return before;
        }

        /** Wants earlier steps that came to the same to be taken later; gives what comes before this one as it is. */
        private int[] reversed(int at, int[] before) {
            Node node = path.get(at);
            int[] clock = before.clone();
            List<Integer> races = new ArrayList<>();
            for (int i = 0; i < at; i++) {
                Node other = path.get(i);
                if (!other.isPick && other.chosen != node.chosen && other.effects.meets(node.effects)) {
                    if (i >= VectorClocks.at(before, other.chosen)) {
                        races.add(i);
                    }
                    clock = VectorClocks.joined(clock, clocks[i]);
                }
            }
            for (int earlier : races) {
                if (!wantInitial(earlier, at, clock)) {
                    want(earlier, at, before);
                }
            }
            return clock;
        }

        /**
         * Has the thread go on whose step is the first of those that must precede the later step and need not follow
         * the earlier one: an initial of the reversal (Abdulla and others, POPL 2014). The thread of the later step
         * itself may be asleep there, as steps before it may depend on it. Returns false if there is no such step.
         */
        private boolean wantInitial(int earlier, int at, int[] clock) {
            Node node = path.get(earlier);
            for (int between = earlier + 1; between < at; between++) {
                Node first = path.get(between);
                boolean isNeeded = !first.isPick && between < VectorClocks.at(clock, first.chosen)
                        && VectorClocks.at(clocks[between], node.chosen) <= earlier;
                if (isNeeded) {
                    boolean isReady = node.standing(first.chosen) == Standing.READY;
                    if (isReady) {
                        node.wanted.add(first.chosen);
                    }
                    return isReady;
                }
            }
            return false;
        }

        /** Has the thread of a step go on where an earlier step was taken, or another one that it needs for that. */
        private void want(int earlier, int at, int[] before) {
            Node node = path.get(earlier);
            int thread = path.get(at).chosen;
            Standing standing = node.standing(thread);
            if (standing == Standing.READY) {
                node.wanted.add(thread);
                return;
            }
            for (int between = earlier + 1; between < at; between++) {
                Node helper = path.get(between);
                boolean isNeeded = !helper.isPick && between < VectorClocks.at(before, helper.chosen);
                if (isNeeded && node.standing(helper.chosen) == Standing.READY) {
                    node.wanted.add(helper.chosen);
                    return;
                }
            }
            // Who has the monitor took it in a step before this one, which is reversed instead.
            if (standing != Standing.AT_MONITOR) {
                Arrays.stream(node.ready).forEach(node.wanted::add);
            }
        }
    }
}
