//! Splits the difference between two versions of a code base into hunks, any subset of which can be applied.
//!
//! The crate is pure: its input is file contents, its output a variant as a [`mend_model::TreeEdit`].

mod build_file;
mod delta_builder;
mod dependencies;
mod dependency_rules;
mod file_delta;
mod hunk;
mod java_file;
mod java_granularity;
mod line_edits;
mod matching;
mod patch_size;
#[cfg(test)]
mod properties;
mod provenance;
mod refactorings;
mod template;
#[cfg(test)]
mod tests;
mod text_file;
mod text_part;
mod tree_delta;

pub use dependencies::components::Component;
pub use dependencies::learned_constraints::{LearnedConstraint, VariantCompiler};
pub use hunk::{DependencyRule, Hunk, HunkDependency, HunkId, HunkKind, HunkPosition};
pub use java_granularity::JavaGranularity;
pub use line_edits::line_edits;
pub use patch_size::count_changed_tokens;
pub use provenance::{Ancestor, IntermediateVersion, ParentVersion};
pub use refactorings::RefactoringNote;
pub use tree_delta::Delta;
