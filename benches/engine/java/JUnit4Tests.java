import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

final class JUnit4Tests implements Tests {
    @Override
    public void run(ClassLoader loader, String className, BiConsumer<String, String> told) throws Exception {
        JUnitCore core = new JUnitCore();
        Set<Description> ended = new HashSet<>();
        core.addListener(new RunListener() {
            @Override
            public void testFailure(Failure failure) {
                if (ended.add(failure.getDescription())) {
                    told.accept(name(failure.getDescription()), failure.getException().getClass().getName());
                }
            }

            @Override
            public void testAssumptionFailure(Failure failure) {
                ended.add(failure.getDescription());
            }

            @Override
            public void testFinished(Description test) {
                if (ended.add(test)) {
                    told.accept(name(test), "passed");
                }
            }
        });
        core.run(Class.forName(className, true, loader));
    }

    private static String name(Description test) {
        String method = test.getMethodName();
        boolean isWhole = method == null || method.equals("initializationError");
        return test.getClassName() + (isWhole ? "" : "#" + method);
    }
}
