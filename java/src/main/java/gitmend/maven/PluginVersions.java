package gitmend.maven;

import java.util.HashMap;
import java.util.Map;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;

/** Versions of plugins that replace those of the POMs. */
final class PluginVersions {
    private PluginVersions() {}

    /** Replaces versions in all projects: {@code group:artifact:version}, with commas between them. */
    static void replace(MavenSession session, String versions) {
        Map<String, String> byName = new HashMap<>();
        for (String one : versions.split(",")) {
            int end = one.lastIndexOf(':');
            if (end > 0) {
                byName.put(one.substring(0, end), one.substring(end + 1));
            }
        }
        for (MavenProject project : session.getProjects()) {
            for (Plugin plugin : project.getBuild().getPlugins()) {
                plugin.setVersion(byName.getOrDefault(plugin.getKey(), plugin.getVersion()));
            }
        }
    }
}
