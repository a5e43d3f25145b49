package gitmend.probe;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;

/** Writes down what generated tests see. It lives in a copy of the project, for one run. */
public final class Trace {
    private static final OutputStream OUT = open();
    /** Maximum length of the text of one value. */
    private static final int MAX_LENGTH = 2000;

    /** Promises that the test broke. */
    private static final BitSet BROKEN = new BitSet();
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

    /** A test begins. */
    public static synchronized void begin(int number) {
        BROKEN.clear();
        startedTests++;
        isRunning = true;
        write("T " + number);
    }

    /** A promise is broken: the first time it is written down. */
    public static synchronized void broken(int promise) {
        if (!BROKEN.get(promise)) {
            BROKEN.set(promise);
            write("P " + promise);
        }
    }

    /** A test sees values. */
    public static void saw(Object... values) {
        for (Object value : values) {
            write("W " + ValueSerializer.describeValue(value));
        }
    }

    /** A test ends by what was thrown. */
    public static void threw(Throwable thrown) {
        isRunning = false;
        write("X " + thrown.getClass().getName() + " " + normalize(String.valueOf(thrown.getMessage())));
    }

    /** Records that an additional call threw an exception, after which the test continues. */
    public static void caught(Throwable thrown) {
        write("C " + thrown.getClass().getName() + " " + normalize(String.valueOf(thrown.getMessage())));
    }

    /** A test came to its end. */
    public static void end() {
        isRunning = false;
        write("E ");
    }

    /** Returns the number of the running test, in order of start; 0 if none is running. */
    static synchronized int runningTest() {
        return isRunning ? startedTests : 0;
    }

    /** Records the effect of a call of a routine. */
    static void recordCall(String line) {
        write("L " + line);
    }

    /** In one line, and without what is another in each run. */
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
            // What is not written down was not seen.
        }
    }
}
