package gitmend.runner.testng;

import gitmend.runner.Results;
import gitmend.runner.TestRequest;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.testng.IConfigurationListener;
import org.testng.IInvokedMethod;
import org.testng.IInvokedMethodListener;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.SkipException;

/** Listener that reports the events of TestNG, except for tests that run only as dependencies of selected tests. */
final class TestNgListener implements ITestListener, IConfigurationListener, IInvokedMethodListener {
    private final TestRequest request;
    private final Results results;
    private final Map<ITestResult, String> runningNames = new IdentityHashMap<>();
    /** Number of started invocations of each method that runs several times. */
    private final Map<String, Integer> invocationCounts = new HashMap<>();

    TestNgListener(TestRequest request, Results results) {
        this.request = request;
        this.results = results;
    }

    @Override
    public synchronized void onTestStart(ITestResult result) {
        if (isReported(result)) {
            String name = testName(result);
            runningNames.put(result, name);
            results.reportOpened(name);
        }
    }

    @Override
    public synchronized void onTestSuccess(ITestResult result) {
        if (isReported(result)) {
            results.reportPassed(takeName(result), millisOf(result));
        }
    }

    @Override
    public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
        onTestSuccess(result);
    }

    @Override
    public synchronized void onTestFailure(ITestResult result) {
        if (isReported(result)) {
            results.reportFailed(takeName(result), millisOf(result), thrownBy(result));
        }
    }

    @Override
    public synchronized void onTestSkipped(ITestResult result) {
        if (isReported(result)) {
            results.reportSkipped(takeName(result));
        }
    }

    @Override
    public void onStart(ITestContext context) {}

    @Override
    public void onFinish(ITestContext context) {}

    @Override
    public void onConfigurationSuccess(ITestResult result) {}

    @Override
    public void onConfigurationFailure(ITestResult result) {
        results.reportFailed(result.getTestClass().getName(), millisOf(result), thrownBy(result));
    }

    @Override
    public void onConfigurationSkip(ITestResult result) {}

    @Override
    public void beforeInvocation(IInvokedMethod method, ITestResult result) {
        if (results.isOver() && method.isTestMethod()) {
            throw new SkipException("a test has failed");
        }
    }

    @Override
    public void afterInvocation(IInvokedMethod method, ITestResult result) {}

    private boolean isReported(ITestResult result) {
        return !results.isOver() && request.includes(result.getMethod().getMethodName());
    }

    private String takeName(ITestResult result) {
        String name = runningNames.remove(result);
        return name == null ? testName(result) : name;
    }

    /** Returns `pkg.Class#method`, or `pkg.Class#method[2]` if the method runs several times. */
    private String testName(ITestResult result) {
        ITestNGMethod method = result.getMethod();
        String name = result.getTestClass().getName() + "#" + method.getMethodName();
        boolean hasIndex = result.getParameters().length > 0 || method.getInvocationCount() > 1;
        return hasIndex ? name + "[" + invocationCounts.merge(name, 1, Integer::sum) + "]" : name;
    }

    private static long millisOf(ITestResult result) {
        return result.getEndMillis() - result.getStartMillis();
    }

    private static Throwable thrownBy(ITestResult result) {
        return result.getThrowable() == null ? new AssertionError() : result.getThrowable();
    }
}
