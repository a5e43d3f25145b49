//! All schemas, applied to a delta.

use super::links::Links;
use super::world::World;
use super::{
    access, annotations, arrivals, calls, collisions, constants, constructors, duplicates,
    exceptions, exhaustive, flows, imports, initialisation, jumps, lambdas, obligations, operands,
    overriding, reach, sealing, shadows, tangles, type_arguments, uses,
};
use crate::couplings::{NamedFile, Version};
use crate::hunk::Coupling;
use mend_java::facts::Facts;

/// Returns true if the facts of both versions include a file.
pub(crate) fn are_known(file: &NamedFile, old: &Facts, new: &Facts) -> bool {
    [(Version::Old, old), (Version::New, new)].into_iter().all(|(version, facts)| {
        file.side(version).is_none_or(|side| facts.tree(&side.path).is_some())
    })
}

/// Returns all dependencies by compiler facts of a delta, without duplicates.
pub(crate) fn by_facts(world: &World<'_>) -> Vec<Coupling> {
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
