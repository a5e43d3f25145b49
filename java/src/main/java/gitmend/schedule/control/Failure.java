package gitmend.schedule.control;

import java.util.Collections;
import java.util.List;

/** What went wrong in a schedule. */
public final class Failure {
    /** How. */
    public enum Kind { TEST, EXCEPTION, DEADLOCK, LOST_SIGNAL, LIVELOCK, EXIT, OUTPUT }

    public final Kind kind;
    public final String text;
    public final Actor actor;
    final int site;
    /** The threads that cannot go on. */
    public final List<Actor> waiting;

    public Failure(Kind kind, String text, Actor actor, int site) {
        this(kind, text, actor, site, Collections.emptyList());
    }

    public Failure(Kind kind, String text, Actor actor, int site, List<Actor> waiting) {
        this.kind = kind;
        this.text = text;
        this.actor = actor;
        this.site = site;
        this.waiting = waiting;
    }
}
