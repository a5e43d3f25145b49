package gitmend.schedule.control;

/** Error that ends the threads of a finished schedule. */
final class ScheduleAborted extends Error {
    private static final long serialVersionUID = 1;

    ScheduleAborted() {
        super("the schedule is over", null, false, false);
    }
}
