//! Dependencies from resolved symbols: compiler facts about both versions determine which hunks need which.
//!
//! Every schema states one reason why code compiles, as a requirement on one version. New code needs the new version's
//! reason. Removing an old reason requires removing the old code. Kept code needs the new reason where the old one is
//! removed.

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
