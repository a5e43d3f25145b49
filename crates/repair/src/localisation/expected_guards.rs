//! Guards that throw an exception which failing tests expect.

use crate::localisation::diagnosis::Diagnosis;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Returns true if a statement is a condition that only throws, if it holds, an exception that a failing test expects.
pub(crate) fn guards_expected_exception(
    code: &Code<'_>,
    statement: NodeIndex,
    diagnosis: &Diagnosis,
) -> bool {
    if !code.has_kind(statement, NodeKind::If) || diagnosis.expected_exceptions.is_empty() {
        return false;
    }
    let Some(branch) = code.child(statement, NodeRole::Then) else { return false };
    let only_statement = match &code.children(branch)[..] {
        [only] if code.has_kind(branch, NodeKind::Block) => *only,
        _ => branch,
    };
    let thrown = code
        .child(only_statement, NodeRole::Value)
        .filter(|_| code.has_kind(only_statement, NodeKind::Throw));
    let is_expected = |class: &String| {
        thrown.is_some_and(|thrown| {
            let ty = code.type_of(thrown);
            let found = code.facts.find_class(ty);
            ty == class || found.is_some_and(|found| code.facts.is_subtype_of(found, class))
        })
    };
    diagnosis.expected_exceptions.iter().any(is_expected)
}
