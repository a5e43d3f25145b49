package gitmend.schedule.strategy;

import static gitmend.schedule.control.SimulatedProgram.PRIVATE;
import static gitmend.schedule.control.SimulatedProgram.privateSteps;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gitmend.schedule.control.SimulatedProgram;
import gitmend.schedule.control.Strategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Probabilities of schedules, compared with the papers of the strategies. Seeds are fixed. */
class SamplingTest {
    private static final int DRAWS = 6000;
    /** More than four standard deviations of a share of the draws. */
    private static final double TOLERANCE = 0.026;
    /** A number of steps that makes change points fall behind the end of small programs. */
    private static final int LONG = 1_000_000_000;

    private static Strategy strategy(String name, long seed, int length) {
        return Strategies.create(name, seed, length, Collections.emptySet());
    }

    /** Returns the share of the draws whose schedules have a property. */
    private static double share(String name, int length, SimulatedProgram program, Predicate<List<Integer>> property) {
        int count = 0;
        for (int seed = 0; seed < DRAWS; seed++) {
            count += property.test(program.run(strategy(name, seed, length))) ? 1 : 0;
        }
        return (double) count / DRAWS;
    }

    /** Returns true if the first thread takes all its steps before the second takes one. */
    private static boolean isFirstWhole(List<Integer> schedule) {
        return schedule.indexOf(1) > schedule.lastIndexOf(0);
    }

    private static int switchesFromUnfinished(List<Integer> schedule) {
        int count = 0;
        for (int i = 1; i < schedule.size(); i++) {
            int before = schedule.get(i - 1);
            boolean isLeft = schedule.get(i) != before && schedule.subList(i, schedule.size()).contains(before);
            count += isLeft ? 1 : 0;
        }
        return count;
    }

    @Test
    void aRandomWalkTakesEachThreadWithTheSameProbability() {
        SimulatedProgram program = new SimulatedProgram(privateSteps(2), privateSteps(2), privateSteps(2));
        for (int thread = 0; thread < 3; thread++) {
            int expected = thread;
            assertEquals(1.0 / 3, share("random", 1, program, one -> one.get(0) == expected), TOLERANCE);
        }
    }

    @Test
    void aRandomWalkSeldomRunsALongThreadBeforeAShortOne() {
        SimulatedProgram program = new SimulatedProgram(new int[] {PRIVATE, PRIVATE, PRIVATE, 0}, new int[] {0});
        assertEquals(1.0 / 16, share("random", 1, program, SamplingTest::isFirstWhole), TOLERANCE);
    }

    /** The second thread keeps its priority while four of the first thread's must be higher: the lowest of five. */
    @Test
    void partialOrderSamplingKeepsThePriorityOfAStepUntilItRaces() {
        SimulatedProgram program = new SimulatedProgram(new int[] {PRIVATE, PRIVATE, PRIVATE, 0}, new int[] {0});
        assertEquals(1.0 / 5, share("pos", 1, program, SamplingTest::isFirstWhole), TOLERANCE);
    }

    /** The second thread draws anew after each of the first one's steps, which all race with its own. */
    @Test
    void partialOrderSamplingDrawsAPriorityAnewAfterARace() {
        SimulatedProgram program = new SimulatedProgram(new int[] {0, 0, 0, 0}, new int[] {0});
        assertEquals(1.0 / 16, share("pos", 1, program, SamplingTest::isFirstWhole), TOLERANCE);
    }

    @Test
    void partialOrderSamplingDrawsOnlyForTheThreadThatStepsAndThoseThatRaceWithIt() {
        SimulatedProgram program = new SimulatedProgram(new int[] {0, PRIVATE}, new int[] {0}, new int[] {1});
        for (int seed = 0; seed < 100; seed++) {
            List<long[]> priorities = new ArrayList<>();
            List<Integer> schedule = program.run(strategy("pos", seed, 1), priorities);
            long[] before = priorities.get(0);
            long[] after = priorities.get(1);
            int first = schedule.get(0);
            for (int thread = 0; thread < 3; thread++) {
                boolean isRacing = first != 2 && thread == 1 - first;
                assertEquals(thread == first || isRacing, before[thread] != after[thread], schedule + " " + thread);
            }
        }
    }

    @Test
    void pctRunsThreadsWholeAndInEachOrderWithTheSameProbabilityWithoutAChangePoint() {
        SimulatedProgram program = new SimulatedProgram(privateSteps(3), privateSteps(3), privateSteps(3));
        Map<List<Integer>, Integer> orders = new HashMap<>();
        for (int seed = 0; seed < DRAWS; seed++) {
            List<Integer> schedule = program.run(strategy("pct", seed, LONG));
            assertEquals(0, switchesFromUnfinished(schedule), schedule::toString);
            orders.merge(schedule, 1, Integer::sum);
        }
        assertEquals(6, orders.size());
        orders.values().forEach(count -> assertEquals(1.0 / 6, (double) count / DRAWS, TOLERANCE));
    }

    @Test
    void pctLeavesAThreadOnlyAtOneToThreeChangePoints() {
        SimulatedProgram program = new SimulatedProgram(privateSteps(9), privateSteps(9), privateSteps(9));
        Set<Integer> counts = new HashSet<>();
        for (int seed = 0; seed < DRAWS; seed++) {
            counts.add(switchesFromUnfinished(program.run(strategy("pct", seed, 27))));
        }
        assertEquals(new HashSet<>(Arrays.asList(0, 1, 2, 3)), counts);
    }

    @Test
    void aChangePointOfPctIsAtEachStepWithTheSameProbability() {
        int length = 10;
        SimulatedProgram program = new SimulatedProgram(privateSteps(length), privateSteps(length));
        int[] counts = new int[length + 1];
        int drawn = 0;
        for (int seed = 0; seed < 3 * DRAWS; seed++) {
            Strategy strategy = strategy("pct", seed, length);
            if (strategy.hasDepthTwoGuarantee()) {
                List<Integer> schedule = program.run(strategy);
                counts[schedule.indexOf(1 - schedule.get(0))]++;
                drawn++;
            }
        }
        // At the first step, the other thread is the one that goes first, and then ends first.
        for (int at = 1; at < length; at++) {
            assertEquals(1.0 / length, (double) counts[at] / drawn, TOLERANCE);
        }
    }

    /** The second thread's step between the two of the first one: of depth 2, of 2 threads and 3 steps. */
    @Test
    void pctOfDepthTwoFindsABugWithAtLeastTheProbabilityOfTheTheorem() {
        SimulatedProgram program = new SimulatedProgram(new int[] {0, 0}, new int[] {0});
        int found = 0;
        int drawn = 0;
        for (int seed = 0; seed < DRAWS; seed++) {
            Strategy strategy = strategy("pct", seed, 3);
            if (strategy.hasDepthTwoGuarantee()) {
                drawn++;
                found += program.run(strategy).equals(Arrays.asList(0, 1, 0)) ? 1 : 0;
            }
        }
        assertTrue(found >= drawn / (2.0 * 3), found + " of " + drawn);
    }

    @Test
    void onlyPctWithOneChangePointIsOfDepthTwo() {
        for (String name : new String[] {"straight", "random", "pos", "directed"}) {
            assertFalse(strategy(name, 1, 10).hasDepthTwoGuarantee());
        }
        int count = 0;
        for (int seed = 0; seed < DRAWS; seed++) {
            count += strategy("pct", seed, 10).hasDepthTwoGuarantee() ? 1 : 0;
        }
        assertEquals(1.0 / 3, (double) count / DRAWS, TOLERANCE);
    }

    @Test
    void theSameSeedDrawsTheSameSchedule() {
        SimulatedProgram program = new SimulatedProgram(new int[] {0, 1, 2}, new int[] {2, 1, 0}, new int[] {1, 1});
        for (String name : new String[] {"random", "pos", "pct"}) {
            assertEquals(program.run(strategy(name, 7, 8)), program.run(strategy(name, 7, 8)));
        }
    }

    @Test
    void withoutPreemptionThreadsRunWhole() {
        SimulatedProgram program = new SimulatedProgram(privateSteps(2), privateSteps(2));
        assertEquals(Arrays.asList(0, 0, 1, 1), program.run(strategy("straight", 3, 1)));
    }

    @Test
    void aReplayTakesTheRecordedChoices() {
        SimulatedProgram program = new SimulatedProgram(privateSteps(2), privateSteps(2));
        ReplayStrategy replay = new ReplayStrategy(new int[] {0, 1, 0});
        assertEquals(Arrays.asList(0, 1, 0, 1), program.run(replay));
        assertFalse(replay.hasDiverged);
    }

    @Test
    void aReplayWhoseChoiceIsNotEnabledHasDiverged() {
        ReplayStrategy replay = new ReplayStrategy(new int[] {5});
        new SimulatedProgram(privateSteps(1), privateSteps(1)).run(replay);
        assertTrue(replay.hasDiverged);
    }
}
