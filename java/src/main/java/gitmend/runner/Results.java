package gitmend.runner;

import gitmend.wire.Json;
import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Writer of test events, one JSON object per line. Each line is flushed, because the JVM may be killed at any time. */
public final class Results implements Closeable {
    private static final int MAX_MESSAGE_LENGTH = 20_000;
    /** Maximum number of causes whose frames are reported. */
    private static final int MAX_CAUSES = 3;

    private final OutputStream out;
    private final OutputCapture output = new OutputCapture();
    private volatile boolean stopsAtFailure;
    private volatile boolean hasFailed;
    private boolean requiresOnePass;
    private boolean hasPassed;
    /** Tests that failed while one test was required to pass. They may fail again. */
    private final Set<String> allowedFailures = new HashSet<>();

    Results(OutputStream out) {
        this.out = out;
        output.install();
    }

    /** Opens a file to which results are appended. */
    public static OutputStream openFile(String name) throws IOException {
        return new FileOutputStream(name, true);
    }

    /** Reports the start of a test or of a container of tests. */
    public void reportOpened(String test) {
        output.reset();
        write(event("opened").key("test").value(test));
    }

    /** Reports the end of a container of tests, which has no result. */
    public void reportClosed(String test) {
        write(event("closed").key("test").value(test));
    }

    public synchronized void reportPassed(String test, long millis) {
        if (!isOver()) {
            hasPassed = true;
            write(endedEvent(test, "passed", millis));
        }
    }

    public synchronized void reportSkipped(String test) {
        if (!isOver()) {
            write(endedEvent(test, "skipped", 0));
        }
    }

    /** Stops the run at the next failure: no test event after it is reported. */
    synchronized void stopAtNextFailure() {
        stopsAtFailure = true;
        if (requiresOnePass) {
            requiresOnePass = false;
            hasFailed = !hasPassed;
        }
    }

    /** Allows failures until {@link #stopAtNextFailure}, which ends the run if no test has passed by then. */
    synchronized void requireOnePass() {
        requiresOnePass = true;
    }

    /** Returns true if no further test may start. */
    public boolean isOver() {
        return stopsAtFailure && hasFailed;
    }

    public synchronized void reportFailed(String test, long millis, Throwable thrown) {
        if (isOver()) {
            return;
        }
        if (requiresOnePass) {
            allowedFailures.add(test);
        } else if (!allowedFailures.contains(test)) {
            hasFailed = true;
        }
        Throwable cause = thrown;
        while (cause instanceof InvocationTargetException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        Json json = endedEvent(test, "failed", millis).key("exception").value(cause.getClass().getName());
        json.key("message").value(messageOf(cause));
        writeFrames(json, cause);
        write(json.key("printed").value(output.tailText()));
    }

    /** Reports the methods of the project that the tests of a class entered. */
    void reportCovered(String className, Collection<String> methods) {
        if (!methods.isEmpty()) {
            Json json = event("covered").key("class").value(className).key("methods").open('[');
            methods.forEach(json::value);
            write(json.close(']'));
        }
    }

    /** Reports that all requests were processed. A run without this event has crashed. */
    void reportFinished() {
        write(event("finished"));
    }

    @Override
    public void close() throws IOException {
        output.uninstall();
        out.close();
    }

    private static Json event(String name) {
        return new Json().open('{').key("event").value(name);
    }

    private static Json endedEvent(String test, String status, long millis) {
        return event("ended").key("test").value(test).key("status").value(status)
                .key("millis").value(Math.max(0, millis));
    }

    private static String messageOf(Throwable thrown) {
        try {
            return shorten(thrown.getMessage());
        } catch (Throwable e) {
            return null;
        }
    }

    /** Cuts a long message at a word boundary, so that secrets are still recognised. */
    private static String shorten(String message) {
        if (message == null || message.length() <= MAX_MESSAGE_LENGTH) {
            return message;
        }
        int end = MAX_MESSAGE_LENGTH;
        while (end > 0 && !Character.isWhitespace(message.charAt(end))) {
            end--;
        }
        return message.substring(0, end > 0 ? end : MAX_MESSAGE_LENGTH);
    }

    /**
     * Writes the frames of an exception, and then those of its causes that differ from the frames before. An assertion
     * about exceptions reports the one that was thrown as its cause.
     */
    private static void writeFrames(Json json, Throwable thrown) {
        json.key("frames").open('[');
        StackTraceElement[] before = {};
        Throwable each = thrown;
        for (int depth = 0; each != null && depth <= MAX_CAUSES; depth++) {
            StackTraceElement[] frames = each.getStackTrace();
            int end = frames.length - countSharedFrames(before, frames);
            for (int at = 0; at < end && !isRunnerClass(frames[at].getClassName()); at++) {
                writeFrame(json, frames[at]);
            }
            before = frames;
            each = each.getCause();
        }
        json.close(']');
    }

    /** Returns the number of equal frames at the end of two stack traces. */
    private static int countSharedFrames(StackTraceElement[] one, StackTraceElement[] other) {
        int count = 0;
        while (count < Math.min(one.length, other.length)
                && one[one.length - 1 - count].equals(other[other.length - 1 - count])) {
            count++;
        }
        return count;
    }

    private static void writeFrame(Json json, StackTraceElement frame) {
        json.open('{').key("class").value(frame.getClassName()).key("method").value(frame.getMethodName());
        json.key("file").value(frame.getFileName()).key("line");
        if (frame.getLineNumber() > 0) {
            json.value(frame.getLineNumber());
        } else {
            json.value(null);
        }
        json.close('}');
    }

    /** Returns true for classes of the runner or scheduler. Reported stack traces end before them. */
    private static boolean isRunnerClass(String className) {
        return className.startsWith("gitmend.runner.") || className.startsWith("gitmend.schedule.");
    }

    private synchronized void write(Json line) {
        try {
            out.write((line.close('}') + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            // Without the event `finished`, the run counts as crashed.
            System.err.println("cannot write the test results: " + e);
            Runtime.getRuntime().halt(70);
        }
    }
}
