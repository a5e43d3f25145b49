//! Fix operators that add, remove, move or replace statements.

pub(crate) mod branches;
pub(crate) mod catches;
pub(crate) mod cleanup;
pub(crate) mod commands;
pub(crate) mod documented_guards;
pub(crate) mod donors;
pub(crate) mod early_exits;
pub(crate) mod loop_epilogue;
pub(crate) mod null_results;
pub(crate) mod postconditions;
pub(crate) mod related_code;
pub(crate) mod remove_guard;
pub(crate) mod state_ending_calls;
pub(crate) mod statement_order;
pub(crate) mod write_back;
