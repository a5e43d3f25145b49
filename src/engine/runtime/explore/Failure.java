package gitmend.runtime;

/** What went wrong in a schedule. */
final class Failure {
    /** How. */
    enum Kind { TEST, EXCEPTION, DEADLOCK, LOST_SIGNAL, LIVELOCK, EXIT }

    final Kind kind;
    final String text;
    final Actor actor;
    final int site;

    Failure(Kind kind, String text, Actor actor, int site) {
        this.kind = kind;
        this.text = text;
        this.actor = actor;
        this.site = site;
    }
}
