//! Calls that are statements of their own.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Returns the call that a statement consists of, or whose value it only stores.
pub(super) fn called(code: &Code<'_>, statement: NodeIndex) -> Option<NodeIndex> {
    let is_kept =
        matches!(code.kind(statement), NodeKind::ExpressionStatement | NodeKind::Variable);
    let inner = if code.is(statement, NodeKind::Variable) {
        code.child(statement, NodeRole::Value)?
    } else {
        *code.children(statement).first().filter(|_| is_kept)?
    };
    let inner = if code.is(inner, NodeKind::Assignment) {
        code.child(inner, NodeRole::Value)?
    } else {
        inner
    };
    Some(inner).filter(|id| code.is(*id, NodeKind::MethodInvocation))
}
