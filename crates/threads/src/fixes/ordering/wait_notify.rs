//! Fix operators for wait and notify: wait in a loop, check under the lock, and notify all waiting threads.

use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, declared_type, descendants, enclosing_block, enclosing_routine, enclosing_statement,
    find_calls, method_name, receiver,
};
use crate::fixes::layout::indent_unit;
use crate::fixes::locking::synchronized::routine_title;
use crate::fixes::locking::wrong_locks::replace_method_name;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for (file, code) in context.main_files() {
        for call in find_calls(code, 0, &["wait", "await"]) {
            if !is_condition_wait(code, call) {
                continue;
            }
            propose_wait_loop(code, file, call, out);
            propose_check_under_lock(code, file, call, out);
            propose_guarded_wait(code, file, call, out);
        }
        propose_other_condition(code, file, out);
    }
    propose_notify_all(context, out);
}

/// Returns true if a thread waits for a signal there, not for a latch, a barrier or a timeout.
fn is_condition_wait(code: &Code<'_>, call: NodeIndex) -> bool {
    match receiver(code, call) {
        _ if !arguments(code, call).is_empty() => false,
        Some(on) if method_name(code, call) == "await" => code.type_of(on).ends_with(".Condition"),
        Some(_) => true,
        None => method_name(code, call) == "wait",
    }
}

/// Returns the branch that only waits.
fn waiting_branch(code: &Code<'_>, call: NodeIndex) -> Option<NodeIndex> {
    let own = enclosing_statement(code, call)?;
    let parent = code.parent(own);
    let holder = if code.has_kind(parent, NodeKind::Block) && code.children(parent).len() == 1 {
        code.parent(parent)
    } else {
        parent
    };
    let is_plain =
        code.has_kind(holder, NodeKind::If) && code.child(holder, NodeRole::Else).is_none();
    is_plain.then_some(holder)
}

/// Replaces `if` around a wait by `while`.
fn propose_wait_loop(
    code: &Code<'_>,
    file: usize,
    call: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let Some(branch) = waiting_branch(code, call) else { return };
    let start = code.bytes(branch).start;
    let edit = Edit::replace(start..start + "if".len(), "while");
    let own = enclosing_routine(code, call).map_or(String::new(), |own| routine_title(code, own));
    let why = format!(
        "{own} checks its condition again after each wake-up, as another thread may have changed it"
    );
    out.add_in(file, ConcurrencyOperator::Signal, 0.97, vec![edit], why);
}

/// Checks the condition of a wait under the lock that also guards the signal.
fn propose_check_under_lock(
    code: &Code<'_>,
    file: usize,
    call: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let up = code.self_and_ancestors(call);
    let Some(block) = up.into_iter().find(|id| code.has_kind(*id, NodeKind::Synchronized)) else {
        return;
    };
    let Some(inner) = code.child(block, NodeRole::Body) else { return };
    let parent = code.parent(block);
    let holder = if code.has_kind(parent, NodeKind::Block) { code.parent(parent) } else { parent };
    let is_only = !code.has_kind(parent, NodeKind::Block) || code.children(parent).len() == 1;
    let is_branch = matches!(code.kind(holder), NodeKind::If | NodeKind::WhileLoop)
        && code.child(holder, NodeRole::Else).is_none();
    let (Some(condition), [only]) =
        (code.child(holder, NodeRole::Condition), &code.children(inner)[..])
    else {
        return;
    };
    if !is_only || !is_branch || !(*only..code.node(*only).subtree_end).contains(&call) {
        return;
    }
    let (end, indent, unit) = (code.line_end(), code.indent(holder), indent_unit(code));
    let condition = code.source_text(condition).trim();
    let condition =
        condition.strip_prefix('(').and_then(|c| c.strip_suffix(')')).unwrap_or(condition);
    let head = code.text.get(code.bytes(block).start..code.bytes(inner).start).unwrap_or_default();
    let action = code.source_text(*only);
    let text = format!(
        "{head}{{{end}{indent}{unit}while ({condition}) {{{end}{indent}{unit}{unit}{action}{end}{indent}{unit}}}{end}{indent}}}"
    );
    let why = "the condition is checked in a loop under the lock, so no signal arrives between check and wait";
    let edit = Edit::replace(code.bytes(holder), text);
    out.add_in(file, ConcurrencyOperator::Signal, 0.98, vec![edit], why.to_owned());
}

/// Puts an unconditional wait into a loop that checks its condition.
fn propose_guarded_wait(
    code: &Code<'_>,
    file: usize,
    call: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let (Some(own), Some(outer)) = (enclosing_statement(code, call), enclosing_routine(code, call))
    else {
        return;
    };
    let is_looped =
        code.self_and_ancestors(own).take_while(|id| *id != outer).any(|id| code.is_loop(id));
    let Some((block, _)) =
        enclosing_block(code, own).filter(|_| !is_looped && waiting_branch(code, call).is_none())
    else {
        return;
    };
    let mut distinct = BTreeSet::new();
    for id in code.node(own).subtree_end..code.node(block).subtree_end {
        let symbol = code.node(id).symbol.filter(|symbol| distinct.insert(*symbol));
        let Some(absent) = symbol.and_then(|symbol| absence_condition(code, symbol)) else {
            continue;
        };
        let (end, indent, unit) = (code.line_end(), code.indent(own), indent_unit(code));
        let action = code.source_text(own);
        let text = format!("while ({absent}) {{{end}{indent}{unit}{action}{end}{indent}}}");
        let edit = Edit::replace(code.bytes(own), text);
        let why = format!(
            "{} waits only while {absent}, so an earlier signal is not missed",
            routine_title(code, outer)
        );
        out.add_in(file, ConcurrencyOperator::Signal, 0.96, vec![edit], why);
    }
}

/// Returns the condition that a field has no value yet.
fn absence_condition(code: &Code<'_>, symbol: SymbolId) -> Option<String> {
    let field = code.facts.symbol(symbol);
    if field.kind != SymbolKind::Field {
        return None;
    }
    let (name, ty) = (code.facts.text(field.name), code.facts.text(field.ty.erased));
    let is_collection = ["List", "Deque", "Queue", "Set", "Map", "Collection"]
        .iter()
        .any(|end| ty.starts_with("java.util.") && ty.ends_with(end));
    Some(match ty {
        "boolean" => format!("!{name}"),
        "int" | "long" | "short" | "byte" => format!("{name} == 0"),
        _ if is_collection => format!("{name}.isEmpty()"),
        "char" | "float" | "double" => return None,
        _ => format!("{name} == null"),
    })
}

/// Notifies all waiting threads instead of one.
fn propose_notify_all(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for (one, all) in [("notify", "notifyAll"), ("signal", "signalAll")] {
        let why =
            format!("{all} wakes all waiting threads, not only one that may be unable to continue");
        let mut edits = EditsByFile::new();
        for (file, code) in context.main_files() {
            let calls = find_calls(code, 0, &[one]).into_iter();
            let some: Vec<Edit> =
                calls.filter_map(|call| replace_called_method(code, call, all)).collect();
            out.add_in(file, ConcurrencyOperator::Signal, 0.9, some.clone(), why.clone());
            if !some.is_empty() {
                edits.insert(file, some);
            }
        }
        if edits.len() > 1 {
            out.add(ConcurrencyOperator::Signal, 0.9, edits, why);
        }
    }
}

/// Replaces the method name of a call, with or without a receiver.
fn replace_called_method(code: &Code<'_>, call: NodeIndex, name: &str) -> Option<Edit> {
    let callee = code.child(call, NodeRole::Callee)?;
    if code.has_kind(callee, NodeKind::Identifier) {
        return Some(Edit::replace(code.bytes(callee), name));
    }
    replace_method_name(code, call, name)
}

/// Signals another condition of the same class.
fn propose_other_condition(code: &Code<'_>, file: usize, out: &mut CandidateCollector<'_>) {
    let fields = descendants(code, 0).filter(|id| {
        let is_field = code.has_kind(*id, NodeKind::Variable) && code.role(*id) == NodeRole::Member;
        is_field && declared_type(code, *id).ends_with(".Condition")
    });
    let names: Vec<&str> = fields
        .filter_map(|id| code.symbol(id))
        .map(|symbol| code.facts.text(symbol.name))
        .collect();
    for call in find_calls(code, 0, &["signal", "signalAll"]) {
        let Some(on) = receiver(code, call) else { continue };
        let own =
            enclosing_routine(code, call).map_or(String::new(), |own| routine_title(code, own));
        for name in names.iter().filter(|name| **name != code.source_text(on)) {
            let edit = Edit::replace(code.bytes(on), *name);
            let why = format!("{own} signals {name}, the condition that other threads wait for");
            out.add_in(file, ConcurrencyOperator::Signal, 0.92, vec![edit], why);
        }
    }
}
