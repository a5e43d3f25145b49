//! Scratch trees: folders where variants are built and tested, and their removal after a run.

pub(crate) mod folder_removal;
pub(crate) mod run_lock;
pub(crate) mod scratch_tree;
