//! Recognises statements that consist of one call.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Returns the call that is the whole statement, or whose result the statement only assigns.
pub(super) fn find_statement_call(code: &Code<'_>, statement: NodeIndex) -> Option<NodeIndex> {
    let has_inner =
        matches!(code.kind(statement), NodeKind::ExpressionStatement | NodeKind::Variable);
    let inner = if code.has_kind(statement, NodeKind::Variable) {
        code.child(statement, NodeRole::Value)?
    } else {
        *code.children(statement).first().filter(|_| has_inner)?
    };
    let inner = if code.has_kind(inner, NodeKind::Assignment) {
        code.child(inner, NodeRole::Value)?
    } else {
        inner
    };
    Some(inner).filter(|id| code.has_kind(*id, NodeKind::MethodInvocation))
}
