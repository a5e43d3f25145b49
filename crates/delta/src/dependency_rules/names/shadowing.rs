//! Dependency rule: a simple name of a field must not refer to a local variable of that name.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};
use std::collections::HashMap;

/// Variables of each routine, by name.
type LocalVariablesByRoutine<'a> = HashMap<(NodeRef, &'a str), Vec<SymbolId>>;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        let other_locals = collect_local_variables(context, version.opposite());
        for node in context
            .changed_nodes(version)
            .filter(|node| context.kind(*node) == NodeKind::Identifier)
        {
            add_shadowing_dependencies(context, node, &other_locals, collector);
        }
    }
}

fn collect_local_variables<'a>(
    context: &RuleContext<'a>,
    version: Version,
) -> LocalVariablesByRoutine<'a> {
    let facts = context.facts(version);
    let mut locals = LocalVariablesByRoutine::new();
    for node in
        context.changed_nodes(version).filter(|node| context.kind(*node) == NodeKind::Variable)
    {
        let Some(symbol) = context.node(node).symbol else { continue };
        if facts.symbol(symbol).kind == SymbolKind::Local
            && let Some(routine) = context.enclosing_routine(node)
        {
            locals.entry((routine, facts.name(symbol))).or_default().push(symbol);
        }
    }
    locals
}

/// Adds dependencies of a field's simple name in one version and a variable of that name which only the other version
/// declares there.
fn add_shadowing_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    other_locals: &LocalVariablesByRoutine<'_>,
    collector: &mut DependencyCollector,
) {
    let facts = context.facts(node.version);
    let Some(symbol) = context.node(node).symbol else { return };
    if facts.symbol(symbol).kind != SymbolKind::Field {
        return;
    }
    let name = facts.name(symbol);
    let twin = context.enclosing_routine(node).and_then(|routine| context.twin_node(routine));
    let Some(same_named) = twin.and_then(|routine| other_locals.get(&(routine, name))) else {
        return;
    };
    let mut code: HunkSet = context.owner_or_move(node).into_iter().collect();
    code.extend(
        context
            .twin_node(node)
            .map(|twin| context.qualification_hunks(node, twin))
            .unwrap_or_default(),
    );
    let other = node.version.opposite();
    for local in same_named {
        let is_kept =
            context.twin_symbol(other, *local).is_some_and(|twin| facts.name(twin) == name);
        if !is_kept {
            collector.require_in_version(
                node.version,
                &code,
                &context.presence_hunks(other, *local),
                DependencyRule::Definition,
            );
        }
    }
}
