package gitmend.runner.main;

import gitmend.runner.Results;
import gitmend.runner.TestRequest;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;

/** Runner of `main` methods, for classes without a test framework. A `main` that returns has passed. */
public final class MainRunner {
    private MainRunner() {}

    public static void main(String[] args) throws Exception {
        run(Results.openFile(args[0]), TestRequest.readLines(args[1]));
        System.exit(0);
    }

    /** Runs requests. Servers call it by reflection. */
    static void run(OutputStream out, List<String> lines) throws Exception {
        TestRequest.runAll(out, lines, MainRunner::run);
    }

    private static void run(TestRequest request, Results results) {
        String test = request.className + "#main";
        results.reportOpened(test);
        long start = System.nanoTime();
        try {
            Method main = request.loadClass().getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[0]);
            results.reportPassed(test, millisSince(start));
        } catch (InvocationTargetException e) {
            results.reportFailed(test, millisSince(start), e);
        } catch (Throwable e) {
            results.reportFailed(request.className, millisSince(start), e);
            results.reportClosed(test);
        }
    }

    private static long millisSince(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }
}
