//! Makes the check of an `if` and its first reaction one atomic step. The code after it can wait for threads.

use super::layout::{free_name, line_before, removed, unit};
use crate::evidence::calls::{called, meets_threads};
use crate::evidence::locks::Lock;
use crate::evidence::regions::AtomicRegion;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Returns the edits that check and act under a lock, and save the result of the check for the code outside it.
pub(crate) fn asked_and_taken(
    code: &Code<'_>,
    region: &AtomicRegion,
    choice: NodeIndex,
    lock: &Lock,
) -> Option<Vec<Edit>> {
    let condition =
        code.child(choice, NodeRole::Condition).filter(|_| code.is(choice, NodeKind::If))?;
    let then = code.child(choice, NodeRole::Then).filter(|id| code.is(*id, NodeKind::Block))?;
    let [taken, _, ..] = code.children(then)[..] else { return None };
    let holds = |outer: NodeIndex, id: &NodeIndex| (outer..code.node(outer).end).contains(id);
    let asks = region.nodes.iter().filter(|id| holds(condition, id)).count();
    let takes = region.nodes.iter().filter(|id| holds(taken, id)).count();
    let is_step = asks > 0 && takes > 0 && asks + takes == region.nodes.len();
    let is_plain =
        code.is(taken, NodeKind::ExpressionStatement) && !code.written(taken).contains('\n');
    if !is_step || !is_plain || [condition, taken].iter().any(|id| meets_threads(code, *id)) {
        return None;
    }
    let asked = region.nodes.iter().find(|id| holds(condition, id))?;
    let name = free_name(code, answer(called(code, *asked)));
    let (before, after) = lock.acquire_and_release();
    let own = unit(code);
    let step = format!(
        "{name} = {};\nif ({name}) {{\n{own}{}\n}}",
        code.written(crate::evidence::calls::bare(code, condition)),
        code.written(taken)
    );
    let step = step.replace('\n', &format!("\n{own}"));
    let text = format!("boolean {name};\n{before}\n{own}{step}\n{after}");
    Some(vec![
        line_before(code, choice, &text),
        Edit::replace(code.bytes(condition), format!("({name})")),
        removed(code, taken),
    ])
}

/// Returns a variable name for the result of a check. The result of a check that also acts says that it acted.
pub(crate) fn answer(question: &str) -> &str {
    let is_question = ["is", "has", "can"].iter().any(|word| {
        let rest = question.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
    });
    match question {
        _ if is_question => question,
        "add" => "added",
        "remove" => "removed",
        "offer" => "offered",
        _ => "isFree",
    }
}
