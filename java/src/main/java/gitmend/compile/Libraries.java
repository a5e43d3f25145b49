package gitmend.compile;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** File manager of classes on disk. Listings of the JDK's classes are cached, because they do not change. */
final class Libraries extends ForwardingJavaFileManager<StandardJavaFileManager> {
    /** False on JDK 8, which reads cached file objects incorrectly in a later compilation. */
    private static final boolean CAN_CACHE = !System.getProperty("java.specification.version").startsWith("1.");

    /** Extension of the files of older releases for `--release`. */
    private static final String SIGNATURE_FILE_EXTENSION = ".sig";

    private final Map<List<Object>, List<JavaFileObject>> jdkListings = new HashMap<>();
    private final Set<Object> jdkFiles = Collections.newSetFromMap(new IdentityHashMap<>());

    Libraries(StandardJavaFileManager files) {
        super(files);
    }

    @Override
    public Iterable<JavaFileObject> list(
            Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        // Other locations are modules, and all modules here belong to the JDK.
        boolean isJdkLocation =
                location == StandardLocation.PLATFORM_CLASS_PATH || !(location instanceof StandardLocation);
        if (!isJdkLocation || !CAN_CACHE) {
            return super.list(location, packageName, kinds, recurse);
        }
        List<Object> key = Arrays.asList(location, packageName, new HashSet<>(kinds), recurse);
        List<JavaFileObject> listing = jdkListings.get(key);
        if (listing == null) {
            listing = new ArrayList<>();
            super.list(location, packageName, kinds, recurse).forEach(listing::add);
            jdkListings.put(key, listing);
            jdkFiles.addAll(listing);
        }
        return listing;
    }

    /**
     * Returns true if a listing of the JDK contained the file, or if it describes a class of an older release: javac
     * lists those itself.
     */
    boolean isJdkFile(Object file) {
        return jdkFiles.contains(file) || file instanceof FileObject && isSignatureFile((FileObject) file);
    }

    private static boolean isSignatureFile(FileObject file) {
        return file.getName().endsWith(SIGNATURE_FILE_EXTENSION);
    }
}
