package gitmend.schedule;

import gitmend.schedule.report.Findings;
import gitmend.schedule.report.TraceReport;
import gitmend.schedule.weave.InstrumentedClassCache;
import gitmend.wire.Json;
import java.util.Map;
import java.util.TreeMap;

/** JSON report of an exploration. */
final class ExplorationReport {
    private ExplorationReport() {}

    static String write(Exploration exploration, InstrumentedClassCache classes) {
        Findings findings = exploration.findings;
        Json json = new Json();
        json.open('{').key("run").value(findings.scheduleCount).key("failing").value(findings.failingCount);
        json.key("inconclusive").value(findings.inconclusiveCount).key("left").value(findings.leftoverThreads);
        json.key("diverged").value(findings.hasDiverged);
        json.key("millis").value(Math.round(1000 * exploration.elapsedSeconds()));
        json.key("has_goal").value(exploration.goal != null);
        json.key("other_failures").value(findings.otherFailureCount);
        json.key("other_failure").value(findings.otherFailure);
        json.key("is_junit_parallel").value(exploration.isJUnitParallel());
        writeCounts(json, "strategies", new TreeMap<>(exploration.countsByStrategy));
        writeCounts(json, "multi_threaded_tests", exploration.countsByRequest());
        writeCounts(json, "proved", exploration.provedCounts());
        writeCounts(json, "depth_two", exploration.depthTwoCounts());
        writeList(json, "tests", exploration.tests);
        writeList(json, "single_threaded_tests", exploration.singleThreadedTests);
        writeList(json, "hanging_tests", exploration.abandonedTests());
        writeList(json, "block_reasons", findings.obstacles);
        writeList(json, "uncontrolled_threads", findings.uncontrolledThreads);
        writeList(json, "uninstrumented_classes", classes.uninstrumented);
        writeList(json, "lock_classes", classes.lockClasses);
        writeList(json, "accessing_methods", findings.allAccessingMethods());
        json.key("outputs").open('{');
        findings.outputCounts.forEach((wanted, texts) -> {
            json.key(wanted).open('{');
            texts.forEach((text, count) -> json.key(text).value(count));
            json.close('}');
        });
        json.close('}');
        json.key("classes").value(classes.projectClasses.size());
        json.key("groups").open('[');
        findings.groups.values().forEach(group -> json.open('{').key("count").value(group.count)
                .key("first").value(group.firstSchedule).key("example").open(' ').raw(group.example).close('}'));
        json.close(']');
        json.key("race_example").open(' ').raw(findings.raceExample == null ? "null" : findings.raceExample);
        writeOrderFindings(json, findings);
        writePatterns(json, findings);
        return json.close('}').toString();
    }

    private static void writeCounts(Json json, String key, Map<String, int[]> countsByName) {
        json.key(key).open('{');
        countsByName.forEach((name, counts) -> {
            json.key(name).open('[');
            for (int count : counts) {
                json.value(count);
            }
            json.close(']');
        });
        json.close('}');
    }

    private static void writeList(Json json, String name, Iterable<String> values) {
        json.key(name).open('[');
        values.forEach(json::value);
        json.close(']');
    }

    private static void writeSites(Json json, int[] sites) {
        json.key("sites").open('[');
        for (int site : sites) {
            TraceReport.writeSite(json, site);
        }
        json.close(']');
    }

    private static void writeOrderFindings(Json json, Findings findings) {
        json.key("races").open('[');
        findings.raceCounts.forEach((key, count) -> {
            json.open('{').key("variable").value(findings.raceNames.get(key));
            writeSites(json, findings.raceSites.get(key));
            json.key("schedules").value(count).close('}');
        });
        json.close(']').key("lock_order_cycles").open('[');
        findings.cycleCounts.forEach((key, count) -> {
            json.open('{');
            writeSites(json, findings.cycles.get(key));
            json.key("schedules").value(count).close('}');
        });
        json.close(']').key("truncated_cycle_searches").value(findings.truncatedCycleSearches);
    }

    private static void writePatterns(Json json, Findings findings) {
        json.key("patterns").open('[');
        findings.patterns.counts.forEach((key, count) -> {
            if (count.failing > 0) {
                json.open('{').key("key").value(key).key("form").value(count.form);
                writeSites(json, count.sites);
                json.key("failing").value(count.failing).key("passing").value(count.passing).close('}');
            }
        });
        json.close(']').key("policy").open('[');
        findings.locksets.variables.forEach((name, variable) -> {
            json.open('{').key("variable").value(name).key("accesses").value(variable.accessCount);
            json.key("locks").open('{');
            variable.lockCounts.forEach((lock, count) -> json.key(lock).value(count));
            json.close('}').close('}');
        });
        json.close(']');
    }
}
