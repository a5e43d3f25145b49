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

/** Writes what happens, one JSON object a line, each line at once: the JVM may be ended at any moment. */
public final class Results implements Closeable {
    private static final int MAX_MESSAGE_LENGTH = 20_000;

    private final OutputStream out;
    private final OutputCapture output = new OutputCapture();
    private volatile boolean stopsAtFailure;
    private volatile boolean hasFailed;
    private boolean requiresOnePass;
    private boolean hasPassed;
    /** These failed while one was waited for to pass, and may fail again. */
    private final Set<String> allowedFailures = new HashSet<>();

    Results(OutputStream out) {
        this.out = out;
        output.install();
    }

    /** A file that results are added to. */
    public static OutputStream openFile(String name) throws IOException {
        return new FileOutputStream(name, true);
    }

    /** A test, or what holds tests, begins. */
    public void reportOpened(String test) {
        output.reset();
        write(event("opened").key("test").value(test));
    }

    /** What holds tests has ended and is no result of its own. */
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

    /** From now on, the next failure of a test is the last event that is reported. */
    synchronized void stopAtNextFailure() {
        stopsAtFailure = true;
        if (requiresOnePass) {
            requiresOnePass = false;
            hasFailed = !hasPassed;
        }
    }

    /** Failures are nothing special, but if no test passes by the time that they are, it is over. */
    synchronized void requireOnePass() {
        requiresOnePass = true;
    }

    /** Whether no test is to begin any more. */
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

    /** The tests of a class have ended, and these methods of the project were entered meanwhile. */
    void reportCovered(String className, Collection<String> methods) {
        if (!methods.isEmpty()) {
            Json json = event("covered").key("class").value(className).key("methods").open('[');
            methods.forEach(json::value);
            write(json.close(']'));
        }
    }

    /** Every test has had its turn. */
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

    /** Ends after a whole word: a secret that was cut through would not be known for one. */
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

    private static void writeFrames(Json json, Throwable thrown) {
        json.key("frames").open('[');
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (isRunnerClass(frame.getClassName())) {
                break;
            }
            json.open('{').key("class").value(frame.getClassName()).key("method").value(frame.getMethodName());
            json.key("file").value(frame.getFileName()).key("line");
            if (frame.getLineNumber() > 0) {
                json.value(frame.getLineNumber());
            } else {
                json.value(null);
            }
            json.close('}');
        }
        json.close(']');
    }

    /** Returns true for the classes that run tests and control threads, which no failure shows. */
    private static boolean isRunnerClass(String className) {
        return className.startsWith("gitmend.runner.") || className.startsWith("gitmend.schedule.");
    }

    private synchronized void write(Json line) {
        try {
            out.write((line.close('}') + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            // Without the line that says it finished, the run counts as crashed.
            System.err.println("cannot write the test results: " + e);
            Runtime.getRuntime().halt(70);
        }
    }
}
