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
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** The classes that compilations find on the disk. What the JDK has stays as it is, and is looked up once. */
final class Libraries extends ForwardingJavaFileManager<StandardJavaFileManager> {
    /** What JDK 8 finds of itself it reads wrongly in a later compilation. */
    private static final boolean CAN_KEEP = !System.getProperty("java.specification.version").startsWith("1.");

    private final Map<List<Object>, List<JavaFileObject>> listed = new HashMap<>();
    private final Set<Object> ofJdk = Collections.newSetFromMap(new IdentityHashMap<>());

    Libraries(StandardJavaFileManager files) {
        super(files);
    }

    @Override
    public Iterable<JavaFileObject> list(
            Location location, String inPackage, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        // A location that is no standard one is a module's, and all modules here are the JDK's.
        boolean isOfJdk =
                location == StandardLocation.PLATFORM_CLASS_PATH || !(location instanceof StandardLocation);
        if (!isOfJdk || !CAN_KEEP) {
            return super.list(location, inPackage, kinds, recurse);
        }
        List<Object> key = Arrays.asList(location, inPackage, new HashSet<>(kinds), recurse);
        List<JavaFileObject> known = listed.get(key);
        if (known == null) {
            known = new ArrayList<>();
            super.list(location, inPackage, kinds, recurse).forEach(known::add);
            listed.put(key, known);
            ofJdk.addAll(known);
        }
        return known;
    }

    /** Whether it was listed as one of the JDK's. */
    boolean isOfJdk(Object file) {
        return ofJdk.contains(file);
    }
}
