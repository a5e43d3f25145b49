package gitmend.testserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import gitmend.testing.CompiledClasses;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with real libraries: what they leave behind is restored or harmless, so that the JVM can be used again. */
class LibraryStateTest {
    private static final File LIBRARIES = new File("tests/libraries/target/jars");

    private final java.io.InputStream in = System.in;
    private final java.io.PrintStream out = System.out;
    private final java.io.PrintStream err = System.err;
    private final String classPath = System.getProperty("java.class.path");

    @BeforeEach
    void findLibraries() {
        assumeTrue(LIBRARIES.isDirectory(), LIBRARIES + " is missing: run scripts/setup with a network");
    }

    @AfterEach
    void restoreStreamsAndClassPath() {
        System.setProperty("java.class.path", classPath);
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
    }

    /** Runs statements in two variants one after the other, and asserts that each leaves a reusable JVM. */
    private static void assertReusable(String imports, String statements, String... expectedChanges)
            throws Exception {
        List<URL> urls = new ArrayList<>();
        List<String> paths = new ArrayList<>();
        for (File jar : LIBRARIES.listFiles()) {
            urls.add(jar.toURI().toURL());
            paths.add(jar.getPath());
        }
        String source = imports + " public class Variant { public static void run() throws Exception { "
                + statements + " } public interface Greeter { String greet(); } }";
        // Libraries start it, and its own beans are not theirs.
        ManagementFactory.getPlatformMBeanServer();
        JvmState state = new JvmState();
        for (int variant = 0; variant < 2; variant++) {
            state.installStreams();
            ClassLoader parent = ClassLoader.getSystemClassLoader().getParent();
            try (URLClassLoader libraries = new URLClassLoader(urls.toArray(new URL[0]), parent)) {
                ClassLoader loader = CompiledClasses.loader(
                        CompiledClasses.of(source, "-cp", String.join(File.pathSeparator, paths)), libraries);
                assertNull(runInThread(loader));
                Set<String> changes = new TreeSet<>(state.restoreChanges());
                assertTrue(state.isRestored(), changes::toString);
                if (variant == 0) {
                    assertEquals(new TreeSet<>(Arrays.asList(expectedChanges)), changes);
                }
            }
        }
    }

    /** Runs the variant in a thread with its class loader, and returns its exception. */
    private static Throwable runInThread(ClassLoader loader) throws Exception {
        Method run = loader.loadClass("Variant").getMethod("run");
        Throwable[] thrown = new Throwable[1];
        Thread main = new Thread(() -> {
            try {
                run.invoke(null);
            } catch (ReflectiveOperationException e) {
                thrown[0] = e.getCause();
                e.getCause().printStackTrace();
            }
        }, "main");
        main.setContextClassLoader(loader);
        main.start();
        main.join();
        return thrown[0];
    }

    @Test
    void connectionPoolOnAnH2DatabaseIsHarmless() throws Exception {
        assertReusable("import com.zaxxer.hikari.*; import ch.qos.logback.classic.*;",
                "((Logger) org.slf4j.LoggerFactory.getLogger(\"ROOT\")).setLevel(Level.OFF);"
                + " HikariConfig config = new HikariConfig();"
                + " config.setJdbcUrl(\"jdbc:h2:mem:a;DB_CLOSE_DELAY=-1\"); config.setRegisterMbeans(true);"
                + " HikariDataSource pool = new HikariDataSource(config); pool.getConnection().close();",
                "JDBC drivers", "managed beans", "system property com.zaxxer.hikari.pool_number");
    }

    @Test
    void everyVariantFindsTheDriversOfItsClassPath() throws Exception {
        assertReusable("import java.sql.*;",
                "DriverManager.getConnection(\"jdbc:h2:mem:b\").close();", "JDBC drivers");
    }

    @Test
    void hsqldbTimerIsHarmless() throws Exception {
        assertReusable("import java.sql.*;", "Driver driver = new org.hsqldb.jdbc.JDBCDriver();"
                + " try (Connection one = driver.connect(\"jdbc:hsqldb:mem:a\", new java.util.Properties())) {"
                + " one.createStatement().execute(\"create table t (a int)\"); }", "JDBC drivers");
    }

    @Test
    void log4jContextIsHarmless() throws Exception {
        assertReusable("import org.apache.logging.log4j.*;",
                "LogManager.getLogger(\"a\").error(\"something\");", "shutdown hook");
    }

    @Test
    void logbackWithTheBridgeForTheJdkIsHarmless() throws Exception {
        assertReusable("import org.slf4j.bridge.SLF4JBridgeHandler;",
                "SLF4JBridgeHandler.removeHandlersForRootLogger(); SLF4JBridgeHandler.install();"
                + " System.setProperty(\"CONSOLE_LOG_CHARSET\", \"UTF-8\");"
                + " java.util.logging.Logger.getLogger(\"a\").severe(\"something\");",
                "logging", "system property CONSOLE_LOG_CHARSET");
    }

    @Test
    void agentThatMockitoAttachesIsHarmless() throws Exception {
        assertReusable("import static org.mockito.Mockito.*;", "Greeter greeter = mock(Greeter.class);"
                + " when(greeter.greet()).thenReturn(\"hello\");"
                + " java.util.ArrayList list = mock(java.util.ArrayList.class); when(list.size()).thenReturn(3);"
                + " if (!greeter.greet().equals(\"hello\") || list.size() != 3"
                + " || new java.util.ArrayList().size() != 0) throw new IllegalStateException();");
    }
}
