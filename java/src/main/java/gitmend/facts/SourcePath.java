package gitmend.facts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** File manager whose source path consists of files in memory. Javac reads such a file when it needs a class of it. */
final class SourcePath extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final Map<String, List<JavaFileObject>> filesByPackage = new HashMap<>();

    SourcePath(StandardJavaFileManager files, List<SourceText> sources) {
        super(files);
        for (SourceText source : sources) {
            filesByPackage.computeIfAbsent(source.packageName(), name -> new ArrayList<>()).add(source);
        }
    }

    @Override
    public boolean hasLocation(Location location) {
        return location == StandardLocation.SOURCE_PATH || super.hasLocation(location);
    }

    @Override
    public Iterable<JavaFileObject> list(Location location, String packageName, Set<Kind> kinds, boolean recurse)
            throws IOException {
        if (location != StandardLocation.SOURCE_PATH) {
            return super.list(location, packageName, kinds, recurse);
        }
        List<JavaFileObject> listing = new ArrayList<>();
        if (kinds.contains(Kind.SOURCE)) {
            listing.addAll(filesByPackage.getOrDefault(packageName, Collections.emptyList()));
        }
        // The options of the build may contain a source path.
        if (super.hasLocation(location)) {
            super.list(location, packageName, kinds, recurse).forEach(listing::add);
        }
        return listing;
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        return file instanceof SourceText ? ((SourceText) file).binaryName() : super.inferBinaryName(location, file);
    }
}
