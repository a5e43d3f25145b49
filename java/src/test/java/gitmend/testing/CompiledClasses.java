package gitmend.testing;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiler of source text for tests. */
public final class CompiledClasses {
    private CompiledClasses() {}

    /** Returns the class files of a compilation unit by their binary names, compiled with further options. */
    public static Map<String, byte[]> of(String source, String... furtherOptions) {
        List<String> options = new ArrayList<>(Arrays.asList("-g", "-proc:none"));
        options.addAll(Arrays.asList(furtherOptions));
        Map<String, ByteArrayOutputStream> outputs = new TreeMap<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileManager standard = compiler.getStandardFileManager(null, null, null);
        JavaFileManager files = new ForwardingJavaFileManager<JavaFileManager>(standard) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                    Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                return new SimpleJavaFileObject(URI.create("mem:///" + name + ".class"), kind) {
                    @Override
                    public OutputStream openOutputStream() {
                        ByteArrayOutputStream output = new ByteArrayOutputStream();
                        outputs.put(name, output);
                        return output;
                    }
                };
            }
        };
        JavaFileObject unit = new SimpleJavaFileObject(URI.create("mem:///Test.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return source;
            }

            @Override
            public boolean isNameCompatible(String simpleName, Kind kind) {
                return true;
            }
        };
        boolean isCompiled = compiler.getTask(
                null, files, null, options, null, Collections.singleton(unit)).call();
        if (!isCompiled) {
            throw new IllegalArgumentException("the source does not compile");
        }
        Map<String, byte[]> classes = new TreeMap<>();
        outputs.forEach((name, output) -> classes.put(name, output.toByteArray()));
        return classes;
    }

    /** Returns a loader of these classes, whose parent has the classes of the tests. */
    public static ClassLoader loader(Map<String, byte[]> classes) {
        return loader(classes, CompiledClasses.class.getClassLoader());
    }

    /** Returns a loader of these classes with a parent. */
    public static ClassLoader loader(Map<String, byte[]> classes, ClassLoader parent) {
        return new ClassLoader(parent) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] bytes = classes.get(name);
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
    }
}
