//! Build of a library from its sources: the classes and resources of one module.

use crate::build_and_test::{BuildAndTest, Stop};
use crate::cache::digest::Digest;
use crate::compile::fresh_compiler::FreshCompiler;
use crate::compile::javac::Compilation;
use crate::jvm::java_program::create_folder;
use crate::process_engine::absolute_path;
use crate::test_execution::testbed::TestModel;
use crate::{Coordinates, Environment, Module, Project, ProjectOptions, TestOrder, Toolchain};
use mend_model::{Outcome, Problem, Result};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use walkdir::WalkDir;

/// Builds versions of a library from its sources.
pub struct LibraryBuilder {
    /// The library; its version is ignored.
    pub library: Coordinates,
    /// Options for the project models of the versions.
    pub options: ProjectOptions,
    /// Compiler and JVM.
    pub tools: Toolchain,
    /// Environment of the builds.
    pub environment: Environment,
    /// Folder for the built versions. It must outlive their use.
    pub work_dir: PathBuf,
}

/// Result of building a version of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryBuild {
    /// Folder of its classes and resources. Equal content has the same folder, other content another one.
    Built(PathBuf),
    /// Reason why it cannot be built, or the output of the compiler.
    Failed(String),
}

impl LibraryBuilder {
    /// Builds the version in a tree, with the modules that the library needs, within a time limit.
    ///
    /// # Errors
    /// Problems of this machine; a problem of the version is a result.
    pub fn build(&self, tree: &Path, time_limit: Option<Duration>) -> Result<LibraryBuild> {
        let tree = absolute_path(tree)?;
        let project = match Project::discover(&tree, &self.options, &self.tools) {
            Ok(project) => project,
            Err(
                problem @ (Problem::NoSources { .. }
                | Problem::Usage { .. }
                | Problem::BuildToolFailed { .. }),
            ) => return Ok(LibraryBuild::Failed(problem.to_string())),
            Err(problem) => return Err(problem),
        };
        let Some(module) = self.find_module(&project.modules) else {
            let reason = format!("no module of this version builds {}", self.library.name());
            return Ok(LibraryBuild::Failed(reason));
        };
        let work_dir = create_folder(absolute_path(&self.work_dir)?)?;
        let output = tempfile::Builder::new().prefix("build-").tempdir_in(&work_dir);
        let output = output.map_err(|error| Problem::io(error, &work_dir))?;
        let source = LibrarySource { tree: &tree, project: &project, module };
        let order = TestOrder::default();
        let needed = project.narrow_to(&module.main_roots);
        let build = BuildAndTest {
            tools: &self.tools,
            environment: &self.environment,
            selections: &[],
            order: &order,
            model: Arc::new(TestModel { project: needed, testbeds: Vec::new() }),
            tree: tree.clone(),
            work_dir: work_dir.clone(),
            output_dir: output.path(),
            asked: RefCell::default(),
        };
        let mut compiler = FreshCompiler::default();
        let compile =
            |compilation: &Compilation<'_>, files: &[PathBuf]| compiler.compile(compilation, files);
        let classes = build.compile_main(time_limit, compile);
        let classes = match classes {
            Ok(classes) => classes,
            Err(Stop::Early(Outcome::NotBuilt { diagnostics, .. })) => {
                return Ok(LibraryBuild::Failed(diagnostics));
            }
            Err(Stop::Early(outcome)) => return Ok(LibraryBuild::Failed(outcome.text())),
            Err(Stop::Problem(problem)) => return Err(problem),
        };
        let resources = build.copies().resource_folders(
            &module.resource_roots,
            &module.copied_resources,
            &output.path().join("resources"),
        )?;
        let assembled = source.assemble(&classes, &resources, &output.path().join("library"))?;
        publish(&assembled, &work_dir).map(LibraryBuild::Built)
    }

    /// Returns the module of the library. Its group may have another name in an old version, and a module of Gradle has
    /// the name of its folder.
    fn find_module<'a>(&self, modules: &'a [Module]) -> Option<&'a Module> {
        let name = self.library.name();
        let artifact = &self.library.artifact;
        let has_artifact_name = |module: &&Module| {
            module.name.rsplit(':').next() == Some(artifact)
                || module.folder.file_name().is_some_and(|folder| folder == artifact.as_str())
        };
        let buildable = || modules.iter().filter(|module| !module.main_roots.is_empty());
        let only = buildable().next().filter(|_| buildable().count() == 1);
        buildable()
            .find(|module| module.name == name)
            .or(buildable().find(has_artifact_name))
            .or(only)
    }
}

/// Sources of a version of a library.
struct LibrarySource<'a> {
    tree: &'a Path,
    project: &'a Project,
    module: &'a Module,
}

impl LibrarySource<'_> {
    /// Copies the classes and resources of the library to a folder.
    fn assemble(
        &self,
        classes: &[PathBuf],
        resources: &[PathBuf],
        library: &Path,
    ) -> Result<PathBuf> {
        let library = create_folder(library.to_owned())?;
        for folder in classes {
            copy_files(folder, &library, |path| !self.is_of_other_module(path))?;
        }
        for folder in resources.iter().filter(|folder| folder.is_dir()) {
            copy_files(folder, &library, |path| path.extension().is_none_or(|e| e != "java"))?;
        }
        Ok(library)
    }

    /// Returns true if a class belongs to a module that the library needs: the other libraries on the class path have
    /// it.
    fn is_of_other_module(&self, class: &Path) -> bool {
        let name = class.file_stem().unwrap_or_default().to_string_lossy();
        let outer = name.split('$').next().unwrap_or_default();
        let source = class.with_file_name(format!("{outer}.java"));
        let has_source = |module: &Module| has_file(self.tree, &module.main_roots, &source);
        let mut others = self.project.modules.iter().filter(|other| *other != self.module);
        !has_source(self.module) && others.any(has_source)
    }
}

fn has_file(tree: &Path, roots: &[PathBuf], file: &Path) -> bool {
    roots.iter().any(|root| tree.join(root).join(file).is_file())
}

/// Copies the files of a folder whose relative paths satisfy a condition.
fn copy_files(from: &Path, to: &Path, is_copied: impl Fn(&Path) -> bool) -> Result<()> {
    for entry in WalkDir::new(from) {
        let entry = entry.map_err(anyhow::Error::from)?;
        let path = entry.path().strip_prefix(from).unwrap_or(entry.path());
        if !entry.file_type().is_file() || !is_copied(path) {
            continue;
        }
        let target = to.join(path);
        create_folder(target.parent().unwrap_or(to).to_owned())?;
        std::fs::copy(entry.path(), &target).map_err(|error| Problem::io(error, &target))?;
    }
    Ok(())
}

/// Moves a built library to the folder of its content.
fn publish(library: &Path, work_dir: &Path) -> Result<PathBuf> {
    let mut digest = Digest::default();
    for entry in WalkDir::new(library).sort_by_file_name() {
        let entry = entry.map_err(anyhow::Error::from)?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(library).unwrap_or(entry.path());
            let content =
                std::fs::read(entry.path()).map_err(|error| Problem::io(error, entry.path()))?;
            digest.add(&path.to_string_lossy(), content);
        }
    }
    let folder = work_dir.join(digest.finish_hex());
    match std::fs::rename(library, &folder) {
        Ok(()) => Ok(folder),
        // Another build has the same content.
        Err(_) if folder.is_dir() => Ok(folder),
        Err(error) => Err(Problem::io(error, &folder)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::EngineFixture;
    use crate::{LocalRepositories, ModelSource};

    const POM_START: &str = "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>";

    fn pom(artifact: &str, rest: &str) -> String {
        format!(
            "{POM_START}<artifactId>{artifact}</artifactId><version>1</version>{rest}</project>"
        )
    }

    fn builder(fixture: &EngineFixture, artifact: &str) -> LibraryBuilder {
        LibraryBuilder {
            library: Coordinates {
                group: "g".to_owned(),
                artifact: artifact.to_owned(),
                version: None,
                classifier: None,
            },
            options: ProjectOptions {
                repositories: LocalRepositories::default(),
                model: ModelSource::Files,
                ..ProjectOptions::default()
            },
            tools: fixture.tools(),
            environment: Environment::from_process(),
            work_dir: fixture.work_dir.path().to_owned(),
        }
    }

    /// Returns the files of the built library, in order.
    fn files_of(build: &LibraryBuild) -> Vec<String> {
        let LibraryBuild::Built(folder) = build else { panic!("{build:?}") };
        let entries = WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
        let files = entries.filter(|entry| entry.file_type().is_file());
        files
            .map(|entry| entry.path().strip_prefix(folder).unwrap().display().to_string())
            .collect()
    }

    #[test]
    fn library_has_classes_and_resources_of_its_module_only() {
        let needs_core = "<dependencies><dependency><groupId>g</groupId><artifactId>core</artifactId>\
            <version>1</version></dependency></dependencies>";
        let aggregator = pom(
            "all",
            "<packaging>pom</packaging><modules><module>core</module>\
            <module>text</module></modules>",
        );
        let fixture = EngineFixture::new(&[
            ("pom.xml", &aggregator),
            ("core/pom.xml", &pom("core", "")),
            ("core/src/main/java/a/Core.java", "package a; public class Core { class Inner {} }"),
            ("text/pom.xml", &pom("text", needs_core)),
            (
                "text/src/main/java/b/Text.java",
                "package b; class Text extends a.Core {} class Two {}",
            ),
            ("text/src/main/resources/META-INF/services/x.Y", "b.Text"),
        ]);
        let built = builder(&fixture, "text").build(fixture.tree.path(), None).unwrap();
        assert_eq!(files_of(&built), ["META-INF/services/x.Y", "b/Text.class", "b/Two.class"]);
        let core = builder(&fixture, "core").build(fixture.tree.path(), None).unwrap();
        assert_eq!(files_of(&core), ["a/Core$Inner.class", "a/Core.class"]);
        let LibraryBuild::Failed(reason) =
            builder(&fixture, "gone").build(fixture.tree.path(), None).unwrap()
        else {
            panic!("a module that does not exist is built");
        };
        assert_eq!(reason, "no module of this version builds g:gone");
    }

    #[test]
    fn equal_content_has_one_folder_and_broken_sources_are_a_failure() {
        let source = "src/main/java/A.java";
        let fixture =
            EngineFixture::new(&[("pom.xml", &pom("a", "")), (source, "class A { int x = 1; }")]);
        let builder = builder(&fixture, "a");
        let first = builder.build(fixture.tree.path(), None).unwrap();
        fixture.write("README", "no code");
        assert_eq!(builder.build(fixture.tree.path(), None).unwrap(), first);
        fixture.write(source, "class A { int x = 2; }");
        assert_ne!(builder.build(fixture.tree.path(), None).unwrap(), first);
        fixture.write(source, "class A { int x = y; }");
        let LibraryBuild::Failed(output) = builder.build(fixture.tree.path(), None).unwrap() else {
            panic!("broken sources are built");
        };
        assert!(output.contains("A.java:1: error: cannot find symbol"), "{output}");
    }
}
