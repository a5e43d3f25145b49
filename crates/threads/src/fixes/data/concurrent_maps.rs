//! Asking a concurrent map and then changing it, in one call.

use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{arguments, bare, below, call_of, called, next, receiver};
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for (file, code) in scene.main() {
        for id in 0..code.tree.nodes.len() {
            let found = counted(code, id)
                .or_else(|| counted_at_once(code, id))
                .or_else(|| put_if_absent(code, id))
                .or_else(|| computed(code, id));
            let Some((map, edit, how)) = found.filter(|(map, ..)| is_concurrent(scene, code, *map))
            else {
                continue;
            };
            let why = format!("{how} checks and updates {} in one atomic call", code.written(map));
            out.add_in(file, ConcurrencyOperator::Atomic, 0.98, vec![edit], why);
        }
    }
}

/// Returns the receiver of a map call.
fn map_receiver(code: &Code<'_>, call: NodeIndex, name: &str) -> Option<NodeIndex> {
    receiver(code, call).filter(|_| called(code, call) == name)
}

/// Returns true if single calls of a map are atomic.
fn is_concurrent(scene: &BugContext<'_>, code: &Code<'_>, map: NodeIndex) -> bool {
    let declared = code.node(map).symbol.and_then(|symbol| scene.declaration(symbol));
    let is_made = declared.is_some_and(|(file, id)| {
        let code = scene.code(file);
        let value = code.child(id, NodeRole::Value);
        value.is_some_and(|value| {
            is_for_threads(code.type_of(value)) || called(code, value) == "synchronizedMap"
        })
    });
    is_made || is_for_threads(code.type_of(map))
}

fn is_for_threads(class: &str) -> bool {
    class.contains("Concurrent") || class == "java.util.Hashtable"
}

fn first_argument<'a>(code: &Code<'a>, call: NodeIndex) -> Option<&'a str> {
    arguments(code, call).first().map(|one| code.written(*one))
}

/// Returns the method that adds numbers of a type.
fn sum_of(ty: &str) -> Option<&'static str> {
    match ty {
        "java.lang.Integer" | "int" => Some("Integer::sum"),
        "java.lang.Long" | "long" => Some("Long::sum"),
        _ => None,
    }
}

/// Returns `x` for a condition that is only `x == null` or `x != null`, ignoring parentheses, and true if it requires
/// null.
fn asked_for_null(code: &Code<'_>, condition: NodeIndex) -> Option<(NodeIndex, bool)> {
    let comparison = bare(code, condition);
    let is_equal = code.is(comparison, NodeKind::EqualTo);
    let (left, _, right) = code
        .binary(comparison)
        .filter(|_| is_equal || code.is(comparison, NodeKind::NotEqualTo))?;
    let [left, right] = [bare(code, left), bare(code, right)];
    match (code.is(left, NodeKind::NullLiteral), code.is(right, NodeKind::NullLiteral)) {
        (false, true) => Some((left, is_equal)),
        (true, false) => Some((right, is_equal)),
        _ => None,
    }
}

/// Returns `x` for `x == null`.
fn compared_with_null(code: &Code<'_>, condition: NodeIndex) -> Option<NodeIndex> {
    asked_for_null(code, condition).filter(|(_, is_null)| *is_null).map(|(asked, _)| asked)
}

/// Returns the map call of a condition that only checks whether a key is absent.
fn asks_for_absence(code: &Code<'_>, condition: NodeIndex) -> Option<NodeIndex> {
    let condition = bare(code, condition);
    let (call, name) = if code.is(condition, NodeKind::LogicalComplement) {
        (bare(code, *code.children(condition).first()?), "containsKey")
    } else {
        (compared_with_null(code, condition)?, "get")
    };
    (called(code, call) == name).then_some(call)
}

/// Replaces `V n = map.get(k); map.put(k, n == null ? 1 : n + 1);`, or the form with an `if` and two calls.
fn counted(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, Edit, &'static str)> {
    let get = code.child(id, NodeRole::Value).filter(|_| code.is(id, NodeKind::Variable))?;
    let map = map_receiver(code, get, "get")?;
    let then = next(code, id)?;
    let puts_there = |put: NodeIndex| {
        code.written(map_receiver(code, put, "put")?)
            .eq(code.written(map))
            .then(|| arguments(code, put))
            .filter(|_| first_argument(code, put) == first_argument(code, get))?
            .get(1)
            .copied()
    };
    let (choice, [yes, no]) = if code.is(then, NodeKind::If) {
        let branch = |role| puts_there(call_of(code, only_in(code, code.child(then, role)?)?)?);
        (then, [branch(NodeRole::Then)?, branch(NodeRole::Else)?])
    } else {
        let choice = puts_there(call_of(code, then)?)?;
        (choice, [code.child(choice, NodeRole::Then)?, code.child(choice, NodeRole::Else)?])
    };
    let (asked, is_null) = asked_for_null(code, code.child(choice, NodeRole::Condition)?)?;
    let (start, step) = if is_null { (yes, no) } else { (no, yes) };
    let name = code.facts.text(code.symbol(id)?.name);
    let (left, operator, right) = code.binary(step)?;
    let is_sum = code.text.get(operator)? == "+"
        && code.written(left) == name
        && code.written(right) == code.written(start)
        && code.written(asked) == name;
    let sum = sum_of(code.type_of(left))?;
    let key = first_argument(code, get)?;
    let text = format!("{}.merge({key}, {}, {sum});", code.written(map), code.written(start));
    let bytes = code.bytes(id).start..code.bytes(then).end;
    is_sum.then(|| (map, Edit::replace(bytes, text), "merge"))
}

/// Replaces `map.put(k, map.getOrDefault(k, 0) + n)`.
fn counted_at_once(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, Edit, &'static str)> {
    let map = map_receiver(code, id, "put")
        .filter(|_| code.is(code.parent(id), NodeKind::ExpressionStatement))?;
    let (left, operator, right) = code.binary(*arguments(code, id).get(1)?)?;
    let is_same = code.written(map_receiver(code, left, "getOrDefault")?) == code.written(map)
        && first_argument(code, left) == first_argument(code, id)
        && code.text.get(operator)? == "+"
        && matches!(code.written(*arguments(code, left).get(1)?), "0" | "0L");
    let sum = sum_of(code.type_of(right))?;
    let key = first_argument(code, id)?;
    let text = format!("{}.merge({key}, {}, {sum})", code.written(map), code.written(right));
    is_same.then(|| (map, Edit::replace(code.bytes(id), text), "merge"))
}

/// Returns the only statement of a branch.
fn only_in(code: &Code<'_>, branch: NodeIndex) -> Option<NodeIndex> {
    let inside =
        if code.is(branch, NodeKind::Block) { code.children(branch) } else { vec![branch] };
    let [only] = inside[..] else { return None };
    Some(only)
}

/// Returns the only statement of an `if` without `else`.
fn only_then(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    let then = code.child(id, NodeRole::Then).filter(|_| code.is(id, NodeKind::If))?;
    code.child(id, NodeRole::Else).is_none().then(|| only_in(code, then))?
}

/// Replaces `if (!map.containsKey(k)) map.put(k, v)`, or the form with `map.get(k) == null`. The value is still created
/// only if needed.
fn put_if_absent(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, Edit, &'static str)> {
    let put = call_of(code, only_then(code, id)?)?;
    let map = map_receiver(code, put, "put")?;
    let asks = asks_for_absence(code, code.child(id, NodeRole::Condition)?)?;
    let is_same = code.written(receiver(code, asks)?) == code.written(map)
        && first_argument(code, asks) == first_argument(code, put);
    let made = *arguments(code, put).get(1)?;
    let (key, value) = (first_argument(code, put)?, code.written(made));
    let names_map = |id: NodeIndex| code.node(id).symbol == code.node(map).symbol;
    let (how, value) = if is_pure(code, made) {
        ("putIfAbsent", value.to_owned())
    } else if code.is(made, NodeKind::NewClass) && !below(code, made).any(names_map) {
        ("computeIfAbsent", format!("{} -> {value}", crate::fixes::layout::free_name(code, "key")))
    } else {
        return None;
    };
    let text = format!("{}.{how}({key}, {value});", code.written(map));
    is_same.then(|| (map, Edit::replace(code.bytes(id), text), how))
}

/// Replaces `V v = map.get(k); if (v == null) { v = …; map.put(k, v); }`.
fn computed(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, Edit, &'static str)> {
    let get = code.child(id, NodeRole::Value).filter(|_| code.is(id, NodeKind::Variable))?;
    let map = map_receiver(code, get, "get")?;
    let choice = next(code, id).filter(|one| code.is(*one, NodeKind::If))?;
    let name = code.facts.text(code.symbol(id)?.name);
    let then = code.child(choice, NodeRole::Then).filter(|one| code.is(*one, NodeKind::Block))?;
    let [set, put] = code.children(then)[..] else { return None };
    let (set, put) = (call_of(code, set)?, call_of(code, put)?);
    let value = code.child(set, NodeRole::Value).filter(|_| code.is(set, NodeKind::Assignment))?;
    let target = code.child(set, NodeRole::Target)?;
    let is_same = code.written(target) == name
        && code.written(map_receiver(code, put, "put")?) == code.written(map)
        && first_argument(code, put) == first_argument(code, get)
        && code.written(*arguments(code, put).get(1)?) == name
        && code.child(choice, NodeRole::Else).is_none()
        && code.written(compared_with_null(code, code.child(choice, NodeRole::Condition)?)?)
            == name;
    let key = first_argument(code, put)?;
    let new = crate::fixes::layout::free_name(code, "key");
    let call =
        format!("{}.computeIfAbsent({key}, {new} -> {})", code.written(map), code.written(value));
    let head = code.text.get(code.bytes(id).start..code.bytes(get).start)?;
    let bytes = code.bytes(id).start..code.bytes(choice).end;
    let text = format!("{head}{call};");
    is_same.then(|| (map, Edit::replace(bytes, text), "computeIfAbsent"))
}
