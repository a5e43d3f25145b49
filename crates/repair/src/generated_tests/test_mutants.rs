//! The copies of one test: as it is, and each changed a little, writing down what they see instead of asserting it.

use crate::generated_tests::extra_calls::{LEAVING, further_calls};
use crate::generated_tests::origins::{OriginsByMethod, TestOrigins};
use crate::generated_tests::test_mutation::{
    changed, changed_parameters, record_assertions, variables,
};
use crate::observe::probes::is_test;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags};
use mend_java::{Edit, edited};
use mend_model::RepoPath;
use std::collections::BTreeSet;

/// Prefix of the names of copies; a number, `_` and the name of the test follow. Runners report a copy under its own
/// test.
const COPY: &str = "testGitMend";

/// A test method with the ways to change it that are left.
pub(crate) struct TestMutants<'a> {
    code: Code<'a>,
    pub(crate) file: usize,
    method: NodeIndex,
    body: NodeIndex,
    pub(crate) end_of_class: usize,
    pub(crate) source: &'a TestOrigins,
    /// The unchanged test, and each small change.
    pub(crate) edits: Vec<Option<Edit>>,
}

/// Returns the tests of a file that ran.
pub(crate) fn turns_of<'a>(
    code: &Code<'a>,
    file: usize,
    origins: &'a OriginsByMethod,
) -> Vec<TestMutants<'a>> {
    let methods = code.nodes_of_kind(NodeKind::Method);
    let turn = |method: NodeIndex| {
        let symbol = code.symbol(method).filter(|_| is_test(code, method))?;
        let is_usual =
            !symbol.flags.has(SymbolFlags::STATIC) && code.facts.text(symbol.ty.erased) == "void";
        let source = origins.of_method(code.node(method).symbol?).filter(|_| is_usual)?;
        let (holder, body) = (code.class_of(method)?, code.child(method, NodeRole::Body)?);
        let given = changed_parameters(code, method, body);
        let edits = given.into_iter().chain(changed(code, method)).map(Some);
        let turn = TestMutants {
            code: *code,
            file,
            method,
            body,
            end_of_class: code.bytes(holder).end.checked_sub(1)?,
            source,
            edits: std::iter::once(None).chain(spread(edits.collect())).collect(),
        };
        // What takes something and is no test of a kind that is known may be what tests call.
        let is_known = turn.parameters().is_empty() || turn.annotations_of_copy().is_some();
        is_known.then_some(turn)
    };
    methods.filter_map(turn).collect()
}

/// Adds each test after another one of its class, as both share the initial state of the class.
pub(crate) fn after_each_other(turns: &mut [TestMutants<'_>]) {
    // Arguments from the test runner are not available here.
    let alone = turns.iter().filter(|turn| turn.parameters().is_empty());
    let done: Vec<(usize, NodeIndex, Option<String>)> =
        alone.map(|turn| (turn.end_of_class, turn.method, turn.recording_body(None))).collect();
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

/// Adds another call to every fourth copy of each test; `tests` are the files of all tests.
pub(crate) fn with_further_calls(turns: &mut [TestMutants<'_>], tests: &BTreeSet<&RepoPath>) {
    const EVERY: usize = 4;
    for turn in turns {
        let calls = further_calls(&turn.code, turn.method, turn.body, tests);
        let others = std::mem::take(&mut turn.edits);
        let mut calls = calls.into_iter().map(Some);
        for (at, other) in others.into_iter().enumerate() {
            turn.edits.push(other);
            if at % (EVERY - 1) == EVERY - 2 {
                turn.edits.extend(calls.next());
            }
        }
    }
}

/// Interleaves two lists.
pub(crate) fn one_by_one<T>(first: Vec<T>, second: Vec<T>) -> Vec<T> {
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
fn spread<T>(all: Vec<T>) -> Vec<T> {
    const STEP: usize = 7;
    let mut ranked: Vec<(usize, T)> = all.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, _)| (at % STEP, at / STEP));
    ranked.into_iter().map(|(_, one)| one).collect()
}

impl TestMutants<'_> {
    /// Returns the method with an edit that records its values.
    pub(crate) fn generated(&self, number: usize, edit: Option<&Edit>) -> Option<String> {
        let inner = self.recording_body(edit)?;
        let (annotations, ending) = (self.annotations_of_copy()?, self.ending());
        let (name, given) =
            (self.code.facts.name(self.code.node(self.method).symbol?), self.parameter_text());
        Some(format!(
            "\n{annotations} public void {COPY}{number}_{name}({given}) throws Throwable {{ \
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
            [only] => Some(self.code.written(only)),
            [] => None,
        }
        .unwrap_or_default()
    }

    /// Returns the body of the method with an edit, recording its values.
    fn recording_body(&self, edit: Option<&Edit>) -> Option<String> {
        let code = &self.code;
        let start = code.bytes(self.body).start;
        let mut edits = record_assertions(code, self.method);
        // What is taken out as a whole is not changed as well.
        edits.retain(|seen| edit.is_none_or(|edit| !edit.covers(seen)));
        edits.extend(edit.cloned());
        let within =
            |Edit { bytes: (from, to), text }| Edit { bytes: (from - start, to - start), text };
        let edits: Vec<Edit> = edits.into_iter().map(within).collect();
        let body = edited(code.written(self.body), &edits)?;
        Some(body.strip_prefix('{')?.strip_suffix('}')?.to_owned())
    }

    /// Returns the edits that remove the test's body, so that it passes.
    pub(crate) fn emptied(&self) -> Vec<Edit> {
        let body = Edit::replace(self.code.bytes(self.body), "{ }");
        if !self.parameters().is_empty() {
            return vec![body];
        }
        let annotation = self.annotations().map(|id| (id, self.name_of(id)));
        let bare = annotation.map(|(id, name)| Edit::replace(self.code.bytes(id), name));
        bare.chain([body]).collect()
    }

    /// Returns the annotations of a copy without the expected exception, but with the sources of its arguments; empty
    /// if its name makes it a test. `None` if it is unknown why the method is a test.
    fn annotations_of_copy(&self) -> Option<String> {
        let named = |end: &str| {
            let mut all = self.annotations();
            all.find(|id| self.name_of(*id).trim_start_matches('@').rsplit('.').next() == Some(end))
        };
        if self.parameters().is_empty() {
            let first = self.annotations().next();
            return if first.is_none() {
                Some(String::new())
            } else {
                Some(self.name_of(named("Test")?).to_owned())
            };
        }
        if named("ParameterizedTest").is_some() {
            let modifiers = self.code.child(self.method, NodeRole::Modifiers)?;
            let all = self.code.children(modifiers).into_iter();
            return Some(all.map(|id| self.code.written(id)).collect::<Vec<_>>().join(" "));
        }
        // TestNG names what gives it there.
        let test = named("Test")?;
        let arguments = self.code.children(test).into_iter().map(|id| self.code.written(id));
        let providers: Vec<&str> =
            arguments.filter(|one| one.starts_with("dataProvider")).collect();
        (!providers.is_empty()).then(|| format!("{}({})", self.name_of(test), providers.join(", ")))
    }

    /// Returns the annotations of test frameworks.
    fn annotations(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let modifiers = self.code.child(self.method, NodeRole::Modifiers);
        let all = modifiers.into_iter().flat_map(|id| self.code.children(id));
        all.filter(|id| self.name_of(*id).contains("Test"))
    }

    fn name_of(&self, annotation: NodeIndex) -> &str {
        self.code.written(annotation).split('(').next().unwrap_or_default().trim()
    }

    /// Returns the code that records the end, if it is reached.
    fn ending(&self) -> String {
        let code = &self.code;
        let last = code.children(self.body).last().map(|last| code.kind(*last));
        if last.is_some_and(|kind| LEAVING.contains(&kind)) {
            return String::new();
        }
        let names = variables(code, self.body).join(", ");
        format!("gitmend.probe.Trace.recordValues({names}); gitmend.probe.Trace.endTest();")
    }
}
