package gitmend.schedule.weave;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Program that instruments all classes of some jars and all copied classes, and has the JVM verify each. */
public final class VerifyAll {
    private static int verified;
    private static int refused;

    private VerifyAll() {}

    public static void main(String[] jars) throws Exception {
        List<String> nothing = Collections.emptyList();
        InstrumentedClassCache none = new InstrumentedClassCache(nothing, nothing, null);
        InstrumentingClassLoader copies = InstrumentingClassLoader.createShared(none);
        for (String name : copiedClassNames()) {
            verify(copies, RelocatedClasses.renameReferences(name).replace('/', '.'));
        }
        System.out.println("copies verified " + verified + " refused " + refused);
        verified = 0;
        for (String jar : jars) {
            JarLoader loader = new JarLoader(jar, copies);
            for (String name : classNames(jar)) {
                verify(loader, name);
            }
        }
        System.out.println("classes verified " + verified + " refused " + refused);
    }

    private static void verify(ClassLoader loader, String name) {
        try {
            // This links the class, which verifies it.
            loader.loadClass(name).getDeclaredMethods();
            verified++;
        } catch (VerifyError | ClassFormatError e) {
            refused++;
            System.out.println(name + ": " + e);
        } catch (LinkageError | ClassNotFoundException e) {
            // A referenced class is not on the class path.
        }
    }

    private static List<String> copiedClassNames() throws IOException {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        try (Stream<Path> files = Files.walk(root.resolve("java/util"))) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - 6))
                    .filter(RelocatedClasses::isCopied)
                    .collect(Collectors.toList());
        }
    }

    private static List<String> classNames(String jar) throws IOException {
        List<String> names = new ArrayList<>();
        try (JarFile file = new JarFile(jar)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                String name = entry.getName();
                if (name.endsWith(".class") && !name.startsWith("META-INF") && !name.contains("module-info")) {
                    names.add(name.substring(0, name.length() - 6).replace('/', '.'));
                }
            }
        }
        return names;
    }

    /** Loader that instruments the classes of one jar like project classes. */
    private static final class JarLoader extends ClassLoader {
        private final URLClassLoader files;
        private final ClassHierarchy hierarchy = new ClassHierarchy(this::readBytes);

        JarLoader(String jar, ClassLoader parent) throws IOException {
            super(parent);
            files = new URLClassLoader(new URL[] {new File(jar).toURI().toURL()}, null);
        }

        private byte[] readBytes(String name) {
            InputStream stream = files.getResourceAsStream(name + ".class");
            try (InputStream in = stream == null ? ClassLoader.getSystemResourceAsStream(name + ".class") : stream) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                byte[] buffer = new byte[8192];
                for (int read = in == null ? -1 : in.read(buffer); read >= 0; read = in.read(buffer)) {
                    out.write(buffer, 0, read);
                }
                return in == null ? null : out.toByteArray();
            } catch (IOException e) {
                return null;
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] original = name.startsWith("java") ? null : readBytes(name.replace('.', '/'));
            if (original == null) {
                throw new ClassNotFoundException(name);
            }
            try {
                byte[] bytes = ClassInstrumenter.instrument(original, ClassInstrumenter.Role.PROJECT, hierarchy);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
