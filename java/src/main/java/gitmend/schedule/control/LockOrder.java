package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.List;

/** Records which locks were taken while others were held, and whether threads could close a cycle
 * of them. */
public final class LockOrder {
    private static final int MOST = 400;

    /** One lock taken under another. */
    static final class Edge {
        final Location from;
        final Location to;
        final ControlledThread actor;
        final int site;
        final int fork;
        final int[] forks;
        final List<Location> held;

        Edge(Location from, Location to, ControlledThread actor, int site) {
            this.from = from;
            this.to = to;
            this.actor = actor;
            this.site = site;
            fork = VectorClocks.at(actor.forks, actor.id);
            forks = actor.forks.clone();
            held = new ArrayList<>(actor.held);
        }

        /** Whether starts and ends of threads leave open which of both comes first. */
        boolean isFreeOf(Edge other) {
            boolean isAfter = other.fork <= VectorClocks.at(forks, other.actor.id);
            boolean isBefore = fork <= VectorClocks.at(other.forks, actor.id);
            return !isAfter && !isBefore;
        }

        /** Whether a lock that both hold keeps them apart. */
        boolean isGuardedFrom(Edge other) {
            for (Location one : held) {
                if (other.held.contains(one)) {
                    return true;
                }
            }
            return false;
        }
    }

    private final List<Edge> edges = new ArrayList<>();
    /** Whether some circles may not have been found. */
    public boolean isCutShort;

    void taken(ControlledThread actor, Location lock, int site) {
        for (Location from : actor.held) {
            boolean isKnown = false;
            for (Edge one : edges) {
                isKnown |= one.from == from && one.to == lock && one.actor == actor && one.site == site;
            }
            isCutShort |= !isKnown && edges.size() >= MOST;
            if (!isKnown && edges.size() < MOST) {
                edges.add(new Edge(from, lock, actor, site));
            }
        }
    }

    /** Circles, each as the sites at which its locks are taken, the smallest first. */
    public List<int[]> circles() {
        LockGraphCycles circles = new LockGraphCycles(edges);
        List<int[]> all = circles.all();
        isCutShort |= circles.isOver();
        return all;
    }
}
