//! A generic class and as many type arguments as it has parameters, within their bounds.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolId};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in
            world.all_nodes(version).filter(|at| world.kind(*at) == NodeKind::ParameterizedType)
        {
            let arguments = arguments(world, at);
            let named = world.child(at, NodeRole::Type).and_then(|name| world.node(name).symbol);
            let Some(class) = named.filter(|_| !arguments.is_empty()) else { continue };
            counted(world, at, class, &arguments, links);
            for (argument, parameter) in
                arguments.iter().zip(&world.facts(version).symbol(class).type_parameters)
            {
                bounded(world, *argument, *parameter, links);
            }
        }
    }
}

fn arguments(world: &RuleContext<'_>, at: NodeRef) -> Vec<NodeRef> {
    let all = world.children(at).into_iter();
    all.filter(|one| world.node(*one).role == NodeRole::TypeArgument).collect()
}

/// Returns the hunks of both versions that change the number of a kept class's type parameters.
fn counting(world: &RuleContext<'_>, version: Version, class: SymbolId) -> HunkSet {
    let Some(twin) = world.twin_symbol(version, class) else { return HunkSet::new() };
    let both = [(version, class), (version.opposite(), twin)];
    let number = |(version, class)| world.facts(version).symbol(class).type_parameters.len();
    if number(both[0]) == number(both[1]) {
        return HunkSet::new();
    }
    both.into_iter()
        .flat_map(|(version, class)| {
            let parameters = world.facts(version).symbol(class).type_parameters.iter();
            parameters.flat_map(move |parameter| world.makers(version, *parameter))
        })
        .collect()
}

fn counted(
    world: &RuleContext<'_>,
    at: NodeRef,
    class: SymbolId,
    arguments: &[NodeRef],
    links: &mut DependencyCollector,
) {
    let counting = counting(world, at.version, class);
    if counting.is_empty() {
        return;
    }
    let name = world.child(at, NodeRole::Type);
    let brackets = name.map_or_else(HunkSet::new, |name| {
        let bytes = world.node(at).bytes.clone();
        world.owners(at, world.node(name).bytes.end..bytes.end)
    });
    let kept = arguments.iter().any(|one| world.owner_of(*one).is_none());
    if kept {
        links.together(&brackets.into_iter().chain(counting).collect(), DependencyRule::Signature);
    } else {
        links.rely(at.version, &brackets, &counting, DependencyRule::Signature);
    }
}

/// Adds dependencies of a type argument, if the bound of its parameter differs in the other version.
fn bounded(
    world: &RuleContext<'_>,
    argument: NodeRef,
    parameter: SymbolId,
    links: &mut DependencyCollector,
) {
    let version = argument.version;
    let bounds = world.bound_hunks(version, parameter);
    let twin = world.twin_symbol(version, parameter);
    let (Some(owner), Some(twin)) = (world.owner_of(argument), twin) else { return };
    let other = version.opposite();
    let bound = VersionedType { version: other, ty: world.facts(other).symbol(twin).ty };
    if !bounds.is_empty() && !world.is_below_bound(world.type_of(argument), bound) {
        links.rely(version, &HunkSet::from([owner]), &bounds, DependencyRule::Type);
    }
}

impl RuleContext<'_> {
    fn is_below_bound(&self, from: VersionedType, bound: VersionedType) -> bool {
        let class = self.facts(from.version).class_named(self.erased(from));
        class.is_some_and(|class| self.facts(from.version).is_below(class, self.erased(bound)))
    }
}
