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
    /** Class file and code source of a class. */
    static final class LoadableClass {
        final byte[] bytes;
        final URL source;

        LoadableClass(byte[] bytes, URL source) {
            this.bytes = bytes;
            this.source = source;
        }
    }

    /** Class path of the tests. */
    final URL[] classPath;
    /** Finds class files without loading classes. */
    private final URLClassLoader finder;
    private final List<String> projectFolders = new ArrayList<>();
    private final ClassHierarchy hierarchy = new ClassHierarchy(this::readBytes);
    private final Map<String, LoadableClass> classesByName = new HashMap<>();
    /** Classes that could not be instrumented and run unchanged, with the reasons. */
    public final Set<String> uninstrumented = new TreeSet<>();
    /** Instrumented classes of the project. */
    public final Set<String> projectClasses = new TreeSet<>();
    /** Classes of the project that behave as locks. */
    public final Set<String> lockClasses = new TreeSet<>();
    /** Names of the copied classes with static state that schedules have initialised. */
    final Set<String> usedStatefulCopies = new TreeSet<>();
    /** All classes of the project, instrumented or not. */
    private final Set<String> allProjectClasses = new TreeSet<>();

    /** Creates a cache. Libraries and copied classes of an earlier cache of the same class path are kept. */
    public InstrumentedClassCache(List<String> classPath, List<String> projectFolders, InstrumentedClassCache previous)
            throws IOException {
        this.classPath = previous == null ? toUrls(classPath) : previous.classPath;
        finder = previous == null ? new URLClassLoader(this.classPath, null) : previous.finder;
        if (previous != null) {
            classesByName.putAll(previous.classesByName);
            classesByName.keySet().removeAll(previous.allProjectClasses);
            for (String failure : previous.uninstrumented) {
                if (!previous.allProjectClasses.contains(failure.substring(0, failure.indexOf(':')))) {
                    uninstrumented.add(failure);
                }
            }
            usedStatefulCopies.addAll(previous.usedStatefulCopies);
            Sites.clearVolatile(previous.projectClasses);
        }
        for (String folder : projectFolders) {
            this.projectFolders.add(new File(folder).toURI().toURL().toString());
        }
    }

    private static URL[] toUrls(List<String> classPath) throws IOException {
        URL[] urls = new URL[classPath.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(classPath.get(i)).toURI().toURL();
        }
        return urls;
    }

    /** Returns a class of the class path, or null; its name has dots. */
    synchronized LoadableClass findClass(String name) throws IOException {
        LoadableClass cached = classesByName.get(name);
        if (cached != null) {
            return cached;
        }
        String path = name.replace('.', '/') + ".class";
        URL url = finder.getResource(path);
        if (url == null) {
            return null;
        }
        byte[] original = readAll(url.openStream());
        LoadableClass loadable = new LoadableClass(instrument(name, original, url.toString()), codeSource(url, path));
        classesByName.put(name, loadable);
        return loadable;
    }

    private byte[] instrument(String name, byte[] original, String url) {
        if (name.startsWith("gitmend.runner.") || name.startsWith("gitmend.wire.")) {
            return original;
        }
        boolean isProject = false;
        for (String folder : projectFolders) {
            isProject |= url.startsWith(folder);
        }
        if (isProject) {
            allProjectClasses.add(name);
        }
        try {
            ClassInstrumenter.Role role = isProject ? ClassInstrumenter.Role.PROJECT : ClassInstrumenter.Role.LIBRARY;
            byte[] bytes = ClassInstrumenter.instrument(original, role, hierarchy);
            if (isProject) {
                projectClasses.add(name);
            }
            if (isProject && hierarchy.isLock(name.replace('.', '/'))) {
                lockClasses.add(name);
            }
            return bytes;
        } catch (IOException | RuntimeException e) {
            uninstrumented.add(name + ": " + e);
            return original;
        }
    }

    /** Returns the copy of a JDK class. */
    synchronized LoadableClass getCopy(String name) throws IOException {
        LoadableClass cached = classesByName.get(name);
        if (cached == null) {
            byte[] original = readBytes(RelocatedClasses.originalName(name.replace('.', '/')));
            if (original == null) {
                return null;
            }
            cached = new LoadableClass(ClassInstrumenter.instrument(original, ClassInstrumenter.Role.COPY, hierarchy),
                    null);
            classesByName.put(name, cached);
        }
        return cached;
    }

    private byte[] readBytes(String name) {
        try {
            URL url = finder.getResource(name + ".class");
            InputStream in = url == null ? ClassLoader.getSystemResourceAsStream(name + ".class") : url.openStream();
            return in == null ? null : readAll(in);
        } catch (IOException e) {
            return null;
        }
    }

    private static URL codeSource(URL url, String path) throws IOException {
        String text = url.toString();
        String folder = text.substring(0, text.length() - path.length());
        boolean isInJar = folder.startsWith("jar:") && folder.endsWith("!/");
        return new URL(isInJar ? folder.substring(4, folder.length() - 2) : folder);
    }

    private static byte[] readAll(InputStream stream) throws IOException {
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
