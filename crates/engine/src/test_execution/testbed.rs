//! Test model: the modules that the selected tests need, with a testbed for each module with tests.

use crate::Project;
use crate::test_execution::test_setup::TestSetup;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Part of a project that the selected tests need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestModel {
    /// Modules that any of the tests needs; their main sources are compiled once.
    pub(crate) project: Project,
    /// A testbed for each module with tests, in the order of the tests.
    pub(crate) testbeds: Vec<Testbed>,
}

/// Class path, options and folder of the tests of one module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Testbed {
    /// Working directory of the tests, relative to the root: the folder of their module, or the root for tests outside
    /// of modules.
    pub(crate) folder: PathBuf,
    /// The module, whose options apply, and its dependencies.
    pub(crate) project: Project,
    /// Test sources, relative to the root.
    pub(crate) tests: Vec<PathBuf>,
    /// Setup for tests that do not compile with the libraries and options of the module.
    pub(crate) fallback_setup: Option<TestSetup>,
}

impl TestModel {
    /// Restricts a project to these test sources.
    pub(crate) fn new(project: &Project, tests: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut groups: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
        for test in tests {
            let folder = project.test_folder(&test);
            match groups.iter_mut().find(|(known, _)| *known == folder) {
                Some((_, tests)) => tests.push(test),
                None => groups.push((folder, vec![test])),
            }
        }
        let all_tests: Vec<PathBuf> = groups.iter().flat_map(|(_, tests)| tests).cloned().collect();
        let testbed = |(folder, tests): (PathBuf, Vec<PathBuf>)| Testbed {
            folder,
            project: project.narrow_to(&tests),
            tests,
            fallback_setup: None,
        };
        let testbeds = groups.into_iter().map(testbed).collect();
        Self { project: project.narrow_to(&all_tests), testbeds }
    }

    /// Adds the test folders of another model, because the tests may have another folder in this tree.
    pub(crate) fn add_test_roots(&mut self, other: &Self, tree: &Path) {
        for testbed in &mut self.testbeds {
            for alike in other.testbeds.iter().filter(|one| one.has_common_test(&testbed.tests)) {
                add_existing_test_roots(&mut testbed.project, &alike.project, tree);
            }
        }
        add_existing_test_roots(&mut self.project, &other.project, tree);
    }

    /// Adds the setups of bad, which has the tests, for tests that need more than this version has.
    pub(crate) fn add_fallback_setups(&mut self, bad: &Self) {
        for testbed in &mut self.testbeds {
            let alike = bad.testbeds.iter().find(|one| one.has_common_test(&testbed.tests));
            testbed.fallback_setup = alike.and_then(|alike| {
                TestSetup::new(&testbed.project).with_bad(&TestSetup::new(&alike.project))
            });
        }
    }

    /// Returns the index of the testbed of a test source.
    pub(crate) fn testbed_of(&self, test: &Path) -> usize {
        let has_test = |testbed: &Testbed| testbed.tests.iter().any(|known| known == test);
        self.testbeds.iter().position(has_test).unwrap_or_default()
    }
}

impl Testbed {
    fn has_common_test(&self, tests: &[PathBuf]) -> bool {
        self.tests.iter().any(|test| tests.contains(test))
    }
}

/// Adds the test folders of another project that exist in a tree.
fn add_existing_test_roots(project: &mut Project, other: &Project, tree: &Path) {
    let roots = other.test_roots.iter().filter(|root| tree.join(root).is_dir());
    let new_roots: Vec<PathBuf> =
        roots.filter(|root| !project.test_roots.contains(root)).cloned().collect();
    project.test_roots.extend(new_roots);
}
