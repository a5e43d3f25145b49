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
    /** Accesses to one variable, and how many of them each lock guards. */
    public static final class Variable {
        public int accessCount;
        public final Map<String, Integer> lockCounts = new TreeMap<>();
    }

    public final Map<String, Variable> variables = new TreeMap<>();

    void addTrace(Trace trace) {
        Set<Location> shared = findShared(trace);
        for (int i = 0; i < trace.length; i++) {
            Location location = trace.locations[i];
            boolean isExcluded = !shared.contains(location) || Sites.getSite(trace.sites[i]).method.endsWith("init>");
            if (isExcluded || !isAccess(trace, i)) {
                continue;
            }
            Variable variable = variables.computeIfAbsent(variableName(location), key -> new Variable());
            variable.accessCount++;
            if (trace.heldLocks[i].length == 0) {
                continue;
            }
            // Two locks of one class count once.
            Set<String> names = new HashSet<>();
            for (Location lock : trace.heldLocks[i]) {
                boolean isOwnMonitor = lock.object == location.object && location.subject >= 0;
                if (!isStreamLock(lock, location)) {
                    names.add(isOwnMonitor ? "this" : lockName(lock));
                }
            }
            names.forEach(lock -> variable.lockCounts.merge(lock, 1, Integer::sum));
        }
    }

    /** Returns true if the lock is the stream's own, which every print takes. */
    private static boolean isStreamLock(Location lock, Location printed) {
        return lock.object == printed.object && lock.object instanceof PrintStream;
    }

    private static boolean isAccess(Trace trace, int step) {
        return trace.kinds[step] == Trace.Kind.READ || trace.kinds[step] == Trace.Kind.WRITE;
    }

    /** Returns the locations that several threads access. Volatile ones are left out, since they synchronise. */
    private static Set<Location> findShared(Trace trace) {
        Map<Location, Integer> firstThreads = new HashMap<>();
        Set<Location> shared = new HashSet<>();
        for (int i = 0; i < trace.length; i++) {
            Location location = trace.locations[i];
            if (location != null && isAccess(trace, i) && !location.isVolatile) {
                Integer first = firstThreads.putIfAbsent(location, trace.threadIds[i]);
                if (first != null && first != trace.threadIds[i]) {
                    shared.add(location);
                }
            }
        }
        return shared;
    }

    /** Returns the name of a lock: the field with an object that only serves as a lock, else the type of the object. */
    private static String lockName(Location lock) {
        Class<?> type = lock.object.getClass();
        boolean isPureLock = type == Object.class || type.isArray() || type.getName().startsWith("gitmend.copy.")
                || type.getName().startsWith("java.");
        return isPureLock ? variableName(lock) : "the monitor of " + Names.typeName(lock.object);
    }

    /** Returns a name that all objects of a class share. */
    private static String variableName(Location location) {
        String name = Names.locationName(location);
        int number = name.indexOf('#');
        int index = name.indexOf('[');
        String prefix = number >= 0 ? name.substring(0, number) : index >= 0 ? name.substring(0, index) : name;
        return location.index >= 0 ? prefix + "[]" : prefix;
    }
}
