package gitmend.schedule.report;

import gitmend.schedule.control.Location;
import gitmend.schedule.control.Trace;
import gitmend.schedule.weave.ModelledMethods;
import gitmend.schedule.weave.Sites;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Interleaving patterns: conflicting accesses of two threads to one or two variables, counted per schedule. */
public final class Patterns {
    private static final int MAX_PER_SCHEDULE = 3000;
    private static final int MAX_PATTERNS = 20_000;
    /** Maximum distance of two accesses of one thread in a pattern. */
    private static final int MAX_DISTANCE = 8;
    /**
     * Patterns on one variable, by kinds of accesses of the threads a, b and a: unserializable interleavings (Falcon;
     * Park, Vuduc and Harrold, ICSE 2010).
     */
    private static final Set<String> ONE_VARIABLE_FORMS =
            new HashSet<>(Arrays.asList("RWR", "WWR", "WRW", "RWW", "WWW"));
    /**
     * Patterns on two variables x and y: order of the accesses of the threads a and b, and their kinds in this order
     * (Unicorn; Park, Vuduc and Harrold, ICST 2012).
     */
    private static final Set<String> TWO_VARIABLE_FORMS = new HashSet<>(Arrays.asList(
            "axbxbyay WWWW", "axbybxay WWWW", "axbyaybx WWWW", "axbxbyay WRRW", "axbybxay WRRW", "axbxbyay RWWR",
            "axbybxay RWWR", "axbyaybx RWRW", "axbyaybx WRWR"));

    /** Number of failing and passing schedules with a pattern. */
    public static final class Count {
        public final String form;
        public final int[] sites;
        public int failing;
        public int passing;

        Count(String form, int[] sites) {
            this.form = form;
            this.sites = sites;
        }
    }

    public final Map<String, Count> counts = new LinkedHashMap<>();

    /** Returns the conflicting pairs of accesses in a failing schedule, the most suspicious first. */
    public List<int[]> findConflicts(Trace trace) {
        Run run = new Run(trace, new LinkedHashMap<>());
        run.findAll();
        List<int[]> pairs = run.findConflicts();
        pairs.sort(Comparator.comparingDouble(pair -> -suspicion(run, pair)));
        return pairs;
    }

    /** Returns the share of failing schedules among those with a pattern of two steps. */
    private double suspicion(Run run, int[] pair) {
        String form = "" + run.accessLetter(pair[0]) + run.accessLetter(pair[1]);
        Count count = counts.get(form + " " + run.trace.sites[pair[0]] + " " + run.trace.sites[pair[1]]);
        return count == null ? 0 : (double) count.failing / (count.failing + count.passing);
    }

    /** Counts the patterns of one schedule. */
    void addTrace(Trace trace, boolean hasFailed) {
        Map<String, Count> found = new LinkedHashMap<>();
        new Run(trace, found).findAll();
        for (Map.Entry<String, Count> entry : found.entrySet()) {
            Count count = counts.size() < MAX_PATTERNS ? counts.computeIfAbsent(entry.getKey(), key -> entry.getValue())
                    : counts.get(entry.getKey());
            if (count != null) {
                count.failing += hasFailed ? 1 : 0;
                count.passing += hasFailed ? 0 : 1;
            }
        }
    }

    /** The patterns of one schedule. */
    static final class Run {
        private final Trace trace;
        private final Map<String, Count> counts;
        /**
         * Accesses to shared locations whose order is open by starts and joins of threads, in the order of the
         * schedule.
         */
        private final List<Integer> steps = new ArrayList<>();
        private final Map<Location, List<Integer>> byLocation = new LinkedHashMap<>();
        private final Map<Integer, List<Integer>> byThread = new HashMap<>();
        /** Pairs of steps whose order decides the outcome. */
        List<int[]> decisivePairs = Collections.emptyList();
        /** Steps of the first occurrence of each pattern, or of the first one with a decisive pair. */
        final Map<String, int[]> firstSteps = new HashMap<>();

        Run(Trace trace, Map<String, Count> counts) {
            this.trace = trace;
            this.counts = counts;
        }

        void findAll() {
            for (int i = 0; i < trace.length; i++) {
                Trace.Kind kind = trace.kinds[i];
                boolean isAccess = kind == Trace.Kind.READ || kind == Trace.Kind.WRITE || kind == Trace.Kind.CALL;
                if (isAccess && trace.locations[i] != null && !isLockCall(i)) {
                    byLocation.computeIfAbsent(trace.locations[i], key -> new ArrayList<>()).add(i);
                }
            }
            byLocation.entrySet().removeIf(entry -> !entry.getKey().isContended
                    && !isCalledBySeveralThreads(entry.getValue()));
            byLocation.values().forEach(steps::addAll);
            steps.sort(null);
            steps.forEach(i -> byThread.computeIfAbsent(trace.threadIds[i], key -> new ArrayList<>()).add(i));
            byLocation.values().forEach(this::findOnOneVariable);
            byThread.values().forEach(this::findOnTwoVariables);
        }

        /** Lock operations are left out: only the accesses under a lock can be wrong. */
        private boolean isLockCall(int step) {
            String method = Sites.getSite(trace.sites[step]).calledMethod();
            boolean isNamedLikeIt = method.equals("lock") || method.equals("unlock")
                    || method.equals("lockInterruptibly");
            Object object = trace.locations[step].object;
            return isNamedLikeIt && object != null && ModelledMethods.isLock(object.getClass());
        }

        /**
         * Returns pairs of conflicting accesses of two threads in the order of the schedule: for each access and each
         * other thread, the last access before it. Of pairs with the same threads and sites, the first and the last.
         */
        List<int[]> findConflicts() {
            Map<List<Integer>, List<int[]>> conflicts = new LinkedHashMap<>();
            for (List<Integer> accesses : byLocation.values()) {
                Map<Integer, Integer> lastReads = new HashMap<>();
                Map<Integer, Integer> lastWrites = new HashMap<>();
                for (int step : accesses) {
                    boolean isWrite = accessLetter(step) == 'W';
                    addConflicts(lastWrites, step, conflicts);
                    if (isWrite) {
                        addConflicts(lastReads, step, conflicts);
                    }
                    (isWrite ? lastWrites : lastReads).put(trace.threadIds[step], step);
                }
            }
            List<int[]> all = new ArrayList<>();
            conflicts.values().forEach(all::addAll);
            return all;
        }

        private void addConflicts(Map<Integer, Integer> lastSteps, int step, Map<List<Integer>, List<int[]>> found) {
            for (int earlier : lastSteps.values()) {
                if (trace.threadIds[earlier] != trace.threadIds[step]) {
                    List<Integer> key = Arrays.asList(trace.sites[earlier], trace.sites[step],
                            trace.threadIds[earlier], trace.threadIds[step]);
                    List<int[]> same = found.computeIfAbsent(key, ignored -> new ArrayList<>());
                    if (same.size() == 2) {
                        same.remove(1);
                    }
                    same.add(new int[] {earlier, step});
                }
            }
        }

        /** Returns true if several threads call methods of the object; its variables are not observed. */
        private boolean isCalledBySeveralThreads(List<Integer> accesses) {
            int first = accesses.get(0);
            return trace.kinds[first] == Trace.Kind.CALL
                    && accesses.stream().anyMatch(i -> trace.threadIds[i] != trace.threadIds[first]);
        }

        private char accessLetter(int step) {
            boolean isWrite = trace.kinds[step] == Trace.Kind.WRITE
                    || trace.kinds[step] == Trace.Kind.CALL && !Sites.getSite(trace.sites[step]).isRead;
            return isWrite ? 'W' : 'R';
        }

        private void findOnOneVariable(List<Integer> accesses) {
            Map<Integer, Integer> lastIndexes = new HashMap<>();
            for (int index = 0; index < accesses.size(); index++) {
                int step = accesses.get(index);
                int adjacent = index == 0 ? -1 : accesses.get(index - 1);
                if (adjacent >= 0 && trace.threadIds[adjacent] != trace.threadIds[step]) {
                    String letters = "" + accessLetter(adjacent) + accessLetter(step);
                    if (!letters.equals("RR")) {
                        addPattern(letters, adjacent, step);
                    }
                }
                Integer previous = lastIndexes.put(trace.threadIds[step], index);
                for (int between = previous == null ? index : previous + 1; between < index; between++) {
                    int first = accesses.get(previous);
                    int middle = accesses.get(between);
                    String letters = "" + accessLetter(first) + accessLetter(middle) + accessLetter(step);
                    if (ONE_VARIABLE_FORMS.contains(letters)) {
                        addPattern(letters, first, middle, step);
                    }
                }
            }
        }

        private void findOnTwoVariables(List<Integer> accesses) {
            for (int i = 0; i < accesses.size(); i++) {
                for (int k = i + 1; k < Math.min(accesses.size(), i + MAX_DISTANCE); k++) {
                    Location x = trace.locations[accesses.get(i)];
                    Location y = trace.locations[accesses.get(k)];
                    if (haveSameHolder(x, y) && accesses.get(k) > accesses.get(i) + 1) {
                        findInterleaved(accesses.get(i), accesses.get(k), byLocation.get(x), byLocation.get(y));
                    }
                }
            }
        }

        /** Returns true if two variables belong to one object, or are static ones of one class. */
        private static boolean haveSameHolder(Location x, Location y) {
            boolean areStatic = x.object == null && y.object == null && x.subject >= 0 && y.subject >= 0;
            return x != y && (areStatic ? className(x).equals(className(y)) : x.object != null && x.object == y.object);
        }

        private static String className(Location variable) {
            String name = Sites.subjectName(variable.subject);
            return name.substring(0, name.lastIndexOf('.') + 1);
        }

        private void findInterleaved(int first, int last, List<Integer> onX, List<Integer> onY) {
            for (int bx : onX) {
                if (bx <= first || trace.threadIds[bx] == trace.threadIds[first]) {
                    continue;
                }
                for (int by : onY) {
                    if (trace.threadIds[by] != trace.threadIds[bx] || by <= first || by >= last) {
                        continue;
                    }
                    if (bx < last) {
                        String order = bx < by ? "axbxbyay " : "axbybxay ";
                        addInterleaving(order, first, Math.min(bx, by), Math.max(bx, by), last);
                    } else if (bx - last < MAX_DISTANCE) {
                        addInterleaving("axbyaybx ", first, by, last, bx);
                    }
                }
                if (bx > last + MAX_DISTANCE) {
                    return;
                }
            }
        }

        private void addInterleaving(String order, int first, int second, int third, int fourth) {
            String letters = "" + accessLetter(first) + accessLetter(second) + accessLetter(third)
                    + accessLetter(fourth);
            if (TWO_VARIABLE_FORMS.contains(order + letters)) {
                addPattern(order + letters, first, second, third, fourth);
            }
        }

        private boolean hasDecisivePair(int[] stepNumbers) {
            List<Integer> all = new ArrayList<>();
            for (int step : stepNumbers) {
                all.add(step);
            }
            return decisivePairs.stream().anyMatch(pair -> all.contains(pair[0]) && all.contains(pair[1]));
        }

        private void addPattern(String form, int... stepNumbers) {
            if (counts.size() >= MAX_PER_SCHEDULE) {
                return;
            }
            int[] sites = new int[stepNumbers.length];
            StringBuilder key = new StringBuilder(form);
            for (int i = 0; i < stepNumbers.length; i++) {
                sites[i] = trace.sites[stepNumbers[i]];
                key.append(' ').append(sites[i]);
            }
            counts.computeIfAbsent(key.toString(), ignored -> new Count(form, sites));
            int[] known = firstSteps.get(key.toString());
            if (known == null || hasDecisivePair(stepNumbers) && !hasDecisivePair(known)) {
                firstSteps.put(key.toString(), stepNumbers);
            }
        }
    }
}
