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

/** Runs TestNG classes. */
public final class TestNgRunner {
    private TestNgRunner() {}

    public static void main(String[] args) throws Exception {
        run(Results.file(args[0]), TestRequest.lines(args[1]));
        System.exit(0);
    }

    /** Also called by the servers that run tests again and again. */
    static void run(OutputStream results, List<String> wanted) throws Exception {
        TestRequest.runAll(results, wanted, TestNgRunner::run);
    }

    private static void run(TestRequest wanted, Results results) {
        try {
            TestNG suite = new TestNG(false);
            suite.setVerbose(0);
            suite.setOutputDirectory(System.getProperty("java.io.tmpdir"));
            suite.setTestClasses(new Class<?>[] {wanted.load()});
            suite.addListener((ITestNGListener) new TestNgListener(wanted, results));
            suite.addListener((ITestNGListener) new Methods(wanted));
            suite.run();
        } catch (Throwable e) {
            results.failed(wanted.className, 0, e);
        }
    }

    /** Leaves out what is not wanted, unless something that is needs other methods: then all of them run. */
    private static final class Methods implements IMethodInterceptor {
        private final TestRequest wanted;

        Methods(TestRequest wanted) {
            this.wanted = wanted;
        }

        @Override
        public List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
            List<IMethodInstance> kept = new ArrayList<>();
            for (IMethodInstance instance : methods) {
                ITestNGMethod method = instance.getMethod();
                if (wanted.includes(method.getMethodName())) {
                    kept.add(instance);
                    if (method.getMethodsDependedUpon().length + method.getGroupsDependedUpon().length > 0) {
                        return methods;
                    }
                }
            }
            return kept;
        }
    }
}
