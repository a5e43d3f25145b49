//! Object store of a run: trees, blobs and commits.

pub(crate) mod apply;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod object_store;
pub(crate) mod required_objects;
pub(crate) mod tree_diff;
pub(crate) mod tree_entries;
pub(crate) mod write;
