//! Finding Maven: the project's wrapper, or `mvn` on `PATH`.

use crate::{Environment, LaunchSpec, Toolchain};
use mend_model::{Problem, Result};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time limit of `--version`, which may download Maven.
const VERSION_TIMEOUT: Duration = Duration::from_secs(300);

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
    /// [`Problem::Interrupted`].
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

/// Returns the path of `mvn` on `PATH`.
pub(super) fn find_on_path(environment: &Environment, program: &str) -> Option<PathBuf> {
    let path = environment.get("PATH").unwrap_or_default();
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Returns true if the Maven that the wrapper starts was downloaded before.
fn has_wrapped_maven(root: &Path, environment: &Environment) -> bool {
    let settings = std::fs::read_to_string(root.join(WRAPPER_SETTINGS)).unwrap_or_default();
    let url = settings.lines().find_map(|line| line.trim().strip_prefix("distributionUrl"));
    let archive = url.and_then(|url| url.rsplit('/').next()).unwrap_or_default().trim();
    let name = archive.trim_end_matches(".zip").trim_end_matches("-bin");
    let default_home = || environment.path_variable("HOME").map(|home| home.join(".m2"));
    let user_home = environment.path_variable("MAVEN_USER_HOME").or_else(default_home);
    let downloads = user_home.unwrap_or_default().join("wrapper/dists");
    let folder_names = [name.to_owned(), format!("{name}-bin")];
    !name.is_empty() && folder_names.iter().any(|name| downloads.join(name).is_dir())
}

/// Asks a script where its Maven is; `None` if it does not work.
fn ask_for_home(command: &Path, root: &Path, tools: &Toolchain) -> Result<Option<PathBuf>> {
    let mut spec = LaunchSpec::new(command, root).args(["--version", "-Dstyle.color=never"]);
    spec.env.push(("JAVA_HOME".into(), tools.jdk.home.clone().into()));
    let output = match tools.launcher.run(&spec.with_time_limit(Some(VERSION_TIMEOUT))) {
        Ok(exit) if exit.is_success() => exit.output,
        Err(Problem::Interrupted) => return Err(Problem::Interrupted),
        Ok(_) | Err(_) => return Ok(None),
    };
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
