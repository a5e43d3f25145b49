package gitmend.probe;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Recorder of routine calls: the state of objects before and after each call. It is copied into a copy of the project
 * for one run.
 */
public final class CallRecorder {
    /** Maximum number of recorded calls of one routine in one test. */
    private static final int MAX_CALLS = 100;

    /** Number of calls of each routine in the current test. */
    private static final Map<Integer, Integer> COUNTS = new HashMap<Integer, Integer>();
    private static final Set<String> WRITTEN_LINES = new HashSet<String>();
    /** Number of the test to which the counts belong. */
    private static int currentTest;
    /** True while this thread reads a state. Calls during that are not recorded. */
    private static final ThreadLocal<Boolean> IS_READING = new ThreadLocal<Boolean>();

    private CallRecorder() {}

    /** Returns the state before a call; null if the call is not recorded. */
    public static String captureState(int routine, Object... state) {
        return IS_READING.get() == null && countCall(routine) ? digestState(state) : null;
    }

    /** Records a call that returned, and the state after it. */
    public static void recordReturn(int routine, String before, Object... state) {
        String after = before == null ? null : digestState(state);
        if (after != null) {
            write(routine + " " + before + " " + after);
        }
    }

    /** Records a call that threw an exception. */
    public static void recordException(int routine, String before, Throwable thrown) {
        if (before != null) {
            write(routine + " " + before + " X " + thrown.getClass().getName());
        }
    }

    /** Counts a call. Returns true if the call is to be recorded. */
    private static synchronized boolean countCall(int routine) {
        int running = Trace.runningTest();
        if (running != currentTest) {
            COUNTS.clear();
            WRITTEN_LINES.clear();
            currentTest = running;
        }
        Integer count = COUNTS.get(routine);
        COUNTS.put(routine, count == null ? 1 : count + 1);
        if (count == null && running > 0) {
            Trace.recordReachedRoutine(routine);
        }
        return running > 0 && (count == null || count < MAX_CALLS);
    }

    private static synchronized void write(String line) {
        if (Trace.runningTest() == currentTest && currentTest > 0 && WRITTEN_LINES.add(line)) {
            Trace.recordCall(line);
        }
    }

    /** Returns a digest of a state; null if the state cannot be read. */
    private static String digestState(Object... state) {
        IS_READING.set(true);
        try {
            String text = ValueSerializer.describeState(state);
            return text == null ? null : digest(text);
        } catch (Exception e) {
            // Another thread may modify the state concurrently.
            return null;
        } catch (StackOverflowError e) {
            return null;
        } finally {
            IS_READING.remove();
        }
    }

    /** Computes the FNV-1a hash of a text. */
    private static String digest(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return Long.toHexString(hash);
    }
}
