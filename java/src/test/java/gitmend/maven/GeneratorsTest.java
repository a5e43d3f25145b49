package gitmend.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.StringReader;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.maven.execution.DefaultMavenExecutionRequest;
import org.apache.maven.execution.DefaultMavenExecutionResult;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Build;
import org.apache.maven.model.Model;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3DomBuilder;
import org.junit.jupiter.api.Test;

class GeneratorsTest {
    private static Plugin plugin(String name, String phase, String... goals) {
        PluginExecution execution = new PluginExecution();
        execution.setPhase(phase);
        execution.setGoals(new java.util.ArrayList<>(Arrays.asList(goals)));
        Plugin plugin = new Plugin();
        plugin.setArtifactId(name);
        plugin.addExecution(execution);
        return plugin;
    }

    private static MavenSession session(Plugin... plugins) {
        Model model = new Model();
        model.setBuild(new Build());
        for (Plugin plugin : plugins) {
            model.getBuild().addPlugin(plugin);
        }
        @SuppressWarnings("deprecation")
        MavenSession session = new MavenSession(
                null, null, new DefaultMavenExecutionRequest(), new DefaultMavenExecutionResult());
        session.setProjects(Collections.singletonList(new MavenProject(model)));
        return session;
    }

    /** Names of the generators of the only project of a session. */
    private static Set<String> names(Generators generators, MavenSession session) {
        return generators.names(session.getProjects().get(0));
    }

    /** Goals that are left in the projects of a session. */
    private static List<String> remainingGoals(MavenSession session) {
        return session.getProjects().get(0).getBuild().getPlugins().stream()
                .flatMap(plugin -> plugin.getExecutions().stream())
                .flatMap(execution -> execution.getGoals().stream())
                .collect(Collectors.toList());
    }

    @Test
    void aPluginBeforeTheTestsIsAGenerator() {
        MavenSession session = session(
                plugin("protobuf-maven-plugin", "generate-sources", "compile", "test-compile"),
                plugin("exec-maven-plugin", "process-classes", "java"),
                plugin("late-maven-plugin", "package", "pack"));
        Generators generators = new Generators(session, null);
        assertEquals(
                Arrays.asList("exec-maven-plugin:java", "protobuf-maven-plugin:compile", "protobuf-maven-plugin:test-compile"),
                new java.util.ArrayList<>(names(generators, session)));
        assertEquals("process-classes", generators.lastPhase());
    }

    @Test
    void checksAndStandardPluginsAreNoGenerators() {
        MavenSession session = session(
                plugin("maven-enforcer-plugin", "validate", "enforce"),
                plugin("maven-compiler-plugin", "compile", "compile"),
                plugin("maven-dependency-plugin", "process-classes", "analyze-only"),
                plugin("some-maven-plugin", "none", "run"));
        Generators generators = new Generators(session, null);
        assertEquals(Collections.emptySet(), names(generators, session));
        assertNull(generators.lastPhase());
    }

    @Test
    void antScriptIsAGeneratorUnlessItOnlyCopiesToTheDocumentation() throws Exception {
        String copy = "<copy todir='%s'><fileset dir='/p'/></copy>";
        Map<String, Boolean> generators = new HashMap<>();
        generators.put(String.format(copy, "/p/target/apidocs/META-INF"), false);
        generators.put(String.format(copy, "${project.build.directory}/site"), false);
        generators.put(String.format(copy, "/p/target/classes"), true);
        generators.put(String.format(copy, "/p/src/site"), true);
        generators.put(String.format(copy, "/target/p/src/site"), true);
        generators.put(String.format(copy, "/p/target/apidocs") + "<java classname='G'/>", true);
        generators.put("<echo>text</echo>", false);
        generators.put("<echo file='target/apidocs/x'>text</echo>", true);
        for (Map.Entry<String, Boolean> script : generators.entrySet()) {
            Plugin plugin = plugin("maven-antrun-plugin", "generate-sources", "run");
            String configuration = "<configuration><target>" + script.getKey() + "</target></configuration>";
            plugin.getExecutions().get(0).setConfiguration(Xpp3DomBuilder.build(new StringReader(configuration)));
            MavenSession session = session(plugin);
            Set<String> names = names(new Generators(session, null), session);
            assertEquals(script.getValue(), !names.isEmpty(), script.getKey());
        }
        Plugin unknown = plugin("maven-antrun-plugin", "generate-sources", "run");
        MavenSession session = session(unknown);
        assertEquals(1, names(new Generators(session, null), session).size());
    }

    @Test
    void onlyAGeneratingBuildKeepsExecutions() {
        Plugin[] plugins = {
            plugin("maven-enforcer-plugin", "validate", "enforce"),
            plugin("maven-compiler-plugin", "compile", "compile"),
            plugin("maven-dependency-plugin", "generate-sources", "unpack", "analyze-only"),
        };
        MavenSession session = session(plugins);
        new Generators(session, null).removeOtherExecutions(true, Collections.emptyList());
        assertEquals(Arrays.asList("compile", "unpack"), remainingGoals(session));
        new Generators(session, null).removeOtherExecutions(true, Arrays.asList("maven-dependency-plugin:unpack"));
        assertEquals(Arrays.asList("compile"), remainingGoals(session));
        new Generators(session, null).removeOtherExecutions(false, Collections.emptyList());
        assertEquals(Collections.emptyList(), remainingGoals(session));
    }
}
