package gitmend.probe;

/** Recorder of postcondition violations. It is copied into a copy of the project for one run. */
public final class PostconditionRecorder {
    /** Placeholder for a value that could not be saved. */
    public static final Object THROWN = new Object();
    /** True while this thread evaluates a postcondition; nested evaluations are skipped. */
    private static final ThreadLocal<Boolean> IS_EVALUATING = new ThreadLocal<Boolean>();

    private PostconditionRecorder() {}

    /** Returns true if a postcondition may be evaluated now. {@link #endEvaluation} ends the evaluation. */
    public static boolean beginEvaluation() {
        if (IS_EVALUATING.get() != null) {
            return false;
        }
        IS_EVALUATING.set(true);
        return true;
    }

    /** Ends an evaluation. */
    public static void endEvaluation() {
        IS_EVALUATING.remove();
    }

    /** Casts a saved value to a type. */
    @SuppressWarnings("unchecked")
    public static <T> T castSaved(Object saved, T typeWitness) {
        return (T) saved;
    }

    /** Records a violated postcondition. */
    public static void recordViolation(int postcondition) {
        Probe.recordViolation(postcondition);
    }
}
