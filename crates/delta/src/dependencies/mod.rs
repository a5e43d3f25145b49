//! Dependencies between hunks and the components that they form.

pub(crate) mod affected_files;
mod code_words;
pub(crate) mod components;
pub(crate) mod learned_constraints;
pub(crate) mod moved_edits;
pub(crate) mod name_dependencies;
