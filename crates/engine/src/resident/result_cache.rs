//! What came out of variants, by all that their tests could see.

use crate::build_and_test::{Attempt, Testing};
use crate::cache::digest::Digest;
use crate::lock::lock;
use crate::resident::resource_snapshot::Surroundings;
use crate::test_execution::test_order::Turn;
use mend_model::TestResult;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Maximum number of remembered runs; then all are dropped, because each holds the results of a
/// whole run.
const MOST: usize = 1000;

/// The results of tests that ran to their end and left nothing behind.
#[derive(Default)]
pub(super) struct Memory(Mutex<HashMap<String, Vec<TestResult>>>);

impl Memory {
    pub(super) fn get(&self, key: &str) -> Option<Vec<TestResult>> {
        lock(&self.0).get(key).cloned()
    }

    pub(super) fn put(&self, key: String, results: Vec<TestResult>) {
        let mut known = lock(&self.0);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, results);
    }
}

/// What tests are about to see.
pub(super) struct Sight<'a> {
    pub(super) attempt: &'a Attempt<'a>,
    /// Of each compilation, its output folder and a digest of its classes.
    pub(super) classes: &'a [(PathBuf, Vec<u8>)],
    pub(super) testing: &'a [Testing<'a>],
    pub(super) turns: &'a [Turn],
}

impl Sight<'_> {
    /// Returns the cache key of everything tests can observe. Paths are relative to the tree or to
    /// the worker's folder, which differs between workers. `None` if the inputs cannot be
    /// determined.
    pub(super) fn key(&self, surroundings: &mut Surroundings) -> Option<String> {
        let Attempt { model, tree, output, .. } = *self.attempt;
        let below = |path: &Path| {
            let shorter = path.strip_prefix(output).or_else(|_| path.strip_prefix(tree));
            shorter.map(Path::to_owned).ok()
        };
        let mut digest = Digest::default();
        for (folder, classes) in self.classes {
            let folder = below(folder).unwrap_or_default();
            digest.add("classes", folder.as_os_str().as_encoded_bytes());
            digest.add("digest", classes);
        }
        for Testing { testbed, class_path } in self.testing {
            digest.add("folder", testbed.folder.as_os_str().as_encoded_bytes());
            for path in class_path {
                match below(path) {
                    Some(path) => digest.add("class path", path.as_os_str().as_encoded_bytes()),
                    None => digest.add_file(path),
                }
            }
            testbed.project.jvm_options.iter().for_each(|option| digest.add("option", option));
        }
        for Turn { place, wanted } in self.turns {
            digest.add("testbed", place.testbed.to_string());
            digest.add("framework", place.framework.to_string());
            for one in wanted {
                digest.add("wanted", one.line());
            }
        }
        let whole = &model.whole;
        let roots = || whole.main_roots.iter().chain(&whole.test_roots);
        let is_source = |path: &Path| {
            path.extension().is_some_and(|end| end == "java")
                && roots().any(|root| path.starts_with(tree.join(root)))
        };
        digest.add("surroundings", surroundings.digest(tree, is_source)?);
        Some(digest.hex())
    }
}
