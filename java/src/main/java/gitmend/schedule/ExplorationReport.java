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

    static String all(Exploration exploration, InstrumentedClassCache store) {
        Findings findings = exploration.findings;
        Json json = new Json();
        json.open('{').key("run").value(findings.run).key("failing").value(findings.failing);
        json.key("inconclusive").value(findings.inconclusive).key("left").value(findings.left);
        json.key("diverged").value(findings.hasDiverged);
        json.key("millis").value(Math.round(1000 * exploration.seconds()));
        counts(json, "strategies", new TreeMap<>(exploration.byStrategy));
        counts(json, "units", exploration.byUnit());
        counts(json, "proved", exploration.proved());
        counts(json, "depth_two", exploration.ofDepthTwo());
        list(json, "tests", exploration.tests);
        list(json, "alone", exploration.alone);
        list(json, "stuck", exploration.stuck());
        list(json, "obstacles", findings.obstacles);
        list(json, "strangers", findings.strangers);
        list(json, "failed", store.failed);
        list(json, "coming", findings.coming());
        json.key("printed").open('{');
        findings.printed.forEach((wanted, texts) -> {
            json.key(wanted).open('{');
            texts.forEach((text, count) -> json.key(text).value(count));
            json.close('}');
        });
        json.close('}');
        json.key("classes").value(store.projectClasses.size());
        json.key("groups").open('[');
        findings.groups.values().forEach(group -> json.open('{').key("count").value(group.count)
                .key("first").value(group.first).key("example").open(' ').raw(group.example).close('}'));
        json.close(']');
        json.key("race_example").open(' ').raw(findings.raceExample == null ? "null" : findings.raceExample);
        order(json, findings);
        counts(json, findings);
        return json.close('}').toString();
    }

    private static void counts(Json json, String key, Map<String, int[]> all) {
        json.key(key).open('{');
        all.forEach((name, counts) -> {
            json.key(name).open('[');
            for (int count : counts) {
                json.value(count);
            }
            json.close(']');
        });
        json.close('}');
    }

    private static void list(Json json, String name, Iterable<String> values) {
        json.key(name).open('[');
        values.forEach(json::value);
        json.close(']');
    }

    private static void sites(Json json, int[] sites) {
        json.key("sites").open('[');
        for (int site : sites) {
            TraceReport.site(json, site);
        }
        json.close(']');
    }

    private static void order(Json json, Findings findings) {
        json.key("races").open('[');
        findings.races.forEach((key, count) -> {
            json.open('{').key("variable").value(findings.raceNames.get(key));
            sites(json, findings.raceSites.get(key));
            json.key("schedules").value(count).close('}');
        });
        json.close(']').key("circles").open('[');
        findings.circleCounts.forEach((key, count) -> {
            json.open('{');
            sites(json, findings.circles.get(key));
            json.key("schedules").value(count).close('}');
        });
        json.close(']').key("circles_cut_short").value(findings.circlesCutShort);
    }

    private static void counts(Json json, Findings findings) {
        json.key("patterns").open('[');
        findings.patterns.counts.forEach((key, count) -> {
            if (count.failing > 0) {
                json.open('{').key("key").value(key).key("form").value(count.form);
                sites(json, count.sites);
                json.key("failing").value(count.failing).key("passing").value(count.passing).close('}');
            }
        });
        json.close(']').key("policy").open('[');
        findings.policy.variables.forEach((name, variable) -> {
            json.open('{').key("variable").value(name).key("accesses").value(variable.accesses);
            json.key("locks").open('{');
            variable.locks.forEach((lock, count) -> json.key(lock).value(count));
            json.close('}').close('}');
        });
        json.close(']');
    }
}
