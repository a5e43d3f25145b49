//! Dependencies from resolved symbols: compiler facts about both versions determine which hunks need which.
//!
//! Every schema states one reason why code compiles, as a requirement on one version. New code needs the new version's
//! reason. Removing an old reason requires removing the old code. Kept code needs the new reason where the old one is
//! removed.

mod access;
mod all;
mod annotations;
mod around;
mod arrivals;
mod at;
mod blame;
mod calls;
mod cause;
mod collisions;
mod constants;
mod constructors;
mod duplicates;
mod enclosing;
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
mod wanted_type;
mod world;

pub(super) use all::{are_known, by_facts};
pub(super) use blame::Reach;
pub(super) use world::World;

#[cfg(test)]
mod tests;
