//! Guards that throw an exception which failing tests expect.

use crate::localisation::diagnosis::Diagnosis;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Returns true if a statement is a guard that throws an exception which a failing test expects.
pub(crate) fn guards_expected_exception(
    code: &Code<'_>,
    statement: NodeIndex,
    diagnosis: &Diagnosis,
) -> bool {
    if diagnosis.expected_exceptions.is_empty() || !code.is_guard(statement) {
        return false;
    }
    let mut inside = statement..code.node(statement).subtree_end;
    let throw = inside.find(|id| code.has_kind(*id, NodeKind::Throw));
    let thrown = throw.and_then(|throw| code.child(throw, NodeRole::Value));
    let is_expected = |class: &String| {
        thrown.is_some_and(|thrown| {
            let ty = code.type_of(thrown);
            let found = code.facts.find_class(ty);
            ty == class || found.is_some_and(|found| code.facts.is_subtype_of(found, class))
        })
    };
    diagnosis.expected_exceptions.iter().any(is_expected)
}
