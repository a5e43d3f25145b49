package gitmend.runtime;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** JSON report of an exploration. */
final class ExplorationReport {
    private ExplorationReport() {}

    static void site(Json json, int number) {
        Sites.Site site = Sites.get(number);
        json.open('{').key("class").value(site.className).key("method").value(site.method);
        json.key("line").value(site.line).key("turn").value(site.turn);
        json.key("subject").value(Sites.subjectName(site.subject)).close('}');
    }

    /** The threads of a schedule, the places that they came to, and what they did there. */
    static void trace(Json json, Control control) {
        Trace trace = control.trace;
        json.key("threads").open('[');
        control.actors.forEach(actor -> json.value(Names.of(actor)));
        json.close(']');
        Map<Integer, Integer> sites = new LinkedHashMap<>();
        Map<List<String>, Integer> stacks = new LinkedHashMap<>();
        json.key("steps").open('[');
        for (int i = 0; i < trace.length; i++) {
            int site = trace.sites[i];
            sites.putIfAbsent(site, sites.size());
            json.open('{').key("thread").value(trace.actors[i]);
            json.key("what").value(trace.kinds[i].toString().toLowerCase());
            json.key("site").value(sites.get(site));
            if (trace.locations[i] != null) {
                json.key("location").value(trace.locations[i].number);
                json.key("name").value(Names.of(trace.locations[i]));
            }
            if (trace.others[i] != -1) {
                json.key("other").value(trace.others[i]);
            }
            json.key("time").value(trace.times[i]);
            if (i < trace.stacks.size()) {
                stacks.putIfAbsent(trace.stacks.get(i), stacks.size());
                json.key("stack").value(stacks.get(trace.stacks.get(i)));
            }
            if (trace.held[i].length > 0) {
                json.key("locks").open('[');
                for (Location lock : trace.held[i]) {
                    json.value(Names.of(lock));
                }
                json.close(']');
            }
            json.close('}');
        }
        json.close(']').key("sites").open('[');
        sites.keySet().forEach(site -> site(json, site));
        json.close(']').key("stacks").open('[');
        for (List<String> stack : stacks.keySet()) {
            json.open('[');
            stack.forEach(json::value);
            json.close(']');
        }
        json.close(']').key("patterns").open('[');
        patterns(json, trace);
        json.close(']').key("cut_short").value(trace.isCutShort);
    }

    /** The patterns of this schedule, and at which steps each is seen first. */
    private static void patterns(Json json, Trace trace) {
        Patterns.Run run = new Patterns.Run(trace, new LinkedHashMap<>());
        run.all();
        for (Map.Entry<String, int[]> one : run.places.entrySet()) {
            json.open('{').key("key").value(one.getKey()).key("steps").open('[');
            for (int step : one.getValue()) {
                json.value(step);
            }
            json.close(']').close('}');
        }
    }

    static String all(Exploration exploration, Store store) {
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
            site(json, site);
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
