package gitmend.testserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Probes of JVM state that has no public accessor and is in static fields of the JDK. */
final class Internals {
    private Internals() {}

    static List<StateProbe> createAll() {
        return Arrays.asList(
                StateProbes.probe("native library", Internals::nativeLibraries, null),
                StateProbes.probe("HTTPS sockets", () -> httpsSocketFactory().get(),
                        saved -> httpsSocketFactory().set(saved)),
                StateProbes.probe("security properties", Internals::securityProperties,
                        Internals::restoreSecurityProperties));
    }

    /** Returns the loaded libraries except the JDK's own. Until Java 25, a library belongs to one class loader. */
    private static Set<String> nativeLibraries() throws ReflectiveOperationException, IOException {
        Set<String> libraries = new HashSet<>();
        for (Object name : namedLibraries()) {
            libraries.add(name.toString());
        }
        libraries.removeIf(name -> name.startsWith(System.getProperty("java.home")));
        return libraries;
    }

    /** Returns the libraries that were loaded by name, if the JDK records their names. */
    private static Collection<?> namedLibraries() throws ReflectiveOperationException, IOException {
        // Until Java 14, the second class has the field.
        for (String holder : new String[] {"jdk.internal.loader.NativeLibraries", "java.lang.ClassLoader"}) {
            try {
                return new ArrayList<>((Collection<?>) JdkField.ofClass(holder, "loadedLibraryNames").get());
            } catch (ClassNotFoundException | NoSuchFieldException e) {
                // From Java 26 on, neither class has the field.
            }
        }
        return mappedLibraries();
    }

    /** Returns the mapped libraries, except for system libraries, which the JDK loads at any time. Needs `/proc`. */
    private static Collection<String> mappedLibraries() throws IOException {
        Set<String> libraries = new HashSet<>();
        for (String line : Files.readAllLines(Paths.get("/proc/self/maps"))) {
            String path = line.substring(Math.max(0, line.indexOf('/')));
            boolean isSystemLibrary = path.matches("(/usr)?/lib.*") && !path.contains("/jni/");
            if (path.matches("/.*\\.so(\\W.*)?") && !isSystemLibrary) {
                libraries.add(path);
            }
        }
        return libraries;
    }

    private static JdkField httpsSocketFactory() throws ReflectiveOperationException {
        return JdkField.ofClass("javax.net.ssl.HttpsURLConnection", "defaultSSLSocketFactory");
    }

    private static Map<Object, Object> securityProperties() throws ReflectiveOperationException {
        return new TreeMap<>((Map<?, ?>) JdkField.ofClass("java.security.Security", "props").get());
    }

    private static void restoreSecurityProperties(Object saved) {
        for (Map.Entry<?, ?> property : ((Map<?, ?>) saved).entrySet()) {
            Security.setProperty(property.getKey().toString(), property.getValue().toString());
        }
    }
}
