//! Fix operator that makes a check and the first action that depends on it one atomic step; the rest runs without the
//! lock.

use super::layout::{indent_unit, insert_line_before, remove_statement, unused_name};
use crate::evidence::calls::{method_name, starts_or_awaits_threads};
use crate::evidence::locks::Lock;
use crate::evidence::regions::AtomicRegion;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Returns the edits that check and act under a lock, and save the result of the check for the code outside it.
pub(crate) fn make_check_atomic(
    code: &Code<'_>,
    region: &AtomicRegion,
    choice: NodeIndex,
    lock: &Lock,
) -> Option<Vec<Edit>> {
    let condition =
        code.child(choice, NodeRole::Condition).filter(|_| code.has_kind(choice, NodeKind::If))?;
    let then =
        code.child(choice, NodeRole::Then).filter(|id| code.has_kind(*id, NodeKind::Block))?;
    let [action, _, ..] = code.children(then)[..] else { return None };
    let holds =
        |outer: NodeIndex, id: &NodeIndex| (outer..code.node(outer).subtree_end).contains(id);
    let check_count = region.nodes.iter().filter(|id| holds(condition, id)).count();
    let action_count = region.nodes.iter().filter(|id| holds(action, id)).count();
    let is_check_then_act =
        check_count > 0 && action_count > 0 && check_count + action_count == region.nodes.len();
    let is_plain = code.has_kind(action, NodeKind::ExpressionStatement)
        && !code.source_text(action).contains('\n');
    if !is_check_then_act
        || !is_plain
        || [condition, action].iter().any(|id| starts_or_awaits_threads(code, *id))
    {
        return None;
    }
    let check = region.nodes.iter().find(|id| holds(condition, id))?;
    let name = unused_name(code, result_name(method_name(code, *check)));
    let (before, after) = lock.acquire_and_release();
    let own = indent_unit(code);
    let step = format!(
        "{name} = {};\nif ({name}) {{\n{own}{}\n}}",
        code.source_text(crate::evidence::calls::strip_parentheses(code, condition)),
        code.source_text(action)
    );
    let step = step.replace('\n', &format!("\n{own}"));
    let text = format!("boolean {name};\n{before}\n{own}{step}\n{after}");
    Some(vec![
        insert_line_before(code, choice, &text),
        Edit::replace(code.bytes(condition), format!("({name})")),
        remove_statement(code, action),
    ])
}

/// Returns a variable name for the result of a check. If the check also acts, the name says so.
pub(crate) fn result_name(method: &str) -> &str {
    let is_question = ["is", "has", "can"].iter().any(|word| {
        let rest = method.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
    });
    match method {
        _ if is_question => method,
        "add" => "added",
        "remove" => "removed",
        "offer" => "offered",
        _ => "isFree",
    }
}
