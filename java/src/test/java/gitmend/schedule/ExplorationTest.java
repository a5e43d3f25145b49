package gitmend.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gitmend.runner.main.MainRunner;
import gitmend.schedule.report.Findings;
import gitmend.schedule.run.Schedule;
import gitmend.schedule.run.ScheduleRunner;
import gitmend.schedule.weave.InstrumentedClassCache;
import java.io.File;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import samples.Interpreter;
import samples.Programs;

/** Exploration of small programs. */
class ExplorationTest {
    private static final int MAX_SCHEDULES = 2000;

    private PrintStream out;
    private PrintStream err;

    @BeforeEach
    void keepStreams() {
        out = System.out;
        err = System.err;
    }

    @AfterEach
    void restoreStreams() {
        ScheduleRunner.clearScheduler();
        System.setOut(out);
        System.setErr(err);
    }

    private static String folderOf(Class<?> type) throws Exception {
        return new File(type.getProtectionDomain().getCodeSource().getLocation().toURI()).getPath();
    }

    private static Exploration exploration(Class<?> program, int maxSchedules, String... strategies) throws Exception {
        List<String> project = Collections.singletonList(folderOf(Programs.class));
        List<String> classPath = Arrays.asList(project.get(0), folderOf(MainRunner.class));
        InstrumentedClassCache classes = new InstrumentedClassCache(classPath, project, null);
        ScheduleRunner runner = new ScheduleRunner(classes, MainRunner.class.getName(), null, null);
        List<String> requests = Collections.singletonList(program.getName() + "\t\talways");
        return new Exploration(
                runner, requests, Arrays.asList(strategies), Collections.emptySet(), 1, maxSchedules, false, 0);
    }

    private static Exploration run(Class<?> program, int maxSchedules, String... strategies) throws Exception {
        Exploration exploration = exploration(program, maxSchedules, strategies);
        exploration.runBaseline();
        exploration.runFor(60_000);
        assertEquals(Collections.emptySet(), exploration.findings.obstacles);
        return exploration;
    }

    /** Returns the number of orders that DPOR found, all of which passed; 0 if it did not run all. */
    private static int orders(Class<?> program) throws Exception {
        Exploration exploration = run(program, MAX_SCHEDULES, "dpor");
        assertEquals(0, exploration.findings.failingCount);
        Map<String, int[]> proved = exploration.provedCounts();
        return proved.isEmpty() ? 0 : proved.values().iterator().next()[0];
    }

    @Test
    void twoWritesOfAVariableHaveTwoOrders() throws Exception {
        assertEquals(2, orders(Programs.TwoWriters.class));
    }

    @Test
    void threeWritesOfAVariableHaveSixOrders() throws Exception {
        assertEquals(6, orders(Programs.ThreeWriters.class));
    }

    @Test
    void readsHaveOneOrder() throws Exception {
        assertEquals(1, orders(Programs.ThreeReaders.class));
    }

    @Test
    void aWriteAndTwoReadsHaveFourOrders() throws Exception {
        assertEquals(4, orders(Programs.OneWriterTwoReaders.class));
    }

    @Test
    void aWriteAndThreeReadsHaveEightOrders() throws Exception {
        assertEquals(8, orders(Programs.OneWriterThreeReaders.class));
    }

    /** Of 16 results, one needs each write before the other. A sleeping thread once hid one of the others. */
    @Test
    void twoWritesAndTwoReadersOfBothHaveFifteenOrders() throws Exception {
        assertEquals(15, orders(Programs.TwoWritersTwoReaders.class));
    }

    @Test
    void twoIncrementsHaveFourOrders() throws Exception {
        assertEquals(4, orders(Programs.LostUpdate.class));
    }

    @Test
    void twoIncrementsUnderALockHaveTwoOrders() throws Exception {
        assertEquals(2, orders(Programs.LockedUpdate.class));
    }

    @Test
    void writesOfTwoVariablesHaveFourOrders() throws Exception {
        assertEquals(4, orders(Programs.TwoVariables.class));
    }

    @Test
    void storeBufferingHasThreeOrders() throws Exception {
        assertEquals(3, orders(Programs.StoreBuffering.class));
    }

    @Test
    void twoAtomicIncrementsHaveTwoOrders() throws Exception {
        assertEquals(2, orders(Programs.AtomicUpdate.class));
    }

    /** Traces (Mazurkiewicz) are interleavings up to the order of independent steps. */
    @Test
    void dporRunsEachTraceOfARandomProgramOnce() throws Exception {
        Random random = new Random(1);
        for (int i = 0; i < 12; i++) {
            List<List<String>> threads = new ArrayList<>();
            for (int thread = 0; thread < 3 + i % 2; thread++) {
                List<String> steps = new ArrayList<>();
                for (int step = 0; step < 1 + random.nextInt(i % 2 == 0 ? 3 : 2); step++) {
                    steps.add((random.nextBoolean() ? "r" : "w") + random.nextInt(2));
                }
                threads.add(steps);
            }
            String program = threads.stream().map(steps -> String.join(" ", steps)).collect(Collectors.joining(","));
            System.setProperty(Interpreter.PROPERTY, program);
            assertEquals(traces(threads), orders(Interpreter.class), program);
        }
    }

    private static int traces(List<List<String>> threads) {
        Set<String> traces = new HashSet<>();
        addTraces(threads, new int[threads.size()], new ArrayList<>(), traces);
        return traces.size();
    }

    /** Adds the order of dependent steps of each interleaving that begins with these threads. */
    private static void addTraces(
            List<List<String>> threads, int[] done, List<Integer> begun, Set<String> traces) {
        boolean isWhole = true;
        for (int thread = 0; thread < done.length; thread++) {
            if (done[thread] < threads.get(thread).size()) {
                isWhole = false;
                done[thread]++;
                begun.add(thread);
                addTraces(threads, done, begun, traces);
                begun.remove(begun.size() - 1);
                done[thread]--;
            }
        }
        if (isWhole) {
            traces.add(dependentPairs(threads, begun));
        }
    }

    private static String dependentPairs(List<List<String>> threads, List<Integer> interleaving) {
        Set<String> pairs = new TreeSet<>();
        int[] done = new int[threads.size()];
        List<String> names = new ArrayList<>();
        List<String> steps = new ArrayList<>();
        for (int thread : interleaving) {
            String step = threads.get(thread).get(done[thread]);
            String name = thread + "." + done[thread]++;
            for (int i = 0; i < steps.size(); i++) {
                boolean isWrite = (steps.get(i) + step).contains("w");
                if (isWrite && steps.get(i).charAt(1) == step.charAt(1)) {
                    pairs.add(names.get(i) + "<" + name);
                }
            }
            names.add(name);
            steps.add(step);
        }
        return pairs.toString();
    }

    @Test
    void dporFindsALostUpdate() throws Exception {
        Findings findings = run(Programs.FailingUpdate.class, MAX_SCHEDULES, "dpor").findings;
        assertTrue(findings.failingCount > 0);
        assertEquals(1, findings.groups.size());
    }

    @Test
    void eachSamplingStrategyFindsALostUpdateAndItsRace() throws Exception {
        for (String strategy : new String[] {"random", "pos", "pct"}) {
            Findings findings = run(Programs.FailingUpdate.class, 100, strategy).findings;
            assertTrue(findings.failingCount > 0, strategy);
            assertFalse(findings.raceCounts.isEmpty(), strategy);
        }
    }

    /** DPOR reverses the last steps first, and would reach this race after thousands of schedules. */
    @Test
    void samplesBetweenTheOrdersOfDporFindARaceInEarlySteps() throws Exception {
        Findings findings = run(Programs.EarlyRace.class, MAX_SCHEDULES, "dpor", "pos", "random", "pct").findings;
        int first = findings.groups.values().iterator().next().firstSchedule;
        assertTrue(first <= 20, "first failing schedule: " + first);
    }

    @Test
    void samplesBetweenOrdersKeepTheProof() throws Exception {
        Exploration exploration = run(
                Programs.TwoWritersTwoReaders.class, MAX_SCHEDULES, "dpor", "pos", "random", "pct");
        assertEquals(15, exploration.provedCounts().values().iterator().next()[0]);
        assertTrue(exploration.countsByStrategy.get("pos")[0] > 0);
    }

    @Test
    void locksInOppositeOrdersDeadlock() throws Exception {
        Findings findings = run(Programs.Deadlock.class, MAX_SCHEDULES, "dpor").findings;
        assertTrue(findings.groups.keySet().stream().anyMatch(key -> key.contains("DEADLOCK")));
        assertFalse(findings.cycles.isEmpty());
    }

    @Test
    void aFailureIsReplayed() throws Exception {
        Findings.Group group = run(Programs.FailingUpdate.class, MAX_SCHEDULES, "dpor")
                .findings.groups.values().iterator().next();
        Schedule schedule = group.schedule;
        for (int i = 0; i < 3; i++) {
            Exploration again = exploration(Programs.FailingUpdate.class, 1);
            again.replay(schedule);
            assertEquals(1, again.findings.failingCount);
            assertFalse(again.findings.hasDiverged);
        }
    }

    @Test
    void aProgramWithOneThreadRunsOnce() throws Exception {
        Exploration exploration = run(Programs.OneThread.class, MAX_SCHEDULES, "dpor");
        assertEquals(1, exploration.findings.scheduleCount);
        assertEquals(exploration.tests, exploration.singleThreadedTests);
    }

    @Test
    void tasksOfAPoolAreControlled() throws Exception {
        Exploration exploration = run(Programs.Pool.class, 50, "pos");
        assertEquals(0, exploration.findings.failingCount);
        assertArrayEquals(new int[] {50, 0}, sum(exploration.countsByStrategy.values()));
    }

    private static int[] sum(Iterable<int[]> counts) {
        int[] sum = new int[2];
        counts.forEach(one -> {
            sum[0] += one[0];
            sum[1] += one[1];
        });
        return sum;
    }
}
