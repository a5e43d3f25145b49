package gitmend.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with the annotation processors of real libraries: the warm compiler writes the files that javac writes. */
class LibraryProcessorTest {
    private static final File LIBRARIES = new File("tests/libraries/target/jars");

    @TempDir
    Path folder;
    private Unit unit;

    @BeforeEach
    void findLibraries() {
        assumeTrue(LIBRARIES.isDirectory(), LIBRARIES + " is missing: run scripts/setup with a network");
        unit = new Unit(folder.resolve("classes").toString());
    }

    private static List<String> classPath(String... names) {
        List<String> jars = new ArrayList<>();
        for (File jar : LIBRARIES.listFiles()) {
            if (Arrays.stream(names).anyMatch(jar.getName()::startsWith)) {
                jars.add(jar.getAbsolutePath());
            }
        }
        assertFalse(jars.isEmpty(), "no jar of " + Arrays.toString(names));
        return jars;
    }

    /** Compiles each version of `A.java` beside `B.java` with both compilers, and compares the files they write. */
    private void assertEqualToJavac(List<String> classPath, String other, String... versions) throws IOException {
        Path sources = Files.createDirectories(folder.resolve("p"));
        Files.write(sources.resolve("B.java"), other.getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < versions.length; i++) {
            Files.write(sources.resolve("A.java"), versions[i].getBytes(StandardCharsets.UTF_8));
            CompileResult result = unit.compile(request(classPath), new HashMap<>());
            Path fresh = Files.createDirectories(folder.resolve("fresh" + i));
            assertEquals(compileFresh(classPath, fresh), result.isSuccess(), result::toText);
            if (result.isSuccess()) {
                Map<String, byte[]> expected = files(fresh);
                Map<String, byte[]> actual = files(folder.resolve("classes"));
                assertEquals(expected.keySet(), actual.keySet());
                expected.forEach((path, content) -> {
                    // Generated sources may contain the time.
                    if (!path.endsWith(".java")) {
                        assertArrayEquals(content, actual.get(path), path);
                    }
                });
            }
        }
    }

    private CompileRequest request(List<String> classPath) {
        return request(classPath, "classes", "p/A.java", "p/B.java");
    }

    private CompileRequest request(List<String> classPath, String output, String... sources) {
        CompileRequest request = new CompileRequest();
        request.sourceTree = folder.toString();
        request.outputFolder = folder.resolve(output).toString();
        request.encoding = "";
        request.fallbackEncoding = "ISO-8859-1";
        request.classPath = classPath;
        request.sourcePath = Collections.emptyList();
        request.options = Collections.emptyList();
        request.sourceFiles =
                Stream.of(sources).map(file -> folder.resolve(file).toString()).collect(Collectors.toList());
        request.runsProcessors = true;
        return request;
    }

    private boolean compileFresh(List<String> classPath, Path output) {
        List<String> arguments = new ArrayList<>(Arrays.asList("-g", "-nowarn", "-encoding", "UTF-8"));
        Collections.addAll(arguments, "-cp", String.join(File.pathSeparator, classPath), "-d", output.toString());
        arguments.addAll(request(classPath).sourceFiles);
        java.io.ByteArrayOutputStream messages = new java.io.ByteArrayOutputStream();
        return ToolProvider.getSystemJavaCompiler()
                .run(null, messages, messages, arguments.toArray(new String[0])) == 0;
    }

    private static Map<String, byte[]> files(Path root) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path file : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
                files.put(root.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    @Test
    void lombokGivesEqualClasses() throws IOException {
        String other = "package p; class B { int c(A a) { return a.getC(); } }";
        assertEqualToJavac(classPath("lombok"), other,
                "package p; @lombok.Data class A { private int c; }",
                "package p; @lombok.Data class A { private int c = 2; private final String d; }",
                "package p; class A { private int c; }",
                "package p; @lombok.Getter @lombok.extern.java.Log class A { private int c; }");
        assertTrue(Files.isRegularFile(folder.resolve("classes/p/A.class")));
    }

    @Test
    void lombokFindsItsConfigurationBesideTheSources() throws IOException {
        String source = "package p; @lombok.Data @lombok.experimental.Accessors class A { private int c; }";
        String other = "package p; class B { A c(A a) { return a.c(1); } }";
        assertEqualToJavac(classPath("lombok"), other, source);
        String configuration = "lombok.accessors.fluent = true\n";
        Files.write(folder.resolve("lombok.config"), configuration.getBytes(StandardCharsets.UTF_8));
        assertEqualToJavac(classPath("lombok"), other, source);
        assertTrue(Files.isRegularFile(folder.resolve("classes/p/A.class")));
    }

    @Test
    void onlyChangedInputsAreCompiledAgain() throws IOException {
        String source = "package p; @lombok.Data class A { private int c; }";
        String other = "package p; class B {}";
        List<String> classPath = classPath("lombok");
        assertEqualToJavac(classPath, other, source);
        assertEquals(0, unit.compile(request(classPath), new HashMap<>()).fileCount);
        Files.write(folder.resolve("lombok.config"), "lombok.fieldDefaults.defaultFinal = true\n".getBytes());
        assertEquals(2, unit.compile(request(classPath), new HashMap<>()).fileCount);
        assertEquals(0, unit.compile(request(classPath), new HashMap<>()).fileCount);
        assertEqualToJavac(classPath, other, source.replace("int c", "int d"));
        assertEquals(0, unit.compile(request(classPath), new HashMap<>()).fileCount);
    }

    @Test
    void classesOfOtherSettingsAreNotReusedAfterAnError() throws IOException {
        List<String> classPath = classPath("lombok");
        assertEqualToJavac(classPath, "package p; class B {}", "package p; @lombok.Data class A { private int c; }");
        Files.write(folder.resolve("lombok.config"), "lombok.data.flagUsage = error\n".getBytes());
        assertFalse(unit.compile(request(classPath), new HashMap<>()).isSuccess());
        assertFalse(unit.compile(request(classPath), new HashMap<>()).isSuccess());
        Files.delete(folder.resolve("lombok.config"));
        assertTrue(unit.compile(request(classPath), new HashMap<>()).isSuccess());
    }

    @Test
    void changedAnnotationOfAnotherUnitIsNoticed() throws IOException {
        String used = folder.resolve("used").toString();
        Map<String, Unit> units = new HashMap<>();
        units.put(used, new Unit(used));
        List<String> libraries = classPath("mapstruct");
        List<String> classPath = new ArrayList<>(libraries);
        classPath.add(used);
        write("q/Use.java", "package q; import org.mapstruct.*; @Mapper(uses = p.A.class) public interface Use {"
                + " @Mapping(source = \"c\", target = \"c\", qualifiedByName = \"x\") To copy(From from);"
                + " class From { public int c; } class To { public int c; } }");
        for (String name : Arrays.asList("x", "y", "x")) {
            write("p/A.java", "package p; public class A {"
                    + " @org.mapstruct.Named(\"" + name + "\") public int twice(int c) { return 2 * c; } }");
            assertTrue(units.get(used).compile(request(libraries, "used", "p/A.java"), units).isSuccess());
            CompileResult result = unit.compile(request(classPath, "classes", "q/Use.java"), units);
            assertEquals(name.equals("x"), result.isSuccess(), result::toText);
        }
    }

    private void write(String path, String text) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void mapStructGivesEqualClasses() throws IOException {
        String other = "package p; class B { public int d; public int e; public int getD() { return d; } }";
        String template = "package p; import org.mapstruct.*; @Mapper public interface A {"
                + " %s Copy copy(B b); class Copy { public int d; public int f; } }";
        assertEqualToJavac(classPath("mapstruct"), other,
                String.format(template, "@Mapping(source = \"d\", target = \"f\")"),
                String.format(template, "@Mapping(source = \"e\", target = \"f\")"),
                String.format(template, "@Mapping(source = \"absent\", target = \"f\")"),
                String.format(template, "@Mapping(target = \"f\", constant = \"3\")"));
        assertTrue(Files.isRegularFile(folder.resolve("classes/p/AImpl.class")));
    }

    @Test
    void autoValueGivesEqualClasses() throws IOException {
        String other = "package p; class B { int c() { return new AutoValue_A(1).c(); } }";
        String template = "package p; @com.google.auto.value.AutoValue abstract class A { abstract %s c(); }";
        assertEqualToJavac(classPath("auto-value"), other, String.format(template, "int"),
                String.format(template, "String"), String.format(template, "long"), String.format(template, "int"));
        assertTrue(Files.isRegularFile(folder.resolve("classes/p/AutoValue_A.class")));
    }

    @Test
    void immutablesGiveEqualClasses() throws IOException {
        String other = "package p; class B { A b() { return ImmutableA.builder().c(1).build(); } }";
        String template = "package p; @org.immutables.value.Value.Immutable public interface A { %s c(); }";
        assertEqualToJavac(classPath("value-"), other, String.format(template, "int"),
                String.format(template, "String"), String.format(template, "long"));
        assertTrue(Files.isRegularFile(folder.resolve("classes/p/ImmutableA.class")));
    }

    @Test
    void pluginsOfLog4jAreListedInAResource() throws IOException {
        String other = "package p; class B {}";
        String template = "package p; import org.apache.logging.log4j.core.config.plugins.Plugin;"
                + " @Plugin(name = \"%s\", category = \"Core\") public class A {}";
        assertEqualToJavac(classPath("log4j"), other, String.format(template, "a"), String.format(template, "b"),
                other.replace('B', 'A'));
    }
}
