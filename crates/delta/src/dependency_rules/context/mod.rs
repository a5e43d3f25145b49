//! Context of all dependency rules: both versions, their hunks and symbols.

pub(crate) mod dependency_collector;
pub(crate) mod edited_move_index;
pub(crate) mod enclosing;
pub(crate) mod enclosing_scopes;
pub(crate) mod error_causes;
pub(crate) mod mutual_exclusion;
pub(crate) mod neutral_edits;
pub(crate) mod node_ref;
pub(crate) mod other_version_types;
pub(crate) mod rule_context;
pub(crate) mod symbol_changes;
pub(crate) mod symbol_matching;
pub(crate) mod type_causes;
