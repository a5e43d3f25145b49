//! Generated tests: copies of the existing tests with one small change, which record values instead of asserting. They
//! distinguish repairs that the existing tests cannot.

use crate::generated_tests::origins::{OriginVerdict, OriginsByMethod, TestOrigins};
use crate::generated_tests::test_mutants::{
    TestMutants, after_each_other, one_by_one, turns_of, with_further_calls,
};
use crate::observe::recording::Recording;
use mend_java::Code;
use mend_java::facts::CompileError;
use mend_java::{Edit, edited};
use mend_model::{RepoPath, TestResult};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Source of the recorder that the tests call, and its path below a source folder; it is copied next to the sources.
const RECORDER: [(&str, &str); 2] = [
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
const MOST: usize = 240;

/// Time limit for all generated tests together, in milliseconds, estimated from the time of their original tests.
const LONGEST: u64 = 10_000;

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GeneratedTest {
    number: usize,
    source: TestOrigins,
    text: String,
}

/// A test file without its own tests, with the generated ones at its end.
#[derive(Clone, Debug)]
struct GeneratedTestFile {
    path: RepoPath,
    text: String,
    emptied: Vec<Edit>,
    /// By the byte of the end of the class that they belong to.
    tests: Vec<(usize, GeneratedTest)>,
}

/// Generated tests.
#[derive(Clone, Debug)]
pub struct GeneratedTests {
    files: Vec<GeneratedTestFile>,
    root: RepoPath,
}

impl GeneratedTests {
    /// Makes tests of those that ran: in turn of one that failed and one that passed, and of each of these in its turn.
    pub fn from_tests(
        tests: &[(RepoPath, Code<'_>)],
        results: &[TestResult],
        root: &RepoPath,
    ) -> Self {
        let mut turns: Vec<TestMutants<'_>> = Vec::new();
        let mut files = Vec::new();
        let facts = tests.first().map(|(_, code)| code.facts);
        let origins =
            facts.map(|facts| OriginsByMethod::from_results(facts, results)).unwrap_or_default();
        let paths = tests.iter().map(|(path, _)| path).collect();
        for (at, (path, code)) in tests.iter().enumerate() {
            let mut found = turns_of(code, at, &origins);
            after_each_other(&mut found);
            with_further_calls(&mut found, &paths);
            let emptied = found.iter().flat_map(TestMutants::emptied);
            let (emptied, text) = (emptied.collect(), code.text.to_owned());
            files.push(GeneratedTestFile { path: path.clone(), text, emptied, tests: Vec::new() });
            turns.extend(found);
        }
        turns.sort_by_key(|turn| turn.source.combined_verdict());
        // Failing tests give the most information, and there may be only one among hundreds.
        let (passed, failed): (Vec<&TestMutants<'_>>, Vec<&TestMutants<'_>>) =
            turns.iter().partition(|turn| turn.source.combined_verdict() == OriginVerdict::Passed);
        let in_turn = one_by_one(one_each(&failed), one_each(&passed));
        let mut millis = 0;
        let in_time = in_turn.into_iter().filter(|(turn, _)| {
            let is_in_time = millis + turn.source.millis <= LONGEST;
            millis += if is_in_time { turn.source.millis } else { 0 };
            is_in_time
        });
        for (number, (turn, edit)) in in_time.take(MOST).enumerate() {
            if let Some(text) = turn.generated(number, edit.as_ref()) {
                let one = GeneratedTest { number, source: turn.source.clone(), text };
                files[turn.file].tests.push((turn.end_of_class, one));
            }
        }
        files.retain(|file| !file.tests.is_empty());
        Self { files, root: root.clone() }
    }

    /// Returns the number of tests.
    pub fn count(&self) -> usize {
        self.files.iter().map(|file| file.tests.len()).sum()
    }

    /// Returns the origins of each test, by number.
    pub(crate) fn origins(&self) -> BTreeMap<usize, &TestOrigins> {
        let all = self.files.iter().flat_map(|file| &file.tests);
        all.map(|(_, one)| (one.number, &one.source)).collect()
    }

    /// Returns the changed files, including the recorder that writes to `output`.
    pub fn files(&self, output: &Path) -> BTreeMap<RepoPath, String> {
        let whole = |file: &GeneratedTestFile| {
            Some((file.path.clone(), edited(&file.text, &file.edits())?))
        };
        let mut all: BTreeMap<_, _> = self.files.iter().filter_map(whole).collect();
        all.extend(RECORDER.map(|(path, text)| self.recording(output).file(path, text)));
        all
    }

    /// Returns the recording with its output file and recorder.
    pub fn recording<'a>(&'a self, output: &'a Path) -> Recording<'a> {
        Recording { root: &self.root, output }
    }

    /// Removes the tests that the compiler rejected. Returns true if there were any.
    pub fn without_refused(&mut self, refusals: &[CompileError]) -> bool {
        let before = self.count();
        for file in &mut self.files {
            let of_file = refusals.iter().filter(|refusal| refusal.path == file.path);
            let refused: BTreeSet<usize> =
                of_file.filter_map(|refusal| file.test_at(refusal.byte)).collect();
            file.tests.retain(|(_, one)| !refused.contains(&one.number));
        }
        self.count() < before
    }

    /// Removes some tests.
    pub fn remove(&mut self, numbers: &BTreeSet<usize>) {
        for file in &mut self.files {
            file.tests.retain(|(_, one)| !numbers.contains(&one.number));
        }
    }
}

impl GeneratedTestFile {
    fn edits(&self) -> Vec<Edit> {
        let added = self.tests.iter().map(|(at, one)| Edit::insert(*at, &*one.text));
        self.emptied.iter().cloned().chain(added).collect()
    }

    /// Returns the test whose text contains an offset of the file with all tests.
    fn test_at(&self, byte: usize) -> Option<usize> {
        let whole = edited(&self.text, &self.edits())?;
        let holds = |one: &&GeneratedTest| {
            let start = whole.find(&one.text);
            start.is_some_and(|start| (start..start + one.text.len()).contains(&byte))
        };
        self.tests.iter().map(|(_, one)| one).find(holds).map(|one| one.number)
    }
}

/// Returns the edits of all tests in rounds: one edit of each test, then the next one of each.
fn one_each<'a>(turns: &[&'a TestMutants<'a>]) -> Vec<(&'a TestMutants<'a>, &'a Option<Edit>)> {
    let longest = turns.iter().map(|turn| turn.edits.len()).max().unwrap_or(0);
    let round = |round| turns.iter().filter_map(move |turn| Some((*turn, turn.edits.get(round)?)));
    (0..longest).flat_map(round).collect()
}
