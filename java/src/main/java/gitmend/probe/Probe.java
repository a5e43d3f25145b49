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
 * Recorder of the statements that each test executes, and of values there. It is copied into a copy of the project for
 * one run.
 */
public final class Probe {
    private static final OutputStream OUT = open();
    /** Statements and postconditions that the current test has recorded. */
    private static final BitSet RECORDED = new BitSet();
    /** Number of visits by the current test of each place with recorded values. */
    private static final Map<Integer, Integer> VISITS = new HashMap<Integer, Integer>();
    /** Maximum number of recorded visits of a place. */
    private static final int MAX_VISITS = 2000;
    /** Placeholder for the value of an expression that throws an exception. */
    public static final Object THROWN = new Object();
    /** True while this thread reads values. Probes during that are not recorded. */
    private static final ThreadLocal<Boolean> IS_READING = new ThreadLocal<Boolean>();
    /** Tests known to hang. They are stopped once they record nothing new. */
    private static final Set<String> HANGING_TESTS = new HashSet<String>(Arrays.<String>asList(/*@ENDLESS@*/));
    /** Time without new observations after which a hanging test is stopped. */
    private static final long QUIET_NANOS = 250L * 1000 * 1000;
    /** Number of statements of the current test that began. */
    private static int step;
    /** Step of the current test that executed each statement last; 0 for none. */
    private static int[] lastSteps = new int[0];
    private static boolean hasName;
    private static boolean isHanging;
    /** Time of the last observation. */
    private static long lastObservation;

    private Probe() {}

    /** Error that stops a hanging test. */
    private static final class HangError extends Error {
        private static final long serialVersionUID = 1;
    }

    private static void endIfQuiet() {
        if (isHanging && System.nanoTime() - lastObservation > QUIET_NANOS) {
            throw new HangError();
        }
    }

    /** Returns true if values may be read now. {@link #endReading} ends the reading. */
    public static boolean beginReading() {
        if (IS_READING.get() != null) {
            return false;
        }
        IS_READING.set(true);
        return true;
    }

    /** Ends the reading of values. */
    public static void endReading() {
        IS_READING.remove();
    }

    private static OutputStream open() {
        try {
            return new FileOutputStream("@OUTPUT@");
        } catch (IOException e) {
            return null;
        }
    }

    /** Begins a test. Called when a test class is instantiated. */
    public static synchronized void beginTest() {
        RECORDED.clear();
        VISITS.clear();
        Arrays.fill(lastSteps, 0);
        step = 1;
        hasName = false;
        isHanging = false;
        write("B\n");
    }

    /** Names the running test. Called at the start of a test method. */
    public static synchronized void nameTest(String test) {
        if (hasName) {
            beginTest();
        }
        hasName = true;
        isHanging = HANGING_TESTS.contains(test);
        write("T " + test + "\n");
    }

    /** Begins a statement of a test. */
    public static synchronized void beginStep() {
        step++;
    }

    /** Ends a test method. Records how many steps before the end each statement was executed last. */
    public static synchronized void endTest() {
        StringBuilder lines = new StringBuilder();
        for (int id = 0; id < lastSteps.length; id++) {
            if (lastSteps[id] > 0) {
                lines.append("L ").append(id).append(' ').append(step - lastSteps[id]).append('\n');
            }
        }
        write(lines.toString());
    }

    /** Records that a statement is executed. */
    public static void recordStatement(int id) {
        synchronized (Probe.class) {
            if (id >= lastSteps.length) {
                lastSteps = Arrays.copyOf(lastSteps, Math.max(id + 1, 2 * lastSteps.length));
            }
            lastSteps[id] = step;
            if (RECORDED.get(id)) {
                endIfQuiet();
            } else {
                RECORDED.set(id);
                write("H " + id + "\n");
            }
        }
    }

    /** Records a violated postcondition, once per test. */
    public static synchronized void recordViolation(int postcondition) {
        if (!RECORDED.get(postcondition)) {
            RECORDED.set(postcondition);
            write("P " + postcondition + "\n");
        }
    }

    /** Records values at a place. */
    public static void recordValues(int place, Object... values) {
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

    /** Encodes a value without calling code of the project, which could hit probes or have side effects. */
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
            // Strings are compared by content.
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
            // A lost observation only makes the analysis less precise.
        }
    }
}
