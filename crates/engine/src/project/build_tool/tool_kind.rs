//! Build tools that describe a project.

use crate::project::BuildKind;
use std::fmt;

/// A build tool that describes a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolKind {
    Maven,
    Gradle,
}

impl ToolKind {
    /// Returns the tool of a kind of build, if it has one.
    pub(crate) fn for_build(build: BuildKind) -> Option<Self> {
        match build {
            BuildKind::Maven => Some(Self::Maven),
            BuildKind::Gradle => Some(Self::Gradle),
            BuildKind::Javac | BuildKind::Auto => None,
        }
    }

    /// Returns the name of the tool.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Maven => "Maven",
            Self::Gradle => "Gradle",
        }
    }
}

impl fmt::Display for ToolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
