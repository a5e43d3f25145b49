package gitmend.framework;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The classes of test frameworks, which variants share: to load and warm them anew takes longer than most tests do.
 * All else that is on the class path each variant has for itself.
 */
public final class FrameworkClassLoader extends URLClassLoader {
    private static final String[] PACKAGES =
            {"org.junit.", "junit.", "org.hamcrest.", "org.opentest4j.", "org.apiguardian."};

    /** Frameworks remember the classes of tests, and keep whole variants in memory by that. */
    private static final int MAX_VARIANTS = 20;

    private final List<String> classPath;
    private int variantCount;
    private boolean sharesClasses;

    private FrameworkClassLoader(List<String> classPath) throws MalformedURLException {
        super(jarUrls(classPath), ClassLoader.getSystemClassLoader().getParent());
        this.classPath = classPath;
    }

    /** Those that served the last variant, or fresh ones if there were none, of other jars, or for long. */
    public static FrameworkClassLoader reuseOrCreate(FrameworkClassLoader previous, List<String> classPath)
            throws IOException {
        FrameworkClassLoader next = previous;
        if (previous == null || previous.variantCount == MAX_VARIANTS || !previous.classPath.equals(classPath)) {
            if (previous != null) {
                previous.close();
            }
            next = new FrameworkClassLoader(classPath);
        }
        next.variantCount++;
        next.sharesClasses = !hasFrameworkFolder(classPath);
        return next;
    }

    /**
     * A variant that has classes of its own in the package of a framework has all of them for itself: they name each
     * other.
     */
    private static boolean hasFrameworkFolder(List<String> classPath) {
        for (String framework : PACKAGES) {
            for (String entry : classPath) {
                if (new File(entry, framework.replace('.', '/')).isDirectory()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether variants take a class from here. */
    public boolean canProvide(String className) {
        return sharesClasses && isFramework(className);
    }

    public static boolean isFramework(String className) {
        return Arrays.stream(PACKAGES).anyMatch(className::startsWith);
    }

    private static URL[] jarUrls(List<String> classPath) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : classPath) {
            if (new File(entry).isFile()) {
                urls.add(new File(entry).toURI().toURL());
            }
        }
        return urls.toArray(new URL[0]);
    }
}
