//! Fix operator that releases a lock during a wait for other threads, which may need the lock to make progress.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{block_body, has_modifier, is_wait, method_name, receiver, runs_with};
use crate::evidence::locks::{Lock, method_lock, monitor_lock};
use crate::fixes::layout::{remove_modifier, unwrap_block_with_edits, wrap_statements};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use std::collections::BTreeSet;

/// Maximum call depth of the search for waits.
const MAX_CALL_DEPTH: usize = 3;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !context.has_failure_kind(&["deadlock", "lost_signal"]) {
        return;
    }
    for (file, code) in context.main_files() {
        for section in 0..code.tree.nodes.len() {
            if let Some(edits) = release_during_wait(context, file, section) {
                let own = if code.has_kind(section, NodeKind::Method) {
                    routine_title(code, section)
                } else {
                    code.enclosing_method(section)
                        .map_or(String::new(), |own| routine_title(code, own))
                };
                let why = format!("{own} holds no lock while it waits for other threads");
                out.add_in(file, ConcurrencyOperator::LockOrder, 0.92, edits, why);
            }
        }
    }
}

/// Moves the statements that wait out of a section.
fn release_during_wait(
    context: &BugContext<'_>,
    file: usize,
    section: NodeIndex,
) -> Option<Vec<Edit>> {
    let code = context.code(file);
    let is_method =
        code.has_kind(section, NodeKind::Method) && has_modifier(code, section, "synchronized");
    let (lock, block) = if is_method {
        (method_lock(code, section), block_body(code, section)?)
    } else if code.has_kind(section, NodeKind::Synchronized) {
        (monitor_lock(code, section)?, code.child(section, NodeRole::Body)?)
    } else {
        return None;
    };
    let statements = code.children(block);
    let can_wait = |one: &NodeIndex| can_wait(context, (file, *one), Some(&lock), MAX_CALL_DEPTH);
    let waiting_statements: Vec<NodeIndex> = statements.iter().copied().filter(can_wait).collect();
    let runs: Vec<&[NodeIndex]> = statements
        .split(|one| waiting_statements.contains(one))
        .filter(|run| !run.is_empty())
        .collect();
    let is_independent = |wait: &NodeIndex| {
        let asked = fields_read_by_wait(code, *wait);
        let others = statements.iter().filter(|one| *one != wait);
        others.flat_map(|one| named_fields(code, *one)).all(|field| !asked.contains(&field))
    };
    let has_needed_variable =
        runs.iter().any(|run| declares_needed_variable(code, run, &statements));
    if waiting_statements.is_empty()
        || has_needed_variable
        || !waiting_statements.iter().all(is_independent)
    {
        return None;
    }
    let (head, end) = lock.acquire_and_release();
    let guarded_runs: Option<Vec<Edit>> = runs
        .iter()
        .map(|run| wrap_statements(code, (*run.first()?, *run.last()?), (&head, &end), &[]))
        .collect();
    if is_method {
        let mut edits = guarded_runs?;
        edits.push(remove_modifier(code, section, "synchronized")?);
        return Some(edits);
    }
    Some(vec![unwrap_block_with_edits(code, section, &guarded_runs?)?])
}

/// Returns the fields used below a node.
fn named_fields(code: &Code<'_>, id: NodeIndex) -> BTreeSet<SymbolId> {
    let is_field = |symbol: &SymbolId| code.facts.symbol(*symbol).kind == SymbolKind::Field;
    (id..code.node(id).subtree_end).filter_map(|id| code.node(id).symbol).filter(is_field).collect()
}

/// Returns the fields that a waiting statement reads besides its condition. Code that depends on them belongs to the
/// wait.
fn fields_read_by_wait(code: &Code<'_>, statement: NodeIndex) -> BTreeSet<SymbolId> {
    let calls = code
        .nodes_within(statement, NodeKind::MethodInvocation)
        .filter(|call| method_name(code, *call) == "wait" || is_wait(code, *call));
    let awaited_objects: BTreeSet<SymbolId> =
        calls.filter_map(|call| code.node(receiver(code, call)?).symbol).collect();
    &named_fields(code, statement) - &awaited_objects
}

/// Returns true if some statements of a block declare a variable that the others need.
fn declares_needed_variable(code: &Code<'_>, run: &[NodeIndex], all: &[NodeIndex]) -> bool {
    let others = || all.iter().filter(|one| !run.contains(one));
    let names = |symbol| {
        others()
            .any(|one| (*one..code.node(*one).subtree_end).any(|id| code.node(id).symbol == symbol))
    };
    let mut declared = run.iter().filter(|one| code.has_kind(**one, NodeKind::Variable));
    declared.any(|one| names(code.node(*one).symbol))
}

/// Returns true if executing a node can wait for other threads. A wait for a signal under a lock releases that lock.
fn can_wait(
    context: &BugContext<'_>,
    (file, id): FileNode,
    held: Option<&Lock>,
    depth: usize,
) -> bool {
    let code = context.code(file);
    let calls = code.nodes_within(id, NodeKind::MethodInvocation);
    let mut own = calls.filter(|call| runs_with(code, *call, id));
    own.any(|call| {
        let on = receiver(code, call);
        let lock = receiver_lock(code, on);
        match method_name(code, call) {
            "wait" => held != Some(&lock),
            _ if is_wait(code, call) => true,
            _ if depth == 0 => false,
            _ => {
                let callee = code.child(call, NodeRole::Callee).and_then(|id| code.node(id).symbol);
                let declared = callee.and_then(|callee| context.declaration(callee));
                // The lock is held in the callee under the same name only if both objects are the current one.
                let held = held.filter(|held| lock == Lock::This && **held == Lock::This);
                declared.is_some_and(|place| can_wait(context, place, held, depth - 1))
            }
        }
    })
}

/// Returns the lock of a call's receiver.
fn receiver_lock(code: &Code<'_>, on: Option<NodeIndex>) -> Lock {
    match on.map_or("this", |on| code.source_text(on)) {
        "this" | "super" => Lock::This,
        other => Lock::Monitor(other.to_owned()),
    }
}
