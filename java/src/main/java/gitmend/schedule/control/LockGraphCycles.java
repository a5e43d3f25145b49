package gitmend.schedule.control;

import gitmend.schedule.control.LockOrder.Edge;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Search for cycles in the lock graph, shortest first, within a step limit (potential deadlocks, Goodlock; Havelund,
 * SPIN 2000).
 */
final class LockGraphCycles {
    private static final int MAX_CYCLES = 400;
    private static final int MAX_STEPS = 20_000;

    private final List<Edge> edges;
    private final Map<Set<Integer>, int[]> cyclesBySites = new LinkedHashMap<>();
    private int steps;

    LockGraphCycles(List<Edge> edges) {
        this.edges = new ArrayList<>(edges);
    }

    /** Returns the cycles. Each is the sorted list of the sites that acquire its locks. */
    List<int[]> findAll() {
        removeDeadEnds();
        Set<ControlledThread> threads = new HashSet<>();
        edges.forEach(edge -> threads.add(edge.thread));
        for (int length = 2; length <= threads.size() && !isLimitReached(); length++) {
            for (int first = 0; first < edges.size(); first++) {
                List<Edge> path = new ArrayList<>();
                path.add(edges.get(first));
                extendPath(path, first, length);
            }
        }
        return new ArrayList<>(cyclesBySites.values());
    }

    /** Returns true if the search stopped at a limit. */
    boolean isLimitReached() {
        return steps >= MAX_STEPS || cyclesBySites.size() >= MAX_CYCLES;
    }

    /** Removes edges that are in no cycle: no edge leaves their target, or none enters their source. */
    private void removeDeadEnds() {
        boolean hasRemoved = true;
        while (hasRemoved) {
            Set<Location> sources = new HashSet<>();
            Set<Location> targets = new HashSet<>();
            edges.forEach(edge -> sources.add(edge.from));
            edges.forEach(edge -> targets.add(edge.to));
            hasRemoved = edges.removeIf(edge -> !sources.contains(edge.to) || !targets.contains(edge.from));
        }
    }

    /** Extends a path with edges after its first one in the list, so that each cycle is found once. */
    private void extendPath(List<Edge> path, int first, int length) {
        Edge last = path.get(path.size() - 1);
        if (path.size() == length) {
            if (last.to == path.get(0).from) {
                Set<Integer> sites = new TreeSet<>();
                path.forEach(edge -> sites.add(edge.site));
                cyclesBySites.putIfAbsent(sites, sites.stream().mapToInt(Integer::intValue).toArray());
            }
            return;
        }
        for (int index = first + 1; index < edges.size() && !isLimitReached(); index++) {
            Edge next = edges.get(index);
            if (next.from == last.to && canExtend(path, next)) {
                path.add(next);
                extendPath(path, first, length);
                path.remove(path.size() - 1);
            }
        }
    }

    private boolean canExtend(List<Edge> path, Edge next) {
        steps++;
        for (Edge edge : path) {
            if (edge.thread == next.thread || edge.from == next.from || !edge.isConcurrentWith(next)
                    || edge.hasCommonGuard(next)) {
                return false;
            }
        }
        return true;
    }
}
