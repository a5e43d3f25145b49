//! Instrumentation that records calls of routines with the object states before and after, in a copy of the sources.

use super::recording::Recording;
use crate::candidates::candidate::Candidate;
use crate::observe::call_instrumentation::{
    CallInstrumentation, InstrumentationForm, InstrumentedFiles, is_at, is_static, parameters,
};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{CompileError, NodeIndex, NodeKind};
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Source of the recorder that the routines call; it is copied next to the sources.
const RECORDER: &str =
    include_str!("../../../../java/src/main/java/gitmend/probe/CallRecorder.java");

/// Path of the recorder below a source folder.
const RECORDER_PATH: &str = "gitmend/probe/CallRecorder.java";

/// One of them.
#[derive(Clone, Debug)]
struct RecordedRoutine {
    number: usize,
    path: RepoPath,
    /// Its declaration.
    bytes: Range<usize>,
    /// Edits that make a routine record its calls.
    edits: Vec<Edit>,
}

/// Routines of which each call is written down, and the texts of their files.
#[derive(Clone, Debug, Default)]
pub struct CallRecording {
    routines: Vec<RecordedRoutine>,
    files: BTreeMap<RepoPath, String>,
}

impl CallRecording {
    /// Instruments all routines in the files that candidates change.
    pub fn from_candidates(main: &[(RepoPath, Code<'_>)], candidates: &[Candidate]) -> Self {
        let changed: BTreeSet<&RepoPath> = candidates.iter().map(|one| &one.path).collect();
        let mut calls = Self::default();
        for (path, code) in main.iter().filter(|(path, _)| changed.contains(path)) {
            for method in code.nodes_of_kind(NodeKind::Method) {
                let number = calls.routines.len();
                let Some(edits) = edits(code, method, number) else { continue };
                let (path, bytes) = (path.clone(), code.bytes(method));
                calls.routines.push(RecordedRoutine { number, path, bytes, edits });
            }
            calls.files.insert(path.clone(), code.text.to_owned());
        }
        calls
    }

    /// Keeps only the routines that one of some edits changes.
    pub fn retain_changed<'a>(&mut self, edits: impl Iterator<Item = (&'a RepoPath, &'a [Edit])>) {
        let edits: Vec<_> = edits.collect();
        self.routines.retain(|routine| {
            let own = edits.iter().filter(|(path, _)| **path == routine.path);
            own.flat_map(|(_, edits)| *edits).any(|edit| {
                routine.bytes.start <= edit.bytes.0 && edit.bytes.1 <= routine.bytes.end
            })
        });
    }

    /// Returns true if no routine is instrumented.
    pub fn is_empty(&self) -> bool {
        self.routines.is_empty()
    }

    /// Returns the files with instrumented routines.
    pub fn wrapped(&self) -> InstrumentedFiles {
        let mut wrapped = InstrumentedFiles::default();
        for RecordedRoutine { path, edits, .. } in &self.routines {
            let text = self.files.get(path).map_or("", String::as_str);
            wrapped.add(path, text, edits.clone());
        }
        wrapped
    }

    /// Returns the source of the recorder for generated tests; `None` if no routine is instrumented.
    pub fn recorder(&self, recording: &Recording<'_>) -> Option<(RepoPath, String)> {
        (!self.is_empty()).then(|| recording.file(RECORDER_PATH, RECORDER))
    }

    /// Removes the routines that the compiler rejected in some files, or all routines of a file if the error cannot be
    /// located. Returns true if any were removed.
    pub fn without_refused(
        &mut self,
        refusals: &[CompileError],
        files: &BTreeMap<RepoPath, String>,
    ) -> bool {
        let mut refused: BTreeSet<usize> = BTreeSet::new();
        for refusal in refusals {
            let Some(whole) = files.get(&refusal.path) else { continue };
            let own = || self.routines.iter().filter(|one| one.path == refusal.path);
            let at = own()
                .filter(|one| one.edits.iter().any(|edit| is_at(whole, &edit.text, refusal.byte)));
            let before = refused.len();
            refused.extend(at.map(|one| one.number));
            if refused.len() == before {
                refused.extend(own().map(|one| one.number));
            }
        }
        self.routines.retain(|one| !refused.contains(&one.number));
        !refused.is_empty()
    }
}

/// Returns the edits that make a routine record its calls: the state at entry, and at each exit.
fn edits(code: &Code<'_>, method: NodeIndex, number: usize) -> Option<Vec<Edit>> {
    let form =
        InstrumentationForm::from_routine(code, method, &format!("calledByGitMend{number}"))?;
    let given = parameters(code, method)?;
    let is_new = matches!(form, InstrumentationForm::EntryAndExit { .. });
    let object = (!is_static(code, method)?).then_some("this");
    let state = |first: Option<&'static str>, last: Option<&'static str>| {
        let all: Vec<&str> = first.into_iter().chain(given.iter().copied()).chain(last).collect();
        format!("new Object[] {{ {} }}", all.join(", "))
    };
    let before = state(object.filter(|_| !is_new), None);
    let mut first = format!(
        " String stateByGitMend{number} = gitmend.probe.CallRecorder.captureState({number}, {before}); "
    );
    let then = format!(
        "gitmend.probe.CallRecorder.recordReturn({number}, stateByGitMend{number}, {}); ",
        state(object, form.result())
    );
    if !is_new {
        first.push_str("try { ");
    }
    let last = format!(
        "}} catch (Throwable thrownByGitMend) {{ gitmend.probe.CallRecorder.recordException({number}, \
         stateByGitMend{number}, thrownByGitMend); throw thrownByGitMend; }} "
    );
    Some(form.edits(&CallInstrumentation { first: &first, then: &then, last: &last }))
}
