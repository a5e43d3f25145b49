package gitmend.runner.junit4;

import gitmend.runner.Results;
import gitmend.runner.TestRequest;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runner.notification.StoppedByUserException;

/** Runs JUnit 3 and 4 classes. */
public final class JUnit4Runner {
    private JUnit4Runner() {}

    public static void main(String[] args) throws Exception {
        run(Results.file(args[0]), TestRequest.lines(args[1]));
        System.exit(0);
    }

    /** Also called by the servers that run tests again and again. */
    static void run(OutputStream results, List<String> wanted) throws Exception {
        TestRequest.runAll(results, wanted, JUnit4Runner::run);
    }

    private static void run(TestRequest wanted, Results results) {
        try {
            Runner runner = Request.aClass(wanted.load()).getRunner();
            if (!wanted.isWholeClass()) {
                new Methods(wanted).apply(runner);
            }
            RunNotifier notifier = new RunNotifier();
            notifier.addListener(new Teller(wanted.className, results, notifier));
            runner.run(notifier);
        } catch (NoTestsRemainException | StoppedByUserException e) {
            // What did not run has no results.
        } catch (Throwable e) {
            results.failed(wanted.className, 0, e);
        }
    }

    private static final class Methods extends Filter {
        private final TestRequest wanted;

        Methods(TestRequest wanted) {
            this.wanted = wanted;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                String method = description.getMethodName();
                return method == null || wanted.includes(method);
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return "the methods asked for";
        }
    }

    /** A test that fails several times, in its rules and after it, is reported once, with its first
     * failure. */
    private static final class Teller extends RunListener {
        private final String className;
        private final Results results;
        private final RunNotifier notifier;
        private final Map<Description, Long> running = new HashMap<>();

        Teller(String className, Results results, RunNotifier notifier) {
            this.className = className;
            this.results = results;
            this.notifier = notifier;
        }

        @Override
        public synchronized void testStarted(Description description) {
            running.put(description, System.nanoTime());
            results.opened(nameOf(description));
        }

        @Override
        public synchronized void testFinished(Description description) {
            if (running.containsKey(description)) {
                results.passed(nameOf(description), millisOf(description));
            }
        }

        @Override
        public synchronized void testFailure(Failure failure) {
            Description description = failure.getDescription();
            if (description.isTest() && !running.containsKey(description)
                    && !"initializationError".equals(description.getMethodName())) {
                return;
            }
            results.failed(nameOf(description), millisOf(description), failure.getException());
            if (results.isOver()) {
                notifier.pleaseStop();
            }
        }

        @Override
        public synchronized void testAssumptionFailure(Failure failure) {
            millisOf(failure.getDescription());
            results.skipped(nameOf(failure.getDescription()));
        }

        @Override
        public synchronized void testIgnored(Description description) {
            results.skipped(nameOf(description));
        }

        private long millisOf(Description description) {
            Long start = running.remove(description);
            return start == null ? 0 : (System.nanoTime() - start) / 1_000_000;
        }

        private String nameOf(Description description) {
            String method = description.getMethodName();
            String owner = description.getClassName() == null ? className : description.getClassName();
            boolean isWhole = method == null || "initializationError".equals(method);
            return isWhole ? owner : owner + "#" + method;
        }
    }
}
