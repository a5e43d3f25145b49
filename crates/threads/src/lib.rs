//! Concurrency repair: generates candidates for concurrency bugs from the findings of a schedule search, and ranks
//! them.
//!
//! Each fix operator has its own file. The schedule search verifies the candidates.

mod collector;
mod evidence;
mod fixes;
mod generate;
mod operator;
pub mod patterns;
mod source_file;
#[cfg(test)]
mod tests;

pub use generate::generate_candidates;
pub use operator::{ConcurrencyCandidate, ConcurrencyOperator};
pub use source_file::SourceFile;
