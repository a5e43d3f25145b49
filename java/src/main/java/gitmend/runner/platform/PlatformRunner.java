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
 * Runner of JUnit 5. It calls the engines directly, because the launcher is often not on the class path.
 *
 * <p>Later releases added methods to discovery requests. Requests are therefore proxies: they implement the methods
 * of all releases by name, and return defaults from newer ones.
 */
public final class PlatformRunner {
    private PlatformRunner() {}

    public static void main(String[] args) throws Exception {
        run(Results.openFile(args[0]), TestRequest.readLines(args[1]));
        System.exit(0);
    }

    /** Runs requests. Servers call it by reflection. */
    static void run(OutputStream out, List<String> lines) throws Exception {
        List<TestEngine> engines = loadEngines();
        if (engines.isEmpty()) {
            System.err.println("no JUnit engine (junit-jupiter-engine) is on the class path");
            System.exit(70);
        }
        TestRequest.runAll(out, lines, (request, results) -> run(request, engines, results));
    }

    /** Loads the engines, except for JUnit 4, which has its own runner, and suites, which need the launcher. */
    private static List<TestEngine> loadEngines() {
        List<TestEngine> engines = new ArrayList<>();
        for (TestEngine engine : ServiceLoader.load(TestEngine.class)) {
            if (!Arrays.asList("junit-vintage", "junit-platform-suite").contains(engine.getId())) {
                engines.add(engine);
            }
        }
        return engines;
    }

    private static void run(TestRequest request, List<TestEngine> engines, Results results) {
        try {
            ConfigurationParameters parameters = new Parameters();
            EngineDiscoveryRequest discovery = createDiscoveryRequest(request.loadClass(), parameters);
            for (TestEngine engine : engines) {
                TestDescriptor root = engine.discover(discovery, UniqueId.forEngine(engine.getId()));
                pruneExcluded(request, root);
                if (!root.getChildren().isEmpty()) {
                    engine.execute(ExecutionRequestFactory.create(root, new PlatformListener(results), parameters));
                }
            }
        } catch (Throwable e) {
            results.reportFailed(request.className, 0, e);
        }
    }

    private static EngineDiscoveryRequest createDiscoveryRequest(Class<?> test, ConfigurationParameters parameters) {
        DiscoverySelector selector = DiscoverySelectors.selectClass(test);
        InvocationHandler handler = (proxy, method, arguments) -> {
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
                    return ExecutionRequestFactory.defaultAnswer(method);
            }
        };
        return (EngineDiscoveryRequest) Proxy.newProxyInstance(
                PlatformRunner.class.getClassLoader(),
                new Class<?>[] {EngineDiscoveryRequest.class},
                handler);
    }

    private static void pruneExcluded(TestRequest request, TestDescriptor root) {
        List<TestDescriptor> excluded = new ArrayList<>();
        root.accept(descriptor -> {
            Optional<TestSource> source = descriptor.getSource();
            if (source.isPresent() && source.get() instanceof MethodSource
                    && !request.includes(((MethodSource) source.get()).getMethodName())) {
                excluded.add(descriptor);
            }
        });
        for (TestDescriptor descriptor : excluded) {
            if (descriptor.getParent().isPresent()) {
                descriptor.removeFromHierarchy();
            }
        }
        root.accept(TestDescriptor::prune);
    }
}
