package gitmend.runner.testng;

import gitmend.runner.Results;
import gitmend.runner.TestRequest;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestContext;
import org.testng.ITestNGListener;
import org.testng.ITestNGMethod;
import org.testng.TestNG;

/** Runner of TestNG. */
public final class TestNgRunner {
    private TestNgRunner() {}

    public static void main(String[] args) throws Exception {
        run(Results.openFile(args[0]), TestRequest.readLines(args[1]));
        System.exit(0);
    }

    /** Runs requests. Servers call it by reflection. */
    static void run(OutputStream out, List<String> lines) throws Exception {
        TestRequest.runAll(out, lines, TestNgRunner::run);
    }

    private static void run(TestRequest request, Results results) {
        try {
            TestNG suite = new TestNG(false);
            suite.setVerbose(0);
            suite.setOutputDirectory(System.getProperty("java.io.tmpdir"));
            suite.setTestClasses(new Class<?>[] {request.loadClass()});
            suite.addListener((ITestNGListener) new TestNgListener(request, results));
            suite.addListener((ITestNGListener) new RequestFilter(request));
            suite.run();
        } catch (Throwable e) {
            results.reportFailed(request.className, 0, e);
        }
    }

    /** Filter of test methods. If a selected method depends on others, all methods run. */
    private static final class RequestFilter implements IMethodInterceptor {
        private final TestRequest request;

        RequestFilter(TestRequest request) {
            this.request = request;
        }

        @Override
        public List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
            List<IMethodInstance> selected = new ArrayList<>();
            for (IMethodInstance instance : methods) {
                ITestNGMethod method = instance.getMethod();
                if (request.includes(method.getMethodName())) {
                    selected.add(instance);
                    if (method.getMethodsDependedUpon().length + method.getGroupsDependedUpon().length > 0) {
                        return methods;
                    }
                }
            }
            return selected;
        }
    }
}
