package gitmend.runtime;

import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The parts of a JVM's state that no public method tells: they stand in static fields of the JDK. */
final class Internals {
    private Internals() {}

    static List<Probe> all() {
        return Arrays.asList(
                Probes.probe("shutdown hook", Internals::hooks, Internals::restoreHooks),
                Probes.probe("native library", Internals::libraries, null),
                Probes.probe("HTTPS sockets", () -> https().get(), saved -> https().set(saved)),
                Probes.probe("security properties", Internals::security, Internals::restoreSecurity));
    }

    private static Set<Object> hooks() throws ReflectiveOperationException {
        StaticField hooks = new StaticField("java.lang.ApplicationShutdownHooks", "hooks");
        return new HashSet<>(((Map<?, ?>) hooks.get()).keySet());
    }

    private static void restoreHooks(Object saved) throws ReflectiveOperationException {
        Set<Object> added = hooks();
        added.removeAll((Set<?>) saved);
        for (Object hook : added) {
            Runtime.getRuntime().removeShutdownHook((Thread) hook);
        }
    }

    /** Those that were asked for by name, but the JDK's own: a library is only there for one class loader. */
    private static Set<String> libraries() throws ReflectiveOperationException {
        StaticField loaded;
        try {
            loaded = new StaticField("jdk.internal.loader.NativeLibraries", "loadedLibraryNames");
        } catch (ClassNotFoundException e) {
            // Until Java 14.
            loaded = new StaticField("java.lang.ClassLoader", "loadedLibraryNames");
        }
        Set<String> others = new HashSet<>();
        for (Object name : new ArrayList<>((Collection<?>) loaded.get())) {
            others.add(name.toString());
        }
        others.removeIf(name -> name.startsWith(System.getProperty("java.home")));
        return others;
    }

    private static StaticField https() throws ReflectiveOperationException {
        return new StaticField("javax.net.ssl.HttpsURLConnection", "defaultSSLSocketFactory");
    }

    private static Map<Object, Object> security() throws ReflectiveOperationException {
        return new TreeMap<>((Map<?, ?>) new StaticField("java.security.Security", "props").get());
    }

    private static void restoreSecurity(Object saved) {
        for (Map.Entry<?, ?> property : ((Map<?, ?>) saved).entrySet()) {
            Security.setProperty(property.getKey().toString(), property.getValue().toString());
        }
    }
}
