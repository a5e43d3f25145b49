//! Splits the difference between two versions of a Java file into hunks along their syntax trees.

pub(crate) mod cross_file_moves;
mod find_cross_file_moves;
pub(crate) mod fragment_builder;
mod layout_change;
mod merge_state;
mod merger;
mod one_sided_file;
mod related_moves;
mod split;
mod unmatched_runs;
mod unmatched_subtrees;

pub(crate) use crate::java_file::find_cross_file_moves::find_cross_file_moves;
pub(crate) use crate::java_file::split::{split_file, split_one_sided_file};
