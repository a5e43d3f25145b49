//! Counters that become atomic, and steps of several calls of an atomic that become one.

use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, bare, call_of, called, is_written, next, receiver, routine,
};
use crate::fixes::layout::{free_name, has_modifier, imported, removed, without_modifier};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use mend_java::{Code, is_closed};
use mend_java::{Edit, edited};
use std::collections::BTreeSet;

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for variable in scene.variables() {
        counters(scene, variable, out);
    }
    for (file, code) in scene.main() {
        for id in 0..code.tree.nodes.len() {
            let found = best_so_far(code, id)
                .or_else(|| set_from_get(code, id))
                .or_else(|| taken_and_set(code, id));
            if let Some((edits, how)) = found {
                let why = format!("{how} replaces two separate steps with one atomic step");
                out.add_in(file, ConcurrencyOperator::Atomic, 0.98, edits, why);
            }
        }
    }
}

/// Returns the atomic class for a primitive type.
fn atomic_of(ty: &str) -> Option<&'static str> {
    match ty {
        "int" => Some("AtomicInteger"),
        "long" => Some("AtomicLong"),
        _ => None,
    }
}

/// Makes a counter atomic, together with the counters of the same routines.
fn counters(scene: &BugContext<'_>, variable: SymbolId, out: &mut CandidateCollector<'_>) {
    let Some((file, declared)) = scene.declaration(variable) else { return };
    let code = scene.code(file);
    if !is_counter(scene, variable, file) {
        return;
    }
    let symbol = code.facts.symbol(variable);
    let mut all = BTreeSet::from([variable]);
    let own = routines(scene, variable);
    for (other, one) in code.facts.symbols().iter().enumerate() {
        let is_alike = one.kind == SymbolKind::Field
            && one.owner == symbol.owner
            && one.ty.erased == symbol.ty.erased;
        let is_beside = || routines(scene, other).intersection(&own).next().is_some();
        if is_alike && is_counter(scene, other, file) && is_beside() {
            all.insert(other);
        }
    }
    let mut edits = Vec::new();
    for one in &all {
        let Some(more) = converted(scene, *one) else { return };
        edits.extend(more);
    }
    let Some(class) = atomic_of(code.facts.text(symbol.ty.erased)) else { return };
    edits.extend(imported(code, &format!("java.util.concurrent.atomic.{class}")));
    let names: Vec<&str> = all.iter().map(|one| code.facts.name(*one)).collect();
    let verb = if names.len() > 1 { "become" } else { "becomes" };
    let why = format!("{} {verb} {class}, so each update is atomic", names.join(" and "));
    let is_locked = code.class_of(declared).is_some_and(|class| {
        let text = code.written(class);
        text.contains("synchronized") || text.contains(".lock()")
    });
    out.add_in(file, ConcurrencyOperator::Atomic, if is_locked { 0.55 } else { 0.97 }, edits, why);
}

fn routines(scene: &BugContext<'_>, variable: SymbolId) -> BTreeSet<NodeIndex> {
    let uses = scene.uses(variable).into_iter();
    uses.filter_map(|(file, node)| routine(scene.code(file), node)).collect()
}

/// Returns true if a field is a number that is only incremented and decremented, in one file.
fn is_counter(scene: &BugContext<'_>, variable: SymbolId, file: usize) -> bool {
    let Some((home, declared)) = scene.declaration(variable) else { return false };
    let code = scene.code(file);
    let ty = code.facts.text(code.facts.symbol(variable).ty.erased);
    let uses = scene.uses(variable);
    let steps = uses.iter().filter(|(_, node)| is_step(code, *node));
    home == file
        && atomic_of(ty).is_some()
        && !has_modifier(code, declared, "final")
        && uses.iter().all(|(one, _)| *one == file)
        && steps.clone().next().is_some()
        && uses.iter().filter(|(_, node)| is_written(code, *node)).count() == steps.count()
}

/// Returns true if a use of a variable adds or subtracts a number.
fn is_step(code: &Code<'_>, node: NodeIndex) -> bool {
    let parent = code.kind(code.parent(node));
    parent.is_step() || code.role(node) == NodeRole::Target && added(code, node).is_some()
}

/// Returns the number that is added to a target, and whether it is subtracted: `y` in `x += y` and in `x = x - y`.
fn added(code: &Code<'_>, node: NodeIndex) -> Option<(NodeIndex, bool)> {
    let assignment = code.parent(node);
    let value = code.child(assignment, NodeRole::Value)?;
    match code.kind(assignment) {
        NodeKind::PlusAssignment => Some((value, false)),
        NodeKind::MinusAssignment => Some((value, true)),
        NodeKind::Assignment => {
            let is_meant = matches!(code.kind(value), NodeKind::Plus | NodeKind::Minus);
            let (left, _, right) = code.binary(value).filter(|_| is_meant)?;
            is_same(code, left, node).then_some((right, code.is(value, NodeKind::Minus)))
        }
        _ => None,
    }
}

/// Returns true if two nodes name the same field of the same object.
fn is_same(code: &Code<'_>, one: NodeIndex, other: NodeIndex) -> bool {
    let [first, second] = [one, other].map(|id| code.written(id).trim_start_matches("this."));
    code.node(one).symbol == code.node(other).symbol && first == second
}

/// Returns true if a node is the second `x` of `x = x + y`.
fn is_added_to(code: &Code<'_>, node: NodeIndex) -> bool {
    let sum = code.parent(node);
    let assignment = code.parent(sum);
    let target = code.child(assignment, NodeRole::Target);
    code.children(sum).first() == Some(&node)
        && code.role(sum) == NodeRole::Value
        && target.is_some_and(|target| is_same(code, node, target) && is_step(code, target))
}

/// Converts a declaration and all uses of a counter to an atomic class.
fn converted(scene: &BugContext<'_>, variable: SymbolId) -> Option<Vec<Edit>> {
    let (file, declared) = scene.declaration(variable)?;
    let code = scene.code(file);
    let ty = code.child(declared, NodeRole::Type)?;
    let class = atomic_of(code.facts.text(code.facts.symbol(variable).ty.erased))?;
    let mut edits = vec![Edit::replace(code.bytes(ty), format!("final {class}"))];
    if has_modifier(code, declared, "volatile") {
        edits.push(without_modifier(code, declared, "volatile")?);
    }
    edits.push(if let Some(value) = code.child(declared, NodeRole::Value) {
        let plain = matches!(code.written(value), "0" | "0L");
        let text = if plain { "" } else { code.written(value) };
        Edit::replace(code.bytes(value), format!("new {class}({text})"))
    } else {
        Edit::insert(code.bytes(declared).end - 1, format!(" = new {class}()"))
    });
    for (_, node) in scene.uses(variable) {
        edits.extend(use_of_atomic(code, node)?);
    }
    Some(edits)
}

fn use_of_atomic(code: &Code<'_>, node: NodeIndex) -> Option<Vec<Edit>> {
    let (parent, name) = (code.parent(node), code.written(node));
    let is_alone = code.is(code.parent(parent), NodeKind::ExpressionStatement);
    if code.kind(parent).is_step() {
        let step = if code.kind(parent).is_increment() { "Increment" } else { "Decrement" };
        let call = if code.kind(parent).is_postfix() && !is_alone {
            format!("getAnd{step}")
        } else {
            format!("{}AndGet", step.to_lowercase())
        };
        return Some(vec![Edit::replace(code.bytes(parent), format!("{name}.{call}()"))]);
    }
    if is_added_to(code, node) {
        return Some(Vec::new());
    }
    if code.role(node) != NodeRole::Target {
        return Some(vec![Edit::replace(code.bytes(node), format!("{name}.get()"))]);
    }
    let (value, is_less) = added(code, node)?;
    let (open, end) = match (is_less, is_closed(code.written(value))) {
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
fn got<'a>(code: &Code<'a>, id: NodeIndex) -> Option<&'a str> {
    let on = receiver(code, id)?;
    (called(code, id) == "get" && is_atomic(code.type_of(on))).then(|| code.written(on))
}

/// Replaces `if (n > x.get()) x.set(n)`, or the opposite comparison.
fn best_so_far(code: &Code<'_>, id: NodeIndex) -> Option<(Vec<Edit>, String)> {
    let condition = code.child(id, NodeRole::Condition).filter(|_| code.is(id, NodeKind::If))?;
    let (left, operator, right) = code.binary(bare(code, condition))?;
    let is_less = match code.text.get(operator)? {
        "<" | "<=" => true,
        ">" | ">=" => false,
        _ => return None,
    };
    let (on, number, is_max) = match (got(code, left), got(code, right)) {
        (Some(on), None) => (on, right, is_less),
        (None, Some(on)) => (on, left, !is_less),
        _ => return None,
    };
    let then = code.child(id, NodeRole::Then)?;
    let inside = if code.is(then, NodeKind::Block) { code.children(then) } else { vec![then] };
    let [only] = inside[..] else { return None };
    let set = code.children(only).first().copied()?;
    let is_set = called(code, set) == "set"
        && receiver(code, set).is_some_and(|one| code.written(one) == on)
        && arguments(code, set).first().map(|one| code.written(*one)) == Some(code.written(number));
    if !is_set || code.child(id, NodeRole::Else).is_some() {
        return None;
    }
    let pick = if is_max { "max" } else { "min" };
    let text = format!("{on}.accumulateAndGet({}, Math::{pick});", code.written(number));
    Some((vec![Edit::replace(code.bytes(id), text)], "accumulateAndGet".to_owned()))
}

/// Replaces `x.set(x.get() + n)`.
fn set_from_get(code: &Code<'_>, id: NodeIndex) -> Option<(Vec<Edit>, String)> {
    let on = receiver(code, id)?;
    if called(code, id) != "set" || !is_atomic(code.type_of(on)) {
        return None;
    }
    let argument = *arguments(code, id).first()?;
    let (left, operator, right) = code.binary(argument)?;
    let is_own = got(code, left) == Some(code.written(on));
    let sign = match code.text.get(operator)? {
        "+" => "",
        "-" => "-",
        _ => return None,
    };
    let text = format!("{}.addAndGet({sign}{})", code.written(on), code.written(right));
    is_own.then(|| (vec![Edit::replace(code.bytes(id), text)], "addAndGet".to_owned()))
}

/// Replaces `int i = x.get(); x.set(…);` if the new value depends on `i`.
fn taken_and_set(code: &Code<'_>, id: NodeIndex) -> Option<(Vec<Edit>, String)> {
    let get = code.child(id, NodeRole::Value).filter(|_| code.is(id, NodeKind::Variable))?;
    let on = got(code, get)?;
    let then = next(code, id)?;
    let set = call_of(code, then)?;
    let is_set = called(code, set) == "set"
        && receiver(code, set).is_some_and(|one| code.written(one) == on);
    let value = *arguments(code, set).first().filter(|_| is_set)?;
    let taken = code.node(id).symbol;
    let uses = (value..code.node(value).end).filter(|one| code.node(*one).symbol == taken);
    let uses: Vec<NodeIndex> = uses.collect();
    if uses.is_empty() {
        return None;
    }
    let name = free_name(code, "value");
    let bytes = code.bytes(value);
    let renamed = uses.iter().map(|one| {
        let at = code.bytes(*one);
        Edit::replace(at.start - bytes.start..at.end - bytes.start, name.as_str())
    });
    let value = edited(code.text.get(bytes.clone())?, &renamed.collect::<Vec<_>>())?;
    let text = format!("{on}.getAndUpdate({name} -> {value})");
    let edits = vec![Edit::replace(code.bytes(get), text), removed(code, then)];
    Some((edits, "getAndUpdate".to_owned()))
}
