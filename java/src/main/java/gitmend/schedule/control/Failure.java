package gitmend.schedule.control;

import java.util.Collections;
import java.util.List;

/** Failure of a schedule. */
public final class Failure {
    /** Kind of a failure. */
    public enum Kind { TEST, EXCEPTION, DEADLOCK, LOST_SIGNAL, LIVELOCK, EXIT, OUTPUT }

    public final Kind kind;
    public final String text;
    public final ControlledThread thread;
    final int site;
    /** Threads that are blocked for ever. */
    public final List<ControlledThread> waiting;

    public Failure(Kind kind, String text, ControlledThread thread, int site) {
        this(kind, text, thread, site, Collections.emptyList());
    }

    public Failure(Kind kind, String text, ControlledThread thread, int site, List<ControlledThread> waiting) {
        this.kind = kind;
        this.text = text;
        this.thread = thread;
        this.site = site;
        this.waiting = waiting;
    }
}
