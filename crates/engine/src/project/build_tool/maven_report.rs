//! What Maven says about a project, and the modules that it describes.

use super::tool_failure::ToolFailure;
use super::tool_report::{ModuleOutputs, ToolReport, parse_answer};
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution::{self, ResolvedLibraries};
use crate::project::maven::build_helper;
use crate::project::maven::module_settings::{read_settings, select_sources};
use crate::project::maven::pom::XmlElement;
use crate::project::maven::pom_model::{PomCache, PomContext, PomModel};
use crate::project::maven::processors::processor_options;
use crate::project::maven::resources::unique_folders;
use crate::project::module::{normalise_path, relative_path};
use crate::project::parsed_build::ParsedBuild;
use crate::project::unique::unique;
use crate::project::{BuildKind, Module, ProjectOptions};
use crate::{Jdk, MavenSettings};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders that the compiler plugin adds for annotation processors, whose files each build makes anew.
const PROCESSOR_OUTPUT: [&str; 2] =
    ["generated-sources/annotations", "generated-test-sources/test-annotations"];

/// What Maven says about a project. Paths are absolute.
#[derive(Debug, Deserialize)]
pub(super) struct MavenReport {
    /// Version of Maven.
    maven: Option<String>,
    /// Version of Java that runs Maven.
    java: String,
    /// The last phase in which one of them runs.
    last_phase: Option<String>,
    /// Errors of a run of generators.
    problems: Vec<String>,
    properties: BTreeMap<String, String>,
    projects: Vec<MavenProject>,
}

/// One project of a build.
#[derive(Debug, Deserialize)]
struct MavenProject {
    folder: PathBuf,
    /// The effective POM without properties.
    pom: String,
    properties: BTreeMap<String, String>,
    sources: Vec<PathBuf>,
    test_sources: Vec<PathBuf>,
    /// Plugin goals that may generate sources or resources.
    generators: Vec<String>,
    output: PathBuf,
    test_output: PathBuf,
    libraries: Vec<MavenLibrary>,
    processors: Vec<MavenLibrary>,
}

impl MavenProject {
    fn outputs(&self, root: &Path) -> ModuleOutputs {
        let build_folder = self.output.parent().and_then(Path::file_name).unwrap_or_default();
        ModuleOutputs {
            build_folder: build_folder.into(),
            main: relative_path(root, self.output.clone()),
            test: relative_path(root, self.test_output.clone()),
            has_changed_resources: false,
        }
    }
}

/// A library of a project.
#[derive(Debug, Deserialize)]
struct MavenLibrary {
    /// `group:artifact`.
    name: String,
    version: String,
    classifier: String,
    extension: String,
    /// `None` if it could not be found.
    file: Option<PathBuf>,
}

impl MavenLibrary {
    fn to_dependency(&self) -> Option<Dependency> {
        let (group, artifact) = self.name.split_once(':')?;
        let mut dependency = Dependency::new(group, artifact, Some(&self.version));
        let classifier = Some(self.classifier.clone()).filter(|classifier| !classifier.is_empty());
        dependency.coordinates.classifier = classifier;
        Some(dependency)
    }
}

impl MavenReport {
    /// Reads a report about the project in a folder.
    pub(super) fn parse(json: &[u8], root: &Path) -> Result<Self, ToolFailure> {
        parse_answer(String::from_utf8_lossy(json).into_owned(), root)
    }

    /// Returns the report about the project in the folder that Maven ran in.
    pub(super) fn into_tool_report(
        self,
        root: &Path,
        options: &ProjectOptions,
        jdk: &Jdk,
    ) -> Result<ToolReport, ToolFailure> {
        let build = self.to_parsed_build(root, options, jdk)?;
        let maven = self.maven.as_ref().map(|version| format!("Maven {version}"));
        let outputs = self.projects.iter().map(|project| project.outputs(root)).collect();
        let names = || build.modules.iter().map(|module| module.name.clone());
        let plugins = self.projects.iter().map(|project| self.plugins_of(project));
        let plugins = plugins.collect::<Result<Vec<_>, _>>()?;
        let plugins = names().zip(plugins).collect();
        let generators = names().zip(self.projects.into_iter().map(|project| project.generators));
        Ok(ToolReport {
            kind: BuildKind::Maven,
            tool: format!("{}, Java {}", maven.unwrap_or("Maven".to_owned()), self.java),
            generators: generators.collect(),
            plugins,
            last_phase: self.last_phase,
            problems: self.problems,
            build,
            outputs,
        })
    }

    /// Returns the modules, with paths relative to the folder that Maven ran in. Folders need not exist.
    fn to_parsed_build(
        &self,
        root: &Path,
        options: &ProjectOptions,
        jdk: &Jdk,
    ) -> Result<ParsedBuild, ToolFailure> {
        let models = self.projects.iter().map(|project| self.effective_model(project));
        let models = models.collect::<Result<Vec<_>, _>>()?;
        let names: Vec<String> = models.iter().map(PomModel::name).collect();
        let settings = &MavenSettings::default();
        let (repositories, cache) = (&options.repositories, &PomCache::default());
        let context = PomContext { repositories, settings, jdk: jdk.version, cache };
        let modules = self.projects.iter().zip(&models).map(|(project, model)| {
            let converter = ProjectConverter { root, project, model, siblings: &names, context };
            converter.read_module(jdk).relative_to_tree(root)
        });
        Ok(ParsedBuild { modules: modules.collect(), ..ParsedBuild::default() })
    }

    /// Returns the versions of the plugins that may generate sources or resources of a project.
    fn plugins_of(&self, project: &MavenProject) -> Result<BTreeMap<String, String>, ToolFailure> {
        let model = self.effective_model(project)?;
        let artifact = |goal: &String| goal.split(':').next().unwrap_or(goal).to_owned();
        let artifacts = project.generators.iter().map(artifact);
        Ok(artifacts.filter_map(|artifact| model.plugin_version(&artifact)).collect())
    }

    fn effective_model(&self, project: &MavenProject) -> Result<PomModel, ToolFailure> {
        let pom = XmlElement::parse(&project.pom)
            .map_err(|error| ToolFailure::Failed(format!("its answer cannot be read: {error}")))?;
        let mut properties = project.properties.clone();
        // Those of the command line take precedence.
        properties.extend(self.properties.clone());
        Ok(PomModel::from_effective(project.folder.clone(), pom, properties))
    }
}

struct ProjectConverter<'a> {
    root: &'a Path,
    project: &'a MavenProject,
    model: &'a PomModel,
    siblings: &'a [String],
    context: PomContext<'a>,
}

impl ProjectConverter<'_> {
    fn read_module(&self, jdk: &Jdk) -> Module {
        let is_sibling = |library: &&MavenLibrary| self.siblings.contains(&library.name);
        let (siblings, external): (Vec<_>, Vec<_>) =
            self.project.libraries.iter().partition(is_sibling);
        let libraries = self.complete(&external);
        let processors = self.complete(&self.project.processors.iter().collect::<Vec<_>>());
        let processor_options = processor_options(self.model, &processors.class_path);
        let own_name = self.model.name();
        let is_other = |name: &&String| **name != own_name;
        let class_path = &libraries.class_path;
        let settings =
            read_settings(self.root, self.model, jdk, class_path, &processor_options, |_| true);
        let main_roots = self.source_roots(&self.project.sources, "add-source");
        let module = Module {
            main_roots: unique([main_roots, unique_folders(&settings.templates)].concat()),
            test_roots: self.source_roots(&self.project.test_sources, "add-test-source"),
            class_path: libraries.class_path,
            // A library that depends on the project itself gets it as it is now.
            needs: unique(siblings.iter().map(|one| &one.name).filter(is_other).cloned()),
            missing: [libraries.missing, processors.missing].concat(),
            substituted: [libraries.substituted, processors.substituted].concat(),
            ..settings
        };
        select_sources(module, self.model)
    }

    /// Returns the libraries; those that Maven did not find are looked for in other repositories of this machine.
    fn complete(&self, libraries: &[&MavenLibrary]) -> ResolvedLibraries {
        let is_jar = |library: &&&MavenLibrary| library.extension == "jar";
        let jars = || libraries.iter().filter(is_jar);
        let found = jars().filter_map(|library| library.file.clone());
        let is_missing = |library: &&&MavenLibrary| library.file.is_none();
        let missing: Vec<Dependency> =
            jars().filter(is_missing).filter_map(|library| library.to_dependency()).collect();
        let substitutes = resolution::resolve(self.context, &missing, &[]);
        ResolvedLibraries { class_path: unique(found.chain(substitutes.class_path)), ..substitutes }
    }

    /// Returns the source folders that Maven knows, and those that a goal of build-helper adds.
    fn source_roots(&self, folders: &[PathBuf], goal: &str) -> Vec<PathBuf> {
        let added = build_helper::source_folders(self.model, goal).into_iter().map(PathBuf::from);
        let is_source = |folder: &PathBuf| {
            !PROCESSOR_OUTPUT
                .iter()
                .any(|output| folder.ends_with(Path::new("target").join(output)))
        };
        let all = folders.iter().cloned().chain(added).filter(is_source);
        unique(all.map(|folder| {
            relative_path(self.root, normalise_path(&self.project.folder.join(folder)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalRepositories;
    use serde_json::json;

    /// Reads a report with one project per effective POM in `/p` and `/p/<name>`.
    fn read(projects: &serde_json::Value) -> ParsedBuild {
        let report = json!({
            "maven": "3.8.7", "java": "17", "last_phase": null, "problems": [],
            "properties": {"user.dir": "/p"}, "projects": projects,
        });
        let report = MavenReport::parse(report.to_string().as_bytes(), Path::new("/p")).unwrap();
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
        let options = ProjectOptions {
            repositories: LocalRepositories::default(),
            ..ProjectOptions::default()
        };
        report.to_parsed_build(Path::new("/p"), &options, &jdk).unwrap()
    }

    fn project(
        folder: &str,
        artifact: &str,
        build: &str,
        libraries: &serde_json::Value,
    ) -> serde_json::Value {
        json!({
            "folder": folder,
            "pom": format!("<project><groupId>g</groupId><artifactId>{artifact}</artifactId><version>1</version>{build}</project>"),
            "properties": {"argLine": "-Xmx1g", "any name?": ""},
            "sources": [format!("{folder}/src/main/java"), format!("{folder}/target/generated-sources/annotations")],
            "test_sources": [format!("{folder}/src/test/java")],
            "generators": [],
            "output": format!("{folder}/target/classes"), "test_output": format!("{folder}/target/test-classes"),
            "libraries": libraries, "processors": [],
        })
    }

    #[test]
    fn libraries_of_the_same_build_are_modules() {
        let library = |name: &str, file: Option<&str>| json!({"name": name, "version": "1", "classifier": "", "extension": "jar", "scope": "test", "file": file});
        let libraries = json!([
            library("g:core", None),
            library("g:app", None),
            library("x:lib", Some("/m/lib.jar")),
            library("x:gone", None)
        ]);
        let build = read(&json!([
            project("/p", "core", "", &json!([])),
            project("/p/app", "app", "", &libraries),
        ]));
        let app = &build.modules[1];
        assert_eq!(app.needs, ["g:core"]);
        assert_eq!(app.class_path, [PathBuf::from("/m/lib.jar")]);
        assert_eq!(app.missing, ["x:gone:1"]);
        assert_eq!(app.main_roots, [PathBuf::from("app/src/main/java")]);
        assert_eq!(app.folder, PathBuf::from("app"));
    }

    #[test]
    fn compiler_and_test_settings_come_from_the_effective_pom() {
        let build = "<build><resources><resource>\
            <directory>/p/res</directory></resource></resources><plugins>\
            <plugin><artifactId>maven-compiler-plugin</artifactId><executions>\
            <execution><id>default-compile</id><goals><goal>compile</goal></goals><configuration>\
            <release>8</release><parameters>true</parameters>\
            <excludes><exclude>b/**</exclude></excludes></configuration></execution>\
            <execution><id>default-testCompile</id><goals><goal>testCompile</goal></goals><configuration>\
            <release>8</release><testRelease>11</testRelease></configuration></execution></executions></plugin>\
            <plugin><artifactId>maven-surefire-plugin</artifactId><configuration><argLine>@{argLine} -Ddir=/p/x</argLine>\
            <systemProperties><property><name>k</name><value>v</value></property></systemProperties>\
            </configuration></plugin></plugins></build>";
        let module = read(&json!([project("/p", "a", build, &json!([]))])).modules.remove(0);
        // The compiler finds excluded sources that others need.
        let source_path = ["-sourcepath", "${tree}/src/main/java"];
        let options = [&["--release", "8", "-parameters"][..], &source_path].concat();
        assert_eq!(module.javac_options, options);
        assert_eq!(module.javac_options_of_tests(), ["--release", "11"]);
        assert_eq!(module.test_jvm.options, ["-Xmx1g", "-Ddir=${tree}/x", "-Dk=v"]);
        assert_eq!(module.resource_roots, [PathBuf::from("res")]);
        assert_eq!(module.source_patterns.excludes, ["b/**"]);
    }
}
