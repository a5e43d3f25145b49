//! Instrumentation that records calls of routines with the object states before and after, in a copy of the sources.

use super::instrumentation_io::Recording;
use crate::observe::call_instrumentation::{
    CallInstrumentation, InstrumentationForm, InstrumentedFiles, is_offset_in_part, is_static,
    parameter_names,
};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{CompileError, NodeIndex, NodeKind};
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Source of the recorder that the routines call; it is copied next to the sources.
const RECORDER_SOURCE: &str =
    include_str!("../../../../java/src/main/java/gitmend/probe/CallRecorder.java");

/// Path of the recorder below a source folder.
const RECORDER_PATH: &str = "gitmend/probe/CallRecorder.java";

/// A routine whose calls are recorded.
#[derive(Clone, Debug)]
struct RecordedRoutine {
    number: usize,
    path: RepoPath,
    /// Range of its declaration.
    bytes: Range<usize>,
    /// Edits that make a routine record its calls.
    edits: Vec<Edit>,
}

/// Routines whose calls are recorded, and the texts of their files.
#[derive(Clone, Debug, Default)]
pub struct CallRecording {
    routines: Vec<RecordedRoutine>,
    files: BTreeMap<RepoPath, String>,
}

impl CallRecording {
    /// Instruments the routines that some edits change.
    pub fn from_edits(main: &[(RepoPath, Code<'_>)], edits: &[(&RepoPath, &[Edit])]) -> Self {
        let changed: BTreeSet<&RepoPath> = edits.iter().map(|(path, _)| *path).collect();
        let mut calls = Self::from_files(main.iter().filter(|(path, _)| changed.contains(path)));
        calls.retain_changed(edits);
        calls
    }

    /// Instruments all routines of some files.
    pub(crate) fn from_files<'a>(
        files: impl IntoIterator<Item = &'a (RepoPath, Code<'a>)>,
    ) -> Self {
        let mut calls = Self::default();
        for (path, code) in files {
            for method in code.nodes_of_kind(NodeKind::Method) {
                let number = calls.routines.len();
                let Some(edits) = recording_edits(code, method, number) else { continue };
                let (path, bytes) = (path.clone(), code.bytes(method));
                calls.routines.push(RecordedRoutine { number, path, bytes, edits });
            }
            calls.files.insert(path.clone(), code.text.to_owned());
        }
        calls
    }

    /// Keeps only the routines that some edits change.
    pub(crate) fn retain_changed(&mut self, edits: &[(&RepoPath, &[Edit])]) {
        self.routines.retain(|routine| routine.is_changed_by(edits));
    }

    /// Returns the numbers of the instrumented routines that some edits change.
    pub fn routines_changed_by(&self, edits: &[(&RepoPath, &[Edit])]) -> BTreeSet<usize> {
        let changed = self.routines.iter().filter(|routine| routine.is_changed_by(edits));
        changed.map(|routine| routine.number).collect()
    }

    /// Returns true if no routine is instrumented.
    pub fn is_empty(&self) -> bool {
        self.routines.is_empty()
    }

    /// Returns the files with instrumented routines.
    pub fn instrumented_files(&self) -> InstrumentedFiles {
        let mut files = InstrumentedFiles::default();
        for RecordedRoutine { path, edits, .. } in &self.routines {
            let text = self.files.get(path).map_or("", String::as_str);
            files.add(path, text, edits.clone());
        }
        files
    }

    /// Returns the source of the recorder for generated tests; `None` if no routine is instrumented.
    pub fn recorder_file(&self, recording: &Recording<'_>) -> Option<(RepoPath, String)> {
        (!self.is_empty()).then(|| recording.recorder_file(RECORDER_PATH, RECORDER_SOURCE))
    }

    /// Removes the routines that the compiler rejected in some files, or all routines of a file if the error cannot be
    /// located. Returns true if any were removed.
    pub fn remove_rejected(
        &mut self,
        errors: &[CompileError],
        files: &BTreeMap<RepoPath, String>,
    ) -> bool {
        let mut rejected: BTreeSet<usize> = BTreeSet::new();
        for refusal in errors {
            let Some(text) = files.get(&refusal.path) else { continue };
            let file_routines = || self.routines.iter().filter(|one| one.path == refusal.path);
            let at_error = file_routines().filter(|one| {
                one.edits.iter().any(|edit| is_offset_in_part(text, &edit.text, refusal.byte))
            });
            let before = rejected.len();
            rejected.extend(at_error.map(|one| one.number));
            if rejected.len() == before {
                rejected.extend(file_routines().map(|one| one.number));
            }
        }
        self.routines.retain(|one| !rejected.contains(&one.number));
        !rejected.is_empty()
    }
}

impl RecordedRoutine {
    fn is_changed_by(&self, edits: &[(&RepoPath, &[Edit])]) -> bool {
        let own = edits.iter().filter(|(path, _)| **path == self.path);
        own.flat_map(|(_, edits)| *edits)
            .any(|edit| self.bytes.start <= edit.bytes.0 && edit.bytes.1 <= self.bytes.end)
    }
}

/// Returns the edits that make a routine record its calls: the state at entry, and at each exit.
fn recording_edits(code: &Code<'_>, method: NodeIndex, number: usize) -> Option<Vec<Edit>> {
    let form =
        InstrumentationForm::from_routine(code, method, &format!("calledByGitMend{number}"))?;
    let parameters = parameter_names(code, method)?;
    let is_constructor = matches!(form, InstrumentationForm::EntryAndExit { .. });
    let object = (!is_static(code, method)?).then_some("this");
    let state_array = |first: Option<&'static str>, last: Option<&'static str>| {
        let all: Vec<&str> =
            first.into_iter().chain(parameters.iter().copied()).chain(last).collect();
        format!("new Object[] {{ {} }}", all.join(", "))
    };
    let entry_state = state_array(object.filter(|_| !is_constructor), None);
    let mut on_entry = format!(
        " String stateByGitMend{number} = gitmend.probe.CallRecorder.captureState({number}, {entry_state}); "
    );
    let on_exit = format!(
        "gitmend.probe.CallRecorder.recordReturn({number}, stateByGitMend{number}, {}); ",
        state_array(object, form.result_variable())
    );
    if !is_constructor {
        on_entry.push_str("try { ");
    }
    let closing = format!(
        "}} catch (Throwable thrownByGitMend) {{ gitmend.probe.CallRecorder.recordException({number}, \
         stateByGitMend{number}, thrownByGitMend); throw thrownByGitMend; }} "
    );
    Some(form.edits(&CallInstrumentation {
        on_entry: &on_entry,
        on_exit: &on_exit,
        closing: &closing,
    }))
}
