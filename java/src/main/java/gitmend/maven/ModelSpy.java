package gitmend.maven;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import javax.inject.Inject;
import javax.inject.Named;
import javax.inject.Provider;
import javax.inject.Singleton;
import org.apache.maven.eventspy.AbstractEventSpy;
import org.apache.maven.execution.ExecutionEvent;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.BuildPluginManager;
import org.apache.maven.project.ProjectDependenciesResolver;
import org.eclipse.aether.RepositoryEvent;
import org.eclipse.aether.RepositorySystem;

/**
 * Maven extension that writes the projects of a session to a file as Maven sees them. Without
 * {@link #GENERATE_PROPERTY}, no plugin runs; with it, those that may generate sources or resources do, and the file
 * contains what they added.
 */
@Named
@Singleton
public final class ModelSpy extends AbstractEventSpy {
    /** Path of the file. */
    static final String OUTPUT_PROPERTY = "git-mend.output";
    /** True if generators run. */
    static final String GENERATE_PROPERTY = "git-mend.generate";
    /** Libraries to look up instead of writing the projects. */
    static final String LIBRARIES_PROPERTY = "git-mend.libraries";
    /** True if the repositories of plugins are asked instead of those of libraries. */
    static final String PLUGIN_REPOSITORIES_PROPERTY = "git-mend.plugin-repositories";
    /** Versions of plugins instead of those of the POMs, {@code group:artifact:version}, with commas between them. */
    static final String PLUGINS_PROPERTY = "git-mend.plugins";
    /** Generators that do not run, `artifact:goal`, with commas between them. */
    static final String OMITTED_PROPERTY = "git-mend.omitted";

    private final Provider<ProjectDependenciesResolver> dependencies;
    private final Provider<RepositorySystem> repositories;
    private final Provider<BuildPluginManager> plugins;

    @Inject
    public ModelSpy(
            Provider<ProjectDependenciesResolver> dependencies,
            Provider<RepositorySystem> repositories,
            Provider<BuildPluginManager> plugins) {
        this.dependencies = dependencies;
        this.repositories = repositories;
        this.plugins = plugins;
    }

    @Override
    public void onEvent(Object event) throws Exception {
        if (event instanceof RepositoryEvent) {
            reportDownload((RepositoryEvent) event);
        } else if (event instanceof ExecutionEvent) {
            ExecutionEvent execution = (ExecutionEvent) event;
            MavenSession session = execution.getSession();
            boolean isGenerating = Boolean.parseBoolean(session.getUserProperties().getProperty(GENERATE_PROPERTY));
            if (execution.getType() == ExecutionEvent.Type.SessionStarted) {
                PluginVersions.replace(session, session.getUserProperties().getProperty(PLUGINS_PROPERTY, ""));
                Generators generators = new Generators(session, plugins.get());
                if (!isGenerating) {
                    write(session, generators);
                }
                String omitted = session.getUserProperties().getProperty(OMITTED_PROPERTY, "");
                generators.removeOtherExecutions(isGenerating, Arrays.asList(omitted.split(",")));
            } else if (execution.getType() == ExecutionEvent.Type.SessionEnded && isGenerating) {
                write(session, new Generators(session, plugins.get()));
            }
        }
    }

    private void write(MavenSession session, Generators generators) throws IOException {
        Path file = Paths.get(session.getUserProperties().getProperty(OUTPUT_PROPERTY));
        Path unfinished = Paths.get(file + ".tmp");
        try (Writer writer = Files.newBufferedWriter(unfinished, StandardCharsets.UTF_8)) {
            String requests = session.getUserProperties().getProperty(LIBRARIES_PROPERTY);
            boolean asksForPlugins =
                    Boolean.parseBoolean(session.getUserProperties().getProperty(PLUGIN_REPOSITORIES_PROPERTY));
            Libraries libraries = new Libraries(session, dependencies.get(), repositories.get());
            writer.write(requests == null
                    ? new ModelReport(session, libraries, generators).toJson()
                    : new LibraryQuery(session, repositories.get(), asksForPlugins).toJson(requests));
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Adds a line with the artifact to a file beside the output. */
    private static void reportDownload(RepositoryEvent event) throws IOException {
        String output = System.getProperty(OUTPUT_PROPERTY);
        if (output != null && event.getType() == RepositoryEvent.EventType.ARTIFACT_DOWNLOADING) {
            byte[] line = (event.getArtifact() + "\n").getBytes(StandardCharsets.UTF_8);
            Files.write(Paths.get(output + ".downloads"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }
}
