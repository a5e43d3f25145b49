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
import java.util.Set;
import java.util.TreeSet;

/** JSON report of one schedule: its threads, its steps and the source locations they happened at. */
public final class TraceReport {
    private TraceReport() {}

    public static void writeSite(Json json, int number) {
        Sites.Site site = Sites.getSite(number);
        json.open('{').key("class").value(site.className).key("method").value(site.method);
        json.key("line").value(site.line).key("turn").value(site.occurrence);
        json.key("subject").value(Sites.subjectName(site.subject)).close('}');
    }

    /** Writes the threads, sites and steps of a schedule. */
    static void writeTrace(Json json, Scheduler scheduler, List<int[]> decisivePairs) {
        Trace trace = scheduler.trace;
        trace.recordWrittenValue();
        json.key("threads").open('[');
        scheduler.threads.forEach(thread -> json.value(Names.threadName(thread)));
        json.close(']');
        Map<Integer, Integer> sites = new LinkedHashMap<>();
        Map<List<String>, Integer> stacks = new LinkedHashMap<>();
        json.key("steps").open('[');
        for (int i = 0; i < trace.length; i++) {
            int site = trace.sites[i];
            sites.putIfAbsent(site, sites.size());
            json.open('{').key("thread").value(trace.threadIds[i]);
            json.key("what").value(trace.kinds[i].toString().toLowerCase());
            json.key("site").value(sites.get(site));
            if (trace.locations[i] != null) {
                json.key("location").value(trace.locations[i].number);
                json.key("name").value(Names.locationName(trace.locations[i]));
            }
            if (trace.otherThreads[i] != -1) {
                json.key("other").value(trace.otherThreads[i]);
            }
            json.key("time").value(trace.clockTimes[i]);
            if (i < trace.stacks.size()) {
                stacks.putIfAbsent(trace.stacks.get(i), stacks.size());
                json.key("stack").value(stacks.get(trace.stacks.get(i)));
            }
            if (i < trace.values.size() && trace.values.get(i) != null) {
                json.key("value").value(trace.values.get(i));
            }
            if (trace.heldLocks[i].length > 0) {
                json.key("locks").open('[');
                for (Location lock : trace.heldLocks[i]) {
                    json.value(Names.locationName(lock));
                }
                json.close(']');
            }
            json.close('}');
        }
        json.close(']').key("sites").open('[');
        sites.keySet().forEach(site -> writeSite(json, site));
        json.close(']').key("stacks").open('[');
        for (List<String> stack : stacks.keySet()) {
            json.open('[');
            stack.forEach(json::value);
            json.close(']');
        }
        json.close(']').key("patterns").open('[');
        writePatterns(json, trace, decisivePairs);
        json.close(']').key("lock_classes").open('[');
        findLockClasses(trace).forEach(json::value);
        json.close(']').key("cut_short").value(trace.isTruncated);
    }

    /** Returns the project classes whose objects threads acquire as locks. */
    private static Set<String> findLockClasses(Trace trace) {
        Set<String> classes = new TreeSet<>();
        for (int i = 0; i < trace.length; i++) {
            if (trace.kinds[i] == Trace.Kind.ACQUIRE) {
                classes.add(trace.locations[i].object.getClass().getName());
            }
        }
        return classes;
    }

    /** Writes the patterns of a schedule with the steps of their first occurrences, those with decisive pairs before. */
    private static void writePatterns(Json json, Trace trace, List<int[]> decisivePairs) {
        Patterns.Run run = new Patterns.Run(trace, new LinkedHashMap<>());
        run.decisivePairs = decisivePairs;
        run.findAll();
        for (Map.Entry<String, int[]> entry : run.firstSteps.entrySet()) {
            json.open('{').key("key").value(entry.getKey()).key("steps").open('[');
            for (int step : entry.getValue()) {
                json.value(step);
            }
            json.close(']').close('}');
        }
    }
}
