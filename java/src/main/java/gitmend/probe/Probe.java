package gitmend.probe;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Records the statements that each test executes, and the values there. It lives in a copy of the project, for one run.
 */
public final class Probe {
    private static final OutputStream OUT = open();
    private static final BitSet RECORDED = new BitSet();
    /** Number of visits of a test at each place with recorded values. */
    private static final Map<Integer, Integer> VISITS = new HashMap<Integer, Integer>();
    /** Maximum number of recorded visits. */
    private static final int MAX_VISITS = 2000;
    /** Stands for the value of what throws. */
    public static final Object THROWN = new Object();
    /** True while this thread reads values; probes hit meanwhile do not count. */
    private static final ThreadLocal<Boolean> IS_READING = new ThreadLocal<Boolean>();
    /** Tests known to hang. They are ended once they show nothing new. */
    private static final Set<String> HANGING_TESTS = new HashSet<String>(Arrays.<String>asList(/*@ENDLESS@*/));
    /** Time without new observations after which such a test is ended, in nanoseconds. */
    private static final long QUIET_NANOS = 250L * 1000 * 1000;
    private static boolean hasName;
    private static boolean isHanging;
    /** Time of the last observation. */
    private static long lastObservation;

    private Probe() {}

    /** Ends a test that hangs. */
    private static final class HangError extends Error {
        private static final long serialVersionUID = 1;
    }

    private static void endIfQuiet() {
        if (isHanging && System.nanoTime() - lastObservation > QUIET_NANOS) {
            throw new HangError();
        }
    }

    /** Returns true if values may be read now. {@link #asked} ends the reading. */
    public static boolean asks() {
        if (IS_READING.get() != null) {
            return false;
        }
        IS_READING.set(true);
        return true;
    }

    /** Values were looked at. */
    public static void asked() {
        IS_READING.remove();
    }

    private static OutputStream open() {
        try {
            return new FileOutputStream("@OUTPUT@");
        } catch (IOException e) {
            return null;
        }
    }

    /** A test class gets an instance: a test begins. */
    public static synchronized void begin() {
        RECORDED.clear();
        VISITS.clear();
        hasName = false;
        isHanging = false;
        write("B\n");
    }

    /** A test method begins. */
    public static synchronized void name(String test) {
        if (hasName) {
            begin();
        }
        hasName = true;
        isHanging = HANGING_TESTS.contains(test);
        write("T " + test + "\n");
    }

    /** Records that a statement is executed. */
    public static void hit(int id) {
        synchronized (Probe.class) {
            if (RECORDED.get(id)) {
                endIfQuiet();
            } else {
                RECORDED.set(id);
                write("H " + id + "\n");
            }
        }
    }

    /** A promise is broken: the first time it is written down. */
    public static synchronized void broken(int promise) {
        if (!RECORDED.get(promise)) {
            RECORDED.set(promise);
            write("P " + promise + "\n");
        }
    }

    /** Values are found in a place. */
    public static void at(int place, Object... values) {
        synchronized (Probe.class) {
            Integer previousVisits = VISITS.get(place);
            int visits = previousVisits == null ? 1 : previousVisits + 1;
            VISITS.put(place, visits);
            if (visits > MAX_VISITS) {
                endIfQuiet();
                return;
            }
            StringBuilder line = new StringBuilder("V ").append(place);
            for (Object value : values) {
                line.append(' ').append(encodeValue(value));
            }
            write(line.append('\n').toString());
        }
    }

    /** Describes a value without calling code of the project, which might hit a probe or have side effects. */
    private static String encodeValue(Object value) {
        if (value == null) {
            return "N";
        } else if (value == THROWN) {
            return "T";
        } else if (value instanceof Boolean) {
            return (Boolean) value ? "Z1" : "Z0";
        } else if (value instanceof Character) {
            return "I" + (int) (Character) value;
        } else if (value instanceof Integer || value instanceof Long || value instanceof Short
                || value instanceof Byte) {
            return "I" + value;
        } else if (value instanceof Double || value instanceof Float) {
            return "D" + value;
        }
        String identity = ":" + System.identityHashCode(value);
        boolean isJdkType = value.getClass().getName().startsWith("java.util.");
        if (value instanceof String) {
            // Texts are compared by what they say.
            return "S" + ((String) value).length() + ":" + value.hashCode();
        } else if (isJdkType && value instanceof Collection) {
            return "S" + ((Collection<?>) value).size() + identity;
        } else if (isJdkType && value instanceof Map) {
            return "S" + ((Map<?, ?>) value).size() + identity;
        } else if (value.getClass().isArray()) {
            return "S" + Array.getLength(value) + identity;
        }
        return "O" + identity;
    }

    private static void write(String line) {
        lastObservation = System.nanoTime();
        try {
            if (OUT != null) {
                OUT.write(line.getBytes("UTF-8"));
            }
        } catch (IOException e) {
            // What is not written down was not seen.
        }
    }
}
