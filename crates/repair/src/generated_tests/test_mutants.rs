//! Mutants of one test: an unchanged copy and copies with a small edit, which record values instead of asserting.

use crate::generated_tests::extra_calls::{JUMP_STATEMENTS, draw_extra_calls};
use crate::generated_tests::origins::{OriginsByMethod, TestOrigins};
use crate::generated_tests::test_mutation::{
    declared_variables, mutate_parameters, mutate_test, record_assertions,
};
use crate::observe::probes::is_test;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags};
use mend_java::{Edit, apply_edits};
use mend_model::RepoPath;
use std::collections::BTreeSet;

/// Prefix of the names of copies, followed by a number, `_` and the name of the test. Runners report a copy under the
/// name of its test.
const COPY_PREFIX: &str = "testGitMend";

/// A test method with its remaining edits.
pub(crate) struct TestMutants<'a> {
    code: Code<'a>,
    pub(crate) file_index: usize,
    method: NodeIndex,
    body: NodeIndex,
    pub(crate) end_of_class: usize,
    pub(crate) origins: &'a TestOrigins,
    /// No edit for the unchanged test, then each small edit.
    pub(crate) edits: Vec<Option<Edit>>,
}

/// Returns the mutants of the tests of a file that ran.
pub(crate) fn find_test_mutants<'a>(
    code: &Code<'a>,
    file: usize,
    origins: &'a OriginsByMethod,
) -> Vec<TestMutants<'a>> {
    let methods = code.nodes_of_kind(NodeKind::Method);
    let mutants_of = |method: NodeIndex| {
        let symbol = code.symbol(method).filter(|_| is_test(code, method))?;
        let is_plain_test =
            !symbol.flags.has(SymbolFlags::STATIC) && code.facts.text(symbol.ty.erased) == "void";
        let source = origins.get(code.node(method).symbol?).filter(|_| is_plain_test)?;
        let (holder, body) = (code.enclosing_type(method)?, code.child(method, NodeRole::Body)?);
        let parameter_edits = mutate_parameters(code, method, body);
        let edits = parameter_edits.into_iter().chain(mutate_test(code, method)).map(Some);
        let mutants = TestMutants {
            code: *code,
            file_index: file,
            method,
            body,
            end_of_class: code.bytes(holder).end.checked_sub(1)?,
            origins: source,
            edits: std::iter::once(None).chain(sample_evenly(edits.collect())).collect(),
        };
        // A method with parameters and without a known annotation may be a helper of tests.
        let is_supported =
            mutants.parameters().is_empty() || mutants.copied_annotations().is_some();
        is_supported.then_some(mutants)
    };
    methods.filter_map(mutants_of).collect()
}

/// Adds each test after another one of its class, as both share the initial state of the class.
pub(crate) fn add_preceding_tests(mutants: &mut [TestMutants<'_>]) {
    // Arguments from the test runner are not available here.
    let unparameterised = mutants.iter().filter(|turn| turn.parameters().is_empty());
    let bodies: Vec<(usize, NodeIndex, Option<String>)> = unparameterised
        .map(|turn| (turn.end_of_class, turn.method, turn.recorded_body(None)))
        .collect();
    for turn in mutants {
        let others = bodies
            .iter()
            .filter(|(class, method, _)| *class == turn.end_of_class && *method != turn.method);
        let start = turn.code.bytes(turn.body).start + 1;
        let first = |text: &String| Some(Edit::insert(start, format!(" {{{text}\n}}")));
        let others = others.filter_map(|(_, _, text)| text.as_ref().map(first));
        turn.edits = interleave(std::mem::take(&mut turn.edits), others.collect());
    }
}

/// Adds another call to every fourth copy of each test; `tests` are the files of all tests.
pub(crate) fn add_extra_calls(mutants: &mut [TestMutants<'_>], tests: &BTreeSet<&RepoPath>) {
    const CALL_INTERVAL: usize = 4;
    for turn in mutants {
        let calls = draw_extra_calls(&turn.code, turn.method, turn.body, tests);
        let others = std::mem::take(&mut turn.edits);
        let mut calls = calls.into_iter().map(Some);
        for (at, other) in others.into_iter().enumerate() {
            turn.edits.push(other);
            if at % (CALL_INTERVAL - 1) == CALL_INTERVAL - 2 {
                turn.edits.extend(calls.next());
            }
        }
    }
}

/// Interleaves two lists.
pub(crate) fn interleave<T>(first: Vec<T>, second: Vec<T>) -> Vec<T> {
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

/// Reorders a list so that its first elements come from all parts of it.
fn sample_evenly<T>(all: Vec<T>) -> Vec<T> {
    const STEP: usize = 7;
    let mut ranked: Vec<(usize, T)> = all.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, _)| (at % STEP, at / STEP));
    ranked.into_iter().map(|(_, one)| one).collect()
}

impl TestMutants<'_> {
    /// Returns the method with an edit that records its values.
    pub(crate) fn generate_test(&self, number: usize, edit: Option<&Edit>) -> Option<String> {
        let inner = self.recorded_body(edit)?;
        let (annotations, ending) = (self.copied_annotations()?, self.end_recording());
        let (name, parameters) =
            (self.code.facts.name(self.code.node(self.method).symbol?), self.parameter_text());
        Some(format!(
            "\n{annotations} public void {COPY_PREFIX}{number}_{name}({parameters}) throws Throwable {{ \
             gitmend.probe.Trace.beginTest({number}); try {{ {inner}\n{ending} }} \
             catch (Throwable thrownByGitMend) {{ gitmend.probe.Trace.endWithException(thrownByGitMend); }} }}\n"
        ))
    }

    /// Returns its parameters.
    fn parameters(&self) -> Vec<NodeIndex> {
        let children = self.code.children(self.method).into_iter();
        children.filter(|id| self.code.role(*id) == NodeRole::Parameter).collect()
    }

    /// Returns the source text of its parameters.
    fn parameter_text(&self) -> &str {
        match self.parameters()[..] {
            [first, .., last] => {
                self.code.text.get(self.code.bytes(first).start..self.code.bytes(last).end)
            }
            [only] => Some(self.code.source_text(only)),
            [] => None,
        }
        .unwrap_or_default()
    }

    /// Returns the body of the method with an edit, recording its values.
    fn recorded_body(&self, edit: Option<&Edit>) -> Option<String> {
        let code = &self.code;
        let start = code.bytes(self.body).start;
        let mut edits = record_assertions(code, self.method);
        // Recordings within the replaced code would conflict with the edit.
        edits.retain(|seen| edit.is_none_or(|edit| !edit.covers(seen)));
        edits.extend(edit.cloned());
        let relative_edit =
            |Edit { bytes: (from, to), text }| Edit { bytes: (from - start, to - start), text };
        let edits: Vec<Edit> = edits.into_iter().map(relative_edit).collect();
        let body = apply_edits(code.source_text(self.body), &edits)?;
        Some(body.strip_prefix('{')?.strip_suffix('}')?.to_owned())
    }

    /// Returns the edits that remove the test's body, so that it passes.
    pub(crate) fn emptying_edits(&self) -> Vec<Edit> {
        let body = Edit::replace(self.code.bytes(self.body), "{ }");
        if !self.parameters().is_empty() {
            return vec![body];
        }
        let annotation = self.test_annotations().map(|id| (id, self.annotation_name(id)));
        let without_arguments =
            annotation.map(|(id, name)| Edit::replace(self.code.bytes(id), name));
        without_arguments.chain([body]).collect()
    }

    /// Returns the annotations of a copy without the expected exception, but with the sources of its arguments; empty
    /// if its name makes it a test. `None` if it is unknown why the method is a test.
    fn copied_annotations(&self) -> Option<String> {
        let find_annotation = |end: &str| {
            let mut all = self.test_annotations();
            all.find(|id| {
                self.annotation_name(*id).trim_start_matches('@').rsplit('.').next() == Some(end)
            })
        };
        if self.parameters().is_empty() {
            let first = self.test_annotations().next();
            return if first.is_none() {
                Some(String::new())
            } else {
                Some(self.annotation_name(find_annotation("Test")?).to_owned())
            };
        }
        if find_annotation("ParameterizedTest").is_some() {
            let modifiers = self.code.child(self.method, NodeRole::Modifiers)?;
            let all = self.code.children(modifiers).into_iter();
            return Some(all.map(|id| self.code.source_text(id)).collect::<Vec<_>>().join(" "));
        }
        // The attribute `dataProvider` of TestNG names the source of arguments.
        let test = find_annotation("Test")?;
        let arguments = self.code.children(test).into_iter().map(|id| self.code.source_text(id));
        let providers: Vec<&str> =
            arguments.filter(|one| one.starts_with("dataProvider")).collect();
        (!providers.is_empty())
            .then(|| format!("{}({})", self.annotation_name(test), providers.join(", ")))
    }

    /// Returns the annotations of test frameworks.
    fn test_annotations(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let modifiers = self.code.child(self.method, NodeRole::Modifiers);
        let all = modifiers.into_iter().flat_map(|id| self.code.children(id));
        all.filter(|id| self.annotation_name(*id).contains("Test"))
    }

    fn annotation_name(&self, annotation: NodeIndex) -> &str {
        self.code.source_text(annotation).split('(').next().unwrap_or_default().trim()
    }

    /// Returns the code that records the end, if it is reached.
    fn end_recording(&self) -> String {
        let code = &self.code;
        let last = code.children(self.body).last().map(|last| code.kind(*last));
        if last.is_some_and(|kind| JUMP_STATEMENTS.contains(&kind)) {
            return String::new();
        }
        let names = declared_variables(code, self.body).join(", ");
        format!("gitmend.probe.Trace.recordValues({names}); gitmend.probe.Trace.endTest();")
    }
}
