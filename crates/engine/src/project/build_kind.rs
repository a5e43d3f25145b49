//! Kinds of builds, and their detection.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Kind of a project's build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BuildKind {
    /// Detected by the build file.
    #[default]
    Auto,
    /// `pom.xml`.
    Maven,
    /// `build.gradle` or `build.gradle.kts`.
    Gradle,
    /// Plain source folders.
    Javac,
}

impl fmt::Display for BuildKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
            Self::Javac => "javac",
        })
    }
}

/// Returns the kind of build of a folder, by its build files.
pub(super) fn detect_build_kind(root: &Path) -> BuildKind {
    let has_file = |name: &str| root.join(name).is_file();
    if has_file("pom.xml") {
        BuildKind::Maven
    } else if ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]
        .into_iter()
        .any(has_file)
    {
        BuildKind::Gradle
    } else {
        BuildKind::Javac
    }
}
