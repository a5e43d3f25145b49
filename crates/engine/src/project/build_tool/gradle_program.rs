//! Finding Gradle: the project's wrapper, or `gradle` on `PATH`.

use super::wrapper::{
    ask_for_version, distribution_name, find_on_path, is_downloaded, is_executable,
};
use crate::{Environment, Toolchain};
use mend_model::Result;
use std::path::{Path, PathBuf};

/// Settings of the wrapper, relative to the project's root.
const WRAPPER_SETTINGS: &str = "gradle/wrapper/gradle-wrapper.properties";

/// An installation of Gradle.
pub(super) struct GradleProgram {
    /// The script that starts it.
    pub(super) command: PathBuf,
    /// The distribution that the project asks for, if its wrapper does not work.
    pub(super) wanted: Option<String>,
}

impl GradleProgram {
    /// Finds the Gradle of a project: its wrapper if that works, or else `gradle`. `None` if there is none.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`].
    pub(super) fn find(root: &Path, tools: &Toolchain, is_offline: bool) -> Result<Option<Self>> {
        let environment = Environment::from_process();
        let wrapper = root.join("gradlew");
        let distribution = distribution_name(&root.join(WRAPPER_SETTINGS));
        let is_usable = is_executable(&wrapper)
            && distribution
                .as_deref()
                .is_some_and(|name| !is_offline || is_downloaded(name, &gradle_home(&environment)));
        if is_usable && ask_for_version(&wrapper, root, tools)?.is_some() {
            return Ok(Some(Self { command: wrapper, wanted: None }));
        }
        let command = find_on_path(&environment, "gradle");
        Ok(command.map(|command| Self { command, wanted: distribution }))
    }
}

/// Returns the folder of downloads and settings of Gradle's user.
pub(super) fn gradle_home(environment: &Environment) -> PathBuf {
    let default_home = || environment.path_variable("HOME").map(|home| home.join(".gradle"));
    environment.path_variable("GRADLE_USER_HOME").or_else(default_home).unwrap_or_default()
}
