package gitmend.maven;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.artifact.DefaultArtifact;

/** Engines of JUnit 5 that no dependency of a project names, but that its test plugin adds to the class path. */
final class TestEngines {
    private static final String PLUGIN = "org.apache.maven.plugins:maven-surefire-plugin";
    private static final String JUPITER_API = "org.junit.jupiter:junit-jupiter-api";
    private static final String JUPITER_ENGINE = "org.junit.jupiter:junit-jupiter-engine";

    private TestEngines() {}

    /** The engines that the plugin itself depends on, and that of the Jupiter API in use. */
    static List<org.eclipse.aether.graph.Dependency> missing(
            MavenProject project, Collection<Libraries.Library> libraries) {
        List<org.eclipse.aether.graph.Dependency> engines = new ArrayList<>();
        Plugin plugin = project.getPlugin(PLUGIN);
        if (plugin != null) {
            for (Dependency dependency : plugin.getDependencies()) {
                String name = dependency.getGroupId() + ":" + dependency.getArtifactId();
                boolean isEngine = dependency.getArtifactId().endsWith("-engine") && dependency.getVersion() != null;
                if (isEngine && find(name, libraries) == null) {
                    engines.add(dependency(name, dependency.getVersion()));
                }
            }
        }
        Libraries.Library api = find(JUPITER_API, libraries);
        boolean hasEngine = find(JUPITER_ENGINE, libraries) != null
                || engines.stream().anyMatch(one -> one.getArtifact().getArtifactId().equals("junit-jupiter-engine"));
        if (api != null && !hasEngine) {
            engines.add(dependency(JUPITER_ENGINE, api.artifact.getVersion()));
        }
        return engines;
    }

    private static Libraries.Library find(String name, Collection<Libraries.Library> libraries) {
        return libraries.stream().filter(one -> one.name().equals(name)).findFirst().orElse(null);
    }

    private static org.eclipse.aether.graph.Dependency dependency(String name, String version) {
        return new org.eclipse.aether.graph.Dependency(new DefaultArtifact(name + ":" + version), "runtime");
    }
}
