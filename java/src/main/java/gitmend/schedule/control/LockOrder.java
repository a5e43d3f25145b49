package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.List;

/** Lock graph of one schedule: the locks that threads acquire while they hold others. */
public final class LockOrder {
    private static final int MAX_EDGES = 400;

    /** Acquisition of one lock while another is held. */
    static final class Edge {
        final Location from;
        final Location to;
        final ControlledThread thread;
        final int site;
        final int forkTime;
        final int[] forkClock;
        final List<Location> heldLocks;

        Edge(Location from, Location to, ControlledThread thread, int site) {
            this.from = from;
            this.to = to;
            this.thread = thread;
            this.site = site;
            forkTime = VectorClocks.getTime(thread.forkClock, thread.id);
            forkClock = thread.forkClock.clone();
            heldLocks = new ArrayList<>(thread.heldLocks);
        }

        /** Returns true if neither acquisition happens before the other by starts and joins of threads. */
        boolean isConcurrentWith(Edge other) {
            boolean isAfter = other.forkTime <= VectorClocks.getTime(forkClock, other.thread.id);
            boolean isBefore = forkTime <= VectorClocks.getTime(other.forkClock, thread.id);
            return !isAfter && !isBefore;
        }

        /** Returns true if both threads hold a common lock (gate lock), which excludes the deadlock. */
        boolean hasCommonGuard(Edge other) {
            for (Location location : heldLocks) {
                if (other.heldLocks.contains(location)) {
                    return true;
                }
            }
            return false;
        }
    }

    private final List<Edge> edges = new ArrayList<>();
    /** True if the search for cycles may have missed some. */
    public boolean isTruncated;

    void recordAcquisition(ControlledThread thread, Location lock, int site) {
        for (Location from : thread.heldLocks) {
            boolean isKnown = false;
            for (Edge edge : edges) {
                isKnown |= edge.from == from && edge.to == lock && edge.thread == thread && edge.site == site;
            }
            isTruncated |= !isKnown && edges.size() >= MAX_EDGES;
            if (!isKnown && edges.size() < MAX_EDGES) {
                edges.add(new Edge(from, lock, thread, site));
            }
        }
    }

    /** Returns the cycles. Each is the sorted list of the sites that acquire its locks. */
    public List<int[]> findCycles() {
        LockGraphCycles search = new LockGraphCycles(edges);
        List<int[]> cycles = search.findAll();
        isTruncated |= search.isLimitReached();
        return cycles;
    }
}
