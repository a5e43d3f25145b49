//! Dependency rules about control and data flow.

pub(crate) mod checked_exceptions;
pub(crate) mod constant_expressions;
pub(crate) mod definite_assignment;
pub(crate) mod exhaustive_switch;
pub(crate) mod final_fields;
pub(crate) mod reachability;
pub(crate) mod variable_accesses;
pub(crate) mod wrapped_exits;
