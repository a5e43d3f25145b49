//! Shadowing: a simple name of a field means a local variable as soon as one of that name is in scope.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};
use std::collections::HashMap;

/// The variables of each routine by name.
type LocalVariablesByRoutine<'a> = HashMap<(NodeRef, &'a str), Vec<SymbolId>>;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        let others = locals(world, version.opposite());
        for at in world.changed_nodes(version).filter(|at| world.kind(*at) == NodeKind::Identifier)
        {
            shadowed(world, at, &others, links);
        }
    }
}

fn locals<'a>(world: &RuleContext<'a>, version: Version) -> LocalVariablesByRoutine<'a> {
    let facts = world.facts(version);
    let mut locals = LocalVariablesByRoutine::new();
    for at in world.changed_nodes(version).filter(|at| world.kind(*at) == NodeKind::Variable) {
        let Some(symbol) = world.node(at).symbol else { continue };
        if facts.symbol(symbol).kind == SymbolKind::Local
            && let Some(routine) = world.routine_of(at)
        {
            locals.entry((routine, facts.name(symbol))).or_default().push(symbol);
        }
    }
    locals
}

/// Adds dependencies of a field's simple name in one version and a variable of that name which only the other one has
/// there.
fn shadowed(
    world: &RuleContext<'_>,
    at: NodeRef,
    others: &LocalVariablesByRoutine<'_>,
    links: &mut DependencyCollector,
) {
    let facts = world.facts(at.version);
    let Some(symbol) = world.node(at).symbol else { return };
    if facts.symbol(symbol).kind != SymbolKind::Field {
        return;
    }
    let name = facts.name(symbol);
    let twin = world.routine_of(at).and_then(|routine| world.twin(routine));
    let Some(same) = twin.and_then(|routine| others.get(&(routine, name))) else { return };
    let mut code: HunkSet = world.placer(at).into_iter().collect();
    code.extend(world.twin(at).map(|twin| world.selection(at, twin)).unwrap_or_default());
    let other = at.version.opposite();
    for local in same {
        let stays = world.twin_symbol(other, *local).is_some_and(|twin| facts.name(twin) == name);
        if !stays {
            links.rely(at.version, &code, &world.makers(other, *local), DependencyRule::Definition);
        }
    }
}
