//! What the selected tests need of a project, and where and how those of each module run.

use super::Project;
use std::path::{Path, PathBuf};

/// What the selected tests need of a project.
pub(super) struct Model {
    /// What all of them need: its main sources are compiled once.
    pub(super) whole: Project,
    /// One for each module with such tests, in the order of the tests.
    pub(super) testbeds: Vec<Testbed>,
}

/// What the tests of one module are compiled with and run in.
pub(super) struct Testbed {
    /// The folder that they see as theirs, relative to the root: their module's, or the root where they lie in none.
    pub(super) folder: PathBuf,
    /// The module, whose options hold, and those that it depends on.
    pub(super) project: Project,
    /// The tests' sources, relative to the root.
    pub(super) tests: Vec<PathBuf>,
}

impl Model {
    /// Narrows a project to these sources of tests.
    pub(super) fn new(project: &Project, tests: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut groups: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
        for test in tests {
            let folder = project.folder_of(&test);
            match groups.iter_mut().find(|(known, _)| *known == folder) {
                Some((_, tests)) => tests.push(test),
                None => groups.push((folder, vec![test])),
            }
        }
        let all: Vec<PathBuf> = groups.iter().flat_map(|(_, tests)| tests).cloned().collect();
        let testbed = |(folder, tests): (PathBuf, Vec<PathBuf>)| Testbed {
            folder,
            project: project.narrowed_to(&tests),
            tests,
        };
        let testbeds = groups.into_iter().map(testbed).collect();
        Self { whole: project.narrowed_to(&all), testbeds }
    }

    /// Has tests looked for in this folder too, whatever the build files say.
    pub(super) fn add_test_root(&mut self, root: &Path) {
        let testbeds = self.testbeds.iter_mut().map(|testbed| &mut testbed.project);
        for project in testbeds.chain([&mut self.whole]) {
            if !project.test_roots.iter().any(|known| known == root) {
                project.test_roots.push(root.to_owned());
            }
        }
    }

    /// Which testbed a test's source is for.
    pub(super) fn testbed_of(&self, test: &Path) -> usize {
        let has = |testbed: &Testbed| testbed.tests.iter().any(|known| known == test);
        self.testbeds.iter().position(has).unwrap_or_default()
    }
}
