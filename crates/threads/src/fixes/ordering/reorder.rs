//! Moves work before the signal or the thread start that depends on it.

use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::{BugContext, LocatedPattern};
use crate::evidence::calls::{below, call_of, called, is_written, listed, meets_threads, receiver};
use crate::fixes::layout::{line_after, line_before, removed};
use crate::fixes::locking::synchronized::title;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

/// Maximum number of statements that a thread start moves past.
const MOST_PASSED: usize = 6;

/// Calls that let others go on.
const TELLING: [&str; 12] = [
    "start",
    "countDown",
    "release",
    "signal",
    "signalAll",
    "notify",
    "notifyAll",
    "complete",
    "submit",
    "execute",
    "offer",
    "put",
];

/// Calls that allow other threads to enter.
const LEAVING: [&str; 2] = ["release", "unlock"];

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let known = scene.fields();
    let starts = scene.places(|step| step.what == "start");
    let is_early =
        scene.patterns.is_empty() || scene.patterns.iter().any(|one| comes_early(scene, one));
    for (file, code) in scene.main() {
        for id in 0..code.tree.nodes.len() {
            if code.is_in_list(id) {
                given_back_later(scene, file, id, out);
            }
            if !code.is_in_list(id) || !signals_threads(code, id) {
                continue;
            }
            let is_start = starts
                .iter()
                .any(|spot| spot.file == file && (id..code.node(id).end).contains(&spot.node));
            if is_start && is_early {
                started_later(code, file, id, out);
            }
            for later in following_statements(code, id) {
                let Some(set) = set_there(code, later) else { break };
                let is_meant = is_start || known.contains(&set);
                let is_free = statements_between(code, id, later)
                    .into_iter()
                    .all(|one| is_free_of(code, later, one));
                if !is_meant || !is_free {
                    continue;
                }
                let edits = vec![line_before(code, id, code.written(later)), removed(code, later)];
                let name = code.facts.name(set);
                let what = code.written(id).split_whitespace().collect::<Vec<_>>().join(" ");
                let why = format!(
                    "{name} is set before `{}` publishes it to other threads",
                    what.trim_end_matches(';')
                );
                out.add_in(file, ConcurrencyOperator::Move, 0.97, edits, why);
            }
        }
    }
}

/// Returns true if a thread reaches a field before an older thread has written it.
fn comes_early(scene: &BugContext<'_>, shown: &LocatedPattern<'_>) -> bool {
    shown.spots.len() == 2
        && shown.pattern.form.ends_with('W')
        && scene.is_older_first(shown) != Some(true)
}

/// Moves a thread start after the calls that follow it, if those can run first.
fn started_later(code: &Code<'_>, file: usize, start: NodeIndex, out: &mut CandidateCollector<'_>) {
    for later in following_statements(code, start).into_iter().take(MOST_PASSED) {
        if meets_threads(code, later)
            || signals_threads(code, later)
            || !are_apart(code, start, later)
        {
            return;
        }
        let inner = code.children(later).first().copied();
        let is_call = code.is(later, NodeKind::ExpressionStatement)
            && inner.is_some_and(|inner| code.is(inner, NodeKind::MethodInvocation));
        if !is_call {
            continue;
        }
        let edits = vec![removed(code, start), line_after(code, later, code.written(start).trim())];
        let name = inner.map_or("", |inner| called(code, inner));
        let why = format!("{name} is called before the start of the thread that needs its effects");
        out.add_in(file, ConcurrencyOperator::Move, 0.9, edits, why);
    }
}

/// Moves a release after the last of the next statements that use the released object.
fn given_back_later(
    scene: &BugContext<'_>,
    file: usize,
    given: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = scene.code(file);
    let is_meant = |call: &NodeIndex| LEAVING.contains(&called(code, *call));
    let on = call_of(code, given).filter(is_meant).and_then(|call| receiver(code, call));
    let rest = following_statements(code, given);
    let last = rest.iter().rposition(|one| scene.is_about(file, *one));
    let (Some(on), Some(last)) = (on, last) else { return };
    let passed = &rest[..=last];
    if passed.iter().any(|one| meets_threads(code, *one) || leaves(code, *one)) {
        return;
    }
    let edits = vec![removed(code, given), line_after(code, rest[last], code.written(given))];
    let why = format!("{} releases {} after its last use", title(code, given), code.written(on));
    out.add_in(file, ConcurrencyOperator::Move, 0.97, edits, why);
}

/// Returns true if a statement lets other threads continue, by a call or by a field that they read.
fn signals_threads(code: &Code<'_>, statement: NodeIndex) -> bool {
    let Some(inner) = code.children(statement).first().copied() else { return false };
    if !code.is(statement, NodeKind::ExpressionStatement) {
        return false;
    }
    match code.kind(inner) {
        NodeKind::MethodInvocation => {
            TELLING.contains(&called(code, inner))
                && (receiver(code, inner).is_some() || called(code, inner).starts_with("notify"))
        }
        NodeKind::Assignment => code
            .child(inner, NodeRole::Target)
            .and_then(|target| code.symbol(target))
            .is_some_and(|symbol| symbol.kind == SymbolKind::Field),
        _ => false,
    }
}

/// Returns the statements after one in its block.
fn following_statements(code: &Code<'_>, statement: NodeIndex) -> Vec<NodeIndex> {
    let all = listed(code, statement).map(|(block, _)| code.children(block)).unwrap_or_default();
    all.into_iter().filter(|id| *id > statement).collect()
}

/// Returns the statements from one to another.
pub(crate) fn statements_between(
    code: &Code<'_>,
    from: NodeIndex,
    to: NodeIndex,
) -> Vec<NodeIndex> {
    std::iter::once(from)
        .chain(following_statements(code, from))
        .take_while(|id| *id < to)
        .collect()
}

/// Returns the field that a statement sets, if it does nothing else.
fn set_there(code: &Code<'_>, statement: NodeIndex) -> Option<SymbolId> {
    let inner = *code.children(statement).first()?;
    let target = code
        .child(inner, NodeRole::Target)
        .filter(|_| code.is(statement, NodeKind::ExpressionStatement))?;
    let symbol = code.node(target).symbol?;
    (code.facts.symbol(symbol).kind == SymbolKind::Field).then_some(symbol)
}

/// Returns true if a statement can run before another one: neither needs the effects of the other.
fn is_free_of(code: &Code<'_>, moved: NodeIndex, other: NodeIndex) -> bool {
    are_apart(code, moved, other) && !is_final(code, moved)
}

/// Returns true if two statements can be swapped: neither needs the effects of the other, and the second one always
/// continues with the next statement.
pub(crate) fn are_apart(code: &Code<'_>, moved: NodeIndex, other: NodeIndex) -> bool {
    let made = |statement: NodeIndex| -> BTreeSet<SymbolId> {
        let all = statement..code.node(statement).end;
        let is_made = |id: &NodeIndex| code.is(*id, NodeKind::Variable) || is_written(code, *id);
        all.filter(is_made).filter_map(|id| code.node(id).symbol).collect()
    };
    let needs = |statement: NodeIndex, of: &BTreeSet<SymbolId>| {
        below(code, statement).any(|id| code.node(id).symbol.is_some_and(|one| of.contains(&one)))
    };
    !leaves(code, other) && !needs(moved, &made(other)) && !needs(other, &made(moved))
}

/// Returns true if a statement can jump elsewhere than to the next statement.
fn leaves(code: &Code<'_>, statement: NodeIndex) -> bool {
    (statement..code.node(statement).end).any(|id| {
        matches!(
            code.kind(id),
            NodeKind::Return | NodeKind::Throw | NodeKind::Break | NodeKind::Continue
        )
    })
}

fn is_final(code: &Code<'_>, statement: NodeIndex) -> bool {
    let symbol = set_there(code, statement).map(|symbol| code.facts.symbol(symbol));
    symbol.is_none_or(|symbol| symbol.flags.has(SymbolFlags::FINAL))
}
