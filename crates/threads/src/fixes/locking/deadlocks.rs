//! Acquires locks in a consistent order, and enlarges pools whose tasks wait for each other.
//!
//! A lock is acquired by a `synchronized` statement, or by a call of a `synchronized` method.

use super::wrong_locks::{explicit_locks, renamed};
use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    bare, below, body, called, calls_below, is_run_with, is_written, receiver,
};
use crate::evidence::locks::{class_name, monitor_of, own_lock};
use crate::fixes::check_then_act::answer;
use crate::fixes::layout::{
    free_name, has_modifier, line_before, nested, without_modifier, wrapped,
};
use crate::fixes::locking::synchronized::title;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolKind};

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !scene.fails_by(&["deadlock"]) && scene.findings.circles.is_empty() {
        return;
    }
    for (file, code) in scene.main() {
        for outer in 0..code.tree.nodes.len() {
            if code.is(outer, NodeKind::Synchronized) {
                let inner = below(code, outer).find(|id| code.is(*id, NodeKind::Synchronized));
                if let Some(inner) = inner {
                    monitors(code, file, outer, inner, out);
                }
            } else if code.is(outer, NodeKind::Method) {
                explicit(code, file, outer, out);
                if has_modifier(code, outer, "synchronized") {
                    both_at_once(scene, file, outer, out);
                    one_after_the_other(scene, file, outer, out);
                    asked_before(scene, file, outer, out);
                }
            }
        }
    }
}

/// Swaps the order of two nested monitors.
fn monitors(
    code: &Code<'_>,
    file: usize,
    outer: NodeIndex,
    inner: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let (Some(one), Some(other)) = (monitor_of(code, outer), monitor_of(code, inner)) else {
        return;
    };
    let (first, second) = (code.written(one), code.written(other));
    let own = code.method_of(outer).map_or(String::new(), |own| title(code, own));
    let swapped =
        vec![Edit::replace(code.bytes(one), second), Edit::replace(code.bytes(other), first)];
    let why = format!("{own} acquires {second} before {first}, the order used elsewhere");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.95, swapped, why);
    let ty = code.type_of(one).rsplit('.').next().unwrap_or_default();
    // Objects of two kinds are taken one inside the other elsewhere, too, in an order of its own.
    if code.type_of(one) != code.type_of(other) {
        return in_gate(code, file, outer, &own, out);
    }
    let (low, high) = (free_name(code, "first"), free_name(code, "second"));
    let order = format!(
        "{ty} {low} = System.identityHashCode({first}) <= System.identityHashCode({second}) ? {first} : {second};\n\
         {ty} {high} = {low} == {first} ? {second} : {first};"
    );
    let edits = vec![
        line_before(code, outer, &order),
        Edit::replace(code.bytes(one), low),
        Edit::replace(code.bytes(other), high),
    ];
    let why = format!("{own} acquires both locks in a fixed order, by identity hash code");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.9, edits, why);
    in_gate(code, file, outer, &own, out);
}

/// Acquires both locks under a third one.
fn in_gate(
    code: &Code<'_>,
    file: usize,
    outer: NodeIndex,
    own: &str,
    out: &mut CandidateCollector<'_>,
) {
    let class = class_name(code, outer);
    let before = format!("synchronized ({class}.class) {{");
    if let Some(gate) = wrapped(code, (outer, outer), (&before, "}"), &[]) {
        let why = format!(
            "{own} acquires both locks while it holds the lock of the class {class}, so that no other thread acquires one in between"
        );
        out.add_in(file, ConcurrencyOperator::LockOrder, 0.8, vec![gate], why);
    }
}

/// Releases the lock of a `synchronized` method before the method acquires another lock at its end.
fn one_after_the_other(
    scene: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = scene.code(file);
    let Some(all) = body(code, method).map(|block| code.children(block)) else { return };
    let [first, .., before, last] = &all[..] else {
        let [first, last] = all[..] else { return };
        return propose_split_locking(scene, file, method, first, first, last, out);
    };
    propose_split_locking(scene, file, method, *first, *before, *last, out);
}

fn propose_split_locking(
    scene: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    first: NodeIndex,
    before: NodeIndex,
    last: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = scene.code(file);
    let declares = code
        .children(code.parent(last))
        .into_iter()
        .any(|id| code.is(id, NodeKind::Variable) && id != last);
    let mut inner = first..code.node(before).end;
    let others = inner.any(|id| code.is(id, NodeKind::Synchronized));
    let calls = code.is(last, NodeKind::ExpressionStatement)
        && code
            .children(last)
            .first()
            .is_some_and(|call| takes_other(scene, file, *call).is_some());
    let takes = matches!(code.kind(last), NodeKind::Synchronized | NodeKind::If)
        && (last..code.node(last).end).any(|id| code.is(id, NodeKind::Synchronized));
    if !(takes || calls) || declares || others {
        return;
    }
    let (head, end) = own_lock(code, method).acquire_and_release();
    let block = wrapped(code, (first, before), (&head, &end), &[]);
    let (Some(modifier), Some(block)) = (without_modifier(code, method, "synchronized"), block)
    else {
        return;
    };
    let why = format!("{} releases one lock before it acquires the other", title(code, method));
    out.add_in(
        file,
        ConcurrencyOperator::LockOrder,
        if calls { 0.9 } else { 0.93 },
        vec![modifier, block],
        why,
    );
}

/// Releases the lock of a `synchronized` method after a check at its end, before the call of another object that
/// depends on the check.
fn asked_before(
    scene: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = scene.code(file);
    let all = body(code, method).map(|block| code.children(block)).unwrap_or_default();
    let Some((choice, before)) = all.split_last() else { return };
    let condition =
        code.child(*choice, NodeRole::Condition).filter(|_| code.is(*choice, NodeKind::If));
    let Some(condition) = condition else { return };
    let calls =
        |at: NodeIndex| (at..code.node(at).end).any(|id| takes_other(scene, file, id).is_some());
    // What is done by the answer has no lock to look at what may change.
    let branches = code.node(condition).end..code.node(*choice).end;
    let is_open = |id: NodeIndex| {
        let symbol = code.symbol(id).filter(|_| code.is(id, NodeKind::Identifier));
        symbol
            .is_some_and(|one| one.kind == SymbolKind::Field && !one.flags.has(SymbolFlags::FINAL))
    };
    let is_apart = !branches.clone().any(is_open)
        && !before.iter().any(|id| code.is(*id, NodeKind::Variable) || calls(*id))
        && !calls(condition);
    if !is_apart || !branches.into_iter().any(|id| takes_other(scene, file, id).is_some()) {
        return;
    }
    let asked = bare(code, condition);
    let name = free_name(code, answer(called(code, asked)));
    let (head, end) = own_lock(code, method).acquire_and_release();
    let head = format!("boolean {name};\n{head}");
    let step = format!("    {name} = {};\n{end}", code.written(asked));
    let block = match (before.first(), before.last()) {
        (Some(first), Some(last)) => wrapped(code, (*first, *last), (&head, &step), &[]),
        _ => Some(line_before(code, *choice, &format!("{head}\n{step}"))),
    };
    let modifier = without_modifier(code, method, "synchronized");
    let (Some(block), Some(modifier)) = (block, modifier) else { return };
    let answered = Edit::replace(code.bytes(condition), format!("({name})"));
    let why = format!("{} releases its lock before it calls another object", title(code, method));
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.96, vec![modifier, block, answered], why);
}

/// Acquires both locks at the start of a `synchronized` method that calls synchronized methods of one other object. The
/// order is fixed by identity hash codes. For objects of different classes, the lock of the other object comes first,
/// as in its own code.
fn both_at_once(
    scene: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = scene.code(file);
    if has_modifier(code, method, "static") {
        return;
    }
    let all = body(code, method).map(|block| code.children(block)).unwrap_or_default();
    let ([first, ..], [.., last]) = (&all[..], &all[..]) else { return };
    let calls = below(code, method).filter(|id| is_run_with(code, *id, method));
    let others: Vec<NodeIndex> = calls.filter_map(|id| takes_other(scene, file, id)).collect();
    let Some(other) = others.first().copied() else { return };
    let name = code.written(other);
    let is_made_here = |id: NodeIndex| {
        code.node(id).symbol == code.node(other).symbol
            && (code.is(id, NodeKind::Variable) || is_written(code, id))
    };
    let is_settled = !(*first..code.node(*last).end).any(is_made_here);
    if !others.iter().all(|one| code.written(*one) == name) || !is_settled {
        return;
    }
    let Some(modifier) = without_modifier(code, method, "synchronized") else { return };
    let class = code.class_of(method).and_then(|class| code.symbol(class));
    let is_alike = class.is_some_and(|one| code.facts.text(one.full_name) == code.type_of(other));
    let own = title(code, method);
    if !is_alike {
        let around = [format!("synchronized ({name}) {{"), "synchronized (this) {".to_owned()];
        let around = [(around[0].as_str(), "}"), (around[1].as_str(), "}")];
        let Some(block) = nested(code, (*first, *last), &around, &[]) else { return };
        let why = format!("{own} acquires the lock of {name} first, the order used elsewhere");
        return out.add_in(file, ConcurrencyOperator::LockOrder, 0.95, vec![modifier, block], why);
    }
    let ty = class_name(code, method);
    let (low, high) = (free_name(code, "first"), free_name(code, "second"));
    let outer = format!(
        "{ty} {low} = System.identityHashCode(this) <= System.identityHashCode({name}) ? this : {name};\n\
         {ty} {high} = {low} == this ? {name} : this;\n\
         synchronized ({low}) {{"
    );
    let inner = format!("synchronized ({high}) {{");
    let Some(block) = nested(code, (*first, *last), &[(&outer, "}"), (&inner, "}")], &[]) else {
        return;
    };
    let why = format!("{own} acquires both locks in a fixed order, by identity hash code");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.95, vec![modifier, block], why);
}

/// Returns the parameter or field that is the receiver of a call, if the called method acquires the lock of that
/// object.
fn takes_other(scene: &BugContext<'_>, file: usize, call: NodeIndex) -> Option<NodeIndex> {
    let code = scene.code(file);
    let is_other = |on: &NodeIndex| {
        code.is(*on, NodeKind::Identifier) && !matches!(code.written(*on), "this" | "super")
    };
    let on = receiver(code, call).filter(is_other)?;
    let kind = code.symbol(on)?.kind;
    let callee = code.node(code.child(call, NodeRole::Callee)?).symbol?;
    let (home, declared) = scene.declaration(callee)?;
    let is_lock =
        has_modifier(scene.code(home), declared, "synchronized") && !scene.is_static(callee);
    (is_lock && matches!(kind, SymbolKind::Local | SymbolKind::Field)).then_some(on)
}

/// Orders two locks of `java.util.concurrent` that one routine acquires.
fn explicit(code: &Code<'_>, file: usize, method: NodeIndex, out: &mut CandidateCollector<'_>) {
    let taken = explicit_locks(code, method);
    let [(_, first), (_, second), ..] = taken[..] else { return };
    if code.written(first) == code.written(second) {
        return;
    }
    let own = title(code, method);
    if let Some(edits) = by_index(code, method, first, second) {
        let why = format!("{own} always acquires the lock with the smaller index first");
        out.add_in(file, ConcurrencyOperator::LockOrder, 0.96, edits, why);
    }
    let (a, b) = (code.written(first), code.written(second));
    let mut swapped = Vec::new();
    // A check whether the other lock is free has to check the new other lock.
    for on in below(code, method).filter_map(|call| receiver(code, call)) {
        let text = code.written(on);
        let other = if text == a { b } else { a };
        if text == a || text == b {
            swapped.push(Edit::replace(code.bytes(on), other));
        }
    }
    let why = format!("{own} acquires {b} before {a}, the order used elsewhere");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.85, swapped, why);
}

/// Orders two locks of one array by index.
fn by_index(
    code: &Code<'_>,
    method: NodeIndex,
    first: NodeIndex,
    second: NodeIndex,
) -> Option<Vec<Edit>> {
    let element = |lock: NodeIndex| {
        let symbol = code.node(lock).symbol?;
        let declares = |id: &NodeIndex| {
            code.is(*id, NodeKind::Variable) && code.node(*id).symbol == Some(symbol)
        };
        let declared = below(code, method).find(declares)?;
        let value = code
            .child(declared, NodeRole::Value)
            .filter(|one| code.is(*one, NodeKind::ArrayAccess))?;
        let [array, index] = code.children(value)[..] else { return None };
        Some((array, index))
    };
    let ((left, low), (right, high)) = (element(first)?, element(second)?);
    if code.written(left) != code.written(right) {
        return None;
    }
    let both = format!("({}, {})", code.written(low), code.written(high));
    Some(vec![
        Edit::replace(code.bytes(low), format!("Math.min{both}")),
        Edit::replace(code.bytes(high), format!("Math.max{both}")),
    ])
}

/// Replaces a pool whose threads can all wait for each other with one that grows on demand.
pub(crate) fn pools(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !scene.fails_by(&["deadlock", "lost_signal"]) {
        return;
    }
    for (file, code) in scene.main() {
        for call in calls_below(code, 0, &["newFixedThreadPool", "newSingleThreadExecutor"]) {
            let Some(name) = renamed(code, call, "newCachedThreadPool") else { continue };
            let mut edits = vec![name];
            let arguments = crate::evidence::calls::arguments(code, call);
            let size = arguments.first().filter(|_| called(code, call) == "newFixedThreadPool");
            if let Some(size) = size.map(|size| code.bytes(*size)) {
                let end = arguments.get(1).map_or(size.end, |factory| code.bytes(*factory).start);
                edits.push(Edit::replace(size.start..end, ""));
            }
            let why = "the pool grows on demand, so waiting tasks do not block the tasks that they wait for";
            out.add_in(file, ConcurrencyOperator::Pool, 0.7, edits, why.to_owned());
        }
    }
}
