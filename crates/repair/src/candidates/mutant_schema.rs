//! Mutant schema (Untch, Offutt, Harrold 1993): one version of the sources with many candidates, of which a system
//! property selects one in each JVM or class loader.
//!
//! A candidate has its own copy of each routine that it edits. The original routine calls the copy if the candidate is
//! selected. So an error of the compiler belongs to the candidate in whose copy it is, and candidates may declare
//! variables or leave the routine as they like.

use super::candidate::LocatedCandidate;
use crate::observe::call_instrumentation::InstrumentationForm;
use mend_java::facts::{CompileError, NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, Edit, apply_edits};
use mend_model::RepoPath;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Sources of a version with many candidates.
#[derive(Clone, Debug, Default)]
pub struct MutantSchema {
    /// The changed files.
    pub files: BTreeMap<RepoPath, String>,
    copies: Vec<RoutineCopy>,
}

/// Copy of a routine with the edits of a candidate.
#[derive(Clone, Debug)]
struct RoutineCopy {
    candidate: usize,
    path: RepoPath,
    /// Byte range of its body in the schema.
    body: Range<usize>,
}

/// Routine with the edits of a candidate.
struct EditedRoutine {
    candidate: usize,
    method: NodeIndex,
    body: String,
}

/// Text that is inserted into a file.
struct Insertion {
    at: usize,
    text: String,
    /// Candidates with the ranges of their bodies in the text.
    bodies: Vec<(usize, Range<usize>)>,
}

impl MutantSchema {
    /// System property with the number of the selected candidate. Without it, the version is the original one.
    pub const PROPERTY: &str = "git-mend.candidate";

    /// Creates a schema of numbered candidates. Leaves out candidates that edit more than the bodies of methods.
    pub fn from_candidates<'a>(
        main: &[(RepoPath, Code<'_>)],
        candidates: impl IntoIterator<Item = (usize, &'a LocatedCandidate)>,
    ) -> Self {
        let mut routines_by_file: BTreeMap<usize, Vec<EditedRoutine>> = BTreeMap::new();
        for (number, candidate) in candidates {
            for (file, routine) in edit_routines(main, number, candidate).into_iter().flatten() {
                routines_by_file.entry(file).or_default().push(routine);
            }
        }
        let mut schema = Self::default();
        for (file, routines) in routines_by_file {
            let (path, code) = &main[file];
            schema.add_file(path, code, &format!("GitMendSchema{file}"), &routines);
        }
        schema
    }

    /// Returns the numbers of its candidates, in ascending order.
    pub fn candidates(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = self.copies.iter().map(|copy| copy.candidate).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Returns the first compile error of each rejected candidate; `None` if an error is not in the code of a candidate.
    pub fn rejected<'a>(
        &self,
        errors: &'a [CompileError],
    ) -> Option<BTreeMap<usize, &'a CompileError>> {
        let mut rejected = BTreeMap::new();
        for error in errors {
            let is_in =
                |copy: &&RoutineCopy| copy.path == error.path && copy.body.contains(&error.byte);
            let copy = self.copies.iter().find(is_in)?;
            rejected.entry(copy.candidate).or_insert(error);
        }
        Some(rejected)
    }

    /// Adds a file with copies of routines, and a class that reads the number of the selected candidate.
    fn add_file(
        &mut self,
        path: &RepoPath,
        code: &Code<'_>,
        selector: &str,
        routines: &[EditedRoutine],
    ) {
        let mut routines_by_method: BTreeMap<NodeIndex, Vec<&EditedRoutine>> = BTreeMap::new();
        for routine in routines {
            routines_by_method.entry(routine.method).or_default().push(routine);
        }
        let mut insertions: Vec<Insertion> = routines_by_method
            .into_iter()
            .filter_map(|(method, routines)| insert_copies(code, method, &routines, selector))
            .flatten()
            .collect();
        insertions.sort_by_key(|one| one.at);
        let (mut text, mut copied_end) = (String::new(), 0);
        for Insertion { at, text: inserted, bodies } in insertions {
            text.push_str(code.text.get(copied_end..at).unwrap_or_default());
            copied_end = at;
            let shifted = bodies.into_iter().map(|(candidate, body)| RoutineCopy {
                candidate,
                path: path.clone(),
                body: text.len() + body.start..text.len() + body.end,
            });
            self.copies.extend(shifted);
            text.push_str(&inserted);
        }
        text.push_str(code.text.get(copied_end..).unwrap_or_default());
        let property = Self::PROPERTY;
        let _ = write!(
            text,
            "\nfinal class {selector} {{ static final int SELECTED = \
             java.lang.Integer.getInteger(\"{property}\", -1); }}\n"
        );
        self.files.insert(path.clone(), text);
    }
}

/// Returns the routines that a candidate edits, with their files; `None` if it edits anything else.
fn edit_routines(
    main: &[(RepoPath, Code<'_>)],
    number: usize,
    candidate: &LocatedCandidate,
) -> Option<Vec<(usize, EditedRoutine)>> {
    let mut routines = Vec::new();
    for (path, edits) in candidate.change.edited_files() {
        let file = main.iter().position(|(one, _)| one == path)?;
        let code = &main[file].1;
        let mut edits_by_method: BTreeMap<NodeIndex, Vec<Edit>> = BTreeMap::new();
        for edit in edits {
            let method = innermost_method(code, edit)?;
            edits_by_method.entry(method).or_default().push(edit.clone());
        }
        let methods: Vec<NodeIndex> = edits_by_method.keys().copied().collect();
        let is_nested = |pair: &[NodeIndex]| pair[1] < code.node(pair[0]).subtree_end;
        if methods.windows(2).any(is_nested) {
            return None;
        }
        for (method, edits) in edits_by_method {
            let body = edited_body(code, method, &edits)?;
            routines.push((file, EditedRoutine { candidate: number, method, body }));
        }
    }
    Some(routines)
}

/// Returns the innermost method around an edit that can be copied. Constructors cannot be: only they assign final fields.
fn innermost_method(code: &Code<'_>, edit: &Edit) -> Option<NodeIndex> {
    let contains_edit = |id: &NodeIndex| {
        code.child(*id, NodeRole::Body).is_some_and(|body| {
            let body = code.bytes(body);
            body.start < edit.bytes.0 && edit.bytes.1 < body.end
        })
    };
    let can_be_copied = |id: &NodeIndex| {
        let form = InstrumentationForm::from_routine(code, *id, "");
        matches!(form, Some(InstrumentationForm::ExtractedBody { .. }))
    };
    // Inner methods follow outer ones.
    let methods = code.nodes_of_kind(NodeKind::Method);
    methods.filter(contains_edit).filter(can_be_copied).last()
}

/// Returns the edited body of a method; `None` if edits overlap.
fn edited_body(code: &Code<'_>, method: NodeIndex, edits: &[Edit]) -> Option<String> {
    let body = code.child(method, NodeRole::Body)?;
    let start = code.bytes(body).start;
    let shifted: Vec<Edit> = edits
        .iter()
        .map(|edit| Edit::replace(edit.bytes.0 - start..edit.bytes.1 - start, edit.text.clone()))
        .collect();
    apply_edits(code.source_text(body), &shifted)
}

/// Returns the calls of the copies of a method at its start, and the copies behind it.
fn insert_copies(
    code: &Code<'_>,
    method: NodeIndex,
    routines: &[&EditedRoutine],
    selector: &str,
) -> Option<[Insertion; 2]> {
    let body = code.bytes(code.child(method, NodeRole::Body)?);
    let mut calls = format!(" switch ({selector}.SELECTED) {{");
    let (mut copies, mut bodies) = (String::new(), Vec::new());
    for EditedRoutine { candidate, body, .. } in routines {
        let name = format!("gitMend{candidate}_{method}");
        let InstrumentationForm::ExtractedBody { header, call, result_type, .. } =
            InstrumentationForm::from_routine(code, method, &name)?
        else {
            return None;
        };
        let _ = match result_type {
            Some(_) => write!(calls, " case {candidate}: return {call};"),
            None => write!(calls, " case {candidate}: {call}; return;"),
        };
        let _ = write!(copies, "\n{header}");
        bodies.push((*candidate, copies.len()..copies.len() + body.len()));
        copies.push_str(body);
    }
    calls.push_str(" default: }");
    Some([
        Insertion { at: body.start + 1, text: calls, bodies: Vec::new() },
        Insertion { at: body.end, text: copies, bodies },
    ])
}
