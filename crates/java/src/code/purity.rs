//! Purity analysis: expressions and methods without side effects.

use crate::code::file::Code;
use crate::facts::{AttributedTree, NodeIndex, NodeKind, SemanticModel, Symbol, SymbolKind};

/// Methods of the JDK without side effects.
const JDK_QUERY_METHODS: [&str; 34] = [
    "charAt",
    "compareTo",
    "contains",
    "containsKey",
    "containsValue",
    "doubleValue",
    "endsWith",
    "equals",
    "equalsIgnoreCase",
    "get",
    "getKey",
    "getValue",
    "hasMoreTokens",
    "hasNext",
    "hashCode",
    "indexOf",
    "intValue",
    "isEmpty",
    "isPresent",
    "lastIndexOf",
    "length",
    "longValue",
    "max",
    "min",
    "abs",
    "peek",
    "peekFirst",
    "peekLast",
    "size",
    "startsWith",
    "substring",
    "toLowerCase",
    "toUpperCase",
    "trim",
];

/// Prefixes of query methods, used if their source is not available.
const QUERY_PREFIXES: [&str; 3] = ["get", "is", "has"];

/// Maximum depth of analysed calls.
const MAX_CALL_DEPTH: usize = 3;

/// Prefixes of JDK methods that return another value on each call.
const JDK_STATEFUL_PREFIXES: [&str; 10] =
    ["next", "read", "poll", "pop", "remove", "put", "offer", "take", "getAnd", "incrementAnd"];

/// Returns true if an expression is known to have side effects, so that it must not be repeated. Methods without
/// available source count as pure, as most of them are queries.
pub fn has_side_effects(code: &Code<'_>, id: NodeIndex) -> bool {
    (id..code.node(id).subtree_end).any(|id| {
        let kind = code.kind(id);
        let is_stateful_call = || {
            let symbol = code.symbol(id)?;
            let owner = code.facts.symbol(symbol.owner?);
            let is_jdk = code.facts.text(owner.full_name).starts_with("java.util.");
            let name = code.facts.text(symbol.name);
            Some(is_jdk && JDK_STATEFUL_PREFIXES.iter().any(|start| name.starts_with(start)))
        };
        kind.is_update()
            || kind == NodeKind::MethodInvocation && is_stateful_call().unwrap_or(false)
    })
}

/// Returns true if an expression has no side effects.
pub fn is_pure(code: &Code<'_>, id: NodeIndex) -> bool {
    is_pure_expression(code.facts, code.tree, id, MAX_CALL_DEPTH)
}

/// Returns true if a method returns a value and has no side effects.
pub fn is_query(facts: &SemanticModel, method: &Symbol) -> bool {
    facts.text(method.ty.erased) != "void" && is_pure_method(facts, method, MAX_CALL_DEPTH)
}

/// Returns true if evaluation of a text has no side effects, judged by the names of the called methods.
pub fn is_pure_text(facts: &SemanticModel, text: &str) -> bool {
    let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let comparison_operators = ["==", "!=", "<=", ">="];
    let rest =
        comparison_operators.iter().fold(text.to_owned(), |text, sign| text.replace(sign, " "));
    let has_side_effect =
        ["=", "++", "--", "->", "::", "new "].iter().any(|sign| rest.contains(sign));
    let called_names = text.match_indices('(').filter_map(|(at, _)| {
        let before = text[..at].trim_end();
        before.rsplit(|c| !is_identifier_char(c)).next().filter(|name| !name.is_empty())
    });
    let is_pure_call = |name: &str| {
        let has_name =
            |one: &&Symbol| one.kind == SymbolKind::Method && facts.text(one.name) == name;
        let methods = facts.symbols().iter().filter(has_name);
        let mut source_methods = methods.filter(|one| one.position.is_some()).peekable();
        if source_methods.peek().is_none() {
            return name == "instanceof" || is_query_name(name);
        }
        source_methods.all(|method| is_query(facts, method))
    };
    !has_side_effect && called_names.into_iter().all(is_pure_call)
}

/// Returns true if a method without available source has the name of a query.
fn is_query_name(name: &str) -> bool {
    JDK_QUERY_METHODS.contains(&name) || QUERY_PREFIXES.iter().any(|start| name.starts_with(start))
}

fn is_pure_expression(
    facts: &SemanticModel,
    tree: &AttributedTree,
    id: NodeIndex,
    depth: usize,
) -> bool {
    (id..tree.nodes[id].subtree_end).all(|node| {
        let node = &tree.nodes[node];
        let kind = node.kind;
        let has_side_effect = kind.is_update()
            || matches!(
                kind,
                NodeKind::NewClass
                    | NodeKind::NewArray
                    | NodeKind::LambdaExpression
                    | NodeKind::MemberReference
                    | NodeKind::SwitchExpression
                    | NodeKind::Synchronized
                    | NodeKind::Throw
                    | NodeKind::Try
            );
        let is_pure_callee = |symbol: &Symbol| is_pure_method(facts, symbol, depth);
        let is_call = kind == NodeKind::MethodInvocation;
        !has_side_effect
            && (!is_call || node.symbol.is_some_and(|id| is_pure_callee(facts.symbol(id))))
    })
}

fn is_pure_method(facts: &SemanticModel, method: &Symbol, depth: usize) -> bool {
    if method.kind != SymbolKind::Method || !method.thrown_types.is_empty() || depth == 0 {
        return false;
    }
    let name = facts.text(method.name);
    let owner = method.owner.map_or("", |owner| facts.text(facts.symbol(owner).full_name));
    let body = method.position.as_ref().and_then(|place| {
        let tree = facts.trees().get(place.tree)?;
        let is_declaration = |node: &usize| {
            tree.nodes[*node].kind == NodeKind::Method && tree.nodes[*node].name == Some(place.byte)
        };
        let node = (0..tree.nodes.len()).find(is_declaration)?;
        Some((tree, tree.child(node, crate::facts::NodeRole::Body)?))
    });
    match body {
        Some((tree, body)) => is_pure_expression(facts, tree, body, depth - 1),
        None if owner.starts_with("java.") => JDK_QUERY_METHODS.contains(&name),
        None => QUERY_PREFIXES.iter().any(|start| name.starts_with(start)),
    }
}
