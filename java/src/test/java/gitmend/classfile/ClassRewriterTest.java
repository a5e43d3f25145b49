package gitmend.classfile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gitmend.testing.CompiledClasses;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests of class rewriting and of the relocation of code offsets. */
class ClassRewriterTest {
    /** Class with jumps, both kinds of switches, handlers, and long and double values. */
    private static final String BRANCHES = String.join("\n",
            "public class Branches {",
            "    public static int of(int n) {",
            "        int sum = 0;",
            "        for (int i = 0; i < n; i++) {",
            "            switch (i) { case 0: sum += 1; break; case 1: sum += 2; break; case 2: sum += 4; break;",
            "                default: sum += 8; }",
            "            switch (i * 1000) { case 1000: sum += 16; break; case 900000: sum += 32; break;",
            "                default: sum += 64; }",
            "            try { sum += 10 / (i - 2); } catch (ArithmeticException e) { sum += 128; }",
            "            double half = sum / 2.0; long whole = (long) (half * 2); sum = (int) whole;",
            "        }",
            "        Runnable step = () -> { };",
            "        step.run();",
            "        return sum;",
            "    }",
            "}");

    /** Rewriter that parses and assembles all code, after an insertion of padding bytes. */
    private static final class PaddingRewriter extends ClassRewriter {
        private final byte[] padding;

        PaddingRewriter(byte[] original, byte... padding) throws IOException {
            super(original);
            this.padding = padding;
        }

        @Override
        protected byte[] rewriteCode(int access, String method, String descriptor, byte[] content) throws IOException {
            MethodCode code = new MethodCode(content);
            if (padding.length > 0) {
                code.insertAtStart(padding);
            }
            return code.assemble(constants);
        }
    }

    private static List<Path> jdkClassFiles() throws IOException {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base/java");
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
        }
    }

    @Test
    void anUnchangedClassOfTheJdkHasTheSameBytes() throws IOException {
        List<Path> files = jdkClassFiles();
        assertTrue(files.size() > 1000);
        for (Path file : files) {
            byte[] original = Files.readAllBytes(file);
            assertArrayEquals(original, new PaddingRewriter(original).rewrite(), file.toString());
        }
    }

    @Test
    void codeWithInsertedBytesHasTheSameResult() throws Exception {
        Map<String, byte[]> classes = CompiledClasses.of(BRANCHES);
        Object expected = callBranches(classes);
        // Switches are padded to multiples of four bytes.
        for (int length = 1; length <= 9; length++) {
            byte[] padding = new byte[length];
            Map<String, byte[]> padded = CompiledClasses.of(BRANCHES);
            padded.put("Branches", new PaddingRewriter(padded.get("Branches"), padding).rewrite());
            assertEquals(expected, callBranches(padded), length + " bytes");
        }
    }

    private static Object callBranches(Map<String, byte[]> classes) throws Exception {
        Class<?> type = CompiledClasses.loader(classes).loadClass("Branches");
        return type.getMethod("of", int.class).invoke(null, 6);
    }

    @Test
    void lineNumbersMoveWithTheCode() throws Exception {
        String source = "public class Fails {\n    public static void now() {\n        int a = 1;\n"
                + "        throw new IllegalStateException();\n    }\n}";
        Map<String, byte[]> classes = CompiledClasses.of(source);
        classes.put("Fails", new PaddingRewriter(classes.get("Fails"), new byte[300]).rewrite());
        Throwable thrown = null;
        try {
            CompiledClasses.loader(classes).loadClass("Fails").getMethod("now").invoke(null);
        } catch (java.lang.reflect.InvocationTargetException e) {
            thrown = e.getCause();
        }
        assertEquals(4, thrown.getStackTrace()[0].getLineNumber());
    }

    @Test
    void anAddedMethodCanBeCalled() throws Exception {
        Map<String, byte[]> classes = CompiledClasses.of("public class Empty { }");
        byte[] original = classes.get("Empty");
        classes.put("Empty", new ClassRewriter(original) {
            @Override
            protected byte[] rewriteCode(int access, String method, String type, byte[] content) {
                return content;
            }

            @Override
            protected void addMethods() throws IOException {
                byte[] returnsThree = {0, 1, 0, 0, 0, 0, 0, 2, 6, (byte) Opcodes.IRETURN, 0, 0, 0, 0};
                addMethod(9, "three", "()I", returnsThree);
            }

            byte[] callBranches() throws IOException {
                return rewrite();
            }
        }.callBranches());
        assertEquals(3, CompiledClasses.loader(classes).loadClass("Empty").getMethod("three").invoke(null));
    }

    @Test
    void aConstantIsAddedOnce() throws Exception {
        ConstantPool constants = new PaddingRewriter(CompiledClasses.of("class A { }").get("A")).constants;
        int size = constants.size();
        int first = constants.addMethodRef("a/B", "c", "()V");
        assertEquals(first, constants.addMethodRef("a/B", "c", "()V"));
        assertEquals("a/B", constants.owner(first));
        assertEquals("c", constants.memberName(first));
        assertEquals("()V", constants.memberDescriptor(first));
        assertEquals(size + 6, constants.size());
    }
}
