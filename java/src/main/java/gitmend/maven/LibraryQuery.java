package gitmend.maven;

import gitmend.wire.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;
import org.eclipse.aether.resolution.VersionRangeRequest;
import org.eclipse.aether.resolution.VersionRangeResolutionException;
import org.eclipse.aether.version.Version;

/** Published versions and files of libraries or plugins, in the repositories of a session's projects. */
final class LibraryQuery {
    private final MavenSession session;
    private final RepositorySystem repositories;
    /** True for the repositories of plugins. */
    private final boolean asksForPlugins;

    LibraryQuery(MavenSession session, RepositorySystem repositories, boolean asksForPlugins) {
        this.session = session;
        this.repositories = repositories;
        this.asksForPlugins = asksForPlugins;
    }

    /** Answers requests with commas between them: `group:artifact` for versions, longer coordinates for a file. */
    String toJson(String requests) {
        Json json = new Json().open('{');
        json.key("versions").open('{');
        for (String request : requests.split(",")) {
            if (isForVersions(request)) {
                json.key(request).open('[');
                versions(request).forEach(json::value);
                json.close(']');
            }
        }
        json.close('}').key("files").open('{');
        for (String request : requests.split(",")) {
            if (!isForVersions(request)) {
                json.key(request).value(file(request));
            }
        }
        return json.close('}').close('}').toString();
    }

    private static boolean isForVersions(String request) {
        return request.indexOf(':') == request.lastIndexOf(':');
    }

    /** All published versions in ascending order. */
    private List<String> versions(String name) {
        Artifact anyVersion = new DefaultArtifact(name + ":[0,)");
        List<String> versions = new ArrayList<>();
        try {
            VersionRangeRequest request = new VersionRangeRequest(anyVersion, remoteRepositories(), null);
            for (Version version : repositories
                    .resolveVersionRange(session.getRepositorySession(), request).getVersions()) {
                versions.add(version.toString());
            }
        } catch (VersionRangeResolutionException unknown) {
            // There are no versions.
        }
        return versions;
    }

    /** The file, which is downloaded if necessary; null if it cannot be found. */
    private String file(String coordinates) {
        try {
            ArtifactRequest request =
                    new ArtifactRequest(new DefaultArtifact(coordinates), remoteRepositories(), null);
            return repositories.resolveArtifact(session.getRepositorySession(), request).getArtifact().getFile().getPath();
        } catch (ArtifactResolutionException missing) {
            return null;
        }
    }

    private List<RemoteRepository> remoteRepositories() {
        Map<String, RemoteRepository> all = new LinkedHashMap<>();
        for (MavenProject project : session.getProjects()) {
            for (RemoteRepository repository : asksForPlugins
                    ? project.getRemotePluginRepositories() : project.getRemoteProjectRepositories()) {
                all.putIfAbsent(repository.getId(), repository);
            }
        }
        return new ArrayList<>(all.values());
    }
}
