package gitmend.schedule.control;

import java.util.BitSet;

/** Shared location: a variable of an object, or the object itself as a monitor or as a whole. */
public final class Location {
    /** Number in the order of first access. */
    public final int number;
    public final Object object;
    /** Number of the variable; negative for the object itself. */
    public final int subject;
    /** Index of the array element, or -1. */
    public final int index;
    public final boolean isVolatile;

    /** Thread that holds the monitor, and its number of nested entries. */
    ControlledThread owner;
    int lockCount;
    /** Joined vector clock of all releases. */
    int[] releaseClock;
    /** First variable that the object was stored in; names the object in reports. 0 if there is none. */
    int nameSubject;
    Object nameHolder;
    /** True if two accesses were unordered by starts and joins of threads. */
    public boolean isContended;

    /** Subjects of the accesses. Most locations have one, so the set of further ones is created on demand. */
    private int firstSubject = -1;
    private BitSet otherSubjects;
    private int lastWriter = -1;
    private int writeTime;
    private int writeFork;
    private int writeSite;
    /** Latest reads, indexed by thread. */
    private int[] readTimes;
    private int[] readForks;
    private int[] readSites;
    private int firstThread = -1;
    private boolean hasSeveralThreads;

    Location(int number, Object object, int subject, int index, boolean isVolatile) {
        this.number = number;
        this.object = object;
        this.subject = subject;
        this.index = index;
        this.isVolatile = isVolatile;
    }

    /** Returns true if another thread accessed it before. */
    boolean hasOtherAccessor(ControlledThread thread) {
        return hasSeveralThreads || firstThread >= 0 && firstThread != thread.id;
    }

    /** Records an access that happens before all accesses of other threads. */
    void recordInitialAccess(ControlledThread thread) {
        firstThread = firstThread < 0 ? thread.id : firstThread;
    }

    /** Records an access. Returns the site of a conflicting access that is unordered with it (a race), or 0. */
    int recordAccess(ControlledThread thread, boolean isWrite, int site) {
        hasSeveralThreads |= firstThread >= 0 && firstThread != thread.id;
        firstThread = firstThread < 0 ? thread.id : firstThread;
        int race = 0;
        if (lastWriter >= 0 && lastWriter != thread.id && writeTime > VectorClocks.getTime(thread.clock, lastWriter)) {
            race = writeSite;
        }
        if (isWrite && race == 0) {
            race = findUnorderedRead(thread);
        }
        int time = VectorClocks.getTime(thread.clock, thread.id);
        int forkTime = VectorClocks.getTime(thread.forkClock, thread.id);
        if (isWrite) {
            lastWriter = thread.id;
            writeTime = time;
            writeFork = forkTime;
            writeSite = site;
        } else {
            readTimes = VectorClocks.setTime(readTimes, thread.id, time);
            readForks = VectorClocks.setTime(readForks, thread.id, forkTime);
            readSites = VectorClocks.setTime(readSites, thread.id, site);
        }
        return race;
    }

    private int findUnorderedRead(ControlledThread thread) {
        for (int i = 0; readTimes != null && i < readTimes.length; i++) {
            if (i != thread.id && readTimes[i] > VectorClocks.getTime(thread.clock, i)) {
                return readSites[i];
            }
        }
        return 0;
    }

    /** Records the subject of an access. */
    void addSubject(int subject) {
        if (firstSubject < 0) {
            firstSubject = subject;
        } else if (firstSubject != subject) {
            otherSubjects = otherSubjects == null ? new BitSet() : otherSubjects;
            otherSubjects.set(subject);
        }
    }

    /** Adds the subjects of all accesses. */
    void addSubjectsTo(BitSet subjects) {
        subjects.set(firstSubject);
        if (otherSubjects != null) {
            subjects.or(otherSubjects);
        }
    }

    /** Returns true if starts and joins of threads leave the order of this access and a conflicting one open. */
    boolean isUnorderedByForks(ControlledThread thread, boolean isWrite) {
        if (lastWriter >= 0 && lastWriter != thread.id
                && writeFork > VectorClocks.getTime(thread.forkClock, lastWriter)) {
            return true;
        }
        for (int i = 0; isWrite && readForks != null && i < readForks.length; i++) {
            if (i != thread.id && readForks[i] > VectorClocks.getTime(thread.forkClock, i)) {
                return true;
            }
        }
        return false;
    }

    void joinReleaseClock(ControlledThread thread) {
        releaseClock = VectorClocks.join(releaseClock, thread.clock);
    }

}
