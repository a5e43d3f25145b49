//! Releases locks during a wait for other threads, which may need them to make progress.

use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{body, called, is_run_with, is_wait, receiver};
use crate::evidence::locks::{Lock, monitor, own_lock};
use crate::fixes::layout::{has_modifier, unwrapped_with, without_modifier, wrapped};
use crate::fixes::locking::synchronized::title;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use std::collections::BTreeSet;

/// Maximum call depth of the search for waits.
const DEPTH: usize = 3;

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !scene.fails_by(&["deadlock", "lost_signal"]) {
        return;
    }
    for (file, code) in scene.main() {
        for section in 0..code.tree.nodes.len() {
            if let Some(edits) = given_back(scene, file, section) {
                let own = if code.is(section, NodeKind::Method) {
                    title(code, section)
                } else {
                    code.method_of(section).map_or(String::new(), |own| title(code, own))
                };
                let why = format!("{own} holds no lock while it waits for other threads");
                out.add_in(file, ConcurrencyOperator::LockOrder, 0.92, edits, why);
            }
        }
    }
}

/// Takes those statements out of a section that wait for others.
fn given_back(scene: &BugContext<'_>, file: usize, section: NodeIndex) -> Option<Vec<Edit>> {
    let code = scene.code(file);
    let is_method =
        code.is(section, NodeKind::Method) && has_modifier(code, section, "synchronized");
    let (lock, block) = if is_method {
        (own_lock(code, section), body(code, section)?)
    } else if code.is(section, NodeKind::Synchronized) {
        (monitor(code, section)?, code.child(section, NodeRole::Body)?)
    } else {
        return None;
    };
    let statements = code.children(block);
    let waits = |one: &NodeIndex| waits(scene, (file, *one), Some(&lock), DEPTH);
    let waiting: Vec<NodeIndex> = statements.iter().copied().filter(waits).collect();
    let runs: Vec<&[NodeIndex]> =
        statements.split(|one| waiting.contains(one)).filter(|run| !run.is_empty()).collect();
    let is_apart = |wait: &NodeIndex| {
        let asked = looked_at(code, *wait);
        let others = statements.iter().filter(|one| *one != wait);
        others.flat_map(|one| fields(code, *one)).all(|field| !asked.contains(&field))
    };
    let is_missed = runs.iter().any(|run| is_missed(code, run, &statements));
    if waiting.is_empty() || is_missed || !waiting.iter().all(is_apart) {
        return None;
    }
    let (head, end) = lock.acquire_and_release();
    let held: Option<Vec<Edit>> = runs
        .iter()
        .map(|run| wrapped(code, (*run.first()?, *run.last()?), (&head, &end), &[]))
        .collect();
    if is_method {
        let mut edits = held?;
        edits.push(without_modifier(code, section, "synchronized")?);
        return Some(edits);
    }
    Some(vec![unwrapped_with(code, section, &held?)?])
}

/// Returns the fields that are named below a node.
fn fields(code: &Code<'_>, id: NodeIndex) -> BTreeSet<SymbolId> {
    let is_field = |symbol: &SymbolId| code.facts.symbol(*symbol).kind == SymbolKind::Field;
    (id..code.node(id).end).filter_map(|id| code.node(id).symbol).filter(is_field).collect()
}

/// Returns the fields that a waiting statement reads besides its condition. Code that depends on them belongs to the
/// wait.
fn looked_at(code: &Code<'_>, statement: NodeIndex) -> BTreeSet<SymbolId> {
    let calls = code
        .nodes_within(statement, NodeKind::MethodInvocation)
        .filter(|call| called(code, *call) == "wait" || is_wait(code, *call));
    let waited: BTreeSet<SymbolId> =
        calls.filter_map(|call| code.node(receiver(code, call)?).symbol).collect();
    &fields(code, statement) - &waited
}

/// Returns true if some statements of a block declare a variable that the others need.
fn is_missed(code: &Code<'_>, run: &[NodeIndex], all: &[NodeIndex]) -> bool {
    let others = || all.iter().filter(|one| !run.contains(one));
    let names = |symbol| {
        others().any(|one| (*one..code.node(*one).end).any(|id| code.node(id).symbol == symbol))
    };
    let mut declared = run.iter().filter(|one| code.is(**one, NodeKind::Variable));
    declared.any(|one| names(code.node(*one).symbol))
}

/// Returns true if executing a node can wait for other threads. A wait for a signal under a lock releases that lock.
fn waits(
    scene: &BugContext<'_>,
    (file, id): (usize, NodeIndex),
    held: Option<&Lock>,
    depth: usize,
) -> bool {
    let code = scene.code(file);
    let calls = code.nodes_within(id, NodeKind::MethodInvocation);
    let mut own = calls.filter(|call| is_run_with(code, *call, id));
    own.any(|call| {
        let on = receiver(code, call);
        let lock = lock_of(code, on);
        match called(code, call) {
            "wait" => held != Some(&lock),
            _ if is_wait(code, call) => true,
            _ if depth == 0 => false,
            _ => {
                let callee = code.child(call, NodeRole::Callee).and_then(|id| code.node(id).symbol);
                let declared = callee.and_then(|callee| scene.declaration(callee));
                // What the one who is called calls its own lock is held only if it is this one.
                let held = held.filter(|held| lock == Lock::This && **held == Lock::This);
                declared.is_some_and(|place| waits(scene, place, held, depth - 1))
            }
        }
    })
}

/// Returns the lock of a call's receiver.
fn lock_of(code: &Code<'_>, on: Option<NodeIndex>) -> Lock {
    match on.map_or("this", |on| code.written(on)) {
        "this" | "super" => Lock::This,
        other => Lock::Monitor(other.to_owned()),
    }
}
