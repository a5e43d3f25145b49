package gitmend.compile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import gitmend.facts.SourceText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnJre;
import org.junit.jupiter.api.condition.JRE;

class ReusableContextTest {
    @Test
    void contextCompilesAgainstItsEarlierClasses() throws Exception {
        compileTwice();
    }

    @Test
    @DisabledOnJre(JRE.JAVA_8)
    void contextKeepsTheJdksClassesOfAnOlderRelease() throws Exception {
        compileTwice("--release", "8");
        compileTwice("--release", "11");
    }

    private static void compileTwice(String... release) throws Exception {
        List<String> options = new ArrayList<>(Arrays.asList(release));
        options.add("-proc:none");
        MemoryFiles files = new MemoryFiles(
                new Libraries(ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)));
        ReusableContext context = new ReusableContext(files, options);
        String used = "package p; public class A { public static final String X = \"x\";"
                + " @Deprecated public int m() { return 1; } }";
        assertTrue(context.compile(sources("p/A.java", used)), "first compilation");
        Map<String, List<MemoryClass>> outputs = files.outputs();
        List<MemoryClass> compiled = new ArrayList<>(outputs.get("p/A.java"));
        for (int i = 0; i < 3; i++) {
            files.clear();
            compiled.forEach(files::addClass);
            String user = "import java.util.*; class B { @Deprecated enum E { ONE } int n = " + i + ";"
                    + " List<String> m(p.A a) { return Collections.nCopies(a.m(), p.A.X); } }";
            assertTrue(context.compile(sources("B.java", user)), "compilation against the first one");
        }
    }

    private static List<SourceText> sources(String path, String text) {
        return Collections.singletonList(
                new SourceText(path, text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
    }
}
