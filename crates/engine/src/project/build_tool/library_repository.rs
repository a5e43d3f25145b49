//! Published versions of libraries and plugins, from the repositories that Maven uses or from this machine.

use super::library_repository_kind::RepositoryKind;
use super::maven_program::MavenProgram;
use super::maven_query::{LibraryAnswers, MavenQuery};
use super::tool_failure::ToolFailure;
use crate::Toolchain;
use crate::project::build_kind::detect_build_kind;
use crate::project::dependencies::local_repositories::Coordinates;
use crate::project::{BuildKind, ProjectOptions};
use mend_model::{Problem, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A POM for builds of other tools: Maven's settings name the repositories of libraries, and Gradle has one for plugins.
const EMPTY_POM: &str = "<project><modelVersion>4.0.0</modelVersion><groupId>git-mend</groupId>\
    <artifactId>libraries</artifactId><version>1</version><packaging>pom</packaging><pluginRepositories>\
    <pluginRepository><id>gradle-plugins</id><url>https://plugins.gradle.org/m2</url></pluginRepository>\
    </pluginRepositories></project>";

/// Versions of plugins that replace those of the build files: they do not matter for libraries.
static NO_PLUGINS: BTreeMap<String, String> = BTreeMap::new();

/// Published versions of libraries or plugins. Without Maven, or offline, these are the versions on this machine.
pub struct LibraryRepository<'a> {
    /// Tree of the project whose repositories are used.
    tree: &'a Path,
    kind: RepositoryKind,
    options: &'a ProjectOptions,
    maven: Option<MavenQuery<'a>>,
}

impl<'a> LibraryRepository<'a> {
    /// Finds the repositories of the project in a tree: those of its POMs, or of Maven's settings for other builds.
    ///
    /// # Errors
    /// [`Problem::Interrupted`].
    pub fn find(
        tree: &'a Path,
        kind: RepositoryKind,
        options: &'a ProjectOptions,
        tools: &'a Toolchain,
    ) -> Result<Self> {
        let program = MavenProgram::find(tree, tools, options.is_offline)?;
        let maven =
            program.map(|program| MavenQuery { program, options, tools, plugins: &NO_PLUGINS });
        Ok(Self { tree, kind, options, maven })
    }

    /// Returns the versions of a library in ascending order.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] and input or output errors.
    pub fn versions(&self, library: &Coordinates) -> Result<Vec<String>> {
        let name = library.name();
        let published = self.ask(&name)?.versions.remove(&name).unwrap_or_default();
        if published.is_empty() {
            return Ok(self.options.repositories.versions(library));
        }
        Ok(published)
    }

    /// Returns the file of a library, which is downloaded if necessary; `None` if it cannot be found.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] and input or output errors.
    pub fn file(&self, library: &Coordinates) -> Result<Option<PathBuf>> {
        let local = self.options.repositories.find(library).filter(|found| found.is_exact);
        if let Some(jar) = local.and_then(|found| found.jar) {
            return Ok(Some(jar));
        }
        let request = library.request();
        Ok(self.ask(&request)?.files.remove(&request).flatten())
    }

    /// Asks Maven. The answer is empty if it does not work.
    fn ask(&self, request: &str) -> Result<LibraryAnswers> {
        let Some(maven) = &self.maven else { return Ok(LibraryAnswers::default()) };
        let folder = tempfile::tempdir().map_err(|error| Problem::io(error, self.tree))?;
        let root = if detect_build_kind(self.tree) == BuildKind::Maven {
            self.tree
        } else {
            let pom = folder.path().join("pom.xml");
            std::fs::write(&pom, EMPTY_POM).map_err(|error| Problem::io(error, &pom))?;
            folder.path()
        };
        match maven.look_up_libraries(root, self.kind, &[request]) {
            Ok(answers) => Ok(answers),
            Err(ToolFailure::Problem(problem)) => Err(problem),
            Err(ToolFailure::Failed(_) | ToolFailure::Unavailable(_)) => {
                Ok(LibraryAnswers::default())
            }
        }
    }
}
