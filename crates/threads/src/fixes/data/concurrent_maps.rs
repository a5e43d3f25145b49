//! Fix operators that merge the check and the update of a concurrent map into one atomic call.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, descendants, method_name, next_statement, receiver, statement_call,
    strip_parentheses,
};
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for (file, code) in context.main_files() {
        for id in 0..code.tree.nodes.len() {
            let found = replace_counting(code, id)
                .or_else(|| replace_default_counting(code, id))
                .or_else(|| replace_check_then_put(code, id))
                .or_else(|| replace_get_then_put(code, id));
            let Some((map, edit, how)) =
                found.filter(|(map, ..)| is_concurrent_map(context, code, *map))
            else {
                continue;
            };
            let why =
                format!("{how} checks and updates {} in one atomic call", code.source_text(map));
            out.add_in(file, ConcurrencyOperator::Atomic, 0.98, vec![edit], why);
        }
    }
}

/// Returns the receiver of a map call.
fn map_receiver(code: &Code<'_>, call: NodeIndex, name: &str) -> Option<NodeIndex> {
    receiver(code, call).filter(|_| method_name(code, call) == name)
}

/// Returns true if single calls of a map are atomic.
fn is_concurrent_map(context: &BugContext<'_>, code: &Code<'_>, map: NodeIndex) -> bool {
    let declared = code.node(map).symbol.and_then(|symbol| context.declaration(symbol));
    let is_made = declared.is_some_and(|(file, id)| {
        let code = context.code(file);
        let value = code.child(id, NodeRole::Value);
        value.is_some_and(|value| {
            is_thread_safe_class(code.type_of(value))
                || method_name(code, value) == "synchronizedMap"
        })
    });
    is_made || is_thread_safe_class(code.type_of(map))
}

fn is_thread_safe_class(class: &str) -> bool {
    class.contains("Concurrent") || class == "java.util.Hashtable"
}

fn first_argument<'a>(code: &Code<'a>, call: NodeIndex) -> Option<&'a str> {
    arguments(code, call).first().map(|one| code.source_text(*one))
}

/// Returns the method reference that adds numbers of a type.
fn sum_method(ty: &str) -> Option<&'static str> {
    match ty {
        "java.lang.Integer" | "int" => Some("Integer::sum"),
        "java.lang.Long" | "long" => Some("Long::sum"),
        _ => None,
    }
}

/// Returns `x` for a condition that is only `x == null` or `x != null`, ignoring parentheses, and true if it requires
/// null.
fn null_check(code: &Code<'_>, condition: NodeIndex) -> Option<(NodeIndex, bool)> {
    let comparison = strip_parentheses(code, condition);
    let is_equal = code.has_kind(comparison, NodeKind::EqualTo);
    let (left, _, right) = code
        .binary_operands(comparison)
        .filter(|_| is_equal || code.has_kind(comparison, NodeKind::NotEqualTo))?;
    let [left, right] = [strip_parentheses(code, left), strip_parentheses(code, right)];
    match (code.has_kind(left, NodeKind::NullLiteral), code.has_kind(right, NodeKind::NullLiteral))
    {
        (false, true) => Some((left, is_equal)),
        (true, false) => Some((right, is_equal)),
        _ => None,
    }
}

/// Returns `x` for `x == null`.
fn equal_to_null(code: &Code<'_>, condition: NodeIndex) -> Option<NodeIndex> {
    null_check(code, condition).filter(|(_, is_null)| *is_null).map(|(asked, _)| asked)
}

/// Returns the map call of a condition that only checks whether a key is absent.
fn absence_check(code: &Code<'_>, condition: NodeIndex) -> Option<NodeIndex> {
    let condition = strip_parentheses(code, condition);
    let (call, name) = if code.has_kind(condition, NodeKind::LogicalComplement) {
        (strip_parentheses(code, *code.children(condition).first()?), "containsKey")
    } else {
        (equal_to_null(code, condition)?, "get")
    };
    (method_name(code, call) == name).then_some(call)
}

/// Replaces `V n = map.get(k); map.put(k, n == null ? 1 : n + 1);`, or the form with an `if` and two calls.
fn replace_counting(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, Edit, &'static str)> {
    let get = code.child(id, NodeRole::Value).filter(|_| code.has_kind(id, NodeKind::Variable))?;
    let map = map_receiver(code, get, "get")?;
    let then = next_statement(code, id)?;
    let puts_there = |put: NodeIndex| {
        code.source_text(map_receiver(code, put, "put")?)
            .eq(code.source_text(map))
            .then(|| arguments(code, put))
            .filter(|_| first_argument(code, put) == first_argument(code, get))?
            .get(1)
            .copied()
    };
    let (choice, [yes, no]) = if code.has_kind(then, NodeKind::If) {
        let branch = |role| {
            puts_there(statement_call(code, only_statement(code, code.child(then, role)?)?)?)
        };
        (then, [branch(NodeRole::Then)?, branch(NodeRole::Else)?])
    } else {
        let choice = puts_there(statement_call(code, then)?)?;
        (choice, [code.child(choice, NodeRole::Then)?, code.child(choice, NodeRole::Else)?])
    };
    let (asked, is_null) = null_check(code, code.child(choice, NodeRole::Condition)?)?;
    let (start, step) = if is_null { (yes, no) } else { (no, yes) };
    let name = code.facts.text(code.symbol(id)?.name);
    let (left, operator, right) = code.binary_operands(step)?;
    let is_sum = code.text.get(operator)? == "+"
        && code.source_text(left) == name
        && code.source_text(right) == code.source_text(start)
        && code.source_text(asked) == name;
    let sum = sum_method(code.type_of(left))?;
    let key = first_argument(code, get)?;
    let text =
        format!("{}.merge({key}, {}, {sum});", code.source_text(map), code.source_text(start));
    let bytes = code.bytes(id).start..code.bytes(then).end;
    is_sum.then(|| (map, Edit::replace(bytes, text), "merge"))
}

/// Replaces `map.put(k, map.getOrDefault(k, 0) + n)`.
fn replace_default_counting(
    code: &Code<'_>,
    id: NodeIndex,
) -> Option<(NodeIndex, Edit, &'static str)> {
    let map = map_receiver(code, id, "put")
        .filter(|_| code.has_kind(code.parent(id), NodeKind::ExpressionStatement))?;
    let (left, operator, right) = code.binary_operands(*arguments(code, id).get(1)?)?;
    let is_same = code.source_text(map_receiver(code, left, "getOrDefault")?)
        == code.source_text(map)
        && first_argument(code, left) == first_argument(code, id)
        && code.text.get(operator)? == "+"
        && matches!(code.source_text(*arguments(code, left).get(1)?), "0" | "0L");
    let sum = sum_method(code.type_of(right))?;
    let key = first_argument(code, id)?;
    let text =
        format!("{}.merge({key}, {}, {sum})", code.source_text(map), code.source_text(right));
    is_same.then(|| (map, Edit::replace(code.bytes(id), text), "merge"))
}

/// Returns the only statement of a branch.
fn only_statement(code: &Code<'_>, branch: NodeIndex) -> Option<NodeIndex> {
    let inside =
        if code.has_kind(branch, NodeKind::Block) { code.children(branch) } else { vec![branch] };
    let [only] = inside[..] else { return None };
    Some(only)
}

/// Returns the only statement of an `if` without `else`.
fn only_then_statement(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    let then = code.child(id, NodeRole::Then).filter(|_| code.has_kind(id, NodeKind::If))?;
    code.child(id, NodeRole::Else).is_none().then(|| only_statement(code, then))?
}

/// Replaces `if (!map.containsKey(k)) map.put(k, v)`, or the form with `map.get(k) == null`. The value is still created
/// only if needed.
fn replace_check_then_put(
    code: &Code<'_>,
    id: NodeIndex,
) -> Option<(NodeIndex, Edit, &'static str)> {
    let put = statement_call(code, only_then_statement(code, id)?)?;
    let map = map_receiver(code, put, "put")?;
    let check = absence_check(code, code.child(id, NodeRole::Condition)?)?;
    let is_same = code.source_text(receiver(code, check)?) == code.source_text(map)
        && first_argument(code, check) == first_argument(code, put);
    let new_value = *arguments(code, put).get(1)?;
    let (key, value) = (first_argument(code, put)?, code.source_text(new_value));
    let names_map = |id: NodeIndex| code.node(id).symbol == code.node(map).symbol;
    let (method, value) = if is_pure(code, new_value) {
        ("putIfAbsent", value.to_owned())
    } else if code.has_kind(new_value, NodeKind::NewClass)
        && !descendants(code, new_value).any(names_map)
    {
        (
            "computeIfAbsent",
            format!("{} -> {value}", crate::fixes::layout::unused_name(code, "key")),
        )
    } else {
        return None;
    };
    let text = format!("{}.{method}({key}, {value});", code.source_text(map));
    is_same.then(|| (map, Edit::replace(code.bytes(id), text), method))
}

/// Replaces `V v = map.get(k); if (v == null) { v = …; map.put(k, v); }`.
fn replace_get_then_put(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, Edit, &'static str)> {
    let get = code.child(id, NodeRole::Value).filter(|_| code.has_kind(id, NodeKind::Variable))?;
    let map = map_receiver(code, get, "get")?;
    let choice = next_statement(code, id).filter(|one| code.has_kind(*one, NodeKind::If))?;
    let name = code.facts.text(code.symbol(id)?.name);
    let then =
        code.child(choice, NodeRole::Then).filter(|one| code.has_kind(*one, NodeKind::Block))?;
    let [set, put] = code.children(then)[..] else { return None };
    let (set, put) = (statement_call(code, set)?, statement_call(code, put)?);
    let value =
        code.child(set, NodeRole::Value).filter(|_| code.has_kind(set, NodeKind::Assignment))?;
    let target = code.child(set, NodeRole::Target)?;
    let is_same = code.source_text(target) == name
        && code.source_text(map_receiver(code, put, "put")?) == code.source_text(map)
        && first_argument(code, put) == first_argument(code, get)
        && code.source_text(*arguments(code, put).get(1)?) == name
        && code.child(choice, NodeRole::Else).is_none()
        && code.source_text(equal_to_null(code, code.child(choice, NodeRole::Condition)?)?) == name;
    let key = first_argument(code, put)?;
    let new = crate::fixes::layout::unused_name(code, "key");
    let call = format!(
        "{}.computeIfAbsent({key}, {new} -> {})",
        code.source_text(map),
        code.source_text(value)
    );
    let head = code.text.get(code.bytes(id).start..code.bytes(get).start)?;
    let bytes = code.bytes(id).start..code.bytes(choice).end;
    let text = format!("{head}{call};");
    is_same.then(|| (map, Edit::replace(bytes, text), "computeIfAbsent"))
}
