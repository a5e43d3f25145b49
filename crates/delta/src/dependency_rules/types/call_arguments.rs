//! A call has as many arguments as what it calls has parameters.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{At, Hunks, Sort, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;
use mend_java::facts::{Role, SymbolId, SymbolKind};

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.sort(*at) == Sort::Call) {
            match (world.owner_of(at), world.twin(at)) {
                (_, Some(twin)) if version == Version::New => kept(world, at, twin, links),
                (_, Some(_)) | (None, None) => {}
                (Some(owner), None) => owned(world, at, &Hunks::from([owner]), links),
            }
        }
    }
}

fn arguments(world: &World<'_>, call: At) -> Vec<At> {
    let all = world.children(call).into_iter();
    all.filter(|one| world.node(*one).role == Role::Argument).collect()
}

/// Returns the hunks that add or remove parameters of a declaration that remains.
fn counting(world: &World<'_>, version: Version, symbol: SymbolId) -> Hunks {
    let Some(twin) = world.twin_symbol(version, symbol) else { return Hunks::new() };
    let one = &world.facts(version).symbol(symbol).parameters;
    let two = &world.facts(version.other()).symbol(twin).parameters;
    let is_twin = |(one, two): (&SymbolId, &SymbolId)| {
        world.declaration(version, *one).is_none() || world.twin_symbol(version, *one) == Some(*two)
    };
    if one.len() == two.len() && one.iter().zip(two).all(is_twin) {
        Hunks::new()
    } else {
        world.parameter_hunks(version, symbol)
    }
}

/// Returns true if each argument is at the position of its counterpart in the other version.
fn are_pairs(world: &World<'_>, news: &[At], olds: &[At]) -> bool {
    let place = |at: At| (at.tree, world.node(at).bytes.start);
    let twin = |at: At| world.twin_place(at.version, at.tree, world.node(at).bytes.start);
    let is_pair = |(new, old): (&At, &At)| match (twin(*new), twin(*old)) {
        (None, None) => world.owner_of(*new) == world.owner_of(*old),
        (Some(of_new), _) => of_new == place(*old),
        (None, Some(of_old)) => of_old == place(*new),
    };
    news.len() == olds.len() && news.iter().zip(olds).all(is_pair)
}

fn owned(world: &World<'_>, call: At, code: &Hunks, links: &mut Links) {
    if let Some(symbol) = world.node(call).symbol {
        links.rely(call.version, code, &counting(world, call.version, symbol), Rule::Signature);
    }
}

fn kept(world: &World<'_>, call: At, old: At, links: &mut Links) {
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
    let mut group: Hunks = world.owner_of(call).into_iter().chain(world.owner_of(old)).collect();
    for argument in new_arguments.into_iter().chain(old_arguments) {
        group.extend(world.owner(
            argument.version,
            argument.tree,
            world.node(argument).bytes.start,
        ));
    }
    let callee = |at: At| world.child(at, Role::Callee);
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
    links.together(&group, Rule::Signature);
}
