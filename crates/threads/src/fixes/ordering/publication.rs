//! Fix operator for recursive code that publishes inner results while outer ones are incomplete: only the outermost
//! call publishes its result. Its flag is the one with which the method cleans up the state of its thread.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, descendants, find_calls, method_name, receiver, runs_with, statement_call,
    strip_parentheses,
};
use crate::fixes::layout::wrap_statements;
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use mend_java::{Code, Edit};
use std::collections::{BTreeMap, BTreeSet};

/// Methods that add a value to a shared collection.
const PUBLISHING_METHODS: [&str; 4] = ["put", "putIfAbsent", "add", "offer"];

/// Maximum number of methods that are searched for a recursive call.
const MAX_METHODS: usize = 500;

const SCORE: f64 = 0.94;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let Some(first) = context.files.first() else { return };
    let fields = context.accessed_fields().into_iter();
    let owners: BTreeSet<SymbolId> =
        fields.filter_map(|field| first.code.facts.symbol(field).owner).collect();
    for (file, code) in context.main_files() {
        for method in code.nodes_of_kind(NodeKind::Method) {
            if !creates_object(code, method, &owners) || !is_recursive(context, (file, method)) {
                continue;
            }
            for (statement, call, collection) in publications(code, method) {
                let flags = boolean_locals_before(code, method, statement);
                for flag in flags.into_iter().filter(|flag| is_of_outermost(code, method, flag)) {
                    let Some(edit) = publish_if(code, statement, call, flag) else { continue };
                    let (title, collection) =
                        (routine_title(code, method), code.facts.name(collection));
                    let why = format!(
                        "{title} publishes its result in {collection} only if {flag}, when everything it refers to is \
                         complete; inner results are created again when they are needed"
                    );
                    out.add_in(file, ConcurrencyOperator::Move, SCORE, vec![edit], why);
                }
            }
        }
    }
}

/// Returns true if a method creates an object of one of these classes.
fn creates_object(code: &Code<'_>, method: NodeIndex, classes: &BTreeSet<SymbolId>) -> bool {
    code.nodes_within(method, NodeKind::NewClass).any(|id| {
        code.child(id, NodeRole::Callee).is_some_and(|class| {
            (class..code.node(class).subtree_end)
                .any(|id| code.node(id).symbol.is_some_and(|one| classes.contains(&one)))
        })
    })
}

/// Returns true if a method calls itself, directly or by other methods of the sources.
fn is_recursive(context: &BugContext<'_>, method: FileNode) -> bool {
    let (file, node) = method;
    let Some(own) = context.code(file).node(node).symbol else { return false };
    let declarations = method_declarations(context);
    let (mut known, mut waiting) = (BTreeSet::from([own]), vec![method]);
    while let Some((file, node)) = waiting.pop().filter(|_| known.len() < MAX_METHODS) {
        let code = context.code(file);
        let calls = code.nodes_within(node, NodeKind::MethodInvocation);
        let callees =
            calls.filter_map(|call| code.node(code.child(call, NodeRole::Callee)?).symbol);
        for callee in callees {
            if callee == own {
                return true;
            }
            if let Some(declared) = declarations.get(&callee).filter(|_| known.insert(callee)) {
                waiting.push(*declared);
            }
        }
    }
    false
}

/// Returns the declarations of all methods in main code.
fn method_declarations(context: &BugContext<'_>) -> BTreeMap<SymbolId, FileNode> {
    let of_file = |(file, code): (usize, &Code<'_>)| -> Vec<(SymbolId, FileNode)> {
        let methods = code.nodes_of_kind(NodeKind::Method);
        methods.filter_map(|id| Some((code.node(id).symbol?, (file, id)))).collect()
    };
    context.main_files().flat_map(of_file).collect()
}

/// Returns the statements that add a value to a collection in a field, with the calls and the fields.
fn publications(code: &Code<'_>, method: NodeIndex) -> Vec<(NodeIndex, NodeIndex, SymbolId)> {
    let calls = code.nodes_within(method, NodeKind::MethodInvocation);
    let publication = |call: NodeIndex| {
        let statement = code.parent(call);
        let is_whole = statement_call(code, statement) == Some(call)
            || code.has_kind(statement, NodeKind::Variable);
        let holder = receiver(code, call)
            .filter(|_| is_whole && PUBLISHING_METHODS.contains(&method_name(code, call)))?;
        let field = code.node(holder).symbol?;
        let is_published = code.facts.symbol(field).kind == SymbolKind::Field
            && runs_with(code, call, method)
            && !arguments(code, call).is_empty();
        is_published.then_some((statement, call, field))
    };
    calls.filter_map(publication).collect()
}

/// Returns the names of the boolean local variables and parameters that a statement can use.
fn boolean_locals_before<'a>(
    code: &Code<'a>,
    method: NodeIndex,
    statement: NodeIndex,
) -> Vec<&'a str> {
    let ancestors: BTreeSet<NodeIndex> = code.self_and_ancestors(statement).collect();
    let is_visible = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Variable)
            && *id < statement
            && ancestors.contains(&code.parent(*id))
            && code.symbol(*id).is_some_and(|one| code.facts.text(one.ty.erased) == "boolean")
    };
    let variables = descendants(code, method).filter(is_visible);
    variables.filter_map(|id| code.node(id).symbol).map(|one| code.facts.name(one)).collect()
}

/// Returns true if a flag marks the outermost call: only then the method removes the state of its thread.
fn is_of_outermost(code: &Code<'_>, method: NodeIndex, flag: &str) -> bool {
    let is_cleanup = |choice: NodeIndex| {
        let condition = code.child(choice, NodeRole::Condition);
        let then = code.child(choice, NodeRole::Then);
        condition.is_some_and(|id| code.source_text(strip_parentheses(code, id)) == flag)
            && then.is_some_and(|then| {
                find_calls(code, then, &["remove"]).into_iter().any(|call| {
                    let holder = receiver(code, call).map_or("", |on| code.type_of(on));
                    holder.starts_with("java.lang.ThreadLocal")
                })
            })
    };
    code.nodes_within(method, NodeKind::If).any(is_cleanup)
}

/// Returns the edit that publishes only if a flag is set.
fn publish_if(code: &Code<'_>, statement: NodeIndex, call: NodeIndex, flag: &str) -> Option<Edit> {
    if code.has_kind(statement, NodeKind::Variable) {
        let published = code.source_text(call);
        let is_absence = method_name(code, call) == "putIfAbsent";
        let text = format!("{flag} ? {published} : null");
        return is_absence.then(|| Edit::replace(code.bytes(call), text));
    }
    let before = format!("if ({flag}) {{");
    wrap_statements(code, (statement, statement), (&before, "}"), &[])
}
