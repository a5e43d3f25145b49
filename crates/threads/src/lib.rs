//! Concurrency repair: generates candidates for concurrency bugs from the findings of a schedule search, and ranks
//! them.
//!
//! Each fix operator has its own file. The schedule search verifies the candidates.

mod candidate;
mod collector;
mod evidence;
mod fixes;
mod generate;
pub mod patterns;
mod source_file;
#[cfg(test)]
mod tests;

pub use candidate::{ConcurrencyCandidate, ConcurrencyOperator};
pub use generate::generate_candidates;
pub use source_file::SourceFile;
