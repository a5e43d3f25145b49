package gitmend.schedule.report;

import gitmend.schedule.control.Location;
import gitmend.schedule.control.Names;
import gitmend.schedule.control.Trace;
import gitmend.schedule.weave.Sites;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Lockset of each shared variable (Eraser, SOSP 1997): the locks that threads hold at accesses. */
public final class LocksetTable {
    /** One variable. */
    public static final class Variable {
        public int accesses;
        public final Map<String, Integer> locks = new TreeMap<>();
    }

    public final Map<String, Variable> variables = new TreeMap<>();

    void add(Trace trace) {
        Set<Location> shared = shared(trace);
        for (int i = 0; i < trace.length; i++) {
            Location location = trace.locations[i];
            boolean isOut = !shared.contains(location) || Sites.get(trace.sites[i]).method.endsWith("init>");
            if (isOut || !isAccess(trace, i)) {
                continue;
            }
            Variable variable = variables.computeIfAbsent(name(location), key -> new Variable());
            variable.accesses++;
            if (trace.held[i].length == 0) {
                continue;
            }
            // Two locks of one kind guard it once.
            Set<String> held = new HashSet<>();
            for (Location lock : trace.held[i]) {
                boolean isOwn = lock.object == location.object && location.subject >= 0;
                if (!isOfStream(lock, location)) {
                    held.add(isOwn ? "this" : name(lock));
                }
            }
            held.forEach(lock -> variable.locks.merge(lock, 1, Integer::sum));
        }
    }

    /** Whether a stream takes a lock, its own one, as it always does. */
    private static boolean isOfStream(Location lock, Location printed) {
        return lock.object == printed.object && lock.object instanceof PrintStream;
    }

    private static boolean isAccess(Trace trace, int step) {
        return trace.kinds[step] == Trace.Kind.READ || trace.kinds[step] == Trace.Kind.WRITE;
    }

    /** What more than one thread comes to, and is no word of theirs to each other. */
    private static Set<Location> shared(Trace trace) {
        Map<Location, Integer> first = new HashMap<>();
        Set<Location> shared = new HashSet<>();
        for (int i = 0; i < trace.length; i++) {
            Location location = trace.locations[i];
            if (location != null && isAccess(trace, i) && !location.isVolatile) {
                Integer actor = first.putIfAbsent(location, trace.actors[i]);
                if (actor != null && actor != trace.actors[i]) {
                    shared.add(location);
                }
            }
        }
        return shared;
    }

    /** The same for all objects of a kind. */
    private static String name(Location location) {
        String name = Names.of(location);
        int number = name.indexOf('#');
        int index = name.indexOf('[');
        String own = number >= 0 ? name.substring(0, number) : index >= 0 ? name.substring(0, index) : name;
        return location.index >= 0 ? own + "[]" : own;
    }
}
