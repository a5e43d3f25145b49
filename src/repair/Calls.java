package gitmend.probe;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Writes down from which state of objects calls of routines led to which other one. It lives in a copy of the project,
 * for one run.
 */
public final class Calls {
    /** So many calls of one routine in one test are looked at. */
    private static final int MOST = 100;

    /** How many were, of each routine, and what is written down already. */
    private static final Map<Integer, Integer> COUNTS = new HashMap<Integer, Integer>();
    private static final Set<String> WRITTEN = new HashSet<String>();
    /** The test that this is of. */
    private static int test;
    /** Whether this thread is telling a state: what is called for that says nothing. */
    private static final ThreadLocal<Boolean> IS_TELLING = new ThreadLocal<Boolean>();

    private Calls() {}

    /** A call begins: the state before it; null if it is not looked at. */
    public static String before(int routine, Object... state) {
        return IS_TELLING.get() == null && counts(routine) ? told(state) : null;
    }

    /** It ended, with this state. */
    public static void led(int routine, String before, Object... state) {
        String after = before == null ? null : told(state);
        if (after != null) {
            write(routine + " " + before + " " + after);
        }
    }

    /** It ended by what was thrown. */
    public static void threw(int routine, String before, Throwable thrown) {
        if (before != null) {
            write(routine + " " + before + " X " + thrown.getClass().getName());
        }
    }

    private static synchronized boolean counts(int routine) {
        int running = Trace.running();
        if (running != test) {
            COUNTS.clear();
            WRITTEN.clear();
            test = running;
        }
        Integer count = COUNTS.get(routine);
        COUNTS.put(routine, count == null ? 1 : count + 1);
        return running > 0 && (count == null || count < MOST);
    }

    private static synchronized void write(String line) {
        if (Trace.running() == test && test > 0 && WRITTEN.add(line)) {
            Trace.led(line);
        }
    }

    /** A number that stands for a state; null if it cannot be told. */
    private static String told(Object... state) {
        IS_TELLING.set(true);
        try {
            String text = Told.state(state);
            return text == null ? null : digest(text);
        } catch (Exception e) {
            // Another thread may be changing it.
            return null;
        } catch (StackOverflowError e) {
            return null;
        } finally {
            IS_TELLING.remove();
        }
    }

    private static String digest(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return Long.toHexString(hash);
    }
}
