package gitmend.schedule.weave;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Cache of instrumented classes, shared by all schedules. */
public final class InstrumentedClassCache {
    /** A class that is ready to be loaded. */
    static final class Ready {
        final byte[] bytes;
        final URL source;

        Ready(byte[] bytes, URL source) {
            this.bytes = bytes;
            this.source = source;
        }
    }

    /** Where classes and resources are. */
    final URL[] classPath;
    /** Finds class files and loads nothing. */
    private final URLClassLoader finder;
    private final List<String> projectFolders = new ArrayList<>();
    private final ClassHierarchy outside = new ClassHierarchy(this::found);
    private final Map<String, Ready> ready = new HashMap<>();
    /** The classes that run as they are, because they could not be instrumented. */
    public final Set<String> failed = new TreeSet<>();
    /** The classes whose accesses are seen. */
    public final Set<String> projectClasses = new TreeSet<>();
    /** All classes of the project. */
    private final Set<String> own = new TreeSet<>();

    /** What another store of the same class path has of libraries and copies is kept, if there is one. */
    public InstrumentedClassCache(List<String> classPath, List<String> projectFolders, InstrumentedClassCache before)
            throws IOException {
        this.classPath = before == null ? urls(classPath) : before.classPath;
        finder = before == null ? new URLClassLoader(this.classPath, null) : before.finder;
        if (before != null) {
            ready.putAll(before.ready);
            ready.keySet().removeAll(before.own);
            for (String one : before.failed) {
                if (!before.own.contains(one.substring(0, one.indexOf(':')))) {
                    failed.add(one);
                }
            }
            Sites.forgetVolatiles(before.projectClasses);
        }
        for (String folder : projectFolders) {
            this.projectFolders.add(new File(folder).toURI().toURL().toString());
        }
    }

    private static URL[] urls(List<String> classPath) throws IOException {
        URL[] urls = new URL[classPath.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(classPath.get(i)).toURI().toURL();
        }
        return urls;
    }

    /** A class of the class path, or null if there is none; its name has dots. */
    synchronized Ready of(String name) throws IOException {
        Ready known = ready.get(name);
        if (known != null) {
            return known;
        }
        String path = name.replace('.', '/') + ".class";
        URL url = finder.getResource(path);
        if (url == null) {
            return null;
        }
        byte[] original = bytes(url.openStream());
        Ready made = new Ready(instrumented(name, original, url.toString()), sourceOf(url, path));
        ready.put(name, made);
        return made;
    }

    private byte[] instrumented(String name, byte[] original, String url) {
        if (name.startsWith("gitmend.runner.") || name.startsWith("gitmend.wire.")) {
            return original;
        }
        boolean isProject = false;
        for (String folder : projectFolders) {
            isProject |= url.startsWith(folder);
        }
        if (isProject) {
            own.add(name);
        }
        try {
            ClassInstrumenter.Role role = isProject ? ClassInstrumenter.Role.PROJECT : ClassInstrumenter.Role.LIBRARY;
            byte[] bytes = ClassInstrumenter.of(original, role, outside);
            if (isProject) {
                projectClasses.add(name);
            }
            return bytes;
        } catch (IOException | RuntimeException e) {
            failed.add(name + ": " + e);
            return original;
        }
    }

    /** The copy of a class of the JDK. */
    synchronized Ready copy(String name) throws IOException {
        Ready known = ready.get(name);
        if (known == null) {
            byte[] original = found(RelocatedClasses.original(name.replace('.', '/')));
            if (original == null) {
                return null;
            }
            known = new Ready(ClassInstrumenter.of(original, ClassInstrumenter.Role.COPY, outside), null);
            ready.put(name, known);
        }
        return known;
    }

    private byte[] found(String name) {
        try {
            URL url = finder.getResource(name + ".class");
            InputStream in = url == null ? ClassLoader.getSystemResourceAsStream(name + ".class") : url.openStream();
            return in == null ? null : bytes(in);
        } catch (IOException e) {
            return null;
        }
    }

    private static URL sourceOf(URL url, String path) throws IOException {
        String text = url.toString();
        String folder = text.substring(0, text.length() - path.length());
        boolean isInJar = folder.startsWith("jar:") && folder.endsWith("!/");
        return new URL(isInJar ? folder.substring(4, folder.length() - 2) : folder);
    }

    private static byte[] bytes(InputStream stream) throws IOException {
        try (InputStream in = stream) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
            }
            return out.toByteArray();
        }
    }
}
