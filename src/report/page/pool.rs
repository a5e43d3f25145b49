//! The patches of a pool, and what became of each.

use crate::report::RunResult;

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
    let rank = |name: &str| {
        let found = result.fixes.iter().find(|fix| fix.strategy == name);
        found.map_or(usize::MAX, |fix| fix.rank)
    };
    let mut patches: Vec<_> = result.patches.iter().collect();
    patches.sort_by_key(|patch| (patch.verdict != "pass", rank(&patch.name)));
    let row = |patch: &crate::report::PooledPatch| PoolRow {
        name: patch.name.clone(),
        verdict: patch.verdict.clone(),
        phase: patch.phase.map_or("", crate::model::Phase::words),
        tokens: patch.tokens.map_or(String::new(), |tokens| tokens.to_string()),
        seconds: format!("{:.1}", patch.seconds),
        reason: patch.reason.clone(),
    };
    patches.into_iter().map(row).collect()
}
