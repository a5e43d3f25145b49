package gitmend.testserver;

import gitmend.framework.FrameworkClassLoader;
import gitmend.runner.Coverage;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.security.cert.Certificate;

/**
 * Class loader of one variant. It loads the variant's classes, its tests and all libraries. Only the JDK and the test
 * frameworks are shared.
 */
final class VariantClassLoader extends URLClassLoader {
    private static final String COVERAGE = Coverage.class.getName();

    /** Folder below which classes get coverage probes; null for no coverage. */
    private final Path probedFolder;
    private final FrameworkClassLoader frameworkLoader;

    VariantClassLoader(URL[] urls, Path probedFolder, FrameworkClassLoader frameworkLoader) {
        super(urls, ClassLoader.getSystemClassLoader().getParent());
        this.probedFolder = probedFolder;
        this.frameworkLoader = frameworkLoader;
    }

    /**
     * Finds a class. The system class loader is the last resort, because it loads some modules of the JDK. Classes of
     * the server are not taken from it.
     */
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (probedFolder != null && name.equals(COVERAGE)) {
            // The variant's runner and probes must use the class that numbered the probes.
            return Coverage.class;
        }
        if (frameworkLoader.canProvide(name)) {
            return frameworkLoader.loadClass(name);
        }
        try {
            Class<?> probedClass = probedFolder == null ? null : defineProbedClass(name);
            return probedClass == null ? super.findClass(name) : probedClass;
        } catch (ClassNotFoundException e) {
            if (name.startsWith("gitmend.")) {
                throw e;
            }
            return ClassLoader.getSystemClassLoader().loadClass(name);
        }
    }

    /** Defines a class with probes; null if it is not below the probed folder or cannot get probes. */
    private Class<?> defineProbedClass(String name) {
        String path = name.replace('.', '/') + ".class";
        URL resource = findResource(path);
        try {
            if (resource == null || !resource.getProtocol().equals("file")
                    || !Paths.get(resource.toURI()).startsWith(probedFolder)) {
                return null;
            }
            Path file = Paths.get(resource.toURI());
            byte[] bytes = CoverageProbes.insert(Files.readAllBytes(file));
            int dot = name.lastIndexOf('.');
            if (dot > 0 && getPackage(name.substring(0, dot)) == null) {
                definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
            }
            String folder = file.toString().substring(0, file.toString().length() - path.length());
            CodeSource source = new CodeSource(new File(folder).toURI().toURL(), (Certificate[]) null);
            return defineClass(name, bytes, 0, bytes.length, source);
        } catch (IOException | URISyntaxException | RuntimeException e) {
            return null;
        }
    }
}
