package gitmend.schedule.control;

import java.util.Collections;
import java.util.List;

/** Failure of a schedule. */
public final class Failure {
    /** How. */
    public enum Kind { TEST, EXCEPTION, DEADLOCK, LOST_SIGNAL, LIVELOCK, EXIT, OUTPUT }

    public final Kind kind;
    public final String text;
    public final ControlledThread actor;
    final int site;
    /** The threads that cannot go on. */
    public final List<ControlledThread> waiting;

    public Failure(Kind kind, String text, ControlledThread actor, int site) {
        this(kind, text, actor, site, Collections.emptyList());
    }

    public Failure(Kind kind, String text, ControlledThread actor, int site, List<ControlledThread> waiting) {
        this.kind = kind;
        this.text = text;
        this.actor = actor;
        this.site = site;
        this.waiting = waiting;
    }
}
