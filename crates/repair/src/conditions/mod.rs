//! Conditions of fixes: terms, predicates, combinations, equivalence and scores.

pub(crate) mod compounds;
pub(crate) mod equivalence;
pub(crate) mod linear;
pub(crate) mod numbers;
pub(crate) mod predicates;
pub(crate) mod snapshots;
pub(crate) mod static_score;
pub(crate) mod terms;
