package gitmend.testserver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import gitmend.runner.Coverage;
import gitmend.testing.CompiledClasses;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the inserted coverage probes. */
class CoverageProbesTest {
    @BeforeEach
    void clear() {
        Coverage.clear();
    }

    private static Class<?> loadProbed(String source, String name) throws Exception {
        Map<String, byte[]> classes = CompiledClasses.of(source);
        classes.replaceAll((key, bytes) -> CoverageProbes.insert(bytes));
        return CompiledClasses.loader(classes).loadClass(name);
    }

    @Test
    void enteredMethodsAreReportedOnce() throws Exception {
        Class<?> type = loadProbed("package a; public class B { public static void c() { d(); } static void d() { }"
                + " static void e() { } }", "a.B");
        type.getMethod("c").invoke(null);
        assertEquals(new TreeSet<>(Arrays.asList("a.B#c", "a.B#d")), Coverage.takeEnteredMethods());
        assertEquals(Collections.emptySet(), Coverage.takeEnteredMethods());
    }

    @Test
    void aLambdaCountsAsItsEnclosingMethod() throws Exception {
        Class<?> type = loadProbed("public class B { public static Runnable c() { return () -> { }; } }", "B");
        Runnable lambda = (Runnable) type.getMethod("c").invoke(null);
        Coverage.takeEnteredMethods();
        lambda.run();
        assertEquals(Collections.singleton("B#c"), Coverage.takeEnteredMethods());
    }

    @Test
    void aMethodTooLongForAProbeIsNotChanged() throws Exception {
        // Each addition takes 8 bytes of at most 65,535.
        String body = String.join("", Collections.nCopies(8191, "n++;")) + "n = 1;";
        String source = "public class B { static int n; public static void c() { " + body
                + " } public static void d() { } }";
        Class<?> type = loadProbed(source, "B");
        type.getMethod("c").invoke(null);
        type.getMethod("d").invoke(null);
        assertEquals(Collections.singleton("B#d"), Coverage.takeEnteredMethods());
    }

    @Test
    void bytesOfNoClassFileAreNotChanged() {
        assertArrayEquals(new byte[] {1, 2}, CoverageProbes.insert(new byte[] {1, 2}));
    }
}
