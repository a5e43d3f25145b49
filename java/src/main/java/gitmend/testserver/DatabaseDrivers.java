package gitmend.testserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Probe of the JDBC drivers. The JDK looks for them once, with the class loader of the first variant that asks. Not for
 * JDK 8, which looks for them when it initialises the class.
 */
final class DatabaseDrivers extends StateProbe {
    private static final String DRIVER_MANAGER = "java.sql.DriverManager";

    DatabaseDrivers() {
        super("JDBC drivers");
    }

    @Override
    Object read() throws Throwable {
        boolean isInitialized = initialized().getBoolean();
        return Arrays.asList(isInitialized, new ArrayList<>(drivers()));
    }

    @Override
    void restore(Object saved) throws Throwable {
        List<?> parts = (List<?>) saved;
        drivers().clear();
        drivers().addAll((List<?>) parts.get(1));
        initialized().setBoolean((Boolean) parts.get(0));
    }

    private static JdkField initialized() throws ReflectiveOperationException {
        return JdkField.ofClass(DRIVER_MANAGER, "driversInitialized");
    }

    @SuppressWarnings("unchecked")
    private static List<Object> drivers() throws ReflectiveOperationException {
        return (List<Object>) JdkField.ofClass(DRIVER_MANAGER, "registeredDrivers").get();
    }
}
