//! Chooses a JDK that supports the Java version of the build.

use super::{Project, ProjectOptions};
use crate::{Environment, Jdk, Toolchain};
use mend_model::{MissingRequirements, Result};
use std::path::Path;

impl Project {
    /// Discovers the project in a folder. If the build needs a later Java version than the toolchain's JDK, and this
    /// machine has a JDK that supports it, that JDK is used from then on, with a note.
    ///
    /// # Errors
    /// Those of [`Project::discover`].
    pub fn discover_with_suitable_jdk(
        root: &Path,
        options: &ProjectOptions,
        tools: Toolchain,
    ) -> Result<(Self, Toolchain)> {
        let project = Self::discover(root, options, &tools)?;
        let suitable_jdk = project.unsupported_java_version(&tools.jdk).and_then(|version| {
            Jdk::find_supporting(version, &Environment::from_process(), &*tools.launcher)
        });
        let Some(jdk) = suitable_jdk else { return Ok((project, tools)) };
        let (old, new, home) = (tools.jdk.version, jdk.version, jdk.home.display());
        let note =
            format!("JDK {old}, which is too old for the build; JDK {new} in {home} is used");
        let tools = tools.with_jdk(jdk);
        let mut project = Self::discover(root, options, &tools)?;
        project.notes.insert(0, note);
        Ok((project, tools))
    }

    /// Returns what the build needs and this machine lacks.
    pub fn missing_requirements(&self, jdk: &Jdk) -> MissingRequirements {
        MissingRequirements {
            libraries: self.missing.clone(),
            java_version: self.unsupported_java_version(jdk),
        }
    }

    /// Returns the Java version that the selected tests need, unless the JDK supports it.
    fn unsupported_java_version(&self, jdk: &Jdk) -> Option<u32> {
        self.java_version.filter(|version| *version > jdk.version)
    }
}
