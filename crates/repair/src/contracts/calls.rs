//! Calls that are statements of their own.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeRole};

/// Returns the call that a statement consists of, or whose value it only stores.
pub(super) fn called(code: &Code<'_>, statement: NodeIndex) -> Option<NodeIndex> {
    let is_kept = matches!(code.kind(statement), "EXPRESSION_STATEMENT" | "VARIABLE");
    let inner = if code.is(statement, "VARIABLE") {
        code.child(statement, NodeRole::Value)?
    } else {
        *code.children(statement).first().filter(|_| is_kept)?
    };
    let inner =
        if code.is(inner, "ASSIGNMENT") { code.child(inner, NodeRole::Value)? } else { inner };
    Some(inner).filter(|id| code.is(*id, "METHOD_INVOCATION"))
}
