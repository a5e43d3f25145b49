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

/** Runner of JUnit 3 and 4. */
public final class JUnit4Runner {
    private JUnit4Runner() {}

    public static void main(String[] args) throws Exception {
        run(Results.openFile(args[0]), TestRequest.readLines(args[1]));
        System.exit(0);
    }

    /** Runs requests. Servers call it by reflection. */
    static void run(OutputStream out, List<String> lines) throws Exception {
        TestRequest.runAll(out, lines, JUnit4Runner::run);
    }

    private static void run(TestRequest request, Results results) {
        try {
            Runner runner = Request.aClass(request.loadClass()).getRunner();
            if (!request.isWholeClass()) {
                new RequestFilter(request).apply(runner);
            }
            RunNotifier notifier = new RunNotifier();
            notifier.addListener(new JUnit4Listener(request.className, results, notifier));
            runner.run(notifier);
        } catch (NoTestsRemainException | StoppedByUserException e) {
            // Tests that did not run have no results.
        } catch (Throwable e) {
            results.reportFailed(request.className, 0, e);
        }
    }

    private static final class RequestFilter extends Filter {
        private final TestRequest request;

        RequestFilter(TestRequest request) {
            this.request = request;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                String method = description.getMethodName();
                return method == null || request.includes(method);
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

    /**
     * Listener that reports results. A test can fail several times, for example in the test and in a rule; only its
     * first failure is reported.
     */
    private static final class JUnit4Listener extends RunListener {
        private final String className;
        private final Results results;
        private final RunNotifier notifier;
        private final Map<Description, Long> startTimes = new HashMap<>();

        JUnit4Listener(String className, Results results, RunNotifier notifier) {
            this.className = className;
            this.results = results;
            this.notifier = notifier;
        }

        @Override
        public synchronized void testStarted(Description description) {
            startTimes.put(description, System.nanoTime());
            results.reportOpened(testName(description));
        }

        @Override
        public synchronized void testFinished(Description description) {
            if (startTimes.containsKey(description)) {
                results.reportPassed(testName(description), takeMillis(description));
            }
        }

        @Override
        public synchronized void testFailure(Failure failure) {
            Description description = failure.getDescription();
            if (description.isTest() && !startTimes.containsKey(description)
                    && !"initializationError".equals(description.getMethodName())) {
                return;
            }
            results.reportFailed(testName(description), takeMillis(description), failure.getException());
            if (results.isOver()) {
                notifier.pleaseStop();
            }
        }

        @Override
        public synchronized void testAssumptionFailure(Failure failure) {
            takeMillis(failure.getDescription());
            results.reportSkipped(testName(failure.getDescription()));
        }

        @Override
        public synchronized void testIgnored(Description description) {
            results.reportSkipped(testName(description));
        }

        private long takeMillis(Description description) {
            Long start = startTimes.remove(description);
            return start == null ? 0 : (System.nanoTime() - start) / 1_000_000;
        }

        private String testName(Description description) {
            String method = description.getMethodName();
            String owner = description.getClassName() == null ? className : description.getClassName();
            boolean isClass = method == null || "initializationError".equals(method);
            return isClass ? owner : owner + "#" + method;
        }
    }
}
