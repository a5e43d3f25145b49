//! Concurrency repair: candidates for concurrency bugs, from the findings of a schedule search, simplest first.
//!
//! Each fix operator has its own file. The schedule search verifies the candidates.

mod absences;
mod all;
mod atomics;
mod calls;
mod checks;
mod deadlocks;
mod entering;
pub mod explanation;
mod fields;
mod guards;
mod joins;
mod latches;
mod late_joins;
mod layout;
mod locks;
mod maps;
mod moves;
pub mod ranking;
mod regions;
mod releases;
mod remedies;
mod remedy;
mod scene;
mod shared_objects;
mod signals;
mod source_file;
mod turns;
mod waits;
mod wrong_locks;

pub use all::remedies;
pub use remedy::{Remedy, Way};
pub use source_file::SourceFile;

#[cfg(test)]
mod tests;
