package gitmend.testserver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the restoration of JVM state after a variant. */
class JvmStateTest {
    private final java.io.InputStream in = System.in;
    private final java.io.PrintStream out = System.out;
    private final java.io.PrintStream err = System.err;
    private final String classPath = System.getProperty("java.class.path");
    private JvmState state;

    @BeforeEach
    void start() throws Exception {
        state = new JvmState();
        state.installStreams();
    }

    @AfterEach
    void restoreStreamsAndClassPath() {
        System.setProperty("java.class.path", classPath);
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
    }

    /** Asserts that the state is restored and that these changes were made. */
    private void assertRestored(String... changes) {
        assertEquals(new LinkedHashSet<>(Arrays.asList(changes)), state.restoreChanges());
        assertTrue(state.isRestored());
        assertEquals(Collections.emptySet(), state.restoreChanges());
    }

    @Test
    void loggersAndTheirHandlersAreRestored() {
        Logger root = Logger.getLogger("");
        Handler[] handlers = root.getHandlers();
        Level level = root.getLevel();
        Logger named = Logger.getLogger("gitmend.named");
        root.setLevel(Level.OFF);
        for (Handler handler : handlers) {
            root.removeHandler(handler);
        }
        root.addHandler(new ConsoleHandler());
        named.setUseParentHandlers(false);
        assertRestored("logging");
        assertArrayEquals(handlers, root.getHandlers());
        assertEquals(level, root.getLevel());
        assertTrue(named.getUseParentHandlers());
    }

    @Test
    void configurationOfNewLoggersIsRestored() throws Exception {
        byte[] configuration = "gitmend.fresh.level=FINEST\n".getBytes(StandardCharsets.UTF_8);
        LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(configuration));
        assertRestored("logging");
        assertNull(Logger.getLogger("gitmend.fresh").getLevel());
    }

    /** Bean of a test. */
    public interface CounterMBean {
        int getCount();
    }

    /** Its implementation. */
    public static final class Counter implements CounterMBean {
        @Override
        public int getCount() {
            return 1;
        }
    }

    @Test
    void addedBeansAreUnregistered() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        state = new JvmState();
        state.installStreams();
        ObjectName name = new ObjectName("gitmend:type=Counter");
        server.registerMBean(new Counter(), name);
        assertRestored("managed beans");
        assertFalse(server.isRegistered(name));
    }

    @Test
    void addedShutdownHooksRunAtTheEndOfTheirVariant() {
        boolean[] hasRun = new boolean[1];
        Runtime.getRuntime().addShutdownHook(new Thread(() -> hasRun[0] = true));
        assertRestored("shutdown hook");
        assertTrue(hasRun[0]);
    }

    @Test
    void runningThreadIsNamedAndNotRestored() {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                // The end of the test.
            }
        }, "left");
        thread.setDaemon(true);
        thread.start();
        assertEquals(Collections.singleton("thread left"), state.restoreChanges());
        assertFalse(state.isRestored());
        thread.interrupt();
    }
}
