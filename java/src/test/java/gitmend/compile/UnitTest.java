package gitmend.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of incremental compilation: it has the result of a full compilation, and compiles fewer files. */
class UnitTest {
    @TempDir
    Path folder;

    private final Map<String, String> files = new TreeMap<>();
    private final List<String> classPath = new ArrayList<>();
    /** Files that are compiled only if others need them. */
    private boolean areOthersImplicit;
    private int unitCount;
    private Unit unit;

    @BeforeEach
    void createUnit() throws IOException {
        unit = new Unit(newFolder().toString());
        for (int i = 0; i < 6; i++) {
            files.put("p/Plain" + i + ".java", "package p; class Plain" + i + " { int value() { return " + i + "; } }");
        }
    }

    private Path newFolder() throws IOException {
        return Files.createDirectories(folder.resolve("unit" + unitCount++));
    }

    private CompileRequest request() throws IOException {
        Path root = folder.resolve("tree" + unitCount++);
        CompileRequest request = new CompileRequest();
        request.sourceTree = root.toString();
        request.encoding = "UTF-8";
        request.fallbackEncoding = "UTF-8";
        request.classPath = classPath;
        request.sourcePath = areOthersImplicit ? Arrays.asList(root.toString()) : Collections.emptyList();
        request.options = Arrays.asList("-proc:none");
        request.sourceFiles = new ArrayList<>();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = root.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue().getBytes(StandardCharsets.UTF_8));
            if (!areOthersImplicit || file.getKey().startsWith("p/")) {
                request.sourceFiles.add(path.toString());
            }
        }
        return request;
    }

    /**
     * Compiles the files, and checks that a new unit has the same result. Classes of implicit files may remain after the
     * last use.
     */
    private CompileResult compile() throws IOException {
        CompileRequest request = request();
        CompileResult result = unit.compile(request, Collections.emptyMap());
        CompileResult expected = new Unit(newFolder().toString()).compile(request, Collections.emptyMap());
        assertEquals(expected.toText(), result.toText());
        Map<String, MemoryClass> classes = classesByName(result);
        Map<String, MemoryClass> expectedClasses = classesByName(expected);
        assertTrue(areOthersImplicit || classes.keySet().equals(expectedClasses.keySet()), () -> "" + classes.keySet());
        expectedClasses.forEach((name, type) -> {
            assertTrue(classes.containsKey(name), name);
            assertArrayEquals(type.bytes(), classes.get(name).bytes(), name);
        });
        return result;
    }

    private static Map<String, MemoryClass> classesByName(CompileResult result) {
        Map<String, MemoryClass> classes = new TreeMap<>();
        result.classes.values().forEach(list -> list.forEach(type -> classes.put(type.name, type)));
        return classes;
    }

    /** Compiles the files and returns the number of compiled files. */
    private int countCompiled() throws IOException {
        CompileResult result = compile();
        assertTrue(result.isSuccess(), result.toText());
        return result.fileCount;
    }

    private void assertFails() throws IOException {
        assertFalse(compile().isSuccess());
    }

    @Test
    void onlyAnAddedFileIsCompiled() throws IOException {
        assertEquals(6, countCompiled());
        files.put("q/Added.java", "package q; public class Added { }");
        assertEquals(1, countCompiled());
    }

    @Test
    void removalOfAnUnusedFileCompilesNothing() throws IOException {
        assertEquals(6, countCompiled());
        files.remove("p/Plain3.java");
        assertEquals(0, countCompiled());
    }

    @Test
    void renamedClassIsCompiledWithItsUser() throws IOException {
        files.put("p/User.java", "package p; class User { int use() { return new Plain0().value(); } }");
        countCompiled();
        files.remove("p/Plain0.java");
        files.put("p/Renamed.java", "package p; class Renamed { int value() { return 0; } }");
        files.put("p/User.java", "package p; class User { int use() { return new Renamed().value(); } }");
        assertEquals(2, countCompiled());
    }

    @Test
    void removalOfAUsedClassIsAnError() throws IOException {
        files.put("p/User.java", "package p; class User { int use() { return new Plain0().value(); } }");
        countCompiled();
        files.remove("p/Plain0.java");
        assertFails();
    }

    @Test
    void addedClassThatHidesAnImportedOneCompilesItsUser() throws IOException {
        files.put("q/Hidden.java", "package q; public class Hidden { }");
        files.put("p/User.java", "package p; import q.*; class User { Object use() { return new Hidden(); } }");
        countCompiled();
        files.put("p/Hidden.java", "package p; class Hidden { }");
        assertTrue(countCompiled() >= 2);
    }

    @Test
    void importOfARemovedPackageIsAnError() throws IOException {
        files.put("q/Added.java", "package q; public class Added { }");
        files.put("p/User.java", "package p; import q.*; class User { }");
        countCompiled();
        files.remove("q/Added.java");
        assertFails();
    }

    @Test
    void removedClassOfALibrarysNameCompilesAllFiles() throws IOException {
        Path library = newFolder();
        new Unit(library.toString()).compile(single("q/Twin.java", "package q; public class Twin { public long value; }"),
                Collections.emptyMap());
        classPath.add(library.toString());
        files.put("q/Twin.java", "package q; public class Twin { public int value; }");
        files.put("p/Holder.java", "package p; class Holder { q.Twin twin; }");
        files.put("p/User.java", "package p; class User { Object use() { return new Holder().twin.value; } }");
        countCompiled();
        files.remove("q/Twin.java");
        assertEquals(8, countCompiled());
    }

    private CompileRequest single(String path, String text) throws IOException {
        Map<String, String> saved = new TreeMap<>(files);
        files.clear();
        files.put(path, text);
        CompileRequest request = request();
        files.clear();
        files.putAll(saved);
        return request;
    }

    @Test
    void uncompiledFilesOfASourceFolderDoNotMatter() throws IOException {
        areOthersImplicit = true;
        files.put("q/Other.java", "package q; public class Other { int broken = ; }");
        assertEquals(6, countCompiled());
        files.put("q/Other.java", "package q; public class Other { int stillBroken = ; }");
        files.put("q/Another.java", "package q; public class Another { int broken = ; }");
        assertEquals(0, countCompiled());
    }

    @Test
    void classIsNotReusedAfterItsImportedPackageDisappeared() throws IOException {
        areOthersImplicit = true;
        String withImport = "package p; import r.*; class F { }";
        files.put("p/F.java", withImport);
        files.put("r/X.java", "package r; public class X { }");
        countCompiled();
        files.put("p/F.java", "package p; class F { }");
        files.remove("r/X.java");
        countCompiled();
        files.put("p/F.java", withImport);
        assertFails();
    }

    @Test
    void everySequenceOfVersionsCompilesLikeFullCompilations() throws IOException {
        compileRandomVersions();
    }

    @Test
    void everySequenceOfVersionsWithImplicitFilesCompilesLikeFullCompilations() throws IOException {
        areOthersImplicit = true;
        compileRandomVersions();
    }

    private void compileRandomVersions() throws IOException {
        Map<String, String[]> variants = new TreeMap<>();
        variants.put("p/A.java", new String[] {
            "package p; import q.*; public class A { public B b() { return new B(); } }",
            "package p; public class A { public q.B b() { return new q.B(); } }"});
        variants.put("q/B.java", new String[] {
            "package q; public class B { public int size() { return 1; } }",
            "package q; public class B extends C { public long size() { return 2; } }"});
        variants.put("p/B.java", new String[] {"package p; public class B { public int size() { return 3; } }"});
        variants.put("q/C.java", new String[] {
            "package q; public class C { static final int N = 4; }",
            "package q; public class C { static final int N = 5; void hook() { } }"});
        variants.put("p/User.java", new String[] {
            "package p; class User { Object use() { return new A().b().size(); } }",
            "package p; import q.*; class User { Object use() { return new A().b().size() + 1; } }"});
        variants.put("r/D.java", new String[] {"package r; public class D extends q.C { }"});
        List<String> paths = new ArrayList<>(variants.keySet());
        Random random = new Random(7);
        int successes = 0;
        for (int step = 0; step < 120; step++) {
            String path = paths.get(random.nextInt(paths.size()));
            String[] texts = variants.get(path);
            if (random.nextInt(3) == 0) {
                files.remove(path);
            } else {
                files.put(path, texts[random.nextInt(texts.length)]);
            }
            successes += compile().isSuccess() ? 1 : 0;
        }
        String present = files.keySet().stream().collect(Collectors.joining(" "));
        assertTrue(successes > 30, () -> "few versions compile; the last has " + present);
    }
}
