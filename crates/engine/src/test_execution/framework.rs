//! Test frameworks, and the Java runner of each.

use crate::jvm::java_program::{ProgramSource, program_sources};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

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

    /// Returns the path of a source file that only the project of the framework itself has.
    fn own_source(self) -> Option<&'static str> {
        match self {
            Self::JUnitPlatform => Some("org/junit/platform/engine/TestEngine.java"),
            Self::JUnit4 => Some("org/junit/runner/Runner.java"),
            Self::TestNg => Some("org/testng/annotations/Test.java"),
            Self::Main => None,
        }
    }

    /// Returns the reason why the runner cannot be compiled: the class path lacks the framework, perhaps because the
    /// project with these source folders builds it itself, or it has another one than `javac` expects.
    pub(crate) fn explain_missing_runner(self, javac_output: &str, folders: &[PathBuf]) -> String {
        if !javac_output.contains(" error: package ") {
            return format!("the class path has no usable {self}:\n{javac_output}");
        }
        let is_own = self
            .own_source()
            .is_some_and(|source| folders.iter().any(|folder| folder.join(source).is_file()));
        if is_own {
            return format!(
                "the project itself is {self}, but git-mend runs tests with the {self} of a library; \
                 test with your own command after `--`, such as `-- mvn -q test -Dtest=NAME`"
            );
        }
        format!("the tests use {self}, but it is not on their class path")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_framework_is_explained_without_errors_in_the_runner() {
        let tree = tempfile::tempdir().unwrap();
        let folders = [tree.path().to_owned()];
        let output = "/cache/R.java:9: error: package org.junit.runner does not exist\nimport x\n";
        let explain = || Framework::JUnit4.explain_missing_runner(output, &folders);
        assert_eq!(explain(), "the tests use JUnit 4, but it is not on their class path");
        let own = tree.path().join("org/junit/runner/Runner.java");
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        std::fs::write(own, "").unwrap();
        assert!(explain().starts_with("the project itself is JUnit 4"), "{}", explain());
        let output = "/cache/R.java:9: error: cannot find symbol\n";
        let other = Framework::JUnit4.explain_missing_runner(output, &folders);
        assert!(other.ends_with(output), "{other}");
    }
}
