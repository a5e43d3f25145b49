//! The patches of a pool, and what became of each.

use crate::model::Phase;
use crate::report::pool_table::ranked;
use crate::report::{PooledPatch, RunResult};

/// A patch of a pool.
pub(super) struct PoolRow {
    pub(super) name: String,
    pub(super) verdict: String,
    pub(super) phase: &'static str,
    pub(super) tokens: String,
    pub(super) seconds: String,
    pub(super) reason: String,
}

/// The patches of a pool, the plausible ones first.
pub(super) fn pool(result: &RunResult) -> Vec<PoolRow> {
    let row = |patch: &PooledPatch| PoolRow {
        name: patch.name.clone(),
        verdict: patch.verdict.clone(),
        phase: patch.phase.map_or("", Phase::words),
        tokens: patch.tokens.map_or(String::new(), |tokens| tokens.to_string()),
        seconds: format!("{:.1}", patch.seconds),
        reason: patch.reason.clone(),
    };
    ranked(result).into_iter().map(row).collect()
}
