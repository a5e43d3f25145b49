//! Mutant schema (Untch, Offutt, Harrold 1993): one version of the sources with many candidates, of which a system
//! property selects one in each JVM or class loader.
//!
//! A candidate has its own copy of each routine that it edits. The original routine calls the copy if the candidate is
//! selected. So an error of the compiler belongs to the candidate in whose copy it is, and candidates may declare
//! variables or leave the routine as they like.
//!
//! Loops check a deadline, so that an endless one ends with an exception. Without the check, it would end the JVM.

use super::candidate::LocatedCandidate;
use crate::observe::call_instrumentation::InstrumentationForm;
use mend_java::facts::{CompileError, NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, Edit, apply_edits};
use mend_model::RepoPath;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Class that reads the number and the time limit of the selected candidate. `step` is called in each loop; few calls
/// read the clock.
const SELECTOR_SOURCE: &str = r#"
final class SELECTOR {
    static final int SELECTED;
    private static final long DEADLINE;
    private static int steps;

    static {
        String[] parts = java.lang.System.getProperty("PROPERTY", "-1 1000000000").split(" ");
        SELECTED = java.lang.Integer.parseInt(parts[0]);
        DEADLINE = java.lang.System.nanoTime() + java.lang.Long.parseLong(parts[1]) * 1000000L;
    }

    static void step() {
        if ((++steps & 255) == 0 && java.lang.System.nanoTime() - DEADLINE > 0) {
            throw new TIMEOUT();
        }
    }

    static final class TIMEOUT extends java.lang.Error {}
}
"#;

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
    /// System property with the number of the selected candidate and its time limit in milliseconds, after a space.
    /// Without it, the version is the original one.
    pub const PROPERTY: &str = "git-mend.candidate";

    /// Name of the exception that ends a loop after the time limit; the package and the enclosing class precede it.
    pub const TIMEOUT_EXCEPTION: &str = "GitMendTimeout";

    /// Creates a schema of numbered candidates. Leaves out candidates that edit more than the bodies of methods.
    pub fn from_candidates<'a>(
        main: &[(RepoPath, Code<'_>)],
        candidates: impl IntoIterator<Item = (usize, &'a LocatedCandidate)>,
    ) -> Self {
        let mut routines_by_file: BTreeMap<usize, Vec<EditedRoutine>> = BTreeMap::new();
        for (number, candidate) in candidates {
            let routines = edit_routines(main, number, candidate);
            for (file, routine) in routines.into_iter().flatten() {
                routines_by_file.entry(file).or_default().push(routine);
            }
        }
        let mut schema = Self::default();
        for (file, routines) in routines_by_file {
            let (path, code) = &main[file];
            schema.add_file(path, code, &selector_name(file), &routines);
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
        insertions.extend(loop_checks(code, 0, selector).into_iter().map(|edit| Insertion {
            at: edit.bytes.0,
            text: edit.text,
            bodies: Vec::new(),
        }));
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
        let source = SELECTOR_SOURCE
            .replace("SELECTOR", selector)
            .replace("PROPERTY", Self::PROPERTY)
            .replace("TIMEOUT", Self::TIMEOUT_EXCEPTION);
        text.push_str(&source);
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
            let body = edited_body(code, method, &edits, &selector_name(file))?;
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

/// Returns the edited body of a method, with checks in loops; `None` if edits overlap.
fn edited_body(
    code: &Code<'_>,
    method: NodeIndex,
    edits: &[Edit],
    selector: &str,
) -> Option<String> {
    let body = code.child(method, NodeRole::Body)?;
    let start = code.bytes(body).start;
    let is_unedited = |check: &Edit| {
        edits.iter().all(|edit| check.bytes.0 <= edit.bytes.0 || edit.bytes.1 <= check.bytes.0)
    };
    let checks = loop_checks(code, body, selector).into_iter().filter(is_unedited);
    let shifted: Vec<Edit> = checks
        .chain(edits.iter().cloned())
        .map(|edit| Edit::replace(edit.bytes.0 - start..edit.bytes.1 - start, edit.text))
        .collect();
    apply_edits(code.source_text(body), &shifted)
}

/// Returns edits that check the deadline in the loops of a subtree. Loops without braces have no check.
fn loop_checks(code: &Code<'_>, root: NodeIndex, selector: &str) -> Vec<Edit> {
    let loops = (root..code.node(root).subtree_end).filter(|id| code.is_loop(*id));
    let bodies = loops.filter_map(|id| code.child(id, NodeRole::Body));
    let blocks = bodies.filter(|body| code.has_kind(*body, NodeKind::Block));
    blocks
        .map(|body| Edit::insert(code.bytes(body).start + 1, format!(" {selector}.step();")))
        .collect()
}

/// Returns the name of the class that selects a candidate in a file.
fn selector_name(file: usize) -> String {
    format!("GitMendSchema{file}")
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
