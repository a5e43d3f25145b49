//! Test frameworks, and the Java runner of each.

use crate::jvm::java_program::{ProgramSource, program_sources};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Test framework of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Framework {
    /// `JUnit` 5 and other engines of its platform.
    JUnitPlatform,
    /// `JUnit` 4 and 3.
    JUnit4,
    /// `TestNG`.
    TestNg,
    /// A program without framework: `main` returns or throws.
    Main,
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JUnitPlatform => "JUnit 5",
            Self::JUnit4 => "JUnit 4",
            Self::TestNg => "TestNG",
            Self::Main => "main",
        })
    }
}

impl Framework {
    /// Returns the name of the runner class.
    pub(crate) fn runner_class(self) -> &'static str {
        match self {
            Self::JUnitPlatform => "gitmend.runner.platform.PlatformRunner",
            Self::JUnit4 => "gitmend.runner.junit4.JUnit4Runner",
            Self::TestNg => "gitmend.runner.testng.TestNgRunner",
            Self::Main => "gitmend.runner.main.MainRunner",
        }
    }

    /// Returns the runner's sources: paths and texts. They only need the framework itself.
    pub(crate) fn runner_sources(self) -> Vec<ProgramSource> {
        let runner_package = match self {
            Self::JUnitPlatform => "runner/platform",
            Self::JUnit4 => "runner/junit4",
            Self::TestNg => "runner/testng",
            Self::Main => "runner/main",
        };
        program_sources(&["wire", "runner", runner_package])
    }
}
