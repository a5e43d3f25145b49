//! Wrapper scripts of build tools, which download the tool's version that a project asks for, and programs on `PATH`.

use crate::{Environment, LaunchSpec, Toolchain};
use mend_model::{Problem, Result};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time limit of `--version`, which may download the build tool.
const VERSION_TIMEOUT: Duration = Duration::from_secs(300);

/// Returns the path of a program on `PATH`.
pub(super) fn find_on_path(environment: &Environment, program: &str) -> Option<PathBuf> {
    let path = environment.get("PATH").unwrap_or_default();
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| is_executable(file))
}

pub(super) fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Returns the name of the distribution in the settings of a wrapper, such as `gradle-8.5`.
pub(super) fn distribution_name(settings: &Path) -> Option<String> {
    let text = std::fs::read_to_string(settings).ok()?;
    let url = text.lines().find_map(|line| line.trim().strip_prefix("distributionUrl"))?;
    let archive = url.rsplit('/').next().unwrap_or_default().trim().trim_end_matches(".zip");
    let name = archive.strip_suffix("-bin").or_else(|| archive.strip_suffix("-all"));
    Some(name.unwrap_or(archive).to_owned()).filter(|name| !name.is_empty())
}

/// Returns true if a distribution was downloaded before to the wrapper's folder below a home folder.
pub(super) fn is_downloaded(distribution: &str, home: &Path) -> bool {
    let downloads = home.join("wrapper/dists");
    ["", "-bin", "-all"].iter().any(|end| downloads.join(format!("{distribution}{end}")).is_dir())
}

/// Returns a call of a build tool in the root folder of a project. Git does not find a repository above that folder: a
/// build that runs in a copy of a tree must not change the user's repository.
pub(super) fn tool_call(command: &Path, root: &Path, tools: &Toolchain) -> LaunchSpec {
    let mut call = LaunchSpec::new(command, root);
    call.env.push(("JAVA_HOME".into(), tools.jdk.home.clone().into()));
    let ceiling = root.parent().unwrap_or(root);
    call.env.push(("GIT_CEILING_DIRECTORIES".into(), ceiling.into()));
    call
}

/// Makes a call of a build tool with `--version`. Returns its output; `None` if it does not work.
///
/// # Errors
/// [`Problem::Interrupted`].
pub(super) fn ask_for_version(call: LaunchSpec, tools: &Toolchain) -> Result<Option<String>> {
    let call = call.arg("--version").with_time_limit(Some(VERSION_TIMEOUT));
    match tools.launcher.run(&call) {
        Ok(exit) if exit.is_success() => Ok(Some(exit.output)),
        Err(Problem::Interrupted) => Err(Problem::Interrupted),
        Ok(_) | Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distribution_is_named_without_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join("wrapper.properties");
        for (url, name) in [
            ("https\\://services.gradle.org/distributions/gradle-8.5-all.zip", "gradle-8.5"),
            ("https://x/apache-maven/3.9.6/apache-maven-3.9.6-bin.zip", "apache-maven-3.9.6"),
        ] {
            std::fs::write(&settings, format!("a=b\ndistributionUrl={url}\n")).unwrap();
            assert_eq!(distribution_name(&settings).as_deref(), Some(name));
        }
        std::fs::create_dir_all(folder.path().join("wrapper/dists/gradle-8.5-all")).unwrap();
        assert!(is_downloaded("gradle-8.5", folder.path()));
        assert!(!is_downloaded("gradle-8", folder.path()));
    }
}
