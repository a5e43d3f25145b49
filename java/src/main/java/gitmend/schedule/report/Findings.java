package gitmend.schedule.report;

import gitmend.schedule.control.Failure;
import gitmend.schedule.control.Trace;
import gitmend.schedule.run.Schedule;
import gitmend.schedule.run.ScheduleRunner;
import gitmend.schedule.weave.Sites;
import gitmend.wire.Json;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Findings of schedules: failures, data races, lock-order cycles, access patterns and lockset
 * statistics. */
public final class Findings {
    /** How long a test took is no part of what it does. */
    private static final Pattern MILLIS = Pattern.compile("\"millis\":\\d+");
    /** Maximum number of distinct failures. */
    private static final int MOST_GROUPS = 50;
    /** Maximum number of different outputs of one test; more than that are useless for comparison. */
    private static final int MOST_TEXTS = 10;

    /** Schedules that failed in the same way. */
    public static final class Group {
        public int count;
        /** The number of the first one. */
        public int first;
        /** The one that is easiest to follow, with all its threads did. */
        public String example;
        public Schedule schedule;
        int switches = Integer.MAX_VALUE;
    }

    public int run;
    public int failing;
    public boolean hasDiverged;
    public final Map<String, Group> groups = new LinkedHashMap<>();
    /** By both sites and the variable, in how many schedules. */
    public final Map<String, Integer> races = new LinkedHashMap<>();
    public final Map<String, int[]> raceSites = new LinkedHashMap<>();
    public final Map<String, String> raceNames = new LinkedHashMap<>();
    public final Map<String, int[]> circles = new LinkedHashMap<>();
    public final Map<String, Integer> circleCounts = new LinkedHashMap<>();
    /** In how many schedules not all circles were looked for. */
    public int circlesCutShort;
    public final Patterns patterns = new Patterns();
    public final LocksetTable policy = new LocksetTable();
    public final Set<String> obstacles = new TreeSet<>();
    public final Set<String> strangers = new TreeSet<>();
    /** By test, the methods of the project that change what threads may share; lambdas without their numbers. */
    private final Map<String, Set<String>> coming = new LinkedHashMap<>();
    private final Set<String> passed = new TreeSet<>();
    /** By what runs, what schedules print that pass, and how many print that. */
    public final Map<String, Map<String, Integer>> printed = new LinkedHashMap<>();
    public int inconclusive;
    public int left;
    /** The schedule that shows a race first, as no schedule fails by one. */
    public String raceExample;
    public Schedule raceSchedule;
    String last;

    public void add(ScheduleRunner.Execution played) {
        run++;
        left += played.left;
        strangers.addAll(played.scheduler.strangers);
        if (played.obstacle != null) {
            inconclusive++;
            obstacles.add(played.obstacle);
            return;
        }
        boolean hasFailed = played.hasFailed();
        failing += hasFailed ? 1 : 0;
        patterns.add(played.scheduler.trace, hasFailed);
        policy.add(played.scheduler.trace);
        coming(played, hasFailed);
        order(played);
        if (hasFailed) {
            failed(played);
        } else {
            Map<String, Integer> texts =
                    printed.computeIfAbsent(played.schedule.wanted, wanted -> new LinkedHashMap<>());
            if (texts.size() < MOST_TEXTS || texts.containsKey(played.printed)) {
                texts.merge(played.printed, 1, Integer::sum);
            }
        }
    }

    /** Who comes by in schedules that pass, if any does: what only follows from a failure will not be done any more. */
    private void coming(ScheduleRunner.Execution played, boolean hasFailed) {
        String test = played.schedule.wanted;
        if (hasFailed && passed.contains(test)) {
            return;
        }
        Set<String> own = coming.computeIfAbsent(test, key -> new TreeSet<>());
        if (!hasFailed && passed.add(test)) {
            own.clear();
        }
        Trace trace = played.scheduler.trace;
        for (int i = 0; i < trace.length; i++) {
            Sites.Site site = Sites.get(trace.sites[i]);
            boolean isAccess = trace.kinds[i] == Trace.Kind.READ || trace.kinds[i] == Trace.Kind.WRITE
                    || trace.kinds[i] == Trace.Kind.CALL;
            if (isAccess && site.isProject) {
                own.add(site.routine());
            }
        }
    }

    public Set<String> coming() {
        Set<String> all = new TreeSet<>();
        coming.values().forEach(all::addAll);
        return all;
    }

    private void order(ScheduleRunner.Execution played) {
        boolean isNew = false;
        for (Map.Entry<Long, Integer> one : played.scheduler.races.found.entrySet()) {
            int[] sites = {(int) (one.getKey() >> 32), one.getKey().intValue()};
            String name = Sites.subjectName(one.getValue());
            String key = name + " " + Arrays.toString(sites);
            isNew |= raceSites.put(key, sites) == null;
            raceNames.put(key, name);
            races.merge(key, 1, Integer::sum);
        }
        if (isNew && raceExample == null) {
            raceExample = example(played);
            raceSchedule = played.schedule;
        }
        List<int[]> found = played.scheduler.locks.circles();
        circlesCutShort += played.scheduler.locks.isCutShort ? 1 : 0;
        Set<String> seen = new TreeSet<>();
        for (int[] circle : found) {
            String key = Arrays.toString(circle);
            circles.put(key, circle);
            if (seen.add(key)) {
                circleCounts.merge(key, 1, Integer::sum);
            }
        }
    }

    private void failed(ScheduleRunner.Execution played) {
        Failure failure = played.scheduler.failure;
        String result = failure == null ? played.failedResult() : null;
        String key = failure == null ? "TEST " + shape(result) : failure.kind + " " + shape(failure.text);
        key = played.schedule.wanted + " " + key;
        if (groups.size() >= MOST_GROUPS && !groups.containsKey(key)) {
            return;
        }
        Group group = groups.computeIfAbsent(key, ignored -> new Group());
        group.first = group.count == 0 ? run : group.first;
        group.count++;
        int switches = switches(played.scheduler.trace);
        if (switches < group.switches) {
            group.switches = switches;
            group.example = example(played);
            group.schedule = played.schedule;
        }
    }

    /** Returns the part of a failure text that is the same in different schedules. */
    private static String shape(String text) {
        int frames = text.indexOf("\"frames\"");
        String own = frames < 0 ? text : text.substring(0, frames);
        return own.replaceAll("-?\\d+", "0").replaceAll("@\\p{XDigit}+", "@");
    }

    private static int switches(Trace trace) {
        int switches = 0;
        for (int i = 1; i < trace.length; i++) {
            switches += trace.actors[i] == trace.actors[i - 1] ? 0 : 1;
        }
        return switches;
    }

    /** A schedule as it is written down. */
    public static String example(ScheduleRunner.Execution played) {
        Json json = new Json();
        Failure failure = played.scheduler.failure;
        json.open('{').key("kind").value(failure == null ? "test" : failure.kind.toString().toLowerCase());
        json.key("text").value(failure == null ? null : failure.text);
        json.key("thread").value(failure == null || failure.actor == null ? 0 : failure.actor.id);
        json.key("waiting").open('[');
        if (failure != null) {
            failure.waiting.forEach(actor -> json.value(actor.id));
        }
        json.close(']').key("result");
        String result = failure == null ? played.failedResult() : null;
        json.open(' ').raw(result == null ? "null" : MILLIS.matcher(result).replaceAll("\"millis\":0"));
        json.key("schedule");
        played.schedule.write(json);
        TraceReport.trace(json, played.scheduler);
        return json.close('}').toString();
    }
}
