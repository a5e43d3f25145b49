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
 * Class loader of test frameworks, which variants share: loading and warming them takes longer than most tests. All
 * other classes on the class path are loaded by each variant.
 */
public final class FrameworkClassLoader extends URLClassLoader {
    private static final String[] PACKAGES =
            {"org.junit.", "junit.", "org.hamcrest.", "org.opentest4j.", "org.apiguardian."};

    /** Maximum number of variants per loader: frameworks cache test classes, which keeps variants in memory. */
    private static final int MAX_VARIANTS = 20;

    private final List<String> classPath;
    private int variantCount;
    private boolean sharesClasses;

    private FrameworkClassLoader(List<String> classPath) throws MalformedURLException {
        super(jarUrls(classPath), ClassLoader.getSystemClassLoader().getParent());
        this.classPath = classPath;
    }

    /**
     * Returns the previous loader if it has the same class path and has not reached the limit of variants, else a new
     * one.
     */
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
     * Returns true if a folder of the class path has classes in a package of a framework. Such a variant loads the
     * whole framework itself, because framework classes refer to each other.
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

    /** Returns true if variants delegate the loading of a class to this loader. */
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
