package gitmend.maven;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.BuildPluginManager;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** Plugin executions that may generate sources or resources of a session's projects before the tests run. */
final class Generators {
    /** Phases in which they run. */
    private static final List<String> PHASES = Arrays.asList(
            "validate", "initialize", "generate-sources", "process-sources", "generate-resources", "process-resources",
            "compile", "process-classes", "generate-test-sources", "process-test-sources", "generate-test-resources",
            "process-test-resources", "test-compile", "process-test-classes");

    /** Plugins that a generating build needs, but that generate nothing themselves. */
    private static final Set<String> STANDARD =
            new HashSet<>(Arrays.asList("maven-compiler-plugin", "maven-resources-plugin", "build-helper-maven-plugin"));

    /**
     * Plugins that check, measure, format, package or publish, or whose results no test needs. They often fail in an
     * old or shallow checkout.
     */
    private static final Set<String> IRRELEVANT = new HashSet<>(Arrays.asList(
            "animal-sniffer-maven-plugin", "apache-rat-plugin", "artifact-maven-plugin", "bnd-baseline-maven-plugin",
            "bnd-maven-plugin", "buildnumber-maven-plugin", "central-publishing-maven-plugin", "clirr-maven-plugin",
            "cobertura-maven-plugin", "coveralls-maven-plugin", "cyclonedx-maven-plugin", "dependency-check-maven",
            "directory-maven-plugin", "duplicate-finder-maven-plugin", "editorconfig-maven-plugin", "findbugs-maven-plugin",
            "flatten-maven-plugin", "fmt-maven-plugin", "frontend-maven-plugin", "forbiddenapis", "formatter-maven-plugin",
            "git-build-hook-maven-plugin", "git-code-format-maven-plugin", "git-commit-id-maven-plugin",
            "git-commit-id-plugin", "githook-maven-plugin", "impsort-maven-plugin",
            "jacoco-maven-plugin", "japicmp-maven-plugin", "license-maven-plugin", "maven-artifact-plugin", "maven-assembly-plugin",
            "maven-bundle-plugin", "maven-changes-plugin", "maven-checkstyle-plugin", "maven-clean-plugin",
            "maven-deploy-plugin", "maven-ear-plugin", "maven-enforcer-plugin", "maven-failsafe-plugin",
            "maven-gpg-plugin", "maven-help-plugin", "maven-install-plugin", "maven-invoker-plugin", "maven-jar-plugin",
            "maven-javadoc-plugin", "maven-jxr-plugin", "maven-pmd-plugin", "maven-project-info-reports-plugin",
            "maven-release-plugin", "maven-remote-resources-plugin", "maven-scm-plugin", "maven-scm-publish-plugin",
            "maven-shade-plugin", "maven-site-plugin", "maven-source-plugin", "maven-surefire-plugin",
            "maven-toolchains-plugin", "maven-war-plugin", "modernizer-maven-plugin", "moditect-maven-plugin",
            "native-maven-plugin", "nexus-staging-maven-plugin", "os-maven-plugin", "ossindex-maven-plugin",
            "pitest-maven", "proguard-maven-plugin", "revapi-maven-plugin", "rewrite-maven-plugin",
            "sonar-maven-plugin", "sortpom-maven-plugin", "spotbugs-maven-plugin", "spotless-maven-plugin",
            "spring-boot-maven-plugin", "spring-javaformat-maven-plugin",
            "taglist-maven-plugin", "templating-maven-plugin", "tidy-maven-plugin", "versions-maven-plugin",
            "whitespace-maven-plugin"));

    /** Goals that only check or print, or that set properties which only the tests need. */
    private static final Set<String> IRRELEVANT_GOALS = new HashSet<>(Arrays.asList(
            "analyze", "analyze-duplicate", "analyze-only", "check", "display-info", "go-offline", "help",
            "list", "properties", "tree", "validate", "verify"));

    /** Folders of documentation in the build folder. */
    private static final Set<String> DOCUMENTATION = new HashSet<>(Arrays.asList("apidocs", "javadoc", "site", "testapidocs"));

    private final MavenSession session;
    private final BuildPluginManager plugins;
    private final Map<MavenProject, Set<String>> names = new LinkedHashMap<>();
    private int lastPhase = -1;

    Generators(MavenSession session, BuildPluginManager plugins) {
        this.session = session;
        this.plugins = plugins;
        for (MavenProject project : session.getProjects()) {
            names.put(project, new TreeSet<>());
            for (Plugin plugin : project.getBuild().getPlugins()) {
                for (PluginExecution execution : plugin.getExecutions()) {
                    add(project, plugin, execution);
                }
            }
        }
    }

    /** Names of the goals of a project, `artifact:goal`. */
    Set<String> names(MavenProject project) {
        return names.getOrDefault(project, Collections.emptySet());
    }

    /** The last phase in which one runs; null if there is none. */
    String lastPhase() {
        return lastPhase < 0 ? null : PHASES.get(lastPhase);
    }

    /** Removes all executions from the projects but those that generating needs, and the omitted ones too. */
    void removeOtherExecutions(boolean isGenerating, List<String> omitted) {
        for (MavenProject project : session.getProjects()) {
            for (Plugin plugin : project.getBuild().getPlugins()) {
                boolean isNeeded = isGenerating && !IRRELEVANT.contains(plugin.getArtifactId());
                List<PluginExecution> kept = isNeeded ? new ArrayList<>(plugin.getExecutions()) : Collections.emptyList();
                plugin.setExecutions(new ArrayList<>(kept));
                for (PluginExecution execution : plugin.getExecutions()) {
                    execution.getGoals().removeAll(IRRELEVANT_GOALS);
                    execution.getGoals().removeIf(goal -> omitted.contains(plugin.getArtifactId() + ":" + goal));
                }
                plugin.flushExecutionMap();
            }
        }
    }

    private void add(MavenProject project, Plugin plugin, PluginExecution execution) {
        if (STANDARD.contains(plugin.getArtifactId()) || IRRELEVANT.contains(plugin.getArtifactId())) {
            return;
        }
        if (plugin.getArtifactId().equals("maven-antrun-plugin") && writesOnlyDocumentation(execution)) {
            return;
        }
        for (String goal : execution.getGoals()) {
            int phase = IRRELEVANT_GOALS.contains(goal) ? -1 : PHASES.indexOf(phase(project, plugin, execution, goal));
            if (phase >= 0) {
                names.get(project).add(plugin.getArtifactId() + ":" + goal);
                lastPhase = Math.max(lastPhase, phase);
            }
        }
    }

    /** Returns true if an Ant script only copies files to the documentation, as many Apache projects do. */
    static boolean writesOnlyDocumentation(PluginExecution execution) {
        if (!(execution.getConfiguration() instanceof Xpp3Dom)) {
            return false;
        }
        Xpp3Dom configuration = (Xpp3Dom) execution.getConfiguration();
        Xpp3Dom target = configuration.getChild("target");
        Xpp3Dom tasks = target == null ? configuration.getChild("tasks") : target;
        return tasks != null && Arrays.stream(tasks.getChildren()).allMatch(Generators::writesOnlyDocumentation);
    }

    private static boolean writesOnlyDocumentation(Xpp3Dom task) {
        switch (task.getName()) {
            case "echo":
                return task.getAttribute("file") == null;
            case "copy":
                return isDocumentation(task.getAttribute("todir")) || isDocumentation(task.getAttribute("tofile"));
            case "mkdir":
                return isDocumentation(task.getAttribute("dir"));
            default:
                return false;
        }
    }

    private static boolean isDocumentation(String path) {
        List<String> folders = path == null ? Collections.emptyList() : Arrays.asList(path.split("[/\\\\]"));
        // Such a folder elsewhere, such as src/site, may be an input of the build.
        int buildFolder = Math.max(folders.lastIndexOf("target"), folders.lastIndexOf("${project.build.directory}"));
        return buildFolder >= 0
                && buildFolder + 1 < folders.size()
                && DOCUMENTATION.contains(folders.get(buildFolder + 1));
    }

    /** The phase of a goal: that of the execution, or else the one that the plugin itself names. */
    private String phase(MavenProject project, Plugin plugin, PluginExecution execution, String goal) {
        if (execution.getPhase() != null) {
            return execution.getPhase();
        }
        try {
            return plugins.getMojoDescriptor(
                    plugin, goal, project.getRemotePluginRepositories(), session.getRepositorySession()).getPhase();
        } catch (Exception unknown) {
            // A plugin that cannot be loaded cannot run either.
            return null;
        }
    }
}
