//! Couplings from resolved symbols: what a compiler knows about both versions says which hunks need which.
//!
//! Every schema states one reason why code compiles, as a need of something in one version. What is new
//! needs the new version's reason; what would take an old reason away needs the old code to go; code that is
//! kept needs the new reason where the old one goes.

mod access;
mod annotations;
mod around;
mod arrivals;
mod blame;
mod calls;
mod cause;
mod collisions;
mod constants;
mod constructors;
mod duplicates;
mod exceptions;
mod exhaustive;
mod flows;
mod imports;
mod initialisation;
mod jumps;
mod lambdas;
mod links;
mod meeting;
mod obligations;
mod operands;
mod overriding;
mod pairs;
mod passages;
mod reach;
mod sealing;
mod shadows;
mod subtypes;
mod symbols;
mod tangles;
mod type_arguments;
mod uses;
mod world;

use super::couplings::{NamedFile, Version};
use super::hunk::Coupling;
use crate::facts::Facts;
use links::Links;

pub(super) use blame::Reach;
pub(super) use world::World;

/// Whether both versions' facts know a file.
pub(super) fn are_known(file: &NamedFile, old: &Facts, new: &Facts) -> bool {
    [(Version::Old, old), (Version::New, new)].into_iter().all(|(version, facts)| {
        file.side(version).is_none_or(|side| facts.tree(&side.path).is_some())
    })
}

/// All couplings by facts of a delta, without repetition.
pub(super) fn by_facts(world: &World<'_>) -> Vec<Coupling> {
    let mut links = Links::default();
    uses::couple(world, &mut links);
    shadows::couple(world, &mut links);
    imports::couple(world, &mut links);
    access::couple(world, &mut links);
    constants::couple(world, &mut links);
    flows::couple(world, &mut links);
    calls::couple(world, &mut links);
    constructors::couple(world, &mut links);
    overriding::couple(world, &mut links);
    obligations::couple(world, &mut links);
    arrivals::couple(world, &mut links);
    collisions::couple(world, &mut links);
    operands::couple(world, &mut links);
    exceptions::couple(world, &mut links);
    duplicates::couple(world, &mut links);
    initialisation::couple(world, &mut links);
    reach::couple(world, &mut links);
    tangles::couple(world, &mut links);
    jumps::couple(world, &mut links);
    annotations::couple(world, &mut links);
    exhaustive::couple(world, &mut links);
    lambdas::couple(world, &mut links);
    sealing::couple(world, &mut links);
    type_arguments::couple(world, &mut links);
    links.into_couplings()
}

#[cfg(test)]
mod tests;
