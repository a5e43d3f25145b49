package gitmend.probe;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;

/** Recorder of values that generated tests observe. It is copied into a copy of the project for one run. */
public final class Trace {
    private static final OutputStream OUT = open();
    /** Maximum length of the text of one value. */
    private static final int MAX_LENGTH = 2000;

    /** Postconditions that the running test violated. */
    private static final BitSet VIOLATED = new BitSet();
    /** Number of started tests. */
    private static int startedTests;
    /** True while a test is running. */
    private static volatile boolean isRunning;

    private Trace() {}

    private static OutputStream open() {
        try {
            return new FileOutputStream("@OUTPUT@");
        } catch (IOException e) {
            return null;
        }
    }

    /** Begins a test. */
    public static synchronized void beginTest(int number) {
        VIOLATED.clear();
        startedTests++;
        isRunning = true;
        write("T " + number);
    }

    /** Records a violated postcondition, once per test. */
    public static synchronized void recordViolation(int postcondition) {
        if (!VIOLATED.get(postcondition)) {
            VIOLATED.set(postcondition);
            write("P " + postcondition);
        }
    }

    /** Records observed values. */
    public static void recordValues(Object... values) {
        for (Object value : values) {
            write("W " + ValueSerializer.describeValue(value));
        }
    }

    /** Ends a test that threw an exception. */
    public static void endWithException(Throwable thrown) {
        isRunning = false;
        write("X " + thrown.getClass().getName() + " " + normalize(String.valueOf(thrown.getMessage())));
    }

    /** Records that an additional call threw an exception, after which the test continues. */
    public static void recordException(Throwable thrown) {
        write("C " + thrown.getClass().getName() + " " + normalize(String.valueOf(thrown.getMessage())));
    }

    /** Ends a test that returned. */
    public static void endTest() {
        isRunning = false;
        write("E ");
    }

    /** Returns the number of the running test, in order of start; 0 if none is running. */
    static synchronized int runningTest() {
        return isRunning ? startedTests : 0;
    }

    /** Records that the running test calls a routine. */
    static void recordReachedRoutine(int routine) {
        write("R " + routine);
    }

    /** Records the effect of a call of a routine. */
    static void recordCall(String line) {
        write("L " + line);
    }

    /** Joins lines, removes addresses, which differ between runs, and replaces the rest of a long text by a hash. */
    private static String normalize(String text) {
        String line = ValueSerializer.removeAddresses(text).replaceAll("[\\r\\n]+", " ");
        return line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) + line.hashCode() : line;
    }

    private static synchronized void write(String line) {
        try {
            if (OUT != null) {
                OUT.write((normalize(line) + "\n").getBytes("UTF-8"));
            }
        } catch (IOException e) {
            // A lost observation only makes the analysis less precise.
        }
    }
}
