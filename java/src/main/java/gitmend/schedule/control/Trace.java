package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Record of the steps of one schedule. */
public final class Trace {
    /** What a step is. */
    public enum Kind {
        READ, WRITE, LOCK, UNLOCK, CALL, WAIT, NOTIFY, START, JOIN, BEGIN, END, PARK, UNPARK, SLEEP, INTERRUPT
    }

    private static final int LONGEST = 100_000;
    /** A stack takes as long as many steps. */
    private static final int MOST_STACKS = 10_000;

    public int length;
    public int[] actors = new int[256];
    public int[] sites = new int[256];
    /** The numbers of threads where a step is about those. */
    public int[] others = new int[256];
    public Kind[] kinds = new Kind[256];
    public Location[] locations = new Location[256];
    public Location[][] held = new Location[256][];
    public int[] times = new int[256];
    public boolean isCutShort;
    /** The classes whose frames are written down at each step, or null if none are. */
    private Set<String> watched;
    /** Of each step, the places that its thread has come by and not left, the last one first. */
    public final List<List<String>> stacks = new ArrayList<>();
    /** Whether the schedule is over: threads that end add nothing any more. */
    volatile boolean isClosed;
    private final List<Location[]> lastHeld = new ArrayList<>();
    private final Strategy strategy;

    Trace(Strategy strategy) {
        this.strategy = strategy;
    }

    /** Has stacks written down, of these classes. */
    public void watch(Set<String> classes) {
        watched = classes;
    }

    void add(ControlledThread actor, Kind kind, Location location, int other, int site) {
        if (isClosed) {
            return;
        }
        tell(actor, kind, location, other);
        if (length == LONGEST) {
            isCutShort = true;
            return;
        }
        if (length == actors.length) {
            grow();
        }
        actors[length] = actor.id;
        kinds[length] = kind;
        locations[length] = location;
        others[length] = other;
        sites[length] = site;
        held[length] = held(actor);
        times[length] = actor.clock[actor.id];
        if (watched != null && length < MOST_STACKS) {
            stacks.add(stack(actor));
        }
        length++;
    }

    private List<String> stack(ControlledThread actor) {
        List<String> frames = new ArrayList<>();
        for (StackTraceElement frame : actor.thread.getStackTrace()) {
            if (watched.contains(frame.getClassName())) {
                frames.add(frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber());
            }
        }
        return frames;
    }

    /** Passes the effects of a step to the scheduler. Two steps are independent if their order
     * makes no difference. */
    private void tell(ControlledThread actor, Kind kind, Location location, int other) {
        if (location != null) {
            strategy.touched(location.number, kind != Kind.READ);
        }
        switch (kind) {
            case START:
                strategy.touched(StepFootprint.STARTS, true);
                strategy.touched(StepFootprint.thread(other), true);
                strategy.touched(StepFootprint.STATES, false);
                break;
            case UNPARK:
            case INTERRUPT:
                strategy.touched(StepFootprint.thread(other), true);
                strategy.touched(StepFootprint.STATES, false);
                break;
            case END:
            case PARK:
                strategy.touched(StepFootprint.thread(actor.id), true);
                strategy.touched(StepFootprint.STATES, false);
                break;
            case JOIN:
                strategy.touched(StepFootprint.thread(other), false);
                break;
            default:
        }
    }

    /** The locks that a thread has, in the order in which it took them; the same array while they are the same. */
    private Location[] held(ControlledThread actor) {
        while (lastHeld.size() <= actor.id) {
            lastHeld.add(new Location[0]);
        }
        Location[] last = lastHeld.get(actor.id);
        boolean isSame = last.length == actor.held.size();
        for (int i = 0; isSame && i < last.length; i++) {
            isSame = last[i] == actor.held.get(i);
        }
        if (!isSame) {
            last = actor.held.toArray(new Location[0]);
            lastHeld.set(actor.id, last);
        }
        return last;
    }

    private void grow() {
        int size = 2 * length;
        actors = Arrays.copyOf(actors, size);
        sites = Arrays.copyOf(sites, size);
        others = Arrays.copyOf(others, size);
        kinds = Arrays.copyOf(kinds, size);
        locations = Arrays.copyOf(locations, size);
        held = Arrays.copyOf(held, size);
        times = Arrays.copyOf(times, size);
    }
}
