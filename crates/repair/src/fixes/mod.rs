//! Fix operators: candidate edits for one statement, with one file for each kind of change.

mod all_operators;
mod code_text;
mod donor_restrictions;
pub(crate) mod expressions;
mod implicit_preconditions;
mod site;
pub(crate) mod statements;

pub(super) use crate::fixes::all_operators::propose_all;
pub(super) use site::{RepairSite, StatementEvidence};
