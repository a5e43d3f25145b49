import java.util.function.BiConsumer;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

final class PlatformTests implements Tests {
    @Override
    public void run(ClassLoader loader, String className, BiConsumer<String, String> told) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(className)).build();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                boolean hasFailed = result.getStatus() == TestExecutionResult.Status.FAILED;
                if (hasFailed) {
                    told.accept(name(test), result.getThrowable().get().getClass().getName());
                } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                    told.accept(name(test), "passed");
                }
            }
        });
    }

    private static String name(TestIdentifier test) {
        return test.getSource().map(source -> {
            if (source instanceof MethodSource) {
                MethodSource method = (MethodSource) source;
                return method.getClassName() + "#" + method.getMethodName();
            }
            return source instanceof ClassSource ? ((ClassSource) source).getClassName() : "?";
        }).orElse("?");
    }
}
