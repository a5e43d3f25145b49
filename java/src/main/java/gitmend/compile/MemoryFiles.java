package gitmend.compile;

import gitmend.facts.SourceText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardLocation;

/** File manager that holds sources and classes in memory and reads libraries from disk. */
final class MemoryFiles extends ForwardingJavaFileManager<Libraries> {
    private final Map<String, List<JavaFileObject>> classes = new HashMap<>();
    private final Map<String, List<JavaFileObject>> sources = new HashMap<>();
    private final Map<JavaFileObject, String> binaryNames = new IdentityHashMap<>();
    private final Map<String, List<MemoryClass>> outputs = new TreeMap<>();

    MemoryFiles(Libraries libraries) {
        super(libraries);
    }

    /** Removes all files of the last compilation. */
    void clear() {
        classes.clear();
        sources.clear();
        binaryNames.clear();
        clearOutputs();
    }

    void clearOutputs() {
        outputs.clear();
    }

    /** Returns the compiled classes by source file. */
    Map<String, List<MemoryClass>> outputs() {
        return outputs;
    }

    /** Returns true if the file is a class of the JDK. */
    boolean isJdkFile(Object file) {
        return fileManager.isJdkFile(file);
    }

    /** Returns true if a package has classes or sources in memory. */
    boolean hasPackage(String name) {
        return classes.containsKey(name) || sources.containsKey(name);
    }

    /** Returns true if the class path has a class with this binary name on disk. */
    boolean hasClassOnClassPath(String name) {
        try {
            Set<JavaFileObject.Kind> kinds = EnumSet.of(JavaFileObject.Kind.CLASS);
            for (JavaFileObject file : super.list(StandardLocation.CLASS_PATH, packageOf(name), kinds, false)) {
                if (name.equals(super.inferBinaryName(StandardLocation.CLASS_PATH, file))) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a class of an earlier compilation. */
    void addClass(MemoryClass compiledClass) {
        add(classes, compiledClass, compiledClass.name);
    }

    /** Adds a source that is compiled if another source refers to it. */
    void addSource(SourceText source, String name) {
        add(sources, source, name);
    }

    private void add(Map<String, List<JavaFileObject>> filesByPackage, JavaFileObject file, String name) {
        filesByPackage.computeIfAbsent(packageOf(name), key -> new ArrayList<>()).add(file);
        binaryNames.put(file, name);
    }

    private static String packageOf(String className) {
        return className.substring(0, Math.max(0, className.lastIndexOf('.')));
    }

    @Override
    public boolean hasLocation(Location location) {
        return location == StandardLocation.SOURCE_PATH || super.hasLocation(location);
    }

    @Override
    public Iterable<JavaFileObject> list(
            Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        List<JavaFileObject> empty = new ArrayList<>();
        if (location == StandardLocation.SOURCE_PATH) {
            return kinds.contains(JavaFileObject.Kind.SOURCE) ? sources.getOrDefault(packageName, empty) : empty;
        } else if (location != StandardLocation.CLASS_PATH || !kinds.contains(JavaFileObject.Kind.CLASS)) {
            return super.list(location, packageName, kinds, recurse);
        }
        List<JavaFileObject> listing = new ArrayList<>(classes.getOrDefault(packageName, empty));
        super.list(location, packageName, kinds, recurse).forEach(listing::add);
        return listing;
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        String name = binaryNames.get(file);
        return name == null ? super.inferBinaryName(location, file) : name;
    }

    @Override
    public boolean isSameFile(FileObject one, FileObject other) {
        boolean isInMemory = one instanceof SourceText || one instanceof MemoryClass
                || other instanceof SourceText || other instanceof MemoryClass;
        return isInMemory ? one == other : super.isSameFile(one, other);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
            JavaFileManager.Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
        MemoryClass output = new MemoryClass(name.replace('/', '.'));
        String source = sibling instanceof SourceText ? ((SourceText) sibling).path : "";
        outputs.computeIfAbsent(source, key -> new ArrayList<>()).add(output);
        return output;
    }
}
