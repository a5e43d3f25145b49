//! Generated tests: copies of the tests at hand, each changed a little, that write down what they see instead of
//! asserting it. What a version does in them tells repairs apart that the tests at hand do not.

use super::code::Code;
use super::edit::{Edit, edited};
use super::faults::is_assertion;
use super::inputs::{changed, seen, variables};
use super::probes::{Recording, is_test};
use super::suspicion::{has_failed, results_of};
use crate::facts::{Flags, NodeIndex, Refusal, Role};
use crate::model::{RepoPath, TestResult};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the tests call; it goes with the sources.
const RECORDER: &str = include_str!("Trace.java");

/// Where it belongs, below a source folder.
const RECORDER_PATH: &str = "gitmend/probe/Trace.java";

/// So many tests are generated.
const MOST: usize = 240;

/// So long may all of them take together, in milliseconds, if each takes as long as the test that it was made of.
const LONGEST: u64 = 10_000;

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Generated {
    number: usize,
    source: Origin,
    text: String,
}

/// The test that one was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// Something was thrown: what does not throw anything is as it should be.
    Threw,
    /// It found something wrong: nobody knows what else is.
    Wrong,
    /// It passed.
    Passed,
}

impl Origin {
    /// Of a test that ended.
    fn of(test: &str, results: &[TestResult]) -> Option<Self> {
        if !has_failed(test, results)? {
            return Some(Self::Passed);
        }
        let failures = results_of(test, results).filter_map(TestResult::failure);
        let is_wrong = failures.into_iter().any(|failure| is_assertion(&failure.exception));
        Some(if is_wrong { Self::Wrong } else { Self::Threw })
    }
}

/// A file of tests, with its own ones emptied and generated ones at its end.
#[derive(Clone, Debug)]
struct File {
    path: RepoPath,
    text: String,
    emptied: Vec<Edit>,
    /// By the byte of the end of the class that they belong to.
    tests: Vec<(usize, Generated)>,
}

/// Generated tests.
#[derive(Clone, Debug)]
pub struct GeneratedTests {
    files: Vec<File>,
    root: RepoPath,
}

impl GeneratedTests {
    /// Makes tests of those that ran: in turn of one that failed and one that passed, and of each of these in its turn.
    pub fn of(tests: &[(RepoPath, Code<'_>)], results: &[TestResult], root: &RepoPath) -> Self {
        let mut turns: Vec<Turn<'_>> = Vec::new();
        let mut files = Vec::new();
        for (at, (path, code)) in tests.iter().enumerate() {
            let mut found = turns_of(code, at, results);
            after_each_other(&mut found);
            let emptied = found.iter().flat_map(Turn::emptied);
            let (emptied, text) = (emptied.collect(), code.text.to_owned());
            files.push(File { path: path.clone(), text, emptied, tests: Vec::new() });
            turns.extend(found);
        }
        turns.sort_by_key(|turn| turn.source);
        // What fails tells most, and may be one test among hundreds.
        let (passed, failed): (Vec<&Turn<'_>>, Vec<&Turn<'_>>) =
            turns.iter().partition(|turn| turn.source == Origin::Passed);
        let in_turn = one_by_one(one_each(&failed), one_each(&passed));
        let mut millis = 0;
        let in_time = in_turn.into_iter().filter(|(turn, _)| {
            let is_in_time = millis + turn.millis <= LONGEST;
            millis += if is_in_time { turn.millis } else { 0 };
            is_in_time
        });
        for (number, (turn, edit)) in in_time.take(MOST).enumerate() {
            if let Some(text) = turn.generated(number, edit.as_ref()) {
                let one = Generated { number, source: turn.source, text };
                files[turn.file].tests.push((turn.end_of_class, one));
            }
        }
        files.retain(|file| !file.tests.is_empty());
        Self { files, root: root.clone() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.files.iter().map(|file| file.tests.len()).sum()
    }

    /// What each was made of, by number.
    pub(super) fn origins(&self) -> BTreeMap<usize, Origin> {
        let all = self.files.iter().flat_map(|file| &file.tests);
        all.map(|(_, one)| (one.number, one.source)).collect()
    }

    /// The files that differ, the recorder among them, which writes to `output`.
    pub fn files(&self, output: &Path) -> BTreeMap<RepoPath, String> {
        let whole = |file: &File| Some((file.path.clone(), edited(&file.text, &file.edits())?));
        let mut all: BTreeMap<_, _> = self.files.iter().filter_map(whole).collect();
        all.extend([self.recording(output).file(RECORDER_PATH, RECORDER)]);
        all
    }

    /// Where they write, and what goes with them.
    pub fn recording<'a>(&'a self, output: &'a Path) -> Recording<'a> {
        Recording { root: &self.root, output }
    }

    /// Without those that the compiler refused; whether there were any.
    pub fn without_refused(&mut self, refusals: &[Refusal]) -> bool {
        let before = self.count();
        for file in &mut self.files {
            let of_file = refusals.iter().filter(|refusal| refusal.path == file.path);
            let refused: BTreeSet<usize> =
                of_file.filter_map(|refusal| file.test_at(refusal.byte)).collect();
            file.tests.retain(|(_, one)| !refused.contains(&one.number));
        }
        self.count() < before
    }

    /// Without some of them.
    pub fn without(&mut self, numbers: &BTreeSet<usize>) {
        for file in &mut self.files {
            file.tests.retain(|(_, one)| !numbers.contains(&one.number));
        }
    }
}

impl File {
    fn edits(&self) -> Vec<Edit> {
        let added = self.tests.iter().map(|(at, one)| Edit::insert(*at, &*one.text));
        self.emptied.iter().cloned().chain(added).collect()
    }

    /// The test whose text has a byte of the file as it is with all of them.
    fn test_at(&self, byte: usize) -> Option<usize> {
        let whole = edited(&self.text, &self.edits())?;
        let holds = |one: &&Generated| {
            let start = whole.find(&one.text);
            start.is_some_and(|start| (start..start + one.text.len()).contains(&byte))
        };
        self.tests.iter().map(|(_, one)| one).find(holds).map(|one| one.number)
    }
}

/// A test method with the ways to change it that are left.
struct Turn<'a> {
    code: Code<'a>,
    file: usize,
    method: NodeIndex,
    body: NodeIndex,
    end_of_class: usize,
    source: Origin,
    /// How long it took.
    millis: u64,
    /// As it is, and each way to change it a little.
    edits: Vec<Option<Edit>>,
}

fn turns_of<'a>(code: &Code<'a>, file: usize, results: &[TestResult]) -> Vec<Turn<'a>> {
    let methods = (0..code.tree.nodes.len()).filter(|id| code.is(*id, "METHOD"));
    let turn = |method: NodeIndex| {
        let symbol = code.symbol(method).filter(|_| is_test(code, method))?;
        let is_usual = symbol.parameters.is_empty()
            && !symbol.flags.has(Flags::STATIC)
            && code.facts.text(symbol.ty.erased) == "void";
        let class =
            symbol.owner.map(|owner| code.facts.text(code.facts.symbol(owner).full_name))?;
        let name = format!("{class}#{}", code.facts.text(symbol.name));
        let source = Origin::of(&name, results).filter(|_| is_usual)?;
        let holder = code.class_of(method)?;
        let edits = changed(code, method).into_iter().map(Some);
        Some(Turn {
            code: *code,
            file,
            method,
            body: code.child(method, Role::Body)?,
            end_of_class: code.bytes(holder).end.checked_sub(1)?,
            source,
            millis: results_of(&name, results).map(|result| result.millis).sum(),
            edits: std::iter::once(None).chain(spread(edits.collect())).collect(),
        })
    };
    methods.filter_map(turn).collect()
}

/// Each test after one of the others of its class, too: they share what the class begins with.
fn after_each_other(turns: &mut [Turn<'_>]) {
    let done: Vec<(usize, NodeIndex, Option<String>)> =
        turns.iter().map(|turn| (turn.end_of_class, turn.method, turn.seen(None))).collect();
    for turn in turns {
        let others = done
            .iter()
            .filter(|(class, method, _)| *class == turn.end_of_class && *method != turn.method);
        let start = turn.code.bytes(turn.body).start + 1;
        let first = |text: &String| Some(Edit::insert(start, format!(" {{{text}\n}}")));
        let others = others.filter_map(|(_, _, text)| text.as_ref().map(first));
        turn.edits = one_by_one(std::mem::take(&mut turn.edits), others.collect());
    }
}

/// A change of each test, then the next one of each, and so on.
fn one_each<'a>(turns: &[&'a Turn<'a>]) -> Vec<(&'a Turn<'a>, &'a Option<Edit>)> {
    let longest = turns.iter().map(|turn| turn.edits.len()).max().unwrap_or(0);
    let round = |round| turns.iter().filter_map(move |turn| Some((*turn, turn.edits.get(round)?)));
    (0..longest).flat_map(round).collect()
}

/// Of the first list one, then of the other one, and so on.
fn one_by_one<T>(first: Vec<T>, second: Vec<T>) -> Vec<T> {
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(first.next());
        all.extend(second.next());
        if all.len() == before {
            return all;
        }
    }
}

/// In an order in which the first ones come from everywhere.
fn spread<T>(all: Vec<T>) -> Vec<T> {
    const STEP: usize = 7;
    let mut ranked: Vec<(usize, T)> = all.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, _)| (at % STEP, at / STEP));
    ranked.into_iter().map(|(_, one)| one).collect()
}

impl Turn<'_> {
    /// The method with a change, writing down what it sees.
    fn generated(&self, number: usize, edit: Option<&Edit>) -> Option<String> {
        let inner = self.seen(edit)?;
        let (annotation, ending) = (self.annotation()?, self.ending());
        Some(format!(
            "\n{annotation} public void testGitMend{number}() throws Throwable {{ \
             gitmend.probe.Trace.begin({number}); try {{ {inner}\n{ending} }} \
             catch (Throwable thrownByGitMend) {{ gitmend.probe.Trace.threw(thrownByGitMend); }} }}\n"
        ))
    }

    /// What stands in the method, with a change, writing down what it sees.
    fn seen(&self, edit: Option<&Edit>) -> Option<String> {
        let code = &self.code;
        let start = code.bytes(self.body).start;
        let mut edits = seen(code, self.method);
        // What is taken out as a whole is not changed as well.
        edits.retain(|seen| edit.is_none_or(|edit| !edit.covers(seen)));
        edits.extend(edit.cloned());
        let within =
            |Edit { bytes: (from, to), text }| Edit { bytes: (from - start, to - start), text };
        let edits: Vec<Edit> = edits.into_iter().map(within).collect();
        let body = edited(code.written(self.body), &edits)?;
        Some(body.strip_prefix('{')?.strip_suffix('}')?.to_owned())
    }

    /// The test itself does nothing any more, and passes.
    fn emptied(&self) -> Vec<Edit> {
        let annotation = self.annotations().map(|id| (id, self.name_of(id)));
        let bare = annotation.map(|(id, name)| Edit::replace(self.code.bytes(id), name));
        bare.chain([Edit::replace(self.code.bytes(self.body), "{ }")]).collect()
    }

    /// What makes a method a test, without its arguments; empty where that is its name.
    fn annotation(&self) -> Option<&str> {
        let name = self.annotations().map(|id| self.name_of(id)).next().unwrap_or_default();
        let is_usual = matches!(name, "" | "@Test") || name.ends_with(".Test");
        is_usual.then_some(name)
    }

    /// The annotations that tell frameworks about tests.
    fn annotations(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let modifiers = self.code.child(self.method, Role::Modifiers);
        let all = modifiers.into_iter().flat_map(|id| self.code.children(id));
        all.filter(|id| self.name_of(*id).contains("Test"))
    }

    fn name_of(&self, annotation: NodeIndex) -> &str {
        self.code.written(annotation).split('(').next().unwrap_or_default().trim()
    }

    /// What is seen at the end, if it is come upon.
    fn ending(&self) -> String {
        let code = &self.code;
        let last = code.children(self.body).last().map_or("", |last| code.kind(*last));
        if matches!(last, "THROW" | "RETURN" | "WHILE_LOOP" | "DO_WHILE_LOOP" | "TRY") {
            return String::new();
        }
        let names = variables(code, self.body).join(", ");
        format!("gitmend.probe.Trace.saw({names}); gitmend.probe.Trace.end();")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Failure, TestStatus};

    #[test]
    fn how_a_test_failed_is_not_taken_from_one_whose_name_goes_on() {
        let failed = |test: &str, exception: &str| {
            let exception = exception.to_owned();
            let failure = Failure { exception, message: None, frames: Vec::new() };
            TestResult::new(test, TestStatus::Failed(failure))
        };
        let results = [
            failed("a.B#two", "java.lang.NullPointerException"),
            failed("a.B#twoMore[1]", "java.lang.AssertionError"),
        ];
        assert_eq!(Origin::of("a.B#two", &results), Some(Origin::Threw));
        assert_eq!(Origin::of("a.B#twoMore", &results), Some(Origin::Wrong));
    }
}
