//! A call has as many arguments as what it calls has parameters.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeCategory, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeRole, SymbolId, SymbolKind};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.sort(*at) == NodeCategory::Call) {
            match (world.owner_of(at), world.twin(at)) {
                (_, Some(twin)) if version == Version::New => kept(world, at, twin, links),
                (_, Some(_)) | (None, None) => {}
                (Some(owner), None) => owned(world, at, &HunkSet::from([owner]), links),
            }
        }
    }
}

fn arguments(world: &RuleContext<'_>, call: NodeRef) -> Vec<NodeRef> {
    let all = world.children(call).into_iter();
    all.filter(|one| world.node(*one).role == NodeRole::Argument).collect()
}

/// Returns the hunks that add or remove parameters of a declaration that remains.
fn counting(world: &RuleContext<'_>, version: Version, symbol: SymbolId) -> HunkSet {
    let Some(twin) = world.twin_symbol(version, symbol) else { return HunkSet::new() };
    let one = &world.facts(version).symbol(symbol).parameters;
    let two = &world.facts(version.opposite()).symbol(twin).parameters;
    let is_twin = |(one, two): (&SymbolId, &SymbolId)| {
        world.declaration(version, *one).is_none() || world.twin_symbol(version, *one) == Some(*two)
    };
    if one.len() == two.len() && one.iter().zip(two).all(is_twin) {
        HunkSet::new()
    } else {
        world.parameter_hunks(version, symbol)
    }
}

/// Returns true if each argument is at the position of its counterpart in the other version.
fn are_pairs(world: &RuleContext<'_>, news: &[NodeRef], olds: &[NodeRef]) -> bool {
    let place = |at: NodeRef| (at.tree, world.node(at).bytes.start);
    let twin = |at: NodeRef| world.twin_place(at.version, at.tree, world.node(at).bytes.start);
    let is_pair = |(new, old): (&NodeRef, &NodeRef)| match (twin(*new), twin(*old)) {
        (None, None) => world.owner_of(*new) == world.owner_of(*old),
        (Some(of_new), _) => of_new == place(*old),
        (None, Some(of_old)) => of_old == place(*new),
    };
    news.len() == olds.len() && news.iter().zip(olds).all(is_pair)
}

fn owned(world: &RuleContext<'_>, call: NodeRef, code: &HunkSet, links: &mut DependencyCollector) {
    if let Some(symbol) = world.node(call).symbol {
        links.rely(
            call.version,
            code,
            &counting(world, call.version, symbol),
            DependencyRule::Signature,
        );
    }
}

fn kept(world: &RuleContext<'_>, call: NodeRef, old: NodeRef, links: &mut DependencyCollector) {
    let (new_arguments, old_arguments) = (arguments(world, call), arguments(world, old));
    let symbols = (world.node(call).symbol, world.node(old).symbol);
    let (Some(symbol), Some(old_symbol)) = symbols else { return };
    let is_same = world.twin_symbol(Version::New, symbol) == Some(old_symbol);
    if !is_same {
        for at in [call, old] {
            owned(world, at, &world.owner_of(at).into_iter().collect(), links);
        }
    }
    if are_pairs(world, &new_arguments, &old_arguments) {
        return;
    }
    let mut group: HunkSet = world.owner_of(call).into_iter().chain(world.owner_of(old)).collect();
    for argument in new_arguments.into_iter().chain(old_arguments) {
        group.extend(world.owner(
            argument.version,
            argument.tree,
            world.node(argument).bytes.start,
        ));
    }
    let callee = |at: NodeRef| world.child(at, NodeRole::Callee);
    if is_same {
        group.extend(counting(world, Version::New, symbol));
    } else if let (Some(callee), Some(old_callee)) = (callee(call), callee(old)) {
        group.extend(world.selection(callee, old_callee));
        group.extend([callee, old_callee].into_iter().filter_map(|name| world.owner_of(name)));
        if world.facts(Version::New).symbol(symbol).kind == SymbolKind::Constructor
            && let Some(class) = world.class_of(call)
        {
            group.extend(world.supertype_hunks(Version::New, class));
        }
    }
    links.together(&group, DependencyRule::Signature);
}
