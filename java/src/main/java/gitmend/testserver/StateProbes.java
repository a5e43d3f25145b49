package gitmend.testserver;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.CookieHandler;
import java.net.FileNameMap;
import java.net.HttpURLConnection;
import java.net.ProxySelector;
import java.net.ResponseCache;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TimeZone;
import javax.net.ssl.HttpsURLConnection;

/** Probes of JVM state that tests are known to change. */
final class StateProbes {
    /** Cache: open sockets at the last call of {@link #openPorts}, and their ports. */
    private static Set<String> lastSockets = new HashSet<>();
    private static List<String> lastPorts = new ArrayList<>();

    private StateProbes() {}

    /** Reader of a snapshot. */
    interface Reader {
        Object read() throws Throwable;
    }

    /** Restorer of a snapshot. */
    interface Restorer {
        void restore(Object saved) throws Throwable;
    }

    static List<StateProbe> createAll() {
        List<StateProbe> probes = new ArrayList<>(Arrays.asList(
                // The first use of the time zone sets a system property, so its probe precedes that of properties.
                probe("time zone", () -> TimeZone.getDefault().clone(),
                        saved -> TimeZone.setDefault((TimeZone) saved)),
                new Logging(),
                probe("security providers", () -> Arrays.asList(Security.getProviders()), null),
                new ManagedBeans(),
                new DatabaseDrivers(),
                new SystemProperties(),
                probe("locale", StateProbes::locales, StateProbes::restoreLocales),
                probe("exception handler", Thread::getDefaultUncaughtExceptionHandler,
                        saved -> Thread.setDefaultUncaughtExceptionHandler(
                                (Thread.UncaughtExceptionHandler) saved)),
                probe("proxies", ProxySelector::getDefault,
                        saved -> ProxySelector.setDefault((ProxySelector) saved)),
                probe("cookies", CookieHandler::getDefault,
                        saved -> CookieHandler.setDefault((CookieHandler) saved)),
                probe("response cache", ResponseCache::getDefault,
                        saved -> ResponseCache.setDefault((ResponseCache) saved)),
                probe("redirects", HttpURLConnection::getFollowRedirects,
                        saved -> HttpURLConnection.setFollowRedirects((Boolean) saved)),
                probe("host names", HttpsURLConnection::getDefaultHostnameVerifier, null),
                probe("file names", StateProbes::fileNameMap, null),
                probe("authenticator", () -> callGetter(java.net.Authenticator.class, "getDefault"), null),
                probe("security manager", () -> callGetter(System.class, "getSecurityManager"), null),
                probe("child processes", StateProbes::childProcesses, null),
                probe("open ports", StateProbes::openPorts, null),
                // Each of these can be set once. Setting null fails if one is set.
                setOnceProbe("URL factory", () -> URL.setURLStreamHandlerFactory(null)),
                setOnceProbe("content factory", () -> URLConnection.setContentHandlerFactory(null)),
                setOnceProbe("socket factory", () -> java.net.Socket.setSocketImplFactory(null)),
                setOnceProbe("server socket factory", () -> java.net.ServerSocket.setSocketFactory(null)),
                setOnceProbe("datagram factory", () -> java.net.DatagramSocket.setDatagramSocketImplFactory(null))));
        probes.addAll(Internals.createAll());
        return probes;
    }

    static StateProbe probe(String name, Reader reader, Restorer restorer) {
        return new StateProbe(name) {
            @Override
            Object read() throws Throwable {
                return reader.read();
            }

            @Override
            void restore(Object saved) throws Throwable {
                if (restorer != null) {
                    restorer.restore(saved);
                }
            }
        };
    }

    /** Action that may fail. */
    private interface Trial {
        void run() throws Throwable;
    }

    private static StateProbe setOnceProbe(String name, Trial trial) {
        return probe(name, () -> {
            trial.run();
            return "none";
        }, null);
    }

    private static Object locales() {
        return Arrays.asList(Locale.getDefault(), Locale.getDefault(Locale.Category.DISPLAY),
                Locale.getDefault(Locale.Category.FORMAT));
    }

    private static void restoreLocales(Object saved) {
        List<?> locales = (List<?>) saved;
        Locale.setDefault((Locale) locales.get(0));
        Locale.setDefault(Locale.Category.DISPLAY, (Locale) locales.get(1));
        Locale.setDefault(Locale.Category.FORMAT, (Locale) locales.get(2));
    }

    /** Returns the map of file names. On JDK 8 each call returns a wrapper, so the field is read instead. */
    private static Object fileNameMap() throws ReflectiveOperationException {
        FileNameMap names = URLConnection.getFileNameMap();
        boolean isStable = names == URLConnection.getFileNameMap();
        return isStable ? names : JdkField.ofClass("java.net.URLConnection", "fileNameMap").get();
    }

    private static Object childProcesses() throws Exception {
        Class<?> handle;
        try {
            handle = Class.forName("java.lang.ProcessHandle");
        } catch (ClassNotFoundException e) {
            // Before Java 9, only the operating system lists child processes.
            return childrenByThread();
        }
        Object current = handle.getMethod("current").invoke(null);
        Object children = handle.getMethod("children").invoke(current);
        return Class.forName("java.util.stream.Stream").getMethod("count").invoke(children);
    }

    private static Set<String> childrenByThread() {
        Set<String> children = new HashSet<>();
        for (String thread : new File("/proc/self/task").list()) {
            try {
                for (String line : Files.readAllLines(Paths.get("/proc/self/task", thread, "children"))) {
                    children.addAll(Arrays.asList(line.trim().split(" ")));
                }
            } catch (IOException e) {
                // The thread has ended by now.
            }
        }
        return children;
    }

    /** Returns the ports that this JVM holds, which later tests could not bind. Needs `/proc`. */
    private static Object openPorts() throws IOException {
        Set<String> sockets = new HashSet<>();
        File[] descriptors = new File("/proc/self/fd").listFiles();
        for (File descriptor : descriptors == null ? new File[0] : descriptors) {
            String target = linkTarget(descriptor.toPath());
            if (target.startsWith("socket:[")) {
                sockets.add(target.substring(8, target.length() - 1));
            }
        }
        // The kernel is slow to list all ports of the machine.
        if (sockets.equals(lastSockets)) {
            return lastPorts;
        }
        List<String> ports = new ArrayList<>();
        for (String protocol : sockets.isEmpty() ? new String[0] : new String[] {"tcp", "tcp6", "udp", "udp6"}) {
            for (String line : Files.readAllLines(Paths.get("/proc/self/net", protocol))) {
                // Columns: number, local address, remote address, state, and at index 9 the inode of the socket.
                String[] columns = line.trim().split(" +");
                boolean isHeld = protocol.startsWith("udp") || columns[3].equals("0A");
                if (isHeld && sockets.contains(columns[9])) {
                    ports.add(protocol + " " + columns[1]);
                }
            }
        }
        lastSockets = sockets;
        lastPorts = ports;
        return ports;
    }

    /** Returns the target of a link; empty if the link no longer exists. */
    private static String linkTarget(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static Object callGetter(Class<?> type, String method) throws Exception {
        Method getter = type.getMethod(method);
        return getter.invoke(null);
    }
}
