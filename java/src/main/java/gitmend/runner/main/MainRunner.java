package gitmend.runner.main;

import gitmend.runner.Results;
import gitmend.runner.TestRequest;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;

/** Runs `main` of classes that know no test framework: one that returns has passed. */
public final class MainRunner {
    private MainRunner() {}

    public static void main(String[] args) throws Exception {
        run(Results.file(args[0]), TestRequest.lines(args[1]));
        System.exit(0);
    }

    /** Also called by the servers that run tests again and again. */
    static void run(OutputStream results, List<String> wanted) throws Exception {
        TestRequest.runAll(results, wanted, MainRunner::run);
    }

    private static void run(TestRequest wanted, Results results) {
        String test = wanted.className + "#main";
        results.opened(test);
        long start = System.nanoTime();
        try {
            Method main = wanted.load().getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[0]);
            results.passed(test, millisSince(start));
        } catch (InvocationTargetException e) {
            results.failed(test, millisSince(start), e);
        } catch (Throwable e) {
            results.failed(wanted.className, millisSince(start), e);
            results.closed(test);
        }
    }

    private static long millisSince(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }
}
