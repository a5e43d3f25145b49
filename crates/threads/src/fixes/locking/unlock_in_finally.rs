//! Fix operator that releases a lock in a `finally` block, so that an exception does not leave it locked.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::block_body;
use crate::evidence::locks::{CriticalSection, Lock, find_sections, is_released_once};
use crate::evidence::regions::last_dependent_statement;
use crate::fixes::layout::{remove_statement, wrap_statements};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind};

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !context.has_failure_kind(&["deadlock", "lost_signal"]) {
        return;
    }
    for (file, code) in context.main_files() {
        for method in code.nodes_of_kind(NodeKind::Method) {
            let Some(block) = block_body(code, method) else { continue };
            for section in find_sections(code, block) {
                let Some(edits) = release_in_finally(code, block, &section) else { continue };
                let why = format!(
                    "{} releases {} in a finally block, even after an exception",
                    routine_title(code, method),
                    section.lock.describe()
                );
                out.add_in(file, ConcurrencyOperator::OtherLock, 0.97, edits, why);
            }
        }
    }
}

/// Puts the statements after an acquisition into a `try` that releases the lock in `finally`, and removes the old
/// release.
fn release_in_finally(
    code: &Code<'_>,
    block: NodeIndex,
    section: &CriticalSection,
) -> Option<Vec<Edit>> {
    let Lock::Explicit(lock) = &section.lock else { return None };
    let is_plain = code.has_kind(section.release, NodeKind::ExpressionStatement);
    if !is_plain || !is_released_once(code, section) {
        return None;
    }
    let all = code.children(block);
    let inner = |id: &&NodeIndex| (section.acquisition + 1..section.release).contains(*id);
    let (first, before) = (*all.iter().find(inner)?, *all.iter().rev().find(inner)?);
    let last = last_dependent_statement(code, block, first, section.release);
    let wrapper = ("try {", format!("}} finally {{\n    {lock}.unlock();\n}}"));
    let wrapper = (wrapper.0, wrapper.1.as_str());
    let removal = remove_statement(code, section.release);
    Some(if last == section.release {
        vec![wrap_statements(code, (first, before), wrapper, &[])?, removal]
    } else {
        vec![wrap_statements(code, (first, last), wrapper, &[removal])?]
    })
}
