//! Java code with compiler facts: navigation, control flow, scope, purity and source edits.

pub mod condition;
pub mod control_flow;
pub(crate) mod edit;
pub mod expression;
pub(crate) mod file;
pub mod precedence;
pub mod purity;
pub mod scope;
pub mod types;
