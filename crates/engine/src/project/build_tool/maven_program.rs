//! Finding Maven: the project's wrapper, or `mvn` on `PATH`.

use super::wrapper::{
    ask_for_version, distribution_name, find_on_path, is_downloaded, is_executable, tool_call,
};
use crate::{Environment, Toolchain};
use mend_model::Result;
use std::path::{Path, PathBuf};

/// Settings of the wrapper, relative to the project's root.
const WRAPPER_SETTINGS: &str = ".mvn/wrapper/maven-wrapper.properties";

/// An installation of Maven.
pub(super) struct MavenProgram {
    /// The script that starts it.
    pub(super) command: PathBuf,
    /// Folder of the installation.
    home: PathBuf,
}

impl MavenProgram {
    /// Finds the Maven of a project: its wrapper if that works, or else `mvn`. `None` if there is none.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`].
    pub(super) fn find(root: &Path, tools: &Toolchain, is_offline: bool) -> Result<Option<Self>> {
        let environment = Environment::from_process();
        let wrapper = root.join("mvnw");
        if is_executable(&wrapper) && (!is_offline || has_wrapped_maven(root, &environment)) {
            let home = ask_for_home(&wrapper, root, tools)?;
            if let Some(home) = home {
                return Ok(Some(Self { command: wrapper, home }));
            }
        }
        let Some(command) = find_on_path(&environment, "mvn") else { return Ok(None) };
        let installed = command.canonicalize().ok();
        let home = installed.and_then(|file| Some(file.parent()?.parent()?.to_owned()));
        let home = match home.filter(|home| !libraries_in(home).is_empty()) {
            Some(home) => Some(home),
            None => ask_for_home(&command, root, tools)?,
        };
        Ok(home.map(|home| Self { command, home }))
    }

    /// Returns the jars of the installation.
    pub(super) fn libraries(&self) -> Vec<PathBuf> {
        libraries_in(&self.home)
    }
}

/// Returns true if the Maven that the wrapper starts was downloaded before.
fn has_wrapped_maven(root: &Path, environment: &Environment) -> bool {
    let default_home = || environment.path_variable("HOME").map(|home| home.join(".m2"));
    let home = environment.path_variable("MAVEN_USER_HOME").or_else(default_home);
    distribution_name(&root.join(WRAPPER_SETTINGS))
        .is_some_and(|name| is_downloaded(&name, &home.unwrap_or_default()))
}

/// Asks a script where its Maven is; `None` if it does not work.
fn ask_for_home(command: &Path, root: &Path, tools: &Toolchain) -> Result<Option<PathBuf>> {
    let output = ask_for_version(tool_call(command, root, tools), tools)?.unwrap_or_default();
    let home = output.lines().find_map(|line| line.trim().strip_prefix("Maven home: "));
    Ok(home.map(PathBuf::from).filter(|home| !libraries_in(home).is_empty()))
}

fn libraries_in(home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.join("lib")).into_iter().flatten().flatten();
    let is_jar = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "jar");
    let mut jars: Vec<_> = entries.map(|entry| entry.path()).filter(is_jar).collect();
    jars.sort();
    let is_core = |jar: &PathBuf| {
        jar.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"maven-core"))
    };
    if jars.iter().any(is_core) { jars } else { Vec::new() }
}
