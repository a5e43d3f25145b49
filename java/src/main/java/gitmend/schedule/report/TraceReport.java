package gitmend.schedule.report;

import gitmend.schedule.control.Location;
import gitmend.schedule.control.Names;
import gitmend.schedule.control.Scheduler;
import gitmend.schedule.control.Trace;
import gitmend.schedule.weave.Sites;
import gitmend.wire.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON report of one schedule: its threads, its steps and the source locations they happened at. */
public final class TraceReport {
    private TraceReport() {}

    public static void site(Json json, int number) {
        Sites.Site site = Sites.get(number);
        json.open('{').key("class").value(site.className).key("method").value(site.method);
        json.key("line").value(site.line).key("turn").value(site.turn);
        json.key("subject").value(Sites.subjectName(site.subject)).close('}');
    }

    /** The threads of a schedule, the places that they came to, and what they did there. */
    static void trace(Json json, Scheduler scheduler) {
        Trace trace = scheduler.trace;
        json.key("threads").open('[');
        scheduler.actors.forEach(actor -> json.value(Names.of(actor)));
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
}
