//! Fix operators that make counters atomic, or merge several calls on an atomic into one.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, enclosing_routine, has_modifier, is_write, method_name, next_statement, receiver,
    statement_call, strip_parentheses,
};
use crate::fixes::layout::{import_class, remove_modifier, remove_statement, unused_name};
use crate::operator::ConcurrencyOperator;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use mend_java::{Code, is_self_contained};
use mend_java::{Edit, apply_edits};
use mend_model::join_with_and;
use std::collections::BTreeSet;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for variable in context.accessed_fields() {
        propose_atomic_counters(context, variable, out);
    }
    for (file, code) in context.main_files() {
        for id in 0..code.tree.nodes.len() {
            let found = replace_conditional_set(code, id)
                .or_else(|| replace_set_of_sum(code, id))
                .or_else(|| replace_get_then_set(code, id));
            if let Some((edits, how)) = found {
                let why = format!("{how} replaces two separate steps with one atomic step");
                out.add_in(file, ConcurrencyOperator::Atomic, 0.98, edits, why);
            }
        }
    }
}

/// Returns the atomic class for a primitive type.
fn atomic_class(ty: &str) -> Option<&'static str> {
    match ty {
        "int" => Some("AtomicInteger"),
        "long" => Some("AtomicLong"),
        _ => None,
    }
}

/// Makes a counter atomic, together with the counters of the same routines.
fn propose_atomic_counters(
    context: &BugContext<'_>,
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let Some((file, declared)) = context.declaration(variable) else { return };
    let code = context.code(file);
    if !is_counter(context, variable, file) {
        return;
    }
    let symbol = code.facts.symbol(variable);
    let mut all = BTreeSet::from([variable]);
    let own = routines_using(context, variable);
    for (other, one) in code.facts.symbols().iter().enumerate() {
        let is_same_type = one.kind == SymbolKind::Field
            && one.owner == symbol.owner
            && one.ty.erased == symbol.ty.erased;
        let shares_routine = || routines_using(context, other).intersection(&own).next().is_some();
        if is_same_type && is_counter(context, other, file) && shares_routine() {
            all.insert(other);
        }
    }
    let mut edits = Vec::new();
    for one in &all {
        let Some(conversion) = convert_counter(context, *one) else { return };
        edits.extend(conversion);
    }
    let Some(class) = atomic_class(code.facts.text(symbol.ty.erased)) else { return };
    edits.extend(import_class(code, &format!("java.util.concurrent.atomic.{class}")));
    let names: Vec<&str> = all.iter().map(|one| code.facts.name(*one)).collect();
    let verb = if names.len() > 1 { "become" } else { "becomes" };
    let why = format!("{} {verb} {class}, so each update is atomic", join_with_and(&names));
    let is_locked = code.enclosing_type(declared).is_some_and(|class| {
        let text = code.source_text(class);
        text.contains("synchronized") || text.contains(".lock()")
    });
    out.add_in(file, ConcurrencyOperator::Atomic, if is_locked { 0.55 } else { 0.97 }, edits, why);
}

fn routines_using(context: &BugContext<'_>, variable: SymbolId) -> BTreeSet<NodeIndex> {
    let uses = context.uses(variable).into_iter();
    uses.filter_map(|(file, node)| enclosing_routine(context.code(file), node)).collect()
}

/// Returns true if a field is a number that is only incremented and decremented, in one file.
fn is_counter(context: &BugContext<'_>, variable: SymbolId, file: usize) -> bool {
    let Some((home, declared)) = context.declaration(variable) else { return false };
    let code = context.code(file);
    let ty = code.facts.text(code.facts.symbol(variable).ty.erased);
    let uses = context.uses(variable);
    let increments = uses.iter().filter(|(_, node)| is_increment(code, *node));
    home == file
        && atomic_class(ty).is_some()
        && !has_modifier(code, declared, "final")
        && uses.iter().all(|(one, _)| *one == file)
        && increments.clone().next().is_some()
        && uses.iter().filter(|(_, node)| is_write(code, *node)).count() == increments.count()
}

/// Returns true if a use of a variable adds or subtracts a number.
fn is_increment(code: &Code<'_>, node: NodeIndex) -> bool {
    let parent = code.kind(code.parent(node));
    parent.is_step() || code.role(node) == NodeRole::Target && added_value(code, node).is_some()
}

/// Returns the number that is added to a target, and whether it is subtracted: `y` in `x += y` and in `x = x - y`.
fn added_value(code: &Code<'_>, node: NodeIndex) -> Option<(NodeIndex, bool)> {
    let assignment = code.parent(node);
    let value = code.child(assignment, NodeRole::Value)?;
    match code.kind(assignment) {
        NodeKind::PlusAssignment => Some((value, false)),
        NodeKind::MinusAssignment => Some((value, true)),
        NodeKind::Assignment => {
            let is_meant = matches!(code.kind(value), NodeKind::Plus | NodeKind::Minus);
            let (left, _, right) = code.binary_operands(value).filter(|_| is_meant)?;
            is_same_field(code, left, node)
                .then_some((right, code.has_kind(value, NodeKind::Minus)))
        }
        _ => None,
    }
}

/// Returns true if two nodes name the same field of the same object.
fn is_same_field(code: &Code<'_>, one: NodeIndex, other: NodeIndex) -> bool {
    let [first, second] = [one, other].map(|id| code.source_text(id).trim_start_matches("this."));
    code.node(one).symbol == code.node(other).symbol && first == second
}

/// Returns true if a node is the second `x` of `x = x + y`.
fn is_first_addend(code: &Code<'_>, node: NodeIndex) -> bool {
    let sum = code.parent(node);
    let assignment = code.parent(sum);
    let target = code.child(assignment, NodeRole::Target);
    code.children(sum).first() == Some(&node)
        && code.role(sum) == NodeRole::Value
        && target
            .is_some_and(|target| is_same_field(code, node, target) && is_increment(code, target))
}

/// Converts a declaration and all uses of a counter to an atomic class.
fn convert_counter(context: &BugContext<'_>, variable: SymbolId) -> Option<Vec<Edit>> {
    let (file, declared) = context.declaration(variable)?;
    let code = context.code(file);
    let ty = code.child(declared, NodeRole::Type)?;
    let class = atomic_class(code.facts.text(code.facts.symbol(variable).ty.erased))?;
    let mut edits = vec![Edit::replace(code.bytes(ty), format!("final {class}"))];
    if has_modifier(code, declared, "volatile") {
        edits.push(remove_modifier(code, declared, "volatile")?);
    }
    edits.push(if let Some(value) = code.child(declared, NodeRole::Value) {
        let plain = matches!(code.source_text(value), "0" | "0L");
        let text = if plain { "" } else { code.source_text(value) };
        Edit::replace(code.bytes(value), format!("new {class}({text})"))
    } else {
        Edit::insert(code.bytes(declared).end - 1, format!(" = new {class}()"))
    });
    for (_, node) in context.uses(variable) {
        edits.extend(convert_use(code, node)?);
    }
    Some(edits)
}

fn convert_use(code: &Code<'_>, node: NodeIndex) -> Option<Vec<Edit>> {
    let (parent, name) = (code.parent(node), code.source_text(node));
    let is_alone = code.has_kind(code.parent(parent), NodeKind::ExpressionStatement);
    if code.kind(parent).is_step() {
        let step = if code.kind(parent).is_increment() { "Increment" } else { "Decrement" };
        let call = if code.kind(parent).is_postfix() && !is_alone {
            format!("getAnd{step}")
        } else {
            format!("{}AndGet", step.to_lowercase())
        };
        return Some(vec![Edit::replace(code.bytes(parent), format!("{name}.{call}()"))]);
    }
    if is_first_addend(code, node) {
        return Some(Vec::new());
    }
    if code.role(node) != NodeRole::Target {
        return Some(vec![Edit::replace(code.bytes(node), format!("{name}.get()"))]);
    }
    let (value, is_less) = added_value(code, node)?;
    let (open, end) = match (is_less, is_self_contained(code.source_text(value))) {
        (false, _) => (".addAndGet(", ")"),
        (true, true) => (".addAndGet(-", ")"),
        (true, false) => (".addAndGet(-(", "))"),
    };
    let head = code.bytes(node).end..code.bytes(value).start;
    let close = Edit::replace(code.bytes(value).end..code.bytes(parent).end, end);
    Some(vec![Edit::replace(head, open), close])
}

/// Returns true for the type of an atomic number.
fn is_atomic(ty: &str) -> bool {
    matches!(
        ty,
        "java.util.concurrent.atomic.AtomicInteger" | "java.util.concurrent.atomic.AtomicLong"
    )
}

/// Returns the receiver of `x.get()`, for an atomic `x`.
fn atomic_get_receiver<'a>(code: &Code<'a>, id: NodeIndex) -> Option<&'a str> {
    let on = receiver(code, id)?;
    (method_name(code, id) == "get" && is_atomic(code.type_of(on))).then(|| code.source_text(on))
}

/// Replaces `if (n > x.get()) x.set(n)`, or the opposite comparison.
fn replace_conditional_set(code: &Code<'_>, id: NodeIndex) -> Option<(Vec<Edit>, String)> {
    let condition =
        code.child(id, NodeRole::Condition).filter(|_| code.has_kind(id, NodeKind::If))?;
    let (left, operator, right) = code.binary_operands(strip_parentheses(code, condition))?;
    let is_less = match code.text.get(operator)? {
        "<" | "<=" => true,
        ">" | ">=" => false,
        _ => return None,
    };
    let (on, number, is_max) =
        match (atomic_get_receiver(code, left), atomic_get_receiver(code, right)) {
            (Some(on), None) => (on, right, is_less),
            (None, Some(on)) => (on, left, !is_less),
            _ => return None,
        };
    let then = code.child(id, NodeRole::Then)?;
    let branch =
        if code.has_kind(then, NodeKind::Block) { code.children(then) } else { vec![then] };
    let [only] = branch[..] else { return None };
    let set = code.children(only).first().copied()?;
    let is_set = method_name(code, set) == "set"
        && receiver(code, set).is_some_and(|one| code.source_text(one) == on)
        && arguments(code, set).first().map(|one| code.source_text(*one))
            == Some(code.source_text(number));
    if !is_set || code.child(id, NodeRole::Else).is_some() {
        return None;
    }
    let pick = if is_max { "max" } else { "min" };
    let text = format!("{on}.accumulateAndGet({}, Math::{pick});", code.source_text(number));
    Some((vec![Edit::replace(code.bytes(id), text)], "accumulateAndGet".to_owned()))
}

/// Replaces `x.set(x.get() + n)`.
fn replace_set_of_sum(code: &Code<'_>, id: NodeIndex) -> Option<(Vec<Edit>, String)> {
    let on = receiver(code, id)?;
    if method_name(code, id) != "set" || !is_atomic(code.type_of(on)) {
        return None;
    }
    let argument = *arguments(code, id).first()?;
    let (left, operator, right) = code.binary_operands(argument)?;
    let is_own = atomic_get_receiver(code, left) == Some(code.source_text(on));
    let sign = match code.text.get(operator)? {
        "+" => "",
        "-" => "-",
        _ => return None,
    };
    let text = format!("{}.addAndGet({sign}{})", code.source_text(on), code.source_text(right));
    is_own.then(|| (vec![Edit::replace(code.bytes(id), text)], "addAndGet".to_owned()))
}

/// Replaces `int i = x.get(); x.set(…);` if the new value depends on `i`.
fn replace_get_then_set(code: &Code<'_>, id: NodeIndex) -> Option<(Vec<Edit>, String)> {
    let get = code.child(id, NodeRole::Value).filter(|_| code.has_kind(id, NodeKind::Variable))?;
    let on = atomic_get_receiver(code, get)?;
    let then = next_statement(code, id)?;
    let set = statement_call(code, then)?;
    let is_set = method_name(code, set) == "set"
        && receiver(code, set).is_some_and(|one| code.source_text(one) == on);
    let value = *arguments(code, set).first().filter(|_| is_set)?;
    let variable = code.node(id).symbol;
    let uses =
        (value..code.node(value).subtree_end).filter(|one| code.node(*one).symbol == variable);
    let uses: Vec<NodeIndex> = uses.collect();
    if uses.is_empty() {
        return None;
    }
    let name = unused_name(code, "value");
    let bytes = code.bytes(value);
    let renamed = uses.iter().map(|one| {
        let at = code.bytes(*one);
        Edit::replace(at.start - bytes.start..at.end - bytes.start, name.as_str())
    });
    let value = apply_edits(code.text.get(bytes.clone())?, &renamed.collect::<Vec<_>>())?;
    let text = format!("{on}.getAndUpdate({name} -> {value})");
    let edits = vec![Edit::replace(code.bytes(get), text), remove_statement(code, then)];
    Some((edits, "getAndUpdate".to_owned()))
}
