//! Finding Gradle: the project's wrapper, or `gradle` on `PATH`.

use super::wrapper::{ask_for_version, distribution_name, find_on_path, is_downloaded, tool_call};
use crate::{Environment, Toolchain};
use mend_model::Result;
use std::path::{Path, PathBuf};

/// Settings of the wrapper, relative to the project's root.
const WRAPPER_SETTINGS: &str = "gradle/wrapper/gradle-wrapper.properties";

/// The wrapper, relative to the project's root.
pub(super) const WRAPPER_SCRIPT: &str = "gradlew";

/// A Gradle for a project.
pub(super) enum GradleProgram {
    /// The project's wrapper.
    Wrapper,
    /// The Gradle on `PATH`.
    Installed {
        /// The script that starts it.
        command: PathBuf,
        /// The distribution that the project asks for, if its wrapper does not work.
        wanted: Option<String>,
    },
}

impl GradleProgram {
    /// Finds the Gradle of a project: its wrapper if that works, or else `gradle`. `None` if there is none.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`].
    pub(super) fn find(root: &Path, tools: &Toolchain, is_offline: bool) -> Result<Option<Self>> {
        let environment = Environment::from_process();
        let wrapper = root.join(WRAPPER_SCRIPT);
        let distribution = distribution_name(&root.join(WRAPPER_SETTINGS));
        let is_usable = wrapper.is_file()
            && distribution
                .as_deref()
                .is_some_and(|name| !is_offline || is_downloaded(name, &gradle_home(&environment)));
        // Commits from Windows often lack the permission to execute it.
        let call = tool_call(Path::new("sh"), root, tools).arg(&wrapper);
        if is_usable && ask_for_version(call, tools)?.is_some() {
            return Ok(Some(Self::Wrapper));
        }
        let command = find_on_path(&environment, "gradle");
        Ok(command.map(|command| Self::Installed { command, wanted: distribution }))
    }
}

/// Returns the folder of downloads and settings of Gradle's user.
pub(super) fn gradle_home(environment: &Environment) -> PathBuf {
    let default_home = || environment.path_variable("HOME").map(|home| home.join(".gradle"));
    environment.path_variable("GRADLE_USER_HOME").or_else(default_home).unwrap_or_default()
}
