package gitmend.schedule.control;

/** Ends the threads of a schedule that is over. */
final class Abort extends Error {
    private static final long serialVersionUID = 1;

    Abort() {
        super("the schedule is over", null, false, false);
    }
}
