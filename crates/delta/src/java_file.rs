//! Splits the difference of two versions of a Java file into hunks along their syntax trees.

mod context;
mod file;
mod find_travels;
mod layout;
mod one_sided;
pub(crate) mod pieces;
mod runs;
mod take_apart;
pub(crate) mod travels;
mod walk;

pub(crate) use find_travels::find_travels;
pub(crate) use take_apart::{take_apart, take_one_apart};
