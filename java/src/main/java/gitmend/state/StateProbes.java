package gitmend.state;

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
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.net.ssl.HttpsURLConnection;

/** The parts of a JVM's state that tests are known to change. */
final class StateProbes {
    /** The sockets that were open when ports were last asked for, and which ports these held. */
    private static Set<String> lastSockets = new HashSet<>();
    private static List<String> lastPorts = new ArrayList<>();

    private StateProbes() {}

    /** Reads something. */
    interface Reader {
        Object read() throws Throwable;
    }

    /** Writes something that was read. */
    interface Restorer {
        void restore(Object saved) throws Throwable;
    }

    static List<StateProbe> createAll() {
        List<StateProbe> probes = new ArrayList<>(Arrays.asList(
                // The time zone is found out at its first use, and is a property from then on.
                probe("time zone", () -> TimeZone.getDefault().clone(),
                        saved -> TimeZone.setDefault((TimeZone) saved)),
                probe("logging", StateProbes::loggerSettings, null),
                probe("security providers", () -> Arrays.asList(Security.getProviders()), null),
                probe("managed beans", StateProbes::managedBeans, null),
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
                // Each of these can be set once; setting none again is refused where one is set.
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

    /** Does something that fails or not. */
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

    /** On JDK 8, each call returns another object. */
    private static Object fileNameMap() throws ReflectiveOperationException {
        FileNameMap names = URLConnection.getFileNameMap();
        boolean isStable = names == URLConnection.getFileNameMap();
        return isStable ? names : new StaticField("java.net.URLConnection", "fileNameMap").get();
    }

    /** The loggers that have something of their own, and what. */
    private static Object loggerSettings() {
        LogManager manager = LogManager.getLogManager();
        Map<String, Object> loggers = new TreeMap<>();
        for (Enumeration<String> names = manager.getLoggerNames(); names.hasMoreElements(); ) {
            String name = names.nextElement();
            Logger logger = manager.getLogger(name);
            if (logger != null) {
                List<Object> settings = new ArrayList<>();
                settings.add(logger.getLevel());
                settings.add(logger.getFilter());
                settings.add(logger.getUseParentHandlers());
                for (Handler handler : logger.getHandlers()) {
                    settings.addAll(Arrays.asList(handler, handler.getLevel(), handler.getFilter(),
                            handler.getFormatter(), handler.getEncoding()));
                }
                if (!settings.equals(Arrays.asList(null, null, true))) {
                    loggers.put(name, settings);
                }
            }
        }
        return Arrays.asList(manager, loggers);
    }

    private static Object managedBeans() {
        List<Object> names = new ArrayList<>();
        for (MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
            names.add(server);
            names.add(server.queryNames(null, null));
        }
        return names;
    }

    private static Object childProcesses() throws Exception {
        Class<?> handle;
        try {
            handle = Class.forName("java.lang.ProcessHandle");
        } catch (ClassNotFoundException e) {
            // Before Java 9 only the operating system lists them, if at all.
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

    /** Returns the ports that this JVM holds, where the system lists them: the next tests could not
     * use them. */
    private static Object openPorts() throws IOException {
        Set<String> sockets = new HashSet<>();
        File[] descriptors = new File("/proc/self/fd").listFiles();
        for (File descriptor : descriptors == null ? new File[0] : descriptors) {
            String target = linkTarget(descriptor.toPath());
            if (target.startsWith("socket:[")) {
                sockets.add(target.substring(8, target.length() - 1));
            }
        }
        // The kernel takes its time to list all ports of the machine.
        if (sockets.equals(lastSockets)) {
            return lastPorts;
        }
        List<String> ports = new ArrayList<>();
        for (String protocol : sockets.isEmpty() ? new String[0] : new String[] {"tcp", "tcp6", "udp", "udp6"}) {
            for (String line : Files.readAllLines(Paths.get("/proc/self/net", protocol))) {
                // Its number, its own and the other address, its state, and five columns later the socket.
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

    /** What a link leads to; it may be gone by now. */
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
