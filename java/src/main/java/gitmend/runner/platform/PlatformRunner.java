package gitmend.runner.platform;

import gitmend.runner.Results;
import gitmend.runner.TestRequest;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;

/**
 * Runs JUnit 5 classes by asking the engines themselves: the launcher is often not on a class path.
 *
 * <p>What the engines ask for grew from release to release, so requests are proxies that answer by
 * name what every release knows, and harmlessly what only newer ones ask.
 */
public final class PlatformRunner {
    private PlatformRunner() {}

    public static void main(String[] args) throws Exception {
        run(Results.file(args[0]), TestRequest.lines(args[1]));
        System.exit(0);
    }

    /** Also called by the servers that run tests again and again. */
    static void run(OutputStream results, List<String> wanted) throws Exception {
        List<TestEngine> engines = engines();
        if (engines.isEmpty()) {
            System.err.println("no JUnit engine (junit-jupiter-engine) is on the class path");
            System.exit(70);
        }
        TestRequest.runAll(results, wanted, (one, told) -> run(one, engines, told));
    }

    /** JUnit 4 has its own runner here, and suites need a launcher. */
    private static List<TestEngine> engines() {
        List<TestEngine> engines = new ArrayList<>();
        for (TestEngine engine : ServiceLoader.load(TestEngine.class)) {
            if (!Arrays.asList("junit-vintage", "junit-platform-suite").contains(engine.getId())) {
                engines.add(engine);
            }
        }
        return engines;
    }

    private static void run(TestRequest wanted, List<TestEngine> engines, Results results) {
        try {
            ConfigurationParameters parameters = new Parameters();
            EngineDiscoveryRequest request = request(wanted.load(), parameters);
            for (TestEngine engine : engines) {
                TestDescriptor root = engine.discover(request, UniqueId.forEngine(engine.getId()));
                keepOnly(wanted, root);
                if (!root.getChildren().isEmpty()) {
                    engine.execute(Executions.of(root, new PlatformListener(results), parameters));
                }
            }
        } catch (Throwable e) {
            results.failed(wanted.className, 0, e);
        }
    }

    private static EngineDiscoveryRequest request(Class<?> test, ConfigurationParameters parameters) {
        DiscoverySelector selector = DiscoverySelectors.selectClass(test);
        InvocationHandler answers = (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "getSelectorsByType":
                    return ((Class<?>) arguments[0]).isInstance(selector)
                            ? Collections.singletonList(selector)
                            : Collections.emptyList();
                case "getFiltersByType":
                    return Collections.emptyList();
                case "getConfigurationParameters":
                    return parameters;
                default:
                    return Executions.harmless(method);
            }
        };
        return (EngineDiscoveryRequest) Proxy.newProxyInstance(
                PlatformRunner.class.getClassLoader(),
                new Class<?>[] {EngineDiscoveryRequest.class},
                answers);
    }

    private static void keepOnly(TestRequest wanted, TestDescriptor root) {
        List<TestDescriptor> unwanted = new ArrayList<>();
        root.accept(descriptor -> {
            Optional<TestSource> source = descriptor.getSource();
            if (source.isPresent() && source.get() instanceof MethodSource
                    && !wanted.includes(((MethodSource) source.get()).getMethodName())) {
                unwanted.add(descriptor);
            }
        });
        for (TestDescriptor descriptor : unwanted) {
            if (descriptor.getParent().isPresent()) {
                descriptor.removeFromHierarchy();
            }
        }
        root.accept(TestDescriptor::prune);
    }
}
