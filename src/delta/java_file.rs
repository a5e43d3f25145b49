//! Splits the difference of two versions of a Java file into hunks along their syntax trees.

mod context;
mod file;
mod find_travels;
mod layout;
mod one_sided;
pub(in crate::delta) mod pieces;
mod runs;
mod take_apart;
pub(in crate::delta) mod travels;
mod walk;

pub(in crate::delta) use find_travels::find_travels;
pub(in crate::delta) use take_apart::{take_apart, take_one_apart};
