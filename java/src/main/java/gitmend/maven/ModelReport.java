package gitmend.maven;

import gitmend.wire.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Build;
import org.apache.maven.model.Model;
import org.apache.maven.model.Resource;
import org.apache.maven.model.io.xpp3.MavenXpp3Writer;
import org.apache.maven.project.MavenProject;

/** The projects of a session as JSON. All paths are absolute. */
final class ModelReport {
    private final MavenSession session;
    private final Libraries libraries;
    private final Generators generators;

    ModelReport(MavenSession session, Libraries libraries, Generators generators) {
        this.session = session;
        this.libraries = libraries;
        this.generators = generators;
    }

    String toJson() throws IOException {
        Json json = new Json().open('{');
        json.key("maven").value(session.getSystemProperties().getProperty("maven.version"));
        json.key("java").value(System.getProperty("java.version"));
        json.key("local_repository").value(session.getLocalRepository().getBasedir());
        json.key("last_phase").value(generators.lastPhase());
        texts(json.key("problems"), problems());
        json.key("properties");
        properties(json);
        json.key("projects").open('[');
        for (MavenProject project : session.getProjects()) {
            project(json, project);
        }
        return json.close(']').close('}').toString();
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (Throwable problem : session.getResult().getExceptions()) {
            problems.add(String.valueOf(problem.getMessage()));
        }
        return problems;
    }

    /** Properties of the command line and of the Java and operating systems. */
    private void properties(Json json) {
        Properties all = new Properties();
        for (String name : session.getSystemProperties().stringPropertyNames()) {
            if (name.matches("(java|os|user|file|path|line|maven)\\..*")) {
                all.setProperty(name, session.getSystemProperties().getProperty(name));
            }
        }
        for (String name : session.getUserProperties().stringPropertyNames()) {
            if (!name.startsWith("git-mend.")) {
                all.setProperty(name, session.getUserProperties().getProperty(name));
            }
        }
        properties(json, all);
    }

    private static void properties(Json json, Properties properties) {
        json.open('{');
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            json.key(name).value(properties.getProperty(name));
        }
        json.close('}');
    }

    private void project(Json json, MavenProject project) throws IOException {
        json.open('{');
        json.key("folder").value(project.getBasedir().getPath());
        json.key("pom").value(effectivePom(project));
        properties(json.key("properties"), project.getProperties());
        texts(json.key("sources"), project.getCompileSourceRoots());
        texts(json.key("test_sources"), project.getTestCompileSourceRoots());
        texts(json.key("generators"), generators.names(project));
        json.key("output").value(project.getBuild().getOutputDirectory());
        json.key("test_output").value(project.getBuild().getTestOutputDirectory());
        libraries(json.key("libraries"), libraries.dependencies(project));
        libraries(json.key("processors"), libraries.processors(project));
        json.close('}');
    }

    /**
     * The effective POM without what only Maven itself needs, and without properties: a plugin may have added some
     * whose names XML does not allow.
     */
    private static String effectivePom(MavenProject project) throws IOException {
        Model model = project.getModel().clone();
        model.setProperties(new Properties());
        model.setDependencyManagement(null);
        model.setDependencies(new ArrayList<>());
        model.setProfiles(new ArrayList<>());
        model.setReporting(null);
        model.setDistributionManagement(null);
        Build build = model.getBuild();
        build.setPluginManagement(null);
        for (List<Resource> resources : java.util.Arrays.asList(build.getResources(), build.getTestResources())) {
            for (Resource resource : resources) {
                resource.setMergeId(null);
            }
        }
        StringWriter text = new StringWriter();
        new MavenXpp3Writer().write(text, model);
        return text.toString();
    }

    private static void libraries(Json json, List<Libraries.Library> libraries) {
        json.open('[');
        for (Libraries.Library library : libraries) {
            json.open('{');
            json.key("name").value(library.name());
            json.key("version").value(library.artifact.getVersion());
            json.key("classifier").value(library.artifact.getClassifier());
            json.key("extension").value(library.artifact.getExtension());
            json.key("scope").value(library.scope);
            json.key("file").value(library.artifact.getFile() == null ? null : library.artifact.getFile().getPath());
            json.close('}');
        }
        json.close(']');
    }

    private static void texts(Json json, Iterable<String> texts) {
        json.open('[');
        for (String text : texts) {
            json.value(text);
        }
        json.close(']');
    }
}
