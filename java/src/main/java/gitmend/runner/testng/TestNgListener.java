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

/** Reports the events of TestNG, except those of tests that run only as dependencies of selected
 * ones. */
final class TestNgListener implements ITestListener, IConfigurationListener, IInvokedMethodListener {
    private final TestRequest wanted;
    private final Results results;
    private final Map<ITestResult, String> running = new IdentityHashMap<>();
    /** How often each method that runs several times has begun. */
    private final Map<String, Integer> begun = new HashMap<>();

    TestNgListener(TestRequest wanted, Results results) {
        this.wanted = wanted;
        this.results = results;
    }

    @Override
    public synchronized void onTestStart(ITestResult result) {
        if (isTold(result)) {
            String name = nameOf(result);
            running.put(result, name);
            results.opened(name);
        }
    }

    @Override
    public synchronized void onTestSuccess(ITestResult result) {
        if (isTold(result)) {
            results.passed(taken(result), millisOf(result));
        }
    }

    @Override
    public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
        onTestSuccess(result);
    }

    @Override
    public synchronized void onTestFailure(ITestResult result) {
        if (isTold(result)) {
            results.failed(taken(result), millisOf(result), thrownBy(result));
        }
    }

    @Override
    public synchronized void onTestSkipped(ITestResult result) {
        if (isTold(result)) {
            results.skipped(taken(result));
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
        results.failed(result.getTestClass().getName(), millisOf(result), thrownBy(result));
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

    private boolean isTold(ITestResult result) {
        return !results.isOver() && wanted.includes(result.getMethod().getMethodName());
    }

    private String taken(ITestResult result) {
        String name = running.remove(result);
        return name == null ? nameOf(result) : name;
    }

    /** `pkg.Class#method`, or `pkg.Class#method[2]` where the method runs several times. */
    private String nameOf(ITestResult result) {
        ITestNGMethod method = result.getMethod();
        String name = result.getTestClass().getName() + "#" + method.getMethodName();
        boolean isOneOfMany = result.getParameters().length > 0 || method.getInvocationCount() > 1;
        return isOneOfMany ? name + "[" + begun.merge(name, 1, Integer::sum) + "]" : name;
    }

    private static long millisOf(ITestResult result) {
        return result.getEndMillis() - result.getStartMillis();
    }

    private static Throwable thrownBy(ITestResult result) {
        return result.getThrowable() == null ? new AssertionError() : result.getThrowable();
    }
}
