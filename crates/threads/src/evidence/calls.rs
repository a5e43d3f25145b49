//! Syntax queries about calls, their receivers and arguments, and the enclosing statements and routines.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};

/// Returns the name of the method that an invocation calls.
pub(crate) fn method_name<'a>(code: &Code<'a>, call: NodeIndex) -> &'a str {
    let Some(callee) = code.child(call, NodeRole::Callee) else { return "" };
    match code.kind(callee) {
        NodeKind::MemberSelect => {
            code.source_text(callee).rsplit('.').next().unwrap_or_default().trim()
        }
        _ => code.source_text(callee),
    }
}

/// Returns the explicit receiver of a call.
pub(crate) fn receiver(code: &Code<'_>, call: NodeIndex) -> Option<NodeIndex> {
    let callee = code
        .child(call, NodeRole::Callee)
        .filter(|_| code.has_kind(call, NodeKind::MethodInvocation))?;
    if !code.has_kind(callee, NodeKind::MemberSelect) {
        return None;
    }
    code.children(callee).first().copied()
}

/// Returns the type of a declared variable without its arguments.
pub(crate) fn declared_type<'a>(code: &Code<'a>, variable: NodeIndex) -> &'a str {
    code.symbol(variable).map_or("", |symbol| code.facts.text(symbol.ty.erased))
}

/// Returns the arguments of a call or creation.
pub(crate) fn arguments(code: &Code<'_>, call: NodeIndex) -> Vec<NodeIndex> {
    let children = code.children(call).into_iter();
    children.filter(|id| code.role(*id) == NodeRole::Argument).collect()
}

/// Returns the nodes below a node, without itself.
pub(crate) fn descendants(code: &Code<'_>, id: NodeIndex) -> std::ops::Range<NodeIndex> {
    id + 1..code.node(id).subtree_end
}

/// Returns the calls of a method of this name below a node.
pub(crate) fn find_calls(code: &Code<'_>, id: NodeIndex, names: &[&str]) -> Vec<NodeIndex> {
    let is_meant = |node: &NodeIndex| {
        code.has_kind(*node, NodeKind::MethodInvocation)
            && names.contains(&method_name(code, *node))
    };
    descendants(code, id).filter(is_meant).collect()
}

/// Returns true if executing a node starts threads or waits for them. A lock must not be held there, and shared fields
/// must be read again afterwards.
pub(crate) fn starts_or_awaits_threads(code: &Code<'_>, id: NodeIndex) -> bool {
    const THREAD_METHODS: [&str; 7] =
        ["start", "join", "sleep", "await", "awaitTermination", "invokeAll", "wait"];
    let calls = code.nodes_within(id, NodeKind::MethodInvocation);
    let mut own = calls.filter(|call| runs_with(code, *call, id));
    own.any(|call| THREAD_METHODS.contains(&method_name(code, call)) || is_wait(code, call))
}

/// Returns true if a JDK call waits for other threads.
pub(crate) fn is_wait(code: &Code<'_>, call: NodeIndex) -> bool {
    let class = receiver(code, call).map_or("", |on| code.type_of(on));
    let is_concurrent = class.starts_with("java.util.concurrent.");
    match method_name(code, call) {
        "join" => class == "java.lang.Thread" || is_concurrent,
        "await" | "awaitTermination" | "invokeAll" | "invokeAny" | "acquire" | "exchange" => {
            is_concurrent
        }
        "take" | "put" => class.ends_with("Queue") || class.ends_with("Deque"),
        "get" => class.ends_with("Future"),
        _ => false,
    }
}

/// Returns true if a node runs whenever `outer` runs: no lambda and no class is in between.
pub(crate) fn runs_with(code: &Code<'_>, id: NodeIndex, outer: NodeIndex) -> bool {
    code.self_and_ancestors(id).take_while(|node| *node != outer).all(|node| {
        !code.has_kind(node, NodeKind::LambdaExpression) && !code.is_type_declaration(node)
    })
}

/// Returns the method, constructor or lambda that a node runs in.
pub(crate) fn enclosing_routine(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    code.self_and_ancestors(id).skip(1).find(|node| code.kind(*node).is_routine())
}

/// Returns true for a constructor.
pub(crate) fn is_constructor(code: &Code<'_>, routine: NodeIndex) -> bool {
    let kind = code.symbol(routine).map(|symbol| symbol.kind);
    code.has_kind(routine, NodeKind::Method) && kind == Some(SymbolKind::Constructor)
}

/// Returns the block of a method or of a lambda that has one.
pub(crate) fn block_body(code: &Code<'_>, routine: NodeIndex) -> Option<NodeIndex> {
    code.child(routine, NodeRole::Body).filter(|body| code.has_kind(*body, NodeKind::Block))
}

/// Returns the statement that a node belongs to, without leaving its routine.
pub(crate) fn enclosing_statement(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    code.self_and_ancestors(id)
        .take_while(|node| !code.kind(*node).is_routine())
        .find(|node| code.is_statement(*node))
}

/// Returns the block around a node, and the child of the block that contains the node.
pub(crate) fn enclosing_block(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    let mut inner = id;
    for node in code.self_and_ancestors(id).skip(1) {
        match code.kind(node) {
            NodeKind::Block => return Some((node, inner)),
            NodeKind::Method | NodeKind::LambdaExpression => return None,
            _ => inner = node,
        }
    }
    None
}

/// Returns the statement after one in its block.
pub(crate) fn next_statement(code: &Code<'_>, statement: NodeIndex) -> Option<NodeIndex> {
    let all = code.children(code.parent(statement));
    let at = all.iter().position(|one| *one == statement)?;
    all.get(at + 1).copied().filter(|_| code.has_kind(code.parent(statement), NodeKind::Block))
}

/// Returns the call that a statement consists of.
pub(crate) fn statement_call(code: &Code<'_>, statement: NodeIndex) -> Option<NodeIndex> {
    let call = code.children(statement).first().copied();
    call.filter(|_| code.has_kind(statement, NodeKind::ExpressionStatement))
}

/// Returns the expression inside any number of parentheses.
pub(crate) fn strip_parentheses(code: &Code<'_>, id: NodeIndex) -> NodeIndex {
    match code.children(id)[..] {
        [inner] if code.has_kind(id, NodeKind::Parenthesized) => strip_parentheses(code, inner),
        _ => id,
    }
}

/// Returns true for a write: an assignment's target, or the operand of an increment or decrement.
pub(crate) fn is_write(code: &Code<'_>, id: NodeIndex) -> bool {
    code.role(id) == NodeRole::Target || code.kind(code.parent(id)).is_step()
}

/// Returns true if a routine can throw a call's `InterruptedException`.
pub(crate) fn handles_interrupt(code: &Code<'_>, at: NodeIndex) -> bool {
    for node in code.self_and_ancestors(at).skip(1) {
        match code.kind(node) {
            NodeKind::Try => {
                let catches = code
                    .children(node)
                    .into_iter()
                    .filter(|one| code.has_kind(*one, NodeKind::Catch));
                let mut caught = catches.map(|one| code.source_text(one));
                if caught.any(|text| text.contains("InterruptedException")) {
                    return true;
                }
            }
            NodeKind::LambdaExpression => return false,
            NodeKind::Method => {
                let Some(symbol) = code.symbol(node) else { return false };
                return symbol.thrown_types.iter().any(|thrown| {
                    matches!(
                        code.facts.text(*thrown),
                        "java.lang.InterruptedException"
                            | "java.lang.Exception"
                            | "java.lang.Throwable"
                    )
                });
            }
            _ => {}
        }
    }
    false
}

/// Returns true if a declaration has a modifier.
pub(crate) fn has_modifier(code: &Code<'_>, id: NodeIndex, modifier: &str) -> bool {
    code.child(id, NodeRole::Modifiers).is_some_and(|modifiers| {
        code.source_text(modifiers).split_whitespace().any(|w| w == modifier)
    })
}
