package gitmend.schedule;

import gitmend.schedule.control.Strategy;
import gitmend.schedule.report.Findings;
import gitmend.schedule.run.FailureGoal;
import gitmend.schedule.run.Schedule;
import gitmend.schedule.run.ScheduleRunner;
import gitmend.schedule.strategy.DporStrategy;
import gitmend.schedule.strategy.ReplayStrategy;
import gitmend.schedule.strategy.Strategies;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Exploration of many schedules of the same tests. */
final class Exploration {
    private static final int SUFFICIENT_FAILURES = 30;
    private static final int SUFFICIENT_SCHEDULES = 100;
    /** Maximum number of different failures whose decisive accesses are searched. */
    private static final int MAX_EXPLAINED = 2;
    /** Number of unfinished schedules after which a test is abandoned. */
    private static final int MAX_INCONCLUSIVE = 3;
    /** Number of orders of a test that DPOR runs before samples take turns with it. */
    private static final int ORDERS_BEFORE_SAMPLES = 3;
    /** Maximum number of samples that take turns with DPOR, so that proofs take little longer. */
    private static final int MAX_EARLY_SAMPLES = 50;

    /** Unit of exploration: a test class or one test. */
    private static final class Unit {
        final String request;
        /** True if its class reported a test: a later run without any reported test ran nothing. */
        final boolean hasTests;
        final BitSet sharedSubjects = new BitSet();
        /** Number of decisions in the longest schedule. */
        int maxDecisions = 1;
        int maxThreads = 1;
        /** Number of PCT schedules with one change point since `maxDecisions` is known. */
        int depthTwoSchedules;
        int scheduleCount;
        int failingCount;
        /** Number of schedules that fail in another way than the goal. */
        int otherFailureCount;
        int inconclusiveCount;
        /** Search for all orders; null if there are too many, or after a fault. */
        DporStrategy dpor = new DporStrategy();
        int dporSchedules;
        /** Number of samples that took turns with DPOR. */
        int earlySamples;
        /** Number of orders, if all were run and passed; else 0. */
        int provedOrders;
        /** True if a timeout or the clock may affect the result. */
        boolean isTimeDependent;

        Unit(String request, boolean hasTests) {
            this.request = request;
            this.hasTests = hasTests;
        }

        /** Returns true if more schedules would add nothing. */
        boolean isDone() {
            return failingCount >= SUFFICIENT_FAILURES && scheduleCount >= SUFFICIENT_SCHEDULES || isAbandoned()
                    || provedOrders > 0;
        }

        boolean isAbandoned() {
            return inconclusiveCount >= MAX_INCONCLUSIVE;
        }
    }

    private final ScheduleRunner runner;
    private final long seed;
    private final int maxSchedules;
    /** True if the exploration ends at the first fault. */
    private final boolean stopsAtFirstFault;
    /** Time limit of DPOR if sampling strategies follow. */
    private final long dporNanos;
    private final List<String> samplingCycle = new ArrayList<>();
    /** Target variables of active testing. */
    private final Set<String> targets;
    private final boolean usesDpor;
    private final List<Unit> units = new ArrayList<>();
    /** Failure to reproduce, or null for any. */
    FailureGoal goal;
    /** Classes of the project that are loaded so far. */
    Set<String> projectClasses = Collections.emptySet();
    private int nextTurn;
    /** Time in schedules, in nanoseconds. */
    private long elapsedNanos;
    final Findings findings = new Findings();
    /** Tests that the runner reported in the baseline run. */
    final Set<String> tests = new LinkedHashSet<>();
    /** Tests with one thread, which have one schedule. */
    final Set<String> singleThreadedTests = new LinkedHashSet<>();
    final Map<String, int[]> countsByStrategy = new LinkedHashMap<>();

    Exploration(
            ScheduleRunner runner, List<String> requests, List<String> strategies, Set<String> targets, long seed,
            int maxSchedules, boolean stopsAtFirstFault, long limitMillis) {
        this.runner = runner;
        this.targets = targets;
        this.seed = seed;
        this.maxSchedules = maxSchedules;
        this.stopsAtFirstFault = stopsAtFirstFault;
        // The other half of the time is for sampling.
        long half = TimeUnit.MILLISECONDS.toNanos(limitMillis) / 2;
        dporNanos = strategies.size() > 1 && limitMillis > 0 ? half : Long.MAX_VALUE;
        for (String strategy : new String[] {"pos", "random", "directed", "pos", "pct"}) {
            if (strategies.contains(strategy)) {
                samplingCycle.add(strategy);
            }
        }
        usesDpor = strategies.contains("dpor");
        requests.forEach(line -> units.add(new Unit(line, false)));
    }

    /** Runs each request without preemption, and keeps the tests that start threads. */
    void runBaseline() throws Exception {
        List<Unit> requested = new ArrayList<>(units);
        units.clear();
        for (Unit unit : requested) {
            for (Unit test : splitUnit(unit)) {
                ScheduleRunner.Execution execution = runSchedule(test, "straight", 0);
                tests.addAll(reportedTests(execution));
                // Threads that a class initialiser starts count as well.
                if (execution.scheduler.threads.size() > 1 || execution.obstacle != null) {
                    units.add(test);
                } else {
                    singleThreadedTests.addAll(reportedTests(execution));
                }
            }
        }
    }

    /** Splits a class into its tests. Returns none if all of them have one thread. */
    private List<Unit> splitUnit(Unit unit) throws Exception {
        long startNanos = System.nanoTime();
        Schedule schedule = new Schedule(unit.request, "straight", 0, unit.sharedSubjects);
        ScheduleRunner.Execution execution = runner.run(schedule, Strategies.create("straight", 0, 1, targets));
        Set<String> tests = execution.obstacle == null ? reportedTests(execution) : Collections.emptySet();
        boolean isSingleThreaded = execution.scheduler.threads.size() == 1 && !execution.hasFailed()
                && !tests.isEmpty();
        if (isSingleThreaded) {
            recordExecution(unit, "straight", execution, startNanos);
            this.tests.addAll(tests);
            singleThreadedTests.addAll(tests);
            return Collections.emptyList();
        }
        ScheduleRunner.clearScheduler();
        Set<String> requests = new LinkedHashSet<>();
        for (String test : tests) {
            requests.add(requestForTest(test));
        }
        // A class that is reported as a whole cannot be split.
        if (requests.contains(null) || requests.size() < 2) {
            return Collections.singletonList(new Unit(unit.request, !tests.isEmpty()));
        }
        List<Unit> parts = new ArrayList<>();
        requests.forEach(line -> parts.add(new Unit(line, true)));
        return parts;
    }

    /** Returns the request that runs the method of a test, with all its repetitions; null if the name has no method. */
    private static String requestForTest(String test) {
        int hash = test.indexOf('#');
        if (hash < 0) {
            return null;
        }
        int end = hash + 1;
        while (end < test.length() && test.charAt(end) != '[' && test.charAt(end) != '(') {
            end++;
        }
        return test.substring(0, hash) + "\t" + test.substring(hash + 1, end) + "\talways";
    }

    private static Set<String> reportedTests(ScheduleRunner.Execution execution) {
        Set<String> tests = new LinkedHashSet<>();
        for (String line : execution.results) {
            int event = line.indexOf("\"event\":\"ended\",\"test\":\"");
            if (event >= 0) {
                int start = event + 24;
                tests.add(line.substring(start, line.indexOf('"', start)));
            }
        }
        return tests;
    }

    /** Returns the number of test methods; repetitions of one method count once. */
    int countMethods() {
        return (int) tests.stream().map(test -> requestForTest(test) == null ? test : requestForTest(test)).distinct()
                .count();
    }

    /** Returns the tests that hang under some schedule. */
    List<String> abandonedTests() {
        List<String> abandoned = new ArrayList<>();
        for (Unit unit : units) {
            if (unit.isAbandoned()) {
                String[] fields = unit.request.split("\t");
                abandoned.add(fields[1].isEmpty() ? fields[0] : fields[0] + "#" + fields[1]);
            }
        }
        return abandoned;
    }

    /** Returns the number of sampled schedules and of failing ones, by request. */
    Map<String, int[]> countsByRequest() {
        Map<String, int[]> counts = new LinkedHashMap<>();
        units.forEach(unit -> counts.put(unit.request,
                new int[] {unit.scheduleCount - unit.dporSchedules, unit.failingCount}));
        return counts;
    }

    /** Returns the number of orders of tests whose orders were all run, and 1 if time may affect the result. */
    Map<String, int[]> provedCounts() {
        Map<String, int[]> counts = new LinkedHashMap<>();
        units.stream().filter(unit -> unit.provedOrders > 0)
                .forEach(unit -> counts.put(unit.request, new int[] {unit.provedOrders, unit.isTimeDependent ? 1 : 0}));
        return counts;
    }

    /**
     * Returns the number of PCT schedules with one change point, the number of threads and that of steps, by request.
     */
    Map<String, int[]> depthTwoCounts() {
        Map<String, int[]> counts = new LinkedHashMap<>();
        units.forEach(unit -> counts.put(unit.request,
                new int[] {unit.depthTwoSchedules, unit.maxThreads, unit.maxDecisions}));
        return counts;
    }

    boolean isJUnitParallel() {
        return runner.isJUnitParallel();
    }

    double elapsedSeconds() {
        return elapsedNanos / 1e9;
    }

    private ScheduleRunner.Execution runSchedule(Unit unit, String strategy, long number) throws Exception {
        long startNanos = System.nanoTime();
        Schedule schedule = new Schedule(unit.request, strategy, number, unit.sharedSubjects);
        return runSchedule(unit, schedule, Strategies.create(strategy, number, unit.maxDecisions, targets), startNanos);
    }

    private ScheduleRunner.Execution runSchedule(Unit unit, Schedule schedule, Strategy strategy, long startNanos)
            throws Exception {
        ScheduleRunner.Execution execution = runner.run(schedule, strategy);
        boolean isSilent = execution.obstacle == null && !execution.hasFailed() && reportedTests(execution).isEmpty();
        if (unit.hasTests && isSilent) {
            execution.obstacle = "no test ran";
        }
        recordExecution(unit, schedule.strategy, execution, startNanos);
        unit.depthTwoSchedules += strategy.hasDepthTwoGuarantee() && !execution.scheduler.isPartial ? 1 : 0;
        return execution;
    }

    private void recordExecution(Unit unit, String strategy, ScheduleRunner.Execution execution, long startNanos) {
        unit.sharedSubjects.or(execution.scheduler.sharedSubjects);
        unit.maxThreads = Math.max(unit.maxThreads, execution.scheduler.threads.size());
        if (execution.schedule.choices.length > unit.maxDecisions) {
            unit.maxDecisions = execution.schedule.choices.length;
            unit.depthTwoSchedules = 0;
        }
        int[] counts = countsByStrategy.computeIfAbsent(strategy, key -> new int[2]);
        boolean isOther = execution.hasFailed() && goal != null && !goal.matches(execution, projectClasses);
        boolean isMeant = execution.hasFailed() && !isOther;
        counts[0]++;
        counts[1] += isMeant ? 1 : 0;
        unit.scheduleCount++;
        unit.failingCount += isMeant ? 1 : 0;
        unit.otherFailureCount += isOther ? 1 : 0;
        unit.inconclusiveCount += execution.obstacle == null ? 0 : 1;
        if (isOther) {
            findings.addOtherFailure(execution);
        } else {
            findings.addExecution(execution);
        }
        ScheduleRunner.clearScheduler();
        elapsedNanos += System.nanoTime() - startNanos;
    }

    /** Runs schedules for this time. */
    void runFor(long millis) throws Exception {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!isDone() && System.nanoTime() < end) {
            Unit unit = units.get(nextTurn % units.size());
            if (isRunningDpor(unit)) {
                if (!isEarlySampleDue(unit)) {
                    runNextOrder(unit);
                    continue;
                }
                unit.earlySamples++;
            }
            if (!samplingCycle.isEmpty() && !unit.isDone()) {
                runNextSample(unit);
            }
            nextTurn++;
        }
    }

    /**
     * Returns true if a sample comes before the next order of DPOR. DPOR reverses the last steps first, so that it
     * reaches faults in early steps late.
     */
    private boolean isEarlySampleDue(Unit unit) {
        int due = Math.min(MAX_EARLY_SAMPLES, unit.dporSchedules - ORDERS_BEFORE_SAMPLES);
        return !samplingCycle.isEmpty() && unit.earlySamples < due;
    }

    private void runNextSample(Unit unit) throws Exception {
        BitSet knownSubjects = (BitSet) unit.sharedSubjects.clone();
        runSchedule(unit, samplingCycle.get(nextTurn / units.size() % samplingCycle.size()),
                seed * 1_000_003 + nextTurn);
        if (unit.dpor != null && !unit.sharedSubjects.equals(knownSubjects)) {
            // As in runNextOrder.
            unit.dpor = new DporStrategy();
        }
    }

    /** Returns true if DPOR runs for a test: it finds a fault soon or proves that there is none. */
    private boolean isRunningDpor(Unit unit) {
        boolean isClean = unit.failingCount + unit.otherFailureCount == 0 && unit.inconclusiveCount == 0
                && findings.uncontrolledThreads.isEmpty();
        return usesDpor && isClean && unit.dpor != null && !unit.isDone() && elapsedNanos < dporNanos;
    }

    /** Runs the next order of DPOR. */
    private void runNextOrder(Unit unit) throws Exception {
        long startNanos = System.nanoTime();
        DporStrategy dpor = unit.dpor;
        dpor.beginSchedule();
        Schedule schedule = new Schedule(unit.request, "dpor", 0, unit.sharedSubjects);
        ScheduleRunner.Execution execution = runSchedule(unit, schedule, dpor, startNanos);
        unit.dporSchedules++;
        unit.isTimeDependent |= execution.scheduler.time.isObserved;
        boolean isComplete = !execution.hasFailed() && execution.obstacle == null && execution.leftoverThreads == 0;
        if (!execution.schedule.sharedSubjects.equals(unit.sharedSubjects)) {
            // The schedule found further shared variables, which need scheduling points.
            unit.dpor = new DporStrategy();
        } else if (!isComplete || !dpor.advance(execution.scheduler)) {
            unit.provedOrders = isComplete && !dpor.isAbandoned() ? dpor.completedSchedules() : 0;
            unit.dpor = null;
        }
        int share = Math.max(1, maxSchedules / units.size() / (samplingCycle.isEmpty() ? 1 : 2));
        unit.dpor = unit.dporSchedules < share ? unit.dpor : null;
    }

    /** Runs the schedules of the reported faults again, to record stacks. */
    void addStacks() throws Exception {
        if (stopsAtFirstFault) {
            return;
        }
        int explained = 0;
        for (Findings.Group group : findings.groups.values()) {
            group.example = exampleWithStacks(group.schedule, group.example, explained++ < MAX_EXPLAINED);
        }
        if (findings.failingCount == 0 && findings.raceSchedule != null) {
            findings.raceExample = exampleWithStacks(findings.raceSchedule, findings.raceExample, false);
        }
    }

    private String exampleWithStacks(Schedule schedule, String fallback, boolean isExplained) throws Exception {
        List<int[]> decisivePairs = isExplained ? findDecisivePairs(schedule) : Collections.emptyList();
        ScheduleRunner.Execution replayed = replayWithStacks(schedule);
        boolean isSame = !replayed.hasDiverged && replayed.obstacle == null;
        String example = isSame ? Findings.writeExample(replayed, decisivePairs) : fallback;
        ScheduleRunner.clearScheduler();
        return example;
    }

    /** Returns the pairs of steps whose order decides the outcome of a failing schedule; none if it cannot be replayed. */
    private List<int[]> findDecisivePairs(Schedule schedule) throws Exception {
        ReplayStrategy replay = new ReplayStrategy(schedule.choices);
        ScheduleRunner.Execution failing = runner.run(schedule, replay);
        ScheduleRunner.clearScheduler();
        boolean isSame = !replay.hasDiverged && failing.hasFailed();
        return isSame ? new DecisiveOrders(runner, schedule, failing.scheduler.trace).find(findings.patterns)
                : Collections.emptyList();
    }

    private ScheduleRunner.Execution replayWithStacks(Schedule schedule) throws Exception {
        return runner.run(schedule, new ReplayStrategy(schedule.choices), true);
    }

    /** Replays a recorded schedule. */
    void replay(Schedule schedule) throws Exception {
        ScheduleRunner.Execution execution = replayWithStacks(schedule);
        findings.addExecution(execution);
        findings.hasDiverged = execution.hasDiverged;
        ScheduleRunner.clearScheduler();
    }

    boolean isDone() {
        boolean areAllDone = true;
        int scheduleCount = 0;
        for (Unit unit : units) {
            boolean isUnitDone = unit.isDone() || samplingCycle.isEmpty() && !isRunningDpor(unit);
            areAllDone &= isUnitDone;
            // Schedules of DPOR do not count against the limit of samples.
            scheduleCount += unit.scheduleCount - (samplingCycle.isEmpty() ? 0 : unit.dporSchedules);
        }
        boolean isFaulty = findings.failingCount > 0 || !findings.cycles.isEmpty();
        return areAllDone || scheduleCount >= maxSchedules || stopsAtFirstFault && isFaulty;
    }
}
