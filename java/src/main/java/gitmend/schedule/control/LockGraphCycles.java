package gitmend.schedule.control;

import gitmend.schedule.control.LockOrder.Edge;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Searches the lock graph for cycles, the short ones first, within a step limit. */
final class LockGraphCycles {
    private static final int MOST = 400;
    private static final int MOST_STEPS = 20_000;

    private final List<Edge> edges;
    private final Map<Set<Integer>, int[]> found = new LinkedHashMap<>();
    private int steps;

    LockGraphCycles(List<Edge> edges) {
        this.edges = new ArrayList<>(edges);
    }

    /** Each as the sites at which its locks are taken, the smallest first. */
    List<int[]> all() {
        leaveDeadEnds();
        Set<ControlledThread> actors = new HashSet<>();
        edges.forEach(edge -> actors.add(edge.actor));
        for (int length = 2; length <= actors.size() && !isOver(); length++) {
            for (int first = 0; first < edges.size(); first++) {
                List<Edge> path = new ArrayList<>();
                path.add(edges.get(first));
                extend(path, first, length);
            }
        }
        return new ArrayList<>(found.values());
    }

    /** Whether there was more to look through. */
    boolean isOver() {
        return steps >= MOST_STEPS || found.size() >= MOST;
    }

    /** What leads to no lock that another is taken under, or from none, is in no circle. */
    private void leaveDeadEnds() {
        boolean isLess = true;
        while (isLess) {
            Set<Location> from = new HashSet<>();
            Set<Location> to = new HashSet<>();
            edges.forEach(edge -> from.add(edge.from));
            edges.forEach(edge -> to.add(edge.to));
            isLess = edges.removeIf(edge -> !from.contains(edge.to) || !to.contains(edge.from));
        }
    }

    /** Goes on along edges behind the first one, as a circle is found from its first edge alone. */
    private void extend(List<Edge> path, int first, int length) {
        Edge last = path.get(path.size() - 1);
        if (path.size() == length) {
            if (last.to == path.get(0).from) {
                Set<Integer> sites = new TreeSet<>();
                path.forEach(edge -> sites.add(edge.site));
                found.putIfAbsent(sites, sites.stream().mapToInt(Integer::intValue).toArray());
            }
            return;
        }
        for (int at = first + 1; at < edges.size() && !isOver(); at++) {
            Edge next = edges.get(at);
            if (next.from == last.to && fits(path, next)) {
                path.add(next);
                extend(path, first, length);
                path.remove(path.size() - 1);
            }
        }
    }

    private boolean fits(List<Edge> path, Edge next) {
        steps++;
        for (Edge one : path) {
            if (one.actor == next.actor || one.from == next.from || !one.isFreeOf(next)
                    || one.isGuardedFrom(next)) {
                return false;
            }
        }
        return true;
    }
}
