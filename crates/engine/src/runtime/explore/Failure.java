package gitmend.runtime;

import java.util.Collections;
import java.util.List;

/** What went wrong in a schedule. */
final class Failure {
    /** How. */
    enum Kind { TEST, EXCEPTION, DEADLOCK, LOST_SIGNAL, LIVELOCK, EXIT, OUTPUT }

    final Kind kind;
    final String text;
    final Actor actor;
    final int site;
    /** The threads that cannot go on. */
    final List<Actor> waiting;

    Failure(Kind kind, String text, Actor actor, int site) {
        this(kind, text, actor, site, Collections.emptyList());
    }

    Failure(Kind kind, String text, Actor actor, int site, List<Actor> waiting) {
        this.kind = kind;
        this.text = text;
        this.actor = actor;
        this.site = site;
        this.waiting = waiting;
    }
}
