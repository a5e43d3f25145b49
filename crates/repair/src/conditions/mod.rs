//! Conditions for fixes: terms, predicates, their combination and their meaning.

pub(crate) mod compounds;
pub(crate) mod equivalence;
pub(crate) mod linear;
pub(crate) mod numbers;
pub(crate) mod predicates;
pub(crate) mod snapshots;
pub(crate) mod static_score;
pub(crate) mod terms;
