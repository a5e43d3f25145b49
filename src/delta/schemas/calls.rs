//! A call has as many arguments as what it calls has parameters.

use super::links::Links;
use super::world::{At, Hunks, Sort, VERSIONS, World};
use crate::delta::couplings::Version;
use crate::delta::hunk::Rule;
use crate::facts::{Role, SymbolId};

pub(super) fn couple(world: &World<'_>, links: &mut Links) {
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

/// The hunks that add or remove parameters of something that stays.
fn counting(world: &World<'_>, version: Version, symbol: SymbolId) -> Hunks {
    let Some(twin) = world.twin_symbol(version, symbol) else { return Hunks::new() };
    let one = world.facts(version).symbol(symbol).parameters.len();
    let two = world.facts(version.other()).symbol(twin).parameters.len();
    if one == two { Hunks::new() } else { world.parameter_hunks(version, symbol) }
}

fn owned(world: &World<'_>, call: At, code: &Hunks, links: &mut Links) {
    if let Some(symbol) = world.node(call).symbol {
        links.rely(call.version, code, &counting(world, call.version, symbol), Rule::Signature);
    }
}

fn kept(world: &World<'_>, call: At, old: At, links: &mut Links) {
    let (new_arguments, old_arguments) = (arguments(world, call), arguments(world, old));
    if new_arguments.len() == old_arguments.len() {
        return;
    }
    let mut group: Hunks = world.owner_of(call).into_iter().collect();
    for argument in new_arguments.into_iter().chain(old_arguments) {
        group.extend(world.owner(
            argument.version,
            argument.tree,
            world.node(argument).bytes.start,
        ));
    }
    if let (Some(symbol), Some(old_symbol)) = (world.node(call).symbol, world.node(old).symbol)
        && world.twin_symbol(Version::New, symbol) == Some(old_symbol)
    {
        group.extend(counting(world, Version::New, symbol));
    }
    links.together(&group, Rule::Signature);
}
