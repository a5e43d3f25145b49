//! Purity: expressions and methods without side effects.

use crate::code::file::Code;
use crate::facts::{AttributedTree, NodeIndex, NodeKind, SemanticModel, Symbol, SymbolKind};

/// Methods of the JDK that only look.
const LOOKING: [&str; 34] = [
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
const ASKING: [&str; 3] = ["get", "is", "has"];

/// So deep calls are followed.
const DEPTH: usize = 3;

/// Prefixes of JDK methods that return another value on each call.
const GIVING: [&str; 10] =
    ["next", "read", "poll", "pop", "remove", "put", "offer", "take", "getAnd", "incrementAnd"];

/// Returns true if an expression is known to have side effects, so that it must not be repeated. Methods without
/// available source count as pure, as most of them are queries.
pub fn is_once(code: &Code<'_>, id: NodeIndex) -> bool {
    (id..code.node(id).end).any(|id| {
        let kind = code.kind(id);
        let gives = || {
            let symbol = code.symbol(id)?;
            let owner = code.facts.symbol(symbol.owner?);
            let is_jdk = code.facts.text(owner.full_name).starts_with("java.util.");
            let name = code.facts.text(symbol.name);
            Some(is_jdk && GIVING.iter().any(|start| name.starts_with(start)))
        };
        kind.is_update() || kind == NodeKind::MethodInvocation && gives().unwrap_or(false)
    })
}

/// Returns true if an expression has no side effects.
pub fn is_pure(code: &Code<'_>, id: NodeIndex) -> bool {
    looks_only(code.facts, code.tree, id, DEPTH)
}

/// Returns true if a method returns a value and has no side effects.
pub fn is_query(facts: &SemanticModel, method: &Symbol) -> bool {
    facts.text(method.ty.erased) != "void" && asks_only(facts, method, DEPTH)
}

/// Returns true if evaluation of a text has no side effects, judged by the names of the called methods.
pub fn only_asks(facts: &SemanticModel, text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let compares = ["==", "!=", "<=", ">="];
    let rest = compares.iter().fold(text.to_owned(), |text, sign| text.replace(sign, " "));
    let changes = ["=", "++", "--", "->", "::", "new "].iter().any(|sign| rest.contains(sign));
    let called = text.match_indices('(').filter_map(|(at, _)| {
        let before = text[..at].trim_end();
        before.rsplit(|c| !is_part(c)).next().filter(|name| !name.is_empty())
    });
    let asks = |name: &str| {
        let is_meant =
            |one: &&Symbol| one.kind == SymbolKind::Method && facts.text(one.name) == name;
        let known = facts.symbols().iter().filter(is_meant);
        let mut own = known.filter(|one| one.place.is_some()).peekable();
        if own.peek().is_none() {
            return name == "instanceof" || is_asking(name);
        }
        own.all(|method| is_query(facts, method))
    };
    !changes && called.into_iter().all(asks)
}

/// Returns true if a method without available source has the name of a query.
fn is_asking(name: &str) -> bool {
    LOOKING.contains(&name) || ASKING.iter().any(|start| name.starts_with(start))
}

fn looks_only(facts: &SemanticModel, tree: &AttributedTree, id: NodeIndex, depth: usize) -> bool {
    (id..tree.nodes[id].end).all(|node| {
        let node = &tree.nodes[node];
        let kind = node.kind;
        let changes = kind.is_update()
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
        let is_asked = |symbol: &Symbol| asks_only(facts, symbol, depth);
        let is_call = kind == NodeKind::MethodInvocation;
        !changes && (!is_call || node.symbol.is_some_and(|id| is_asked(facts.symbol(id))))
    })
}

fn asks_only(facts: &SemanticModel, method: &Symbol, depth: usize) -> bool {
    if method.kind != SymbolKind::Method || !method.thrown.is_empty() || depth == 0 {
        return false;
    }
    let name = facts.text(method.name);
    let owner = method.owner.map_or("", |owner| facts.text(facts.symbol(owner).full_name));
    let body = method.place.as_ref().and_then(|place| {
        let tree = facts.trees().get(place.tree)?;
        let is_declaration = |node: &usize| {
            tree.nodes[*node].kind == NodeKind::Method && tree.nodes[*node].name == Some(place.byte)
        };
        let node = (0..tree.nodes.len()).find(is_declaration)?;
        Some((tree, tree.child(node, crate::facts::NodeRole::Body)?))
    });
    match body {
        Some((tree, body)) => looks_only(facts, tree, body, depth - 1),
        None if owner.starts_with("java.") => LOOKING.contains(&name),
        None => ASKING.iter().any(|start| name.starts_with(start)),
    }
}
