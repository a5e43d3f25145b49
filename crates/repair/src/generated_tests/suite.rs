//! Suite of generated tests: copies of the existing tests with one small change, which record values instead of
//! asserting. They distinguish repairs that pass the same tests.

use crate::generated_tests::origins::{OriginVerdict, OriginsByMethod, TestOrigins};
use crate::generated_tests::test_mutants::{
    TestMutants, add_extra_calls, add_preceding_tests, find_test_mutants, interleave,
};
use crate::observe::instrumentation_io::Recording;
use mend_java::Code;
use mend_java::facts::CompileError;
use mend_java::{Edit, apply_edits};
use mend_model::{RepoPath, TestResult};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Source of the recorder that the tests call, and its path below a source folder; it is copied next to the sources.
const RECORDER_SOURCES: [(&str, &str); 2] = [
    (
        "gitmend/probe/Trace.java",
        include_str!("../../../../java/src/main/java/gitmend/probe/Trace.java"),
    ),
    (
        "gitmend/probe/ValueSerializer.java",
        include_str!("../../../../java/src/main/java/gitmend/probe/ValueSerializer.java"),
    ),
];

/// Maximum number of generated tests.
const MAX_TESTS: usize = 240;

/// Time limit for all generated tests together, in milliseconds, estimated from the time of their original tests.
const MAX_TOTAL_MILLIS: u64 = 10_000;

/// A generated test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GeneratedTest {
    number: usize,
    origins: TestOrigins,
    text: String,
}

/// A test file in which generated tests replace its own.
#[derive(Clone, Debug)]
struct GeneratedTestFile {
    path: RepoPath,
    text: String,
    emptying_edits: Vec<Edit>,
    /// Generated tests, each with the offset of the end of its class.
    tests: Vec<(usize, GeneratedTest)>,
}

/// Suite of generated tests.
#[derive(Clone, Debug)]
pub struct GeneratedTests {
    files: Vec<GeneratedTestFile>,
    root: RepoPath,
}

impl GeneratedTests {
    /// Generates copies of the tests that ran, alternating between failed and passed tests, one edit of each in turn.
    pub fn from_tests(
        tests: &[(RepoPath, Code<'_>)],
        results: &[TestResult],
        root: &RepoPath,
    ) -> Self {
        let mut mutants: Vec<TestMutants<'_>> = Vec::new();
        let mut files = Vec::new();
        let facts = tests.first().map(|(_, code)| code.facts);
        let origins =
            facts.map(|facts| OriginsByMethod::from_results(facts, results)).unwrap_or_default();
        let paths = tests.iter().map(|(path, _)| path).collect();
        for (at, (path, code)) in tests.iter().enumerate() {
            let mut file_mutants = find_test_mutants(code, at, &origins);
            add_preceding_tests(&mut file_mutants);
            add_extra_calls(&mut file_mutants, &paths);
            let emptied = file_mutants.iter().flat_map(TestMutants::emptying_edits);
            let (emptied, text) = (emptied.collect(), code.text.to_owned());
            files.push(GeneratedTestFile {
                path: path.clone(),
                text,
                emptying_edits: emptied,
                tests: Vec::new(),
            });
            mutants.extend(file_mutants);
        }
        mutants.sort_by_key(|mutant| mutant.origins.combined_verdict());
        // Failing tests give the most information, and there may be only one among hundreds.
        let (passed, failed): (Vec<&TestMutants<'_>>, Vec<&TestMutants<'_>>) = mutants
            .iter()
            .partition(|mutant| mutant.origins.combined_verdict() == OriginVerdict::Passed);
        let ordered = interleave(edits_in_rounds(&failed), edits_in_rounds(&passed));
        let mut millis = 0;
        let affordable = ordered.into_iter().filter(|(mutant, _)| {
            let is_in_time = millis + mutant.origins.millis <= MAX_TOTAL_MILLIS;
            millis += if is_in_time { mutant.origins.millis } else { 0 };
            is_in_time
        });
        for (number, (mutant, edit)) in affordable.take(MAX_TESTS).enumerate() {
            if let Some(text) = mutant.generate_test(number, edit.as_ref()) {
                let one = GeneratedTest { number, origins: mutant.origins.clone(), text };
                files[mutant.file_index].tests.push((mutant.end_of_class, one));
            }
        }
        files.retain(|file| !file.tests.is_empty());
        Self { files, root: root.clone() }
    }

    /// Returns the number of tests.
    pub fn test_count(&self) -> usize {
        self.files.iter().map(|file| file.tests.len()).sum()
    }

    /// Returns the origins of each test, by number.
    pub(crate) fn origins_by_test(&self) -> BTreeMap<usize, &TestOrigins> {
        let all = self.files.iter().flat_map(|file| &file.tests);
        all.map(|(_, one)| (one.number, &one.origins)).collect()
    }

    /// Returns the changed files, including the recorder that writes to `output`.
    pub fn files_with_recorder(&self, output: &Path) -> BTreeMap<RepoPath, String> {
        let edited_file = |file: &GeneratedTestFile| {
            Some((file.path.clone(), apply_edits(&file.text, &file.edits())?))
        };
        let mut all: BTreeMap<_, _> = self.files.iter().filter_map(edited_file).collect();
        all.extend(
            RECORDER_SOURCES.map(|(path, text)| self.recording(output).recorder_file(path, text)),
        );
        all
    }

    /// Returns the recording with its output file and recorder.
    pub fn recording<'a>(&'a self, output: &'a Path) -> Recording<'a> {
        Recording { source_root: &self.root, output }
    }

    /// Removes the tests that the compiler rejected. Returns true if there were any.
    pub fn remove_rejected(&mut self, errors: &[CompileError]) -> bool {
        let before = self.test_count();
        for file in &mut self.files {
            let file_errors = errors.iter().filter(|refusal| refusal.path == file.path);
            let rejected: BTreeSet<usize> =
                file_errors.filter_map(|refusal| file.test_at_offset(refusal.byte)).collect();
            file.tests.retain(|(_, one)| !rejected.contains(&one.number));
        }
        self.test_count() < before
    }

    /// Removes some tests.
    pub fn remove(&mut self, numbers: &BTreeSet<usize>) {
        self.retain_where(|number| !numbers.contains(&number));
    }

    /// Removes all other tests.
    pub fn retain(&mut self, numbers: &BTreeSet<usize>) {
        self.retain_where(|number| numbers.contains(&number));
    }

    fn retain_where(&mut self, is_kept: impl Fn(usize) -> bool) {
        for file in &mut self.files {
            file.tests.retain(|(_, one)| is_kept(one.number));
        }
    }
}

impl GeneratedTestFile {
    fn edits(&self) -> Vec<Edit> {
        let added = self.tests.iter().map(|(at, one)| Edit::insert(*at, &*one.text));
        self.emptying_edits.iter().cloned().chain(added).collect()
    }

    /// Returns the test whose text contains an offset of the file with all tests.
    fn test_at_offset(&self, offset: usize) -> Option<usize> {
        let full_text = apply_edits(&self.text, &self.edits())?;
        let holds = |one: &&GeneratedTest| {
            let start = full_text.find(&one.text);
            start.is_some_and(|start| (start..start + one.text.len()).contains(&offset))
        };
        self.tests.iter().map(|(_, one)| one).find(holds).map(|one| one.number)
    }
}

/// Returns the edits of all tests in rounds: one edit of each test, then the next one of each.
fn edits_in_rounds<'a>(
    mutants: &[&'a TestMutants<'a>],
) -> Vec<(&'a TestMutants<'a>, &'a Option<Edit>)> {
    let longest = mutants.iter().map(|turn| turn.edits.len()).max().unwrap_or(0);
    let round =
        |round| mutants.iter().filter_map(move |turn| Some((*turn, turn.edits.get(round)?)));
    (0..longest).flat_map(round).collect()
}
