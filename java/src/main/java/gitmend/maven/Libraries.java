package gitmend.maven;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.DefaultDependencyResolutionRequest;
import org.apache.maven.project.DependencyResolutionException;
import org.apache.maven.project.DependencyResolutionResult;
import org.apache.maven.project.MavenProject;
import org.apache.maven.project.ProjectDependenciesResolver;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.DependencyNode;
import org.eclipse.aether.resolution.ArtifactDescriptorException;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.VersionRangeResolutionException;

/** Libraries of a session's projects. Maven downloads those that are missing, unless it is offline. */
final class Libraries {
    private final MavenSession session;
    private final ProjectDependenciesResolver resolver;
    private final RepositorySystem repositories;

    Libraries(MavenSession session, ProjectDependenciesResolver resolver, RepositorySystem repositories) {
        this.session = session;
        this.resolver = resolver;
        this.repositories = repositories;
    }

    /** A library, whose file is missing if it could not be found. */
    static final class Library {
        final Artifact artifact;
        final String scope;

        Library(Artifact artifact, String scope) {
            this.artifact = artifact;
            this.scope = scope;
        }

        String name() {
            return artifact.getGroupId() + ":" + artifact.getArtifactId();
        }
    }

    /**
     * The dependencies of a project with all scopes, in the order of the class path, and the test engines that the test
     * plugin adds.
     */
    List<Library> dependencies(MavenProject project) {
        Map<String, Library> libraries = new LinkedHashMap<>();
        DependencyResolutionResult result = resolve(project);
        if (result != null && result.getDependencyGraph() != null) {
            collect(result.getDependencyGraph(), libraries);
        }
        if (result != null) {
            for (Exception error : result.getCollectionErrors()) {
                add(unknownArtifact(error), "compile", libraries);
            }
        }
        for (Library engine : resolve(project, TestEngines.missing(project, libraries.values()), "test")) {
            add(engine.artifact, engine.scope, libraries);
        }
        return new ArrayList<>(libraries.values());
    }

    private DependencyResolutionResult resolve(MavenProject project) {
        try {
            return resolver.resolve(new DefaultDependencyResolutionRequest(project, session.getRepositorySession()));
        } catch (DependencyResolutionException incomplete) {
            // Other modules are not built yet, and are missing too.
            DependencyResolutionResult result = incomplete.getResult();
            if (result != null && result.getDependencyGraph() != null && !result.getCollectionErrors().isEmpty()) {
                // Maven resolves no library if it knows nothing about one of them.
                resolve(new DependencyRequest(result.getDependencyGraph(), null));
            }
            return result;
        }
    }

    private List<ArtifactResult> resolve(DependencyRequest request) {
        try {
            return repositories.resolveDependencies(session.getRepositorySession(), request).getArtifactResults();
        } catch (org.eclipse.aether.resolution.DependencyResolutionException incomplete) {
            return incomplete.getResult().getArtifactResults();
        }
    }

    /** The library that an error is about: its version or its POM is unknown. Null for other errors. */
    private static Artifact unknownArtifact(Exception error) {
        if (error instanceof VersionRangeResolutionException) {
            return ((VersionRangeResolutionException) error).getResult().getRequest().getArtifact();
        }
        if (error instanceof ArtifactDescriptorException) {
            return ((ArtifactDescriptorException) error).getResult().getRequest().getArtifact();
        }
        return null;
    }

    /** Adds a library unless there is one of the same name. */
    private static void add(Artifact artifact, String scope, Map<String, Library> libraries) {
        if (artifact != null) {
            String key = artifact.getGroupId() + ":" + artifact.getArtifactId() + ":" + artifact.getExtension() + ":"
                    + artifact.getClassifier();
            libraries.putIfAbsent(key, new Library(artifact, scope));
        }
    }

    private static void collect(DependencyNode node, Map<String, Library> libraries) {
        if (node.getDependency() != null) {
            add(node.getArtifact(), node.getDependency().getScope(), libraries);
        }
        for (DependencyNode child : node.getChildren()) {
            collect(child, libraries);
        }
    }

    /** The annotation processors that the compiler plugin is configured with, and what they need. */
    List<Library> processors(MavenProject project) {
        return resolve(project, processorPaths(project), "processor");
    }

    /** Libraries and what they need. */
    private List<Library> resolve(
            MavenProject project, List<org.eclipse.aether.graph.Dependency> direct, String scope) {
        if (direct.isEmpty()) {
            return Collections.emptyList();
        }
        CollectRequest collection =
                new CollectRequest(direct, Collections.emptyList(), project.getRemoteProjectRepositories());
        List<Library> libraries = new ArrayList<>();
        for (ArtifactResult result : resolve(new DependencyRequest(collection, null))) {
            Artifact artifact = result.getArtifact();
            libraries.add(new Library(artifact == null ? result.getRequest().getArtifact() : artifact, scope));
        }
        return libraries;
    }

    private List<org.eclipse.aether.graph.Dependency> processorPaths(MavenProject project) {
        List<org.eclipse.aether.graph.Dependency> paths = new ArrayList<>();
        Plugin compiler = project.getPlugin("org.apache.maven.plugins:maven-compiler-plugin");
        Object configuration = compiler == null ? null : compiler.getConfiguration();
        Xpp3Dom declared = configuration instanceof Xpp3Dom
                ? ((Xpp3Dom) configuration).getChild("annotationProcessorPaths") : null;
        if (declared == null) {
            return paths;
        }
        Map<String, String> versions = managedVersions(project);
        for (Xpp3Dom path : declared.getChildren()) {
            String group = text(path, "groupId", "");
            String name = text(path, "artifactId", "");
            String version = text(path, "version", versions.getOrDefault(group + ":" + name, ""));
            Artifact artifact = new DefaultArtifact(
                    group, name, text(path, "classifier", ""), text(path, "type", "jar"), version);
            paths.add(new org.eclipse.aether.graph.Dependency(artifact, "runtime"));
        }
        return paths;
    }

    private static Map<String, String> managedVersions(MavenProject project) {
        Map<String, String> versions = new HashMap<>();
        if (project.getDependencyManagement() != null) {
            for (Dependency managed : project.getDependencyManagement().getDependencies()) {
                versions.putIfAbsent(managed.getGroupId() + ":" + managed.getArtifactId(), managed.getVersion());
            }
        }
        return versions;
    }

    private static String text(Xpp3Dom element, String name, String fallback) {
        Xpp3Dom child = element.getChild(name);
        return child == null || child.getValue() == null ? fallback : child.getValue().trim();
    }
}
