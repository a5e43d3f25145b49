package gitmend.probe;

/** Tells whether routines keep what they promise. It lives in a copy of the project, for one run. */
public final class Assured {
    /** Stands for what could not be kept. */
    public static final Object THROWN = new Object();
    /** Whether this thread is asking: what it comes upon then is not asked about. */
    private static final ThreadLocal<Boolean> IS_ASKING = new ThreadLocal<Boolean>();

    private Assured() {}

    /** Whether something may be asked now; {@link #asked} ends that. */
    public static boolean asks() {
        if (IS_ASKING.get() != null) {
            return false;
        }
        IS_ASKING.set(true);
        return true;
    }

    /** Something was asked. */
    public static void asked() {
        IS_ASKING.remove();
    }

    /** What was kept, as something of a type. */
    @SuppressWarnings("unchecked")
    public static <T> T kept(Object kept, T like) {
        return (T) kept;
    }

    /** A promise is broken. */
    public static void broken(int promise) {
        @RECORDER@.broken(promise);
    }
}
