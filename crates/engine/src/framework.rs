//! The test frameworks, and the Java runner of each.

use super::runtime::{Source, source};
use std::fmt;

/// What runs a test class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framework {
    /// `JUnit` 5 and what else plugs into its platform.
    JUnitPlatform,
    /// `JUnit` 4 and 3.
    JUnit4,
    /// `TestNG`.
    TestNg,
    /// No framework: `main` returns or throws.
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

const SHARED: [Source; 4] = [
    source!("Coverage.java"),
    source!("Echo.java"),
    source!("Results.java"),
    source!("Wanted.java"),
];
const PLATFORM: [Source; 4] = [
    source!("PlatformRunner.java"),
    source!("Parameters.java"),
    source!("Executions.java"),
    source!("Teller.java"),
];
const JUNIT4: [Source; 1] = [source!("JUnit4Runner.java")];
const TEST_NG: [Source; 2] = [source!("TestNgRunner.java"), source!("TestNgTeller.java")];
const MAIN: [Source; 1] = [source!("MainRunner.java")];

impl Framework {
    /// The runner's class.
    pub(super) fn runner(self) -> &'static str {
        match self {
            Self::JUnitPlatform => "gitmend.runtime.PlatformRunner",
            Self::JUnit4 => "gitmend.runtime.JUnit4Runner",
            Self::TestNg => "gitmend.runtime.TestNgRunner",
            Self::Main => "gitmend.runtime.MainRunner",
        }
    }

    /// The runner's sources: file names and texts.
    pub(super) fn sources(self) -> Vec<Source> {
        let own: &[Source] = match self {
            Self::JUnitPlatform => &PLATFORM,
            Self::JUnit4 => &JUNIT4,
            Self::TestNg => &TEST_NG,
            Self::Main => &MAIN,
        };
        [&SHARED, own].concat()
    }
}
