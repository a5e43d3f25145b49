//! Cache of test results, keyed by all inputs that the tests can observe.

use crate::build_and_test::{Build, BuildAndTest, CompiledTests};
use crate::cache::digest::Digest;
use crate::lock::lock;
use crate::resident::resource_snapshot::ResourceSnapshot;
use crate::test_execution::test_order::TestBatch;
use mend_model::TestResult;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Maximum number of cached runs. Beyond it the cache is cleared, because each entry contains the results of a whole
/// run.
const MAX_CACHED_RUNS: usize = 1000;

/// Results of test runs that finished and left no state behind.
#[derive(Default)]
pub(super) struct ResultCache(Mutex<HashMap<String, Vec<TestResult>>>);

impl ResultCache {
    pub(super) fn get(&self, key: &str) -> Option<Vec<TestResult>> {
        lock(&self.0).get(key).cloned()
    }

    pub(super) fn insert(&self, key: String, results: Vec<TestResult>) {
        let mut results_by_key = lock(&self.0);
        if results_by_key.len() >= MAX_CACHED_RUNS {
            results_by_key.clear();
        }
        results_by_key.insert(key, results);
    }
}

/// Classes of one compilation.
pub(super) struct CompiledClasses {
    pub(super) folder: PathBuf,
    pub(super) digest: Vec<u8>,
}

/// All inputs of a test run: classes, resources, class path and options. Hashed into the cache key.
pub(super) struct TestInputs<'a> {
    pub(super) attempt: &'a BuildAndTest<'a>,
    pub(super) build: &'a Build<'a, CompiledClasses>,
    pub(super) batches: &'a [TestBatch],
}

impl TestInputs<'_> {
    /// Returns the cache key of everything tests can observe. Paths are relative to the tree or to
    /// the worker's folder, which differs between workers. `None` if the inputs cannot be
    /// determined.
    pub(super) fn cache_key(&self, snapshot: &mut ResourceSnapshot) -> Option<String> {
        let BuildAndTest { model, tree, output_dir: output, .. } = self.attempt;
        let relative_path = |path: &Path| {
            let relative = path.strip_prefix(output).or_else(|_| path.strip_prefix(tree));
            relative.map(Path::to_owned).ok()
        };
        let mut digest = Digest::default();
        for compiled in &self.build.compilations {
            let folder = relative_path(&compiled.folder).unwrap_or_default();
            digest.add("classes", folder.as_os_str().as_encoded_bytes());
            digest.add("digest", &compiled.digest);
        }
        for CompiledTests { testbed, class_path, .. } in &self.build.tests {
            digest.add("folder", testbed.folder.as_os_str().as_encoded_bytes());
            for path in class_path {
                match relative_path(path) {
                    Some(path) => digest.add("class path", path.as_os_str().as_encoded_bytes()),
                    None => digest.add_file(path),
                }
            }
            testbed.project.test_jvm.add_to(&mut digest);
        }
        for TestBatch { key: place, requests: wanted } in self.batches {
            digest.add("testbed", place.testbed.to_string());
            digest.add("framework", place.framework.to_string());
            for one in wanted {
                digest.add("wanted", one.encode_line());
            }
        }
        let project = &model.project;
        let roots = || project.main_roots.iter().chain(&project.test_roots);
        let is_source = |path: &Path| {
            path.extension().is_some_and(|end| end == "java")
                && roots().any(|root| path.starts_with(tree.join(root)))
        };
        digest.add("surroundings", snapshot.digest(tree, is_source)?);
        Some(digest.finish_hex())
    }
}
