package gitmend.schedule;

import gitmend.schedule.control.Strategy;
import gitmend.schedule.report.Findings;
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
    private static final int ENOUGH_FAILING = 30;
    private static final int ENOUGH = 100;
    /** Number of unfinished schedules after which a test is given up. */
    private static final int MOST_INCONCLUSIVE = 3;

    /** What is run: the tests of a class, or one of them. */
    private static final class Unit {
        final String wanted;
        /** Whether it has a test, as seen when its class ran: a later run without any reported test
         * ran nothing. */
        final boolean hasTests;
        final BitSet shared = new BitSet();
        /** How many decisions the longest schedule had. */
        int length = 1;
        int threads = 1;
        /** How many schedules with one change of priorities there were since such a length is known. */
        int ofDepthTwo;
        int run;
        int failing;
        /** Schedules that did not finish. */
        int inconclusive;
        /** All orders that make a difference, one by one; null if there are too many, or a fault. */
        DporStrategy orders = new DporStrategy();
        /** How many schedules these took. */
        int ordered;
        /** How many orders there are, once all were run; else 0. */
        int proved;
        /** Whether a time-out or the clock might have made a difference. */
        boolean isTimed;

        Unit(String wanted, boolean hasTests) {
            this.wanted = wanted;
            this.hasTests = hasTests;
        }

        /** Whether more schedules would only say the same. */
        boolean isDone() {
            return failing >= ENOUGH_FAILING && run >= ENOUGH || isStuck() || proved > 0;
        }

        boolean isStuck() {
            return inconclusive >= MOST_INCONCLUSIVE;
        }
    }

    private final ScheduleRunner stage;
    private final long seed;
    private final int most;
    /** Whether the first fault is all that is asked for. */
    private final boolean isTrial;
    /** How long all orders may take where others are sampled behind them, in nanoseconds. */
    private final long longestOrders;
    private final List<String> cycle = new ArrayList<>();
    /** What directed schedules are about. */
    private final Set<String> targets;
    /** Whether all orders are asked for, if there are few. */
    private final boolean hasAll;
    private final List<Unit> units = new ArrayList<>();
    private int turn;
    /** Time in schedules, in nanoseconds. */
    private long spent;
    final Findings findings = new Findings();
    /** The tests that the runner reported in the first run. */
    final Set<String> tests = new LinkedHashSet<>();
    /** Tests with one thread only. */
    final Set<String> alone = new LinkedHashSet<>();
    final Map<String, int[]> byStrategy = new LinkedHashMap<>();

    Exploration(
            ScheduleRunner stage, List<String> wanted, List<String> strategies, Set<String> targets, long seed,
            int most, boolean isTrial, long limit) {
        this.stage = stage;
        this.targets = targets;
        this.seed = seed;
        this.most = most;
        this.isTrial = isTrial;
        // Half of the time is left for samples.
        long half = TimeUnit.MILLISECONDS.toNanos(limit) / 2;
        longestOrders = strategies.size() > 1 && limit > 0 ? half : Long.MAX_VALUE;
        for (String one : new String[] {"pos", "random", "directed", "pos", "pct"}) {
            if (strategies.contains(one)) {
                cycle.add(one);
            }
        }
        hasAll = strategies.contains("dpor");
        wanted.forEach(line -> units.add(new Unit(line, false)));
    }

    /** Runs what is asked for once as it comes, and finds out which of its tests have threads. */
    void begin() throws Exception {
        List<Unit> asked = new ArrayList<>(units);
        units.clear();
        for (Unit unit : asked) {
            for (Unit part : parts(unit)) {
                ScheduleRunner.Execution played = play(part, "straight", 0);
                tests.addAll(tests(played));
                // What is started in an initialiser counts as well.
                if (played.scheduler.actors.size() > 1 || played.obstacle != null) {
                    units.add(part);
                } else {
                    alone.addAll(tests(played));
                }
            }
        }
    }

    /** The tests of a class that need to be run by themselves: none where all are seen to have one thread. */
    private List<Unit> parts(Unit unit) throws Exception {
        long begun = System.nanoTime();
        Schedule schedule = new Schedule(unit.wanted, "straight", 0, unit.shared);
        ScheduleRunner.Execution played = stage.play(schedule, Strategies.of("straight", 0, 1, targets));
        Set<String> tests = played.obstacle == null ? tests(played) : Collections.emptySet();
        boolean isAlone = played.scheduler.actors.size() == 1 && !played.hasFailed() && !tests.isEmpty();
        if (isAlone) {
            book(unit, "straight", played, begun);
            this.tests.addAll(tests);
            alone.addAll(tests);
            return Collections.emptyList();
        }
        ScheduleRunner.clear();
        Set<String> wanted = new LinkedHashSet<>();
        for (String test : tests) {
            wanted.add(wanted(test));
        }
        // A class reported as a whole cannot be run by itself.
        if (wanted.contains(null) || wanted.size() < 2) {
            return Collections.singletonList(new Unit(unit.wanted, !tests.isEmpty()));
        }
        List<Unit> parts = new ArrayList<>();
        wanted.forEach(line -> parts.add(new Unit(line, true)));
        return parts;
    }

    /** Returns the request that runs the method of a test, with all its repetitions; null if the
     * name has no method. */
    private static String wanted(String test) {
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

    private static Set<String> tests(ScheduleRunner.Execution played) {
        Set<String> tests = new LinkedHashSet<>();
        for (String line : played.results) {
            int at = line.indexOf("\"event\":\"ended\",\"test\":\"");
            if (at >= 0) {
                int start = at + 24;
                tests.add(line.substring(start, line.indexOf('"', start)));
            }
        }
        return tests;
    }

    /** How many tests there are, those that run several times counted once. */
    int methods() {
        return (int) tests.stream().map(test -> wanted(test) == null ? test : wanted(test)).distinct().count();
    }

    /** The tests that hang under some schedule. */
    List<String> stuck() {
        List<String> stuck = new ArrayList<>();
        for (Unit unit : units) {
            if (unit.isStuck()) {
                String[] parts = unit.wanted.split("\t");
                stuck.add(parts[1].isEmpty() ? parts[0] : parts[0] + "#" + parts[1]);
            }
        }
        return stuck;
    }

    /** Of each test with threads, how many schedules were run, and how many failed. */
    Map<String, int[]> byUnit() {
        Map<String, int[]> all = new LinkedHashMap<>();
        units.forEach(unit -> all.put(unit.wanted, new int[] {unit.run - unit.ordered, unit.failing}));
        return all;
    }

    /** Of each test whose orders were all run, how many there were, and whether time might make a difference. */
    Map<String, int[]> proved() {
        Map<String, int[]> all = new LinkedHashMap<>();
        units.stream().filter(unit -> unit.proved > 0)
                .forEach(unit -> all.put(unit.wanted, new int[] {unit.proved, unit.isTimed ? 1 : 0}));
        return all;
    }

    /** Of each test, how many schedules had one change of priorities, of how many threads and steps. */
    Map<String, int[]> ofDepthTwo() {
        Map<String, int[]> all = new LinkedHashMap<>();
        units.forEach(unit -> all.put(unit.wanted, new int[] {unit.ofDepthTwo, unit.threads, unit.length}));
        return all;
    }

    double seconds() {
        return spent / 1e9;
    }

    private ScheduleRunner.Execution play(Unit unit, String strategy, long number) throws Exception {
        long begun = System.nanoTime();
        Schedule schedule = new Schedule(unit.wanted, strategy, number, unit.shared);
        return play(unit, schedule, Strategies.of(strategy, number, unit.length, targets), begun);
    }

    private ScheduleRunner.Execution play(Unit unit, Schedule schedule, Strategy strategy, long begun)
            throws Exception {
        ScheduleRunner.Execution played = stage.play(schedule, strategy);
        boolean isSilent = played.obstacle == null && !played.hasFailed() && tests(played).isEmpty();
        if (unit.hasTests && isSilent) {
            played.obstacle = "no test ran";
        }
        book(unit, schedule.strategy, played, begun);
        unit.ofDepthTwo += strategy.isOfDepthTwo() && !played.scheduler.isPartial ? 1 : 0;
        return played;
    }

    private void book(Unit unit, String strategy, ScheduleRunner.Execution played, long begun) {
        unit.shared.or(played.scheduler.shared);
        unit.threads = Math.max(unit.threads, played.scheduler.actors.size());
        if (played.schedule.choices.length > unit.length) {
            unit.length = played.schedule.choices.length;
            unit.ofDepthTwo = 0;
        }
        int[] counts = byStrategy.computeIfAbsent(strategy, key -> new int[2]);
        counts[0]++;
        counts[1] += played.hasFailed() ? 1 : 0;
        unit.run++;
        unit.failing += played.hasFailed() ? 1 : 0;
        unit.inconclusive += played.obstacle == null ? 0 : 1;
        findings.add(played);
        ScheduleRunner.clear();
        spent += System.nanoTime() - begun;
    }

    /** Runs schedules for this long, in milliseconds. */
    void go(long millis) throws Exception {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!isDone() && System.nanoTime() < end) {
            Unit unit = units.get(turn % units.size());
            if (isOrdered(unit)) {
                playNext(unit);
                continue;
            }
            if (!cycle.isEmpty() && !unit.isDone()) {
                play(unit, cycle.get(turn / units.size() % cycle.size()), seed * 1_000_003 + turn);
            }
            turn++;
        }
    }

    /** Whether orders of a test are run one after the other: that shows a fault soon, or that there is none. */
    private boolean isOrdered(Unit unit) {
        boolean isClean = unit.failing == 0 && unit.inconclusive == 0 && findings.strangers.isEmpty();
        return hasAll && isClean && unit.orders != null && !unit.isDone() && spent < longestOrders;
    }

    /** Runs the order that comes next. */
    private void playNext(Unit unit) throws Exception {
        long begun = System.nanoTime();
        DporStrategy orders = unit.orders;
        orders.begin();
        ScheduleRunner.Execution played = play(unit, new Schedule(unit.wanted, "dpor", 0, unit.shared), orders, begun);
        unit.ordered++;
        unit.isTimed |= played.scheduler.time.matters;
        boolean isWhole = !played.hasFailed() && played.obstacle == null && played.left == 0;
        if (!played.schedule.shared.equals(unit.shared)) {
            // There are more decisions than was known.
            unit.orders = new DporStrategy();
        } else if (!isWhole || !orders.advance(played.scheduler)) {
            unit.proved = isWhole && !orders.isGivenUp() ? orders.count() : 0;
            unit.orders = null;
        }
        int share = Math.max(1, most / units.size() / (cycle.isEmpty() ? 1 : 2));
        unit.orders = unit.ordered < share ? unit.orders : null;
    }

    /** Runs the schedules that faults are shown by once more, now with the stacks of their threads. */
    void addStacks() throws Exception {
        if (isTrial) {
            return;
        }
        for (Findings.Group group : findings.groups.values()) {
            group.example = withStacks(group.schedule, group.example);
        }
        if (findings.failing == 0 && findings.raceSchedule != null) {
            findings.raceExample = withStacks(findings.raceSchedule, findings.raceExample);
        }
    }

    private String withStacks(Schedule schedule, String without) throws Exception {
        ScheduleRunner.Execution again = again(schedule);
        boolean isSame = !again.hasDiverged && again.obstacle == null;
        String example = isSame ? Findings.example(again) : without;
        ScheduleRunner.clear();
        return example;
    }

    private ScheduleRunner.Execution again(Schedule schedule) throws Exception {
        return stage.play(schedule, new ReplayStrategy(schedule.choices), true);
    }

    /** Runs one schedule that was written down. */
    void replay(Schedule schedule) throws Exception {
        ScheduleRunner.Execution played = again(schedule);
        findings.add(played);
        findings.hasDiverged = played.hasDiverged;
        ScheduleRunner.clear();
    }

    boolean isDone() {
        boolean isEnough = true;
        int run = 0;
        for (Unit unit : units) {
            boolean isOver = unit.isDone() || cycle.isEmpty() && !isOrdered(unit);
            isEnough &= isOver;
            // All orders come on top of what is sampled.
            run += unit.run - (cycle.isEmpty() ? 0 : unit.ordered);
        }
        boolean isFaulty = findings.failing > 0 || !findings.circles.isEmpty();
        return isEnough || run >= most || isTrial && isFaulty;
    }
}
