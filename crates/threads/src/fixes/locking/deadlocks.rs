//! Fix operators for deadlocks: acquire locks in a consistent order, or enlarge pools whose tasks wait for each other.
//!
//! A lock is acquired by a `synchronized` statement, or by a call of a `synchronized` method.

use super::wrong_locks::{explicit_acquisitions, replace_method_name};
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    block_body, descendants, find_calls, has_modifier, is_write, method_name, receiver, runs_with,
    strip_parentheses,
};
use crate::evidence::locks::{class_name, method_lock, monitor_expression};
use crate::fixes::check_then_act::result_name;
use crate::fixes::layout::{
    insert_line_before, remove_modifier, unused_name, wrap_nested, wrap_statements,
};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolKind};

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !context.has_failure_kind(&["deadlock"]) && context.findings.lock_order_cycles.is_empty() {
        return;
    }
    for (file, code) in context.main_files() {
        for outer in 0..code.tree.nodes.len() {
            if code.has_kind(outer, NodeKind::Synchronized) {
                let inner =
                    descendants(code, outer).find(|id| code.has_kind(*id, NodeKind::Synchronized));
                if let Some(inner) = inner {
                    propose_swapped_monitors(code, file, outer, inner, out);
                }
            } else if code.has_kind(outer, NodeKind::Method) {
                order_explicit_locks(code, file, outer, out);
                if has_modifier(code, outer, "synchronized") {
                    propose_both_locks(context, file, outer, out);
                    propose_sequential_locking(context, file, outer, out);
                    propose_release_after_check(context, file, outer, out);
                }
            }
        }
    }
}

/// Swaps the order of two nested monitors.
fn propose_swapped_monitors(
    code: &Code<'_>,
    file: usize,
    outer: NodeIndex,
    inner: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let (Some(one), Some(other)) =
        (monitor_expression(code, outer), monitor_expression(code, inner))
    else {
        return;
    };
    let (first, second) = (code.source_text(one), code.source_text(other));
    let own = code.enclosing_method(outer).map_or(String::new(), |own| routine_title(code, own));
    let swapped =
        vec![Edit::replace(code.bytes(one), second), Edit::replace(code.bytes(other), first)];
    let why = format!("{own} acquires {second} before {first}, the order used elsewhere");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.95, swapped, why);
    let ty = code.type_of(one).rsplit('.').next().unwrap_or_default();
    // Monitors of different types are also nested elsewhere, in their own order.
    if code.type_of(one) != code.type_of(other) {
        return propose_gate_lock(code, file, outer, &own, out);
    }
    let (low, high) = (unused_name(code, "first"), unused_name(code, "second"));
    let order = format!(
        "{ty} {low} = System.identityHashCode({first}) <= System.identityHashCode({second}) ? {first} : {second};\n\
         {ty} {high} = {low} == {first} ? {second} : {first};"
    );
    let edits = vec![
        insert_line_before(code, outer, &order),
        Edit::replace(code.bytes(one), low),
        Edit::replace(code.bytes(other), high),
    ];
    let why = format!("{own} acquires both locks in a fixed order, by identity hash code");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.9, edits, why);
    propose_gate_lock(code, file, outer, &own, out);
}

/// Acquires both locks under a third one.
fn propose_gate_lock(
    code: &Code<'_>,
    file: usize,
    outer: NodeIndex,
    own: &str,
    out: &mut CandidateCollector<'_>,
) {
    let class = class_name(code, outer);
    let before = format!("synchronized ({class}.class) {{");
    if let Some(gate) = wrap_statements(code, (outer, outer), (&before, "}"), &[]) {
        let why = format!(
            "{own} acquires both locks while it holds the lock of the class {class}, so that no other thread acquires one in between"
        );
        out.add_in(file, ConcurrencyOperator::LockOrder, 0.8, vec![gate], why);
    }
}

/// Releases the lock of a `synchronized` method before the method acquires another lock at its end.
fn propose_sequential_locking(
    context: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(file);
    let Some(all) = block_body(code, method).map(|block| code.children(block)) else { return };
    let [first, .., before, last] = &all[..] else {
        let [first, last] = all[..] else { return };
        return propose_split_locking(context, file, method, first, first, last, out);
    };
    propose_split_locking(context, file, method, *first, *before, *last, out);
}

fn propose_split_locking(
    context: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    first: NodeIndex,
    before: NodeIndex,
    last: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(file);
    let declares = code
        .children(code.parent(last))
        .into_iter()
        .any(|id| code.has_kind(id, NodeKind::Variable) && id != last);
    let mut inner = first..code.node(before).subtree_end;
    let others = inner.any(|id| code.has_kind(id, NodeKind::Synchronized));
    let calls = code.has_kind(last, NodeKind::ExpressionStatement)
        && code
            .children(last)
            .first()
            .is_some_and(|call| other_locked_object(context, file, *call).is_some());
    let acquires_lock = matches!(code.kind(last), NodeKind::Synchronized | NodeKind::If)
        && (last..code.node(last).subtree_end).any(|id| code.has_kind(id, NodeKind::Synchronized));
    if !(acquires_lock || calls) || declares || others {
        return;
    }
    let (head, end) = method_lock(code, method).acquire_and_release();
    let block = wrap_statements(code, (first, before), (&head, &end), &[]);
    let (Some(modifier), Some(block)) = (remove_modifier(code, method, "synchronized"), block)
    else {
        return;
    };
    let why =
        format!("{} releases one lock before it acquires the other", routine_title(code, method));
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
fn propose_release_after_check(
    context: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(file);
    let all = block_body(code, method).map(|block| code.children(block)).unwrap_or_default();
    let Some((choice, before)) = all.split_last() else { return };
    let condition =
        code.child(*choice, NodeRole::Condition).filter(|_| code.has_kind(*choice, NodeKind::If));
    let Some(condition) = condition else { return };
    let calls = |at: NodeIndex| {
        (at..code.node(at).subtree_end).any(|id| other_locked_object(context, file, id).is_some())
    };
    // Without the lock, the branches must not read mutable fields.
    let branches = code.node(condition).subtree_end..code.node(*choice).subtree_end;
    let reads_mutable_field = |id: NodeIndex| {
        let symbol = code.symbol(id).filter(|_| code.has_kind(id, NodeKind::Identifier));
        symbol
            .is_some_and(|one| one.kind == SymbolKind::Field && !one.flags.has(SymbolFlags::FINAL))
    };
    let is_separable = !branches.clone().any(reads_mutable_field)
        && !before.iter().any(|id| code.has_kind(*id, NodeKind::Variable) || calls(*id))
        && !calls(condition);
    if !is_separable
        || !branches.into_iter().any(|id| other_locked_object(context, file, id).is_some())
    {
        return;
    }
    let check = strip_parentheses(code, condition);
    let name = unused_name(code, result_name(method_name(code, check)));
    let (head, end) = method_lock(code, method).acquire_and_release();
    let head = format!("boolean {name};\n{head}");
    let step = format!("    {name} = {};\n{end}", code.source_text(check));
    let block = match (before.first(), before.last()) {
        (Some(first), Some(last)) => wrap_statements(code, (*first, *last), (&head, &step), &[]),
        _ => Some(insert_line_before(code, *choice, &format!("{head}\n{step}"))),
    };
    let modifier = remove_modifier(code, method, "synchronized");
    let (Some(block), Some(modifier)) = (block, modifier) else { return };
    let condition_edit = Edit::replace(code.bytes(condition), format!("({name})"));
    let why =
        format!("{} releases its lock before it calls another object", routine_title(code, method));
    out.add_in(
        file,
        ConcurrencyOperator::LockOrder,
        0.96,
        vec![modifier, block, condition_edit],
        why,
    );
}

/// Acquires both locks at the start of a `synchronized` method that calls synchronized methods of one other object. The
/// order is fixed by identity hash codes. For objects of different classes, the lock of the other object comes first,
/// as in its own code.
fn propose_both_locks(
    context: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(file);
    if has_modifier(code, method, "static") {
        return;
    }
    let all = block_body(code, method).map(|block| code.children(block)).unwrap_or_default();
    let ([first, ..], [.., last]) = (&all[..], &all[..]) else { return };
    let calls = descendants(code, method).filter(|id| runs_with(code, *id, method));
    let others: Vec<NodeIndex> =
        calls.filter_map(|id| other_locked_object(context, file, id)).collect();
    let Some(other) = others.first().copied() else { return };
    let name = code.source_text(other);
    let is_made_here = |id: NodeIndex| {
        code.node(id).symbol == code.node(other).symbol
            && (code.has_kind(id, NodeKind::Variable) || is_write(code, id))
    };
    let is_stable = !(*first..code.node(*last).subtree_end).any(is_made_here);
    if !others.iter().all(|one| code.source_text(*one) == name) || !is_stable {
        return;
    }
    let Some(modifier) = remove_modifier(code, method, "synchronized") else { return };
    let class = code.enclosing_type(method).and_then(|class| code.symbol(class));
    let is_alike = class.is_some_and(|one| code.facts.text(one.full_name) == code.type_of(other));
    let own = routine_title(code, method);
    if !is_alike {
        let around = [format!("synchronized ({name}) {{"), "synchronized (this) {".to_owned()];
        let around = [(around[0].as_str(), "}"), (around[1].as_str(), "}")];
        let Some(block) = wrap_nested(code, (*first, *last), &around, &[]) else { return };
        let why = format!("{own} acquires the lock of {name} first, the order used elsewhere");
        return out.add_in(file, ConcurrencyOperator::LockOrder, 0.95, vec![modifier, block], why);
    }
    let ty = class_name(code, method);
    let (low, high) = (unused_name(code, "first"), unused_name(code, "second"));
    let outer = format!(
        "{ty} {low} = System.identityHashCode(this) <= System.identityHashCode({name}) ? this : {name};\n\
         {ty} {high} = {low} == this ? {name} : this;\n\
         synchronized ({low}) {{"
    );
    let inner = format!("synchronized ({high}) {{");
    let Some(block) = wrap_nested(code, (*first, *last), &[(&outer, "}"), (&inner, "}")], &[])
    else {
        return;
    };
    let why = format!("{own} acquires both locks in a fixed order, by identity hash code");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.95, vec![modifier, block], why);
}

/// Returns the parameter or field that is the receiver of a call, if the called method acquires the lock of that
/// object.
fn other_locked_object(
    context: &BugContext<'_>,
    file: usize,
    call: NodeIndex,
) -> Option<NodeIndex> {
    let code = context.code(file);
    let is_other = |on: &NodeIndex| {
        code.has_kind(*on, NodeKind::Identifier)
            && !matches!(code.source_text(*on), "this" | "super")
    };
    let on = receiver(code, call).filter(is_other)?;
    let kind = code.symbol(on)?.kind;
    let callee = code.node(code.child(call, NodeRole::Callee)?).symbol?;
    let (home, declared) = context.declaration(callee)?;
    let is_lock =
        has_modifier(context.code(home), declared, "synchronized") && !context.is_static(callee);
    (is_lock && matches!(kind, SymbolKind::Local | SymbolKind::Field)).then_some(on)
}

/// Orders two locks of `java.util.concurrent` that one routine acquires.
fn order_explicit_locks(
    code: &Code<'_>,
    file: usize,
    method: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let acquisitions = explicit_acquisitions(code, method);
    let [(_, first), (_, second), ..] = acquisitions[..] else { return };
    if code.source_text(first) == code.source_text(second) {
        return;
    }
    let own = routine_title(code, method);
    if let Some(edits) = order_by_index(code, method, first, second) {
        let why = format!("{own} always acquires the lock with the smaller index first");
        out.add_in(file, ConcurrencyOperator::LockOrder, 0.96, edits, why);
    }
    let (a, b) = (code.source_text(first), code.source_text(second));
    let mut swapped = Vec::new();
    // Checks of one lock must also be swapped.
    for on in descendants(code, method).filter_map(|call| receiver(code, call)) {
        let text = code.source_text(on);
        let other = if text == a { b } else { a };
        if text == a || text == b {
            swapped.push(Edit::replace(code.bytes(on), other));
        }
    }
    let why = format!("{own} acquires {b} before {a}, the order used elsewhere");
    out.add_in(file, ConcurrencyOperator::LockOrder, 0.85, swapped, why);
}

/// Orders two locks of one array by index.
fn order_by_index(
    code: &Code<'_>,
    method: NodeIndex,
    first: NodeIndex,
    second: NodeIndex,
) -> Option<Vec<Edit>> {
    let element = |lock: NodeIndex| {
        let symbol = code.node(lock).symbol?;
        let declares = |id: &NodeIndex| {
            code.has_kind(*id, NodeKind::Variable) && code.node(*id).symbol == Some(symbol)
        };
        let declared = descendants(code, method).find(declares)?;
        let value = code
            .child(declared, NodeRole::Value)
            .filter(|one| code.has_kind(*one, NodeKind::ArrayAccess))?;
        let [array, index] = code.children(value)[..] else { return None };
        Some((array, index))
    };
    let ((left, low), (right, high)) = (element(first)?, element(second)?);
    if code.source_text(left) != code.source_text(right) {
        return None;
    }
    let both = format!("({}, {})", code.source_text(low), code.source_text(high));
    Some(vec![
        Edit::replace(code.bytes(low), format!("Math.min{both}")),
        Edit::replace(code.bytes(high), format!("Math.max{both}")),
    ])
}

/// Replaces a pool whose threads can all wait for each other with one that grows on demand.
pub(crate) fn propose_growing_pools(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !context.has_failure_kind(&["deadlock", "lost_signal"]) {
        return;
    }
    for (file, code) in context.main_files() {
        for call in find_calls(code, 0, &["newFixedThreadPool", "newSingleThreadExecutor"]) {
            let Some(name) = replace_method_name(code, call, "newCachedThreadPool") else {
                continue;
            };
            let mut edits = vec![name];
            let arguments = crate::evidence::calls::arguments(code, call);
            let size =
                arguments.first().filter(|_| method_name(code, call) == "newFixedThreadPool");
            if let Some(size) = size.map(|size| code.bytes(*size)) {
                let end = arguments.get(1).map_or(size.end, |factory| code.bytes(*factory).start);
                edits.push(Edit::replace(size.start..end, ""));
            }
            let why = "the pool grows on demand, so waiting tasks do not block the tasks that they wait for";
            out.add_in(file, ConcurrencyOperator::Pool, 0.7, edits, why.to_owned());
        }
    }
}
