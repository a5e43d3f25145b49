//! Couplings from resolved symbols: what a compiler knows about both versions says which hunks need which.
//!
//! Every schema states one reason why code compiles, as a need of something in one version. What is new
//! needs the new version's reason; what would take an old reason away needs the old code to go; code that is
//! kept needs the new reason where the old one goes.

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
