//! Dependency rules on resolved symbols: compiler facts about both versions determine which hunks depend on which.
//!
//! Every rule states one requirement of the language on one version. New code needs what the new version requires.
//! Removing what the old version requires needs removal of the old code. Kept code needs the new requirement if the old
//! one is removed.

pub(super) use crate::dependency_rules::all_rules::{
    find_semantic_dependencies, has_compiler_facts,
};
pub(super) use crate::dependency_rules::context::error_causes::ErrorScope;
pub(super) use crate::dependency_rules::context::rule_context::RuleContext;

mod all_rules;
pub(crate) mod context;
pub(crate) mod flow;
pub(crate) mod names;
#[cfg(test)]
mod tests;
pub(crate) mod types;
