package gitmend.compile;

import gitmend.facts.SourceText;
import java.io.IOException;
import java.util.ArrayList;
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
    private final Map<JavaFileObject, String> names = new IdentityHashMap<>();
    private final Map<String, List<MemoryClass>> written = new TreeMap<>();

    MemoryFiles(Libraries libraries) {
        super(libraries);
    }

    /** Forgets the last compilation. */
    void begin() {
        classes.clear();
        sources.clear();
        names.clear();
        forgetWritten();
    }

    void forgetWritten() {
        written.clear();
    }

    /** What was compiled, by its source file. */
    Map<String, List<MemoryClass>> written() {
        return written;
    }

    /** Whether it is one of the JDK's classes. */
    boolean isOfJdk(Object file) {
        return fileManager.isOfJdk(file);
    }

    /** Whether a package has classes or sources here. */
    boolean havePackage(String name) {
        return classes.containsKey(name) || sources.containsKey(name);
    }

    /** A class that is compiled already. */
    void know(MemoryClass known) {
        add(classes, known, known.name);
    }

    /** A source that is compiled if it is needed. */
    void offer(SourceText source, String name) {
        add(sources, source, name);
    }

    private void add(Map<String, List<JavaFileObject>> to, JavaFileObject file, String name) {
        String inPackage = name.substring(0, Math.max(0, name.lastIndexOf('.')));
        to.computeIfAbsent(inPackage, key -> new ArrayList<>()).add(file);
        names.put(file, name);
    }

    @Override
    public boolean hasLocation(Location location) {
        return location == StandardLocation.SOURCE_PATH || super.hasLocation(location);
    }

    @Override
    public Iterable<JavaFileObject> list(
            Location location, String inPackage, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        List<JavaFileObject> none = new ArrayList<>();
        if (location == StandardLocation.SOURCE_PATH) {
            return kinds.contains(JavaFileObject.Kind.SOURCE) ? sources.getOrDefault(inPackage, none) : none;
        } else if (location != StandardLocation.CLASS_PATH || !kinds.contains(JavaFileObject.Kind.CLASS)) {
            return super.list(location, inPackage, kinds, recurse);
        }
        List<JavaFileObject> all = new ArrayList<>(classes.getOrDefault(inPackage, none));
        super.list(location, inPackage, kinds, recurse).forEach(all::add);
        return all;
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        String name = names.get(file);
        return name == null ? super.inferBinaryName(location, file) : name;
    }

    @Override
    public boolean isSameFile(FileObject one, FileObject other) {
        boolean isOurs = one instanceof SourceText || one instanceof MemoryClass
                || other instanceof SourceText || other instanceof MemoryClass;
        return isOurs ? one == other : super.isSameFile(one, other);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
            JavaFileManager.Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
        MemoryClass output = new MemoryClass(name.replace('/', '.'));
        String source = sibling instanceof SourceText ? ((SourceText) sibling).path : "";
        written.computeIfAbsent(source, key -> new ArrayList<>()).add(output);
        return output;
    }
}
