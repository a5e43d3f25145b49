//! Dependency rule: checked exceptions are handled, and the `try` of a `catch` can throw the caught exception.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeCategory, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, NodeRole, SymbolId};
use std::collections::BTreeSet;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context.all_nodes(version) {
            match context.kind(node) {
                kind if can_throw(kind) => add_thrower_dependencies(context, node, collector),
                NodeKind::Catch => add_catch_dependencies(context, node, collector),
                NodeKind::Method => add_override_dependencies(context, node, collector),
                _ => {}
            }
        }
    }
}

fn can_throw(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::MethodInvocation | NodeKind::NewClass | NodeKind::Throw | NodeKind::ImpliedClose
    )
}

impl RuleContext<'_> {
    /// Returns true for a checked exception.
    pub(crate) fn is_checked_exception(&self, version: Version, name: &str) -> bool {
        let facts = self.facts(version);
        facts.find_class(name).is_some_and(|class| {
            facts.is_subtype_of(class, "java.lang.Throwable")
                && !facts.is_subtype_of(class, "java.lang.RuntimeException")
                && !facts.is_subtype_of(class, "java.lang.Error")
        })
    }
}

/// Returns the checked exceptions that a node throws.
fn thrown_exceptions(context: &RuleContext<'_>, node: NodeRef) -> BTreeSet<String> {
    let facts = context.facts(node.version);
    let names: Vec<&str> = if context.kind(node) == NodeKind::Throw {
        context
            .child(node, NodeRole::Value)
            .map(|value| context.erased_type(context.type_of(value)))
            .into_iter()
            .collect()
    } else {
        let symbol = context.node(node).symbol.map(|symbol| facts.symbol(symbol));
        symbol.iter().flat_map(|symbol| &symbol.thrown_types).map(|id| facts.text(*id)).collect()
    };
    let checked = names.into_iter().filter(|name| context.is_checked_exception(node.version, name));
    checked.map(str::to_owned).collect()
}

fn is_exception_subtype(
    context: &RuleContext<'_>,
    version: Version,
    name: &str,
    supertype: &str,
) -> bool {
    let facts = context.facts(version);
    facts.find_class(name).is_some_and(|class| facts.is_subtype_of(class, supertype))
}

/// Returns the hunks of all handlers of an exception at a node, innermost first; `None` inside if it is unknown.
fn handler_hunks(context: &RuleContext<'_>, node: NodeRef, name: &str) -> Vec<HunkSet> {
    let mut handler_sets = Vec::new();
    let mut child = node;
    for ancestor in context.ancestors(node) {
        match context.kind(ancestor) {
            NodeKind::Try
                if matches!(context.node(child).role, NodeRole::Body | NodeRole::Resource) =>
            {
                handler_sets.extend(matching_catch_hunks(context, ancestor, name));
            }
            NodeKind::Method => {
                handler_sets.extend(throws_clause_hunks(context, ancestor, name));
                return handler_sets;
            }
            NodeKind::LambdaExpression => {
                let method = context.functional_method(ancestor);
                let method = method.and_then(|method| context.declaration(node.version, method));
                handler_sets.extend(
                    method
                        .into_iter()
                        .flat_map(|method| throws_clause_hunks(context, method, name)),
                );
                return handler_sets;
            }
            NodeKind::Class | NodeKind::Enum | NodeKind::Interface | NodeKind::Record => {
                return handler_sets;
            }
            _ => {}
        }
        child = ancestor;
    }
    handler_sets
}

/// Returns the types that a `catch` names.
fn caught_types(context: &RuleContext<'_>, catch: NodeRef) -> Vec<NodeRef> {
    let parameter = context.child(catch, NodeRole::Parameter);
    let Some(ty) = parameter.and_then(|parameter| context.child(parameter, NodeRole::Type)) else {
        return Vec::new();
    };
    if context.kind(ty) == NodeKind::UnionType { context.children(ty) } else { vec![ty] }
}

fn matching_catch_hunks(
    context: &RuleContext<'_>,
    try_statement: NodeRef,
    name: &str,
) -> Vec<HunkSet> {
    let catches = context.children(try_statement).into_iter();
    catches
        .filter(|catch| context.kind(*catch) == NodeKind::Catch)
        .flat_map(|catch| caught_types(context, catch))
        .filter(|ty| {
            is_exception_subtype(
                context,
                ty.version,
                name,
                context.erased_type(context.type_of(*ty)),
            )
        })
        .map(|ty| context.node_owner(ty).into_iter().collect())
        .collect()
}

fn throws_clause_hunks(context: &RuleContext<'_>, method: NodeRef, name: &str) -> Vec<HunkSet> {
    let throws_types = context.children(method).into_iter();
    throws_types
        .filter(|entry| context.node(*entry).role == NodeRole::Throws)
        .filter(|entry| {
            is_exception_subtype(
                context,
                entry.version,
                name,
                context.erased_type(context.type_of(*entry)),
            )
        })
        .map(|entry| context.node_owner(entry).into_iter().collect())
        .collect()
}

/// Returns the hunks that an exception's handling needs; empty if it is always handled.
fn required_handler_hunks(context: &RuleContext<'_>, node: NodeRef, name: &str) -> HunkSet {
    let handler_sets = handler_hunks(context, node, name);
    if handler_sets.iter().any(HunkSet::is_empty) {
        return HunkSet::new();
    }
    handler_sets.into_iter().next().unwrap_or_default()
}

/// Returns the hunks that make a kept callable throw an exception in a version.
fn throw_cause_hunks(
    context: &RuleContext<'_>,
    version: Version,
    symbol: SymbolId,
    name: &str,
) -> HunkSet {
    let twin = context.twin_symbol(version, symbol);
    let other = version.opposite();
    let twin_throws = twin.is_some_and(|twin| {
        let facts = context.facts(other);
        facts.symbol(twin).thrown_types.iter().any(|id| facts.text(*id) == name)
    });
    let Some(node) = context.declaration(version, symbol).filter(|_| !twin_throws) else {
        return HunkSet::new();
    };
    exact_throws_clause_hunks(context, node, name)
}

fn exact_throws_clause_hunks(context: &RuleContext<'_>, method: NodeRef, name: &str) -> HunkSet {
    let throws_types = context.children(method).into_iter();
    throws_types
        .filter(|entry| context.node(*entry).role == NodeRole::Throws)
        .filter(|entry| context.erased_type(context.type_of(*entry)) == name)
        .filter_map(|entry| context.node_owner(entry))
        .collect()
}

fn add_thrower_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let version = node.version;
    let names = thrown_exceptions(context, node);
    if let Some(owner) = context.node_owner(node) {
        let code = HunkSet::from([owner]);
        for name in &names {
            collector.require_in_version(
                version,
                &code,
                &required_handler_hunks(context, node, name),
                DependencyRule::Exception,
            );
        }
        add_changed_throws_dependencies(context, node, &code, &names, collector);
        return;
    }
    let Some(twin) =
        context.twin_node(node).filter(|twin| context.category(*twin) == context.category(node))
    else {
        return;
    };
    let twin_names = thrown_exceptions(context, twin);
    for name in &names {
        let handled = required_handler_hunks(context, node, name);
        if twin_names.contains(name) {
            if version == Version::Old {
                collector.require_all(
                    &handled,
                    &required_handler_hunks(context, twin, name),
                    DependencyRule::Exception,
                );
            }
            continue;
        }
        let mut causes = HunkSet::new();
        if let Some(symbol) = context.node(node).symbol {
            causes = throw_cause_hunks(context, version, symbol, name);
        }
        if causes.is_empty() {
            causes = context.type_causes(node);
            causes.extend(context.type_causes(twin));
        }
        collector.require_in_version(version, &causes, &handled, DependencyRule::Exception);
        add_position_dependencies(context, twin, name, &causes, collector);
    }
}

/// Adds dependencies of a call that does not throw an exception here, but does at its position in the other version:
/// another routine here may not handle it.
fn add_position_dependencies(
    context: &RuleContext<'_>,
    call: NodeRef,
    name: &str,
    causes: &HunkSet,
    collector: &mut DependencyCollector,
) {
    let Some(routine) = context.enclosing_routine(call) else { return };
    let position: HunkSet =
        context.node_owner(routine).into_iter().chain(context.enclosing_move(call)).collect();
    if !handler_hunks(context, call, name).iter().any(HunkSet::is_empty) {
        collector.require_in_version(call.version, &position, causes, DependencyRule::Exception);
    }
}

/// Adds dependencies of a call of one version to a method that throws more exceptions in the other one.
fn add_changed_throws_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    code: &HunkSet,
    names: &BTreeSet<String>,
    collector: &mut DependencyCollector,
) {
    let Some(symbol) = context.node(node).symbol.filter(|_| {
        matches!(context.category(node), NodeCategory::Call | NodeCategory::ImplicitClose)
    }) else {
        return;
    };
    let other = node.version.opposite();
    let Some(twin) = context.twin_symbol(node.version, symbol) else { return };
    let facts = context.facts(other);
    for id in &facts.symbol(twin).thrown_types {
        let name = facts.text(*id);
        if !names.contains(name)
            && context.is_checked_exception(other, name)
            && !handler_hunks(context, node, name).iter().any(HunkSet::is_empty)
        {
            let hunks = throw_cause_hunks(context, other, twin, name);
            collector.require_in_version(node.version, code, &hunks, DependencyRule::Exception);
        }
    }
}

/// Adds dependencies of a `catch` of a checked exception on code that throws it.
fn add_catch_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    for ty in caught_types(context, node) {
        let name = context.erased_type(context.type_of(ty)).to_owned();
        let is_special = matches!(name.as_str(), "java.lang.Exception" | "java.lang.Throwable");
        if is_special || !context.is_checked_exception(node.version, &name) {
            continue;
        }
        let throwers = thrower_hunks(context, node, &name);
        if throwers.is_empty() || throwers.iter().any(Vec::is_empty) {
            continue;
        }
        // If several statements may throw it, one of them is sufficient, and the hunk of each statement represents it.
        let first_hunks: HunkSet =
            throwers.iter().filter_map(|place| place.first()).copied().collect();
        let all_hunks: HunkSet = throwers.iter().flatten().copied().collect();
        match (context.node_owner(ty), context.twin_node(ty)) {
            (Some(owner), _) if node.version == Version::New => {
                if throwers.len() == 1 {
                    collector.require_all(
                        &HunkSet::from([owner]),
                        &all_hunks,
                        DependencyRule::Exception,
                    );
                } else {
                    collector.require_any(owner, &first_hunks, DependencyRule::Exception);
                }
            }
            (Some(owner), _) => {
                collector.require_all(
                    &all_hunks,
                    &HunkSet::from([owner]),
                    DependencyRule::Exception,
                );
            }
            (None, Some(twin)) if node.version == Version::Old => {
                let catch =
                    context.ancestors(twin).find(|node| context.kind(*node) == NodeKind::Catch);
                let other_throwers = catch.map(|catch| self::thrower_hunks(context, catch, &name));
                let other_throwers = other_throwers.unwrap_or_default();
                if !other_throwers.iter().any(Vec::is_empty) {
                    let other_throwers = other_throwers.into_iter().flatten().collect();
                    for hunk in all_hunks {
                        collector.require_any(hunk, &other_throwers, DependencyRule::Exception);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the hunks that each throwing statement in a `try` depends on; the hunk of the statement itself comes first.
fn thrower_hunks(context: &RuleContext<'_>, catch: NodeRef, name: &str) -> Vec<Vec<HunkId>> {
    let try_statement = context.parent(catch);
    let parts = context.children(try_statement).into_iter();
    let bodies = parts
        .filter(|part| matches!(context.node(*part).role, NodeRole::Body | NodeRole::Resource));
    let mut thrower_sets = Vec::new();
    for body in bodies {
        for node in body.node..context.node(body).subtree_end {
            let node_ref = body.with_node(node);
            if !can_throw(context.kind(node_ref)) {
                continue;
            }
            let is_compatible = |thrown: &&String| {
                is_exception_subtype(context, node_ref.version, thrown, name)
                    || is_exception_subtype(context, node_ref.version, name, thrown)
            };
            for thrown in thrown_exceptions(context, node_ref).iter().filter(is_compatible) {
                if inner_handler_hunks(context, node_ref, try_statement, thrown)
                    .is_none_or(|inner| !inner.is_empty())
                {
                    continue;
                }
                let mut hunks: Vec<HunkId> = context.owner_or_move(node_ref).into_iter().collect();
                if let Some(symbol) = context.node(node_ref).symbol {
                    hunks.extend(throw_cause_hunks(context, node_ref.version, symbol, thrown));
                }
                if let Some(twin) = context.twin_node(node_ref) {
                    if !self::thrown_exceptions(context, twin).contains(thrown) {
                        hunks.extend(context.type_causes(node_ref));
                    }
                    let twin_try = context.twin_node(try_statement);
                    let twin_try = twin_try
                        .and_then(|twin_try| inner_handler_hunks(context, twin, twin_try, thrown));
                    hunks.extend(twin_try.into_iter().flatten().flatten());
                }
                thrower_sets.push(hunks);
            }
        }
    }
    thrower_sets
}

/// Returns the handlers that stop an exception between a node and an enclosing `try`; `None` if a routine in between
/// does.
fn inner_handler_hunks(
    context: &RuleContext<'_>,
    node: NodeRef,
    try_statement: NodeRef,
    name: &str,
) -> Option<Vec<HunkSet>> {
    let mut handlers = Vec::new();
    let mut child = node;
    for ancestor in context.ancestors(node) {
        if ancestor == try_statement {
            return Some(handlers);
        }
        match context.kind(ancestor) {
            NodeKind::Try
                if matches!(context.node(child).role, NodeRole::Body | NodeRole::Resource) =>
            {
                handlers.extend(matching_catch_hunks(context, ancestor, name));
            }
            NodeKind::Method | NodeKind::LambdaExpression | NodeKind::Class => return None,
            _ => {}
        }
        child = ancestor;
    }
    None
}

/// Adds the dependencies of overriding methods, which must not declare more exceptions than the overridden ones.
fn add_override_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(method) = context.node(node).symbol else { return };
    let facts = context.facts(node.version);
    for entry in context.children(node) {
        let name = context.erased_type(context.type_of(entry));
        let is_entry = context.node(entry).role == NodeRole::Throws;
        if !is_entry || !context.is_checked_exception(node.version, name) {
            continue;
        }
        for other in &facts.symbol(method).overridden {
            let Some(overridden_declaration) = context.declaration(node.version, *other) else {
                continue;
            };
            let entries = throws_clause_hunks(context, overridden_declaration, name);
            if entries.iter().any(HunkSet::is_empty) {
                continue;
            }
            let needed: HunkSet = entries.into_iter().flatten().take(1).collect();
            let code: HunkSet = context.node_owner(entry).into_iter().collect();
            collector.require_in_version(node.version, &code, &needed, DependencyRule::Exception);
        }
    }
}
