//! Rows of the pool table on a page.

use crate::terminal::pool_table::{rank_patches, verdict_label};
use crate::{PoolPatchResult, RunResult};

/// Row of a patch in a pool.
pub(super) struct PoolPatchRow {
    pub(super) name: String,
    /// Style of the verdict.
    pub(super) class: String,
    pub(super) verdict: &'static str,
    pub(super) tokens: String,
    pub(super) seconds: String,
    pub(super) reason: String,
}

/// Returns the patches of a pool, the plausible ones first.
pub(super) fn pool_rows(result: &RunResult) -> Vec<PoolPatchRow> {
    let row = |patch: &PoolPatchResult| PoolPatchRow {
        name: patch.name.clone(),
        class: patch.verdict.clone(),
        verdict: verdict_label(patch),
        tokens: patch.tokens.map_or(String::new(), |tokens| tokens.to_string()),
        seconds: format!("{:.1}", patch.seconds),
        reason: patch.reason.clone(),
    };
    rank_patches(result).into_iter().map(row).collect()
}
