package gitmend.schedule.report;

import gitmend.schedule.control.Location;
import gitmend.schedule.control.Trace;
import gitmend.schedule.weave.Sites;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Interleaving patterns: conflicting accesses of two threads to one or two variables, counted per schedule. */
public final class Patterns {
    private static final int MOST_A_RUN = 3000;
    private static final int MOST = 20_000;
    /** How far two accesses of one thread may be apart to belong together, in accesses. */
    private static final int NEAR = 8;
    /** On one variable, by what the steps do; the threads are a, b and a. */
    private static final Set<String> THREES = new HashSet<>(Arrays.asList("RWR", "WWR", "WRW", "RWW", "WWW"));
    /** On two variables; the letters are those of the first thread's steps and of the second's, the form is apart. */
    private static final Set<String> FOURS = new HashSet<>(Arrays.asList(
            "axbxbyay WWWW", "axbybxay WWWW", "axbyaybx WWWW", "axbxbyay WRRW", "axbybxay WRRW", "axbxbyay RWWR",
            "axbybxay RWWR", "axbyaybx RWRW", "axbyaybx WRWR"));

    /** How often one was seen. */
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

    /** Books the patterns of one schedule. */
    void add(Trace trace, boolean hasFailed) {
        Map<String, Count> seen = new LinkedHashMap<>();
        new Run(trace, seen).all();
        for (Map.Entry<String, Count> one : seen.entrySet()) {
            Count count = counts.size() < MOST ? counts.computeIfAbsent(one.getKey(), key -> one.getValue())
                    : counts.get(one.getKey());
            if (count != null) {
                count.failing += hasFailed ? 1 : 0;
                count.passing += hasFailed ? 0 : 1;
            }
        }
    }

    /** The patterns of one schedule. */
    static final class Run {
        private final Trace trace;
        private final Map<String, Count> found;
        /** Accesses to what several threads came to in an order that starts and joins left open, as they came. */
        private final List<Integer> steps = new ArrayList<>();
        private final Map<Location, List<Integer>> byLocation = new LinkedHashMap<>();
        private final Map<Integer, List<Integer>> byActor = new HashMap<>();
        /** The steps of each pattern where it was seen first. */
        final Map<String, int[]> places = new HashMap<>();

        Run(Trace trace, Map<String, Count> found) {
            this.trace = trace;
            this.found = found;
        }

        void all() {
            for (int i = 0; i < trace.length; i++) {
                Trace.Kind kind = trace.kinds[i];
                boolean isAccess = kind == Trace.Kind.READ || kind == Trace.Kind.WRITE || kind == Trace.Kind.CALL;
                if (isAccess && trace.locations[i] != null && !isLocking(trace.sites[i])) {
                    byLocation.computeIfAbsent(trace.locations[i], key -> new ArrayList<>()).add(i);
                }
            }
            byLocation.entrySet().removeIf(one -> !one.getKey().isContended && !isCalled(one.getValue()));
            byLocation.values().forEach(steps::addAll);
            steps.sort(null);
            steps.forEach(i -> byActor.computeIfAbsent(trace.actors[i], key -> new ArrayList<>()).add(i));
            byLocation.values().forEach(this::onOne);
            byActor.values().forEach(this::onTwo);
        }

        /** Who takes a lock first says nothing; what is done under it may. */
        private static boolean isLocking(int site) {
            String called = Sites.subjectName(Sites.get(site).subject);
            return called.startsWith("java.util.concurrent.locks.")
                    && (called.endsWith(".lock") || called.endsWith(".unlock"));
        }

        /** Whether several threads make calls there, of which only that is known. */
        private boolean isCalled(List<Integer> list) {
            int first = list.get(0);
            return trace.kinds[first] == Trace.Kind.CALL
                    && list.stream().anyMatch(i -> trace.actors[i] != trace.actors[first]);
        }

        private char letter(int step) {
            boolean isWrite = trace.kinds[step] == Trace.Kind.WRITE
                    || trace.kinds[step] == Trace.Kind.CALL && !Sites.get(trace.sites[step]).isRead;
            return isWrite ? 'W' : 'R';
        }

        private void onOne(List<Integer> list) {
            Map<Integer, Integer> last = new HashMap<>();
            for (int at = 0; at < list.size(); at++) {
                int step = list.get(at);
                int before = at == 0 ? -1 : list.get(at - 1);
                if (before >= 0 && trace.actors[before] != trace.actors[step]) {
                    String letters = "" + letter(before) + letter(step);
                    if (!letters.equals("RR")) {
                        put(letters, before, step);
                    }
                }
                Integer own = last.put(trace.actors[step], at);
                for (int between = own == null ? at : own + 1; between < at; between++) {
                    int first = list.get(own);
                    int middle = list.get(between);
                    String letters = "" + letter(first) + letter(middle) + letter(step);
                    if (THREES.contains(letters)) {
                        put(letters, first, middle, step);
                    }
                }
            }
        }

        private void onTwo(List<Integer> own) {
            for (int i = 0; i < own.size(); i++) {
                for (int k = i + 1; k < Math.min(own.size(), i + NEAR); k++) {
                    Location x = trace.locations[own.get(i)];
                    Location y = trace.locations[own.get(k)];
                    if (areOfOne(x, y) && own.get(k) > own.get(i) + 1) {
                        between(own.get(i), own.get(k), byLocation.get(x), byLocation.get(y));
                    }
                }
            }
        }

        /** Whether two variables are of one object, or static ones of one class. */
        private static boolean areOfOne(Location x, Location y) {
            boolean areStatic = x.object == null && y.object == null && x.subject >= 0 && y.subject >= 0;
            return x != y && (areStatic ? holder(x).equals(holder(y)) : x.object != null && x.object == y.object);
        }

        private static String holder(Location variable) {
            String name = Sites.subjectName(variable.subject);
            return name.substring(0, name.lastIndexOf('.') + 1);
        }

        private void between(int first, int last, List<Integer> onX, List<Integer> onY) {
            for (int bx : onX) {
                if (bx <= first || trace.actors[bx] == trace.actors[first]) {
                    continue;
                }
                for (int by : onY) {
                    if (trace.actors[by] != trace.actors[bx] || by <= first || by >= last) {
                        continue;
                    }
                    if (bx < last) {
                        String order = bx < by ? "axbxbyay " : "axbybxay ";
                        four(order, first, Math.min(bx, by), Math.max(bx, by), last);
                    } else if (bx - last < NEAR) {
                        four("axbyaybx ", first, by, last, bx);
                    }
                }
                if (bx > last + NEAR) {
                    return;
                }
            }
        }

        private void four(String order, int one, int two, int three, int four) {
            String letters = "" + letter(one) + letter(two) + letter(three) + letter(four);
            if (FOURS.contains(order + letters)) {
                put(order + letters, one, two, three, four);
            }
        }

        private void put(String form, int... at) {
            if (found.size() >= MOST_A_RUN) {
                return;
            }
            int[] sites = new int[at.length];
            StringBuilder key = new StringBuilder(form);
            for (int i = 0; i < at.length; i++) {
                sites[i] = trace.sites[at[i]];
                key.append(' ').append(sites[i]);
            }
            found.computeIfAbsent(key.toString(), ignored -> new Count(form, sites));
            places.putIfAbsent(key.toString(), at);
        }
    }
}
