package gitmend.schedule.report;

import gitmend.schedule.control.Failure;
import gitmend.schedule.control.Trace;
import gitmend.schedule.run.FailureGoal;
import gitmend.schedule.run.Schedule;
import gitmend.schedule.run.ScheduleRunner;
import gitmend.schedule.weave.Sites;
import gitmend.wire.Json;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Findings of schedules: failures, data races, lock-order cycles, access patterns and lockset
 * statistics. */
public final class Findings {
    /** Duration of a test, which differs between schedules. */
    private static final Pattern MILLIS = Pattern.compile("\"millis\":\\d+");
    /** Maximum number of distinct failures. */
    private static final int MAX_GROUPS = 50;
    /** Maximum number of different outputs of one test; more are useless for comparison. */
    private static final int MAX_OUTPUTS = 10;

    /** Schedules that failed in the same way. */
    public static final class Group {
        public int count;
        public int firstSchedule;
        /** Report of the schedule with the fewest context switches. */
        public String example;
        public Schedule schedule;
        int contextSwitches = Integer.MAX_VALUE;
    }

    public int scheduleCount;
    public int failingCount;
    public boolean hasDiverged;
    public final Map<String, Group> groups = new LinkedHashMap<>();
    /** Number of schedules with each race; the key has both sites and the variable. */
    public final Map<String, Integer> raceCounts = new LinkedHashMap<>();
    public final Map<String, int[]> raceSites = new LinkedHashMap<>();
    public final Map<String, String> raceNames = new LinkedHashMap<>();
    public final Map<String, int[]> cycles = new LinkedHashMap<>();
    public final Map<String, Integer> cycleCounts = new LinkedHashMap<>();
    /** Number of schedules whose search for lock cycles stopped at a limit. */
    public int truncatedCycleSearches;
    public final Patterns patterns = new Patterns();
    public final LocksetTable locksets = new LocksetTable();
    public final Set<String> obstacles = new TreeSet<>();
    public final Set<String> uncontrolledThreads = new TreeSet<>();
    /** Methods of the project that access shared state, by test. Lambdas have no number. */
    private final Map<String, Set<String>> accessingMethods = new LinkedHashMap<>();
    private final Set<String> passedTests = new TreeSet<>();
    /** Outputs of passing schedules and their numbers, by request. */
    public final Map<String, Map<String, Integer>> outputCounts = new LinkedHashMap<>();
    /** Number of schedules that fail in another way than the goal, and the first such failure. */
    public int otherFailureCount;
    public String otherFailure;
    public int inconclusiveCount;
    public int leftoverThreads;
    /** Report of the first schedule with a new race, since no schedule fails by a race. */
    public String raceExample;
    public Schedule raceSchedule;

    public void addExecution(ScheduleRunner.Execution execution) {
        scheduleCount++;
        leftoverThreads += execution.leftoverThreads;
        uncontrolledThreads.addAll(execution.scheduler.uncontrolledThreads);
        if (execution.obstacle != null) {
            inconclusiveCount++;
            obstacles.add(execution.obstacle);
            return;
        }
        boolean hasFailed = execution.hasFailed();
        failingCount += hasFailed ? 1 : 0;
        patterns.addTrace(execution.scheduler.trace, hasFailed);
        locksets.addTrace(execution.scheduler.trace);
        recordAccessingMethods(execution, hasFailed);
        recordOrderFindings(execution);
        if (hasFailed) {
            recordFailure(execution);
        } else {
            Map<String, Integer> outputs =
                    outputCounts.computeIfAbsent(execution.schedule.request, wanted -> new LinkedHashMap<>());
            if (outputs.size() < MAX_OUTPUTS || outputs.containsKey(execution.outputPrefix)) {
                outputs.merge(execution.outputPrefix, 1, Integer::sum);
            }
        }
    }

    /** Counts a schedule that fails in another way than the goal. */
    public void addOtherFailure(ScheduleRunner.Execution execution) {
        scheduleCount++;
        leftoverThreads += execution.leftoverThreads;
        otherFailureCount++;
        if (otherFailure == null) {
            Failure failure = execution.scheduler.failure;
            otherFailure = failure == null ? FailureGoal.describeResult(execution.failedResult()) : failure.text;
        }
    }

    /**
     * Records methods that access shared state. Passing schedules replace failing ones: code that only handles a
     * failure is irrelevant for a fix.
     */
    private void recordAccessingMethods(ScheduleRunner.Execution execution, boolean hasFailed) {
        String test = execution.schedule.request;
        if (hasFailed && passedTests.contains(test)) {
            return;
        }
        Set<String> methods = accessingMethods.computeIfAbsent(test, key -> new TreeSet<>());
        if (!hasFailed && passedTests.add(test)) {
            methods.clear();
        }
        Trace trace = execution.scheduler.trace;
        for (int i = 0; i < trace.length; i++) {
            Sites.Site site = Sites.getSite(trace.sites[i]);
            boolean isAccess = trace.kinds[i] == Trace.Kind.READ || trace.kinds[i] == Trace.Kind.WRITE
                    || trace.kinds[i] == Trace.Kind.CALL;
            if (isAccess && site.isProject) {
                methods.add(site.stableMethod());
            }
        }
    }

    public Set<String> allAccessingMethods() {
        Set<String> methods = new TreeSet<>();
        accessingMethods.values().forEach(methods::addAll);
        return methods;
    }

    private void recordOrderFindings(ScheduleRunner.Execution execution) {
        boolean isNew = false;
        for (Map.Entry<Long, Integer> entry : execution.scheduler.races.subjectBySites.entrySet()) {
            int[] sites = {(int) (entry.getKey() >> 32), entry.getKey().intValue()};
            String name = Sites.subjectName(entry.getValue());
            String key = name + " " + Arrays.toString(sites);
            isNew |= raceSites.put(key, sites) == null;
            raceNames.put(key, name);
            raceCounts.merge(key, 1, Integer::sum);
        }
        if (isNew && raceExample == null) {
            raceExample = writeExample(execution);
            raceSchedule = execution.schedule;
        }
        List<int[]> cyclesOfSchedule = execution.scheduler.lockOrder.findCycles();
        truncatedCycleSearches += execution.scheduler.lockOrder.isTruncated ? 1 : 0;
        Set<String> counted = new TreeSet<>();
        for (int[] cycle : cyclesOfSchedule) {
            String key = Arrays.toString(cycle);
            cycles.put(key, cycle);
            if (counted.add(key)) {
                cycleCounts.merge(key, 1, Integer::sum);
            }
        }
    }

    private void recordFailure(ScheduleRunner.Execution execution) {
        Failure failure = execution.scheduler.failure;
        String result = failure == null ? execution.failedResult() : null;
        String key = failure == null ? "TEST " + normalise(result) : failure.kind + " " + normalise(failure.text);
        key = execution.schedule.request + " " + key;
        if (groups.size() >= MAX_GROUPS && !groups.containsKey(key)) {
            return;
        }
        Group group = groups.computeIfAbsent(key, ignored -> new Group());
        group.firstSchedule = group.count == 0 ? scheduleCount : group.firstSchedule;
        group.count++;
        int switches = countContextSwitches(execution.scheduler.trace);
        if (switches < group.contextSwitches) {
            group.contextSwitches = switches;
            group.example = writeExample(execution);
            group.schedule = execution.schedule;
        }
    }

    /** Returns a failure text without numbers and stack frames, which differ between schedules. */
    private static String normalise(String text) {
        int frames = text.indexOf("\"frames\"");
        String message = frames < 0 ? text : text.substring(0, frames);
        return message.replaceAll("-?\\d+", "0").replaceAll("@\\p{XDigit}+", "@");
    }

    private static int countContextSwitches(Trace trace) {
        int switches = 0;
        for (int i = 1; i < trace.length; i++) {
            switches += trace.threadIds[i] == trace.threadIds[i - 1] ? 0 : 1;
        }
        return switches;
    }

    /** Returns the JSON report of a schedule. */
    public static String writeExample(ScheduleRunner.Execution execution) {
        return writeExample(execution, Collections.emptyList());
    }

    /** Returns the JSON report of a schedule with the pairs of steps whose order decides its outcome. */
    public static String writeExample(ScheduleRunner.Execution execution, List<int[]> decisivePairs) {
        Json json = new Json();
        Failure failure = execution.scheduler.failure;
        json.open('{').key("kind").value(failure == null ? "test" : failure.kind.toString().toLowerCase());
        json.key("text").value(failure == null ? null : failure.text);
        json.key("thread").value(failure == null || failure.thread == null ? 0 : failure.thread.id);
        json.key("waiting").open('[');
        if (failure != null) {
            failure.waiting.forEach(thread -> json.value(thread.id));
        }
        json.close(']').key("result");
        String result = failure == null ? execution.failedResult() : null;
        json.open(' ').raw(result == null ? "null" : MILLIS.matcher(result).replaceAll("\"millis\":0"));
        json.key("schedule");
        execution.schedule.write(json);
        TraceReport.writeTrace(json, execution.scheduler, decisivePairs);
        json.key("decisive_pairs").open('[');
        for (int[] pair : decisivePairs) {
            json.open('[').value(pair[0]).value(pair[1]).close(']');
        }
        json.close(']');
        return json.close('}').toString();
    }
}
