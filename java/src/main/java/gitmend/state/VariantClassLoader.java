package gitmend.state;

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
 * The classes of one variant: its own, its tests', and those of all libraries. Only the JDK and the test frameworks
 * are shared.
 */
final class VariantClassLoader extends URLClassLoader {
    private static final String COVERAGE = Coverage.class.getName();

    /** The folder whose folders have the classes that get probes, or null. */
    private final Path probed;
    private final FrameworkClassLoader frameworks;

    VariantClassLoader(URL[] urls, Path probed, FrameworkClassLoader frameworks) {
        super(urls, ClassLoader.getSystemClassLoader().getParent());
        this.probed = probed;
        this.frameworks = frameworks;
    }

    /** Some modules of the JDK are loaded as programs are, and ours must not be mistaken for the variant's. */
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (probed != null && name.equals(COVERAGE)) {
            // Its runner and its probes mean the one that numbers the probes.
            return Coverage.class;
        }
        if (frameworks.have(name)) {
            return frameworks.loadClass(name);
        }
        try {
            Class<?> own = probed == null ? null : probedClass(name);
            return own == null ? super.findClass(name) : own;
        } catch (ClassNotFoundException e) {
            if (name.startsWith("gitmend.")) {
                throw e;
            }
            return ClassLoader.getSystemClassLoader().loadClass(name);
        }
    }

    /** Null if the class does not come from such a folder, or cannot get probes. */
    private Class<?> probedClass(String name) {
        String path = name.replace('.', '/') + ".class";
        URL found = findResource(path);
        try {
            if (found == null || !found.getProtocol().equals("file")
                    || !Paths.get(found.toURI()).startsWith(probed)) {
                return null;
            }
            Path file = Paths.get(found.toURI());
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
