package gitmend.schedule.control;

import java.util.BitSet;

/** Shared location: a variable of an object, or the object itself as a monitor or as a whole. */
public final class Location {
    /** Numbered in the order of first access. */
    public final int number;
    public final Object object;
    /** The variable's number; for an object itself, below 0. */
    public final int subject;
    /** Of an array. */
    public final int index;
    public final boolean isVolatile;

    /** As a monitor: who has it, and how often. */
    ControlledThread owner;
    int count;
    /** What comes after everything that was released here. */
    int[] released;
    /** The variable that the object was put into first. */
    int name;
    Object holder;
    /** How often it was written. */
    int version;
    /** Whether starts and joins of threads alone left the order of two accesses open. */
    public boolean isContended;

    /** By which names threads came here, as those that decisions are taken at; mostly by one. */
    private int sharing = -1;
    private BitSet sharings;
    private int writer = -1;
    private int writeTime;
    private int writeFork;
    private int writeSite;
    /** By thread. */
    private int[] readTimes;
    private int[] readForks;
    private int[] readSites;
    private int firstActor = -1;
    private boolean hasSeveral;

    Location(int number, Object object, int subject, int index, boolean isVolatile) {
        this.number = number;
        this.object = object;
        this.subject = subject;
        this.index = index;
        this.isVolatile = isVolatile;
    }

    /** Returns true if another thread accessed it before. */
    boolean isForeignTo(ControlledThread actor) {
        return hasSeveral || firstActor >= 0 && firstActor != actor.id;
    }

    /** An access that comes before all others. */
    void prepare(ControlledThread actor, boolean isWrite) {
        firstActor = firstActor < 0 ? actor.id : firstActor;
        version += isWrite ? 1 : 0;
    }

    /** Books an access. Gives the site of another one that may happen at the same time, or 0. */
    int touch(ControlledThread actor, boolean isWrite, int site) {
        hasSeveral |= firstActor >= 0 && firstActor != actor.id;
        firstActor = firstActor < 0 ? actor.id : firstActor;
        int race = 0;
        if (writer >= 0 && writer != actor.id && writeTime > VectorClocks.at(actor.clock, writer)) {
            race = writeSite;
        }
        if (isWrite && race == 0) {
            race = unorderedRead(actor);
        }
        int time = VectorClocks.at(actor.clock, actor.id);
        int fork = VectorClocks.at(actor.forks, actor.id);
        if (isWrite) {
            version++;
            writer = actor.id;
            writeTime = time;
            writeFork = fork;
            writeSite = site;
        } else {
            readTimes = VectorClocks.with(readTimes, actor.id, time);
            readForks = VectorClocks.with(readForks, actor.id, fork);
            readSites = VectorClocks.with(readSites, actor.id, site);
        }
        return race;
    }

    private int unorderedRead(ControlledThread actor) {
        for (int i = 0; readTimes != null && i < readTimes.length; i++) {
            if (i != actor.id && readTimes[i] > VectorClocks.at(actor.clock, i)) {
                return readSites[i];
            }
        }
        return 0;
    }

    /** Books the name by which a thread comes here. */
    void known(int name) {
        if (sharing < 0) {
            sharing = name;
        } else if (sharing != name) {
            sharings = sharings == null ? new BitSet() : sharings;
            sharings.set(name);
        }
    }

    /** Adds all names by which threads came here. */
    void share(BitSet all) {
        all.set(sharing);
        if (sharings != null) {
            all.or(sharings);
        }
    }

    /** Whether starts and joins of threads alone leave the order of this access and others open. */
    boolean contends(ControlledThread actor, boolean isWrite) {
        if (writer >= 0 && writer != actor.id && writeFork > VectorClocks.at(actor.forks, writer)) {
            return true;
        }
        for (int i = 0; isWrite && readForks != null && i < readForks.length; i++) {
            if (i != actor.id && readForks[i] > VectorClocks.at(actor.forks, i)) {
                return true;
            }
        }
        return false;
    }

    void release(ControlledThread actor) {
        released = VectorClocks.joined(released, actor.clock);
    }

}
