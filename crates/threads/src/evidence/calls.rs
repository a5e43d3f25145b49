//! Calls, and what they are made on.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};

/// Returns the name of the method that an invocation calls.
pub(crate) fn called<'a>(code: &Code<'a>, call: NodeIndex) -> &'a str {
    let Some(callee) = code.child(call, NodeRole::Callee) else { return "" };
    match code.kind(callee) {
        NodeKind::MemberSelect => {
            code.written(callee).rsplit('.').next().unwrap_or_default().trim()
        }
        _ => code.written(callee),
    }
}

/// Returns the explicit receiver of a call.
pub(crate) fn receiver(code: &Code<'_>, call: NodeIndex) -> Option<NodeIndex> {
    let callee =
        code.child(call, NodeRole::Callee).filter(|_| code.is(call, NodeKind::MethodInvocation))?;
    if !code.is(callee, NodeKind::MemberSelect) {
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
pub(crate) fn below(code: &Code<'_>, id: NodeIndex) -> std::ops::Range<NodeIndex> {
    id + 1..code.node(id).end
}

/// Returns the calls of a method of this name below a node.
pub(crate) fn calls_below(code: &Code<'_>, id: NodeIndex, names: &[&str]) -> Vec<NodeIndex> {
    let is_meant = |node: &NodeIndex| {
        code.is(*node, NodeKind::MethodInvocation) && names.contains(&called(code, *node))
    };
    below(code, id).filter(is_meant).collect()
}

/// Returns true if executing a node starts threads or waits for them. A lock must not be held there, and shared fields
/// have to be read again afterwards.
pub(crate) fn meets_threads(code: &Code<'_>, id: NodeIndex) -> bool {
    const MEETING: [&str; 7] =
        ["start", "join", "sleep", "await", "awaitTermination", "invokeAll", "wait"];
    let calls = code.nodes_within(id, NodeKind::MethodInvocation);
    let mut own = calls.filter(|call| is_run_with(code, *call, id));
    own.any(|call| MEETING.contains(&called(code, call)) || is_wait(code, call))
}

/// Returns true if a JDK call waits for other threads.
pub(crate) fn is_wait(code: &Code<'_>, call: NodeIndex) -> bool {
    let class = receiver(code, call).map_or("", |on| code.type_of(on));
    let is_concurrent = class.starts_with("java.util.concurrent.");
    match called(code, call) {
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
pub(crate) fn is_run_with(code: &Code<'_>, id: NodeIndex, outer: NodeIndex) -> bool {
    code.self_and_ancestors(id)
        .take_while(|node| *node != outer)
        .all(|node| !code.is(node, NodeKind::LambdaExpression) && !code.is_type(node))
}

/// Returns the method, constructor or lambda that a node runs in.
pub(crate) fn routine(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    code.self_and_ancestors(id).skip(1).find(|node| code.kind(*node).is_routine())
}

/// Returns true for a constructor.
pub(crate) fn is_constructor(code: &Code<'_>, routine: NodeIndex) -> bool {
    let kind = code.symbol(routine).map(|symbol| symbol.kind);
    code.is(routine, NodeKind::Method) && kind == Some(SymbolKind::Constructor)
}

/// Returns the block of a method or of a lambda that has one.
pub(crate) fn body(code: &Code<'_>, routine: NodeIndex) -> Option<NodeIndex> {
    code.child(routine, NodeRole::Body).filter(|body| code.is(*body, NodeKind::Block))
}

/// Returns the statement that a node belongs to, without leaving its routine.
pub(crate) fn statement(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    code.self_and_ancestors(id)
        .take_while(|node| !code.kind(*node).is_routine())
        .find(|node| code.is_statement(*node))
}

/// Returns the block around a node, and its child with the node in it.
pub(crate) fn listed(code: &Code<'_>, id: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
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
pub(crate) fn next(code: &Code<'_>, statement: NodeIndex) -> Option<NodeIndex> {
    let all = code.children(code.parent(statement));
    let at = all.iter().position(|one| *one == statement)?;
    all.get(at + 1).copied().filter(|_| code.is(code.parent(statement), NodeKind::Block))
}

/// Returns the call that a statement consists of.
pub(crate) fn call_of(code: &Code<'_>, statement: NodeIndex) -> Option<NodeIndex> {
    let call = code.children(statement).first().copied();
    call.filter(|_| code.is(statement, NodeKind::ExpressionStatement))
}

/// Returns the expression inside any number of parentheses.
pub(crate) fn bare(code: &Code<'_>, id: NodeIndex) -> NodeIndex {
    match code.children(id)[..] {
        [inner] if code.is(id, NodeKind::Parenthesized) => bare(code, inner),
        _ => id,
    }
}

/// Returns true for a write: an assignment's target, or the operand of an increment or decrement.
pub(crate) fn is_written(code: &Code<'_>, id: NodeIndex) -> bool {
    code.role(id) == NodeRole::Target || code.kind(code.parent(id)).is_step()
}

/// Returns true if a routine can throw a call's `InterruptedException`.
pub(crate) fn may_be_interrupted(code: &Code<'_>, at: NodeIndex) -> bool {
    for node in code.self_and_ancestors(at).skip(1) {
        match code.kind(node) {
            NodeKind::Try => {
                let catches =
                    code.children(node).into_iter().filter(|one| code.is(*one, NodeKind::Catch));
                let mut caught = catches.map(|one| code.written(one));
                if caught.any(|text| text.contains("InterruptedException")) {
                    return true;
                }
            }
            NodeKind::LambdaExpression => return false,
            NodeKind::Method => {
                let Some(symbol) = code.symbol(node) else { return false };
                return symbol.thrown.iter().any(|thrown| {
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
