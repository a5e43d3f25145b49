//! Matching of the nodes of two versions of a Java file.

mod alignment;
pub(crate) mod child_items;
pub(crate) mod cross_file_pairs;
pub(crate) mod edit_script;
mod moves;
mod operator_chain;
pub(crate) mod related_code;
pub(crate) mod removable_parts;
mod sequence_alignment;
pub(crate) mod signature;
mod token_multisets;
pub(crate) mod version_pair;
mod wrappers;
