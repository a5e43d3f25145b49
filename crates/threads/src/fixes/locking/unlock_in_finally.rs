//! Releases a lock in a `finally` block, so that no thread waits forever for the lock of a failed thread.

use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::body;
use crate::evidence::locks::{CriticalSection, Lock, is_given_back_once, sections};
use crate::evidence::regions::needed;
use crate::fixes::layout::{removed, wrapped};
use crate::fixes::locking::synchronized::title;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind};

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !scene.fails_by(&["deadlock", "lost_signal"]) {
        return;
    }
    for (file, code) in scene.main() {
        for method in code.nodes_of_kind(NodeKind::Method) {
            let Some(block) = body(code, method) else { continue };
            for section in sections(code, block) {
                let Some(edits) = given_back_at_last(code, block, &section) else { continue };
                let why = format!(
                    "{} releases {} in a finally block, even after an exception",
                    title(code, method),
                    section.lock.describe()
                );
                out.add_in(file, ConcurrencyOperator::OtherLock, 0.97, edits, why);
            }
        }
    }
}

/// Puts the statements after an acquisition into a `try` that releases the lock in `finally`, and removes the old
/// release.
fn given_back_at_last(
    code: &Code<'_>,
    block: NodeIndex,
    section: &CriticalSection,
) -> Option<Vec<Edit>> {
    let Lock::Explicit(lock) = &section.lock else { return None };
    let is_plain = code.is(section.given, NodeKind::ExpressionStatement);
    if !is_plain || !is_given_back_once(code, section) {
        return None;
    }
    let all = code.children(block);
    let inner = |id: &&NodeIndex| (section.taken + 1..section.given).contains(*id);
    let (first, before) = (*all.iter().find(inner)?, *all.iter().rev().find(inner)?);
    let last = needed(code, block, first, section.given);
    let around = ("try {", format!("}} finally {{\n    {lock}.unlock();\n}}"));
    let around = (around.0, around.1.as_str());
    let gone = removed(code, section.given);
    Some(if last == section.given {
        vec![wrapped(code, (first, before), around, &[])?, gone]
    } else {
        vec![wrapped(code, (first, last), around, &[gone])?]
    })
}
