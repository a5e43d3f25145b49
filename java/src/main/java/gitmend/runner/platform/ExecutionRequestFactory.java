package gitmend.runner.platform;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Optional;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;

/** Factory of execution requests. It uses the factory method or constructor of the JUnit release. */
final class ExecutionRequestFactory {
    private ExecutionRequestFactory() {}

    /** Calls the factory method with the most parameters; releases without one have a public constructor. */
    static ExecutionRequest create(
            TestDescriptor root, EngineExecutionListener listener, ConfigurationParameters parameters)
            throws Exception {
        Method factory = null;
        for (Method method : ExecutionRequest.class.getDeclaredMethods()) {
            boolean isFactory = method.getName().equals("create")
                    && Modifier.isStatic(method.getModifiers())
                    && Modifier.isPublic(method.getModifiers());
            if (isFactory
                    && (factory == null || method.getParameterCount() > factory.getParameterCount())) {
                factory = method;
            }
        }
        if (factory == null) {
            Constructor<ExecutionRequest> constructor = ExecutionRequest.class.getConstructor(
                    TestDescriptor.class,
                    EngineExecutionListener.class,
                    ConfigurationParameters.class);
            return constructor.newInstance(root, listener, parameters);
        }
        Object[] arguments = new Object[factory.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> type = factory.getParameterTypes()[i];
            arguments[i] = type.isInstance(root) ? root
                    : type.isInstance(listener) ? listener
                    : type.isInstance(parameters) ? parameters
                    : createDefault(type);
        }
        return (ExecutionRequest) factory.invoke(null, arguments);
    }

    /** Returns a default result for a call of a method that the proxy does not implement. */
    static Object defaultAnswer(Method method) throws Exception {
        Class<?> type = method.getReturnType();
        if (method.getName().equals("toString")) {
            return "git-mend";
        } else if (method.getName().equals("hashCode")) {
            return 0;
        } else if (type == boolean.class) {
            return false;
        } else if (type == void.class) {
            return null;
        } else if (type == Optional.class) {
            return Optional.empty();
        } else if (type == Path.class) {
            return method.getName().startsWith("create")
                    ? Files.createTempDirectory("git-mend")
                    : Paths.get(System.getProperty("java.io.tmpdir"));
        }
        return createDefault(type);
    }

    private static Object createDefault(Class<?> type) throws Exception {
        if (type.getSimpleName().equals("NamespacedHierarchicalStore")) {
            // The store of a request has the store of a session as its parent.
            Constructor<?> constructor = type.getConstructor(type);
            return constructor.newInstance(constructor.newInstance((Object) null));
        } else if (type.getSimpleName().equals("CancellationToken")) {
            return type.getMethod("disabled").invoke(null);
        }
        InvocationHandler handler = (proxy, method, arguments) -> defaultAnswer(method);
        return type.isInterface()
                ? Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler)
                : null;
    }
}
