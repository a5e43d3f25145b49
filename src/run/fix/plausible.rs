//! Plausible fixes: candidates that meet the demands of the tests, and their ranking.

use mend_java::Edit;
use mend_model::{RepoPath, TreeId};
use mend_repair::{Candidate, DifferentialResult, OverfittingKind};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A candidate that meets the demands of the tests.
#[derive(Clone, Debug)]
pub(super) struct PlausibleFix {
    pub(super) candidate: Candidate,
    /// Further candidates applied together with it, if each fixes only some of the failing tests.
    pub(super) others: Vec<Candidate>,
    pub(super) tree: TreeId,
    /// Deleted plus inserted.
    pub(super) tokens: usize,
    /// Tests that still fail and failed without it.
    pub(super) left: BTreeSet<String>,
    /// Result of the comparison on generated tests.
    pub(super) agreement: Option<DifferentialResult>,
    /// Contract that it violates and that held before.
    pub(super) breaks: Option<String>,
    /// Unnecessary parts were removed.
    pub(super) is_shrunk: bool,
}

/// Size in tokens at which a change is worth half as much as an empty one.
const TOKENS: f64 = 15.0;

/// Likelihood that failures in several places need different kinds of edits.
const UNLIKE: f64 = 0.5;

impl PlausibleFix {
    /// Orders by tests left failing, then by broken contracts, then by evasion, then by worth.
    pub(super) fn rank(&self, other: &Self) -> Ordering {
        let key = |one: &Self| (one.left.len(), one.breaks.is_some(), one.evasion().is_some());
        key(self).cmp(&key(other)).then_with(|| other.worth().total_cmp(&self.worth()))
    }

    /// Kind of overfitting of one of its parts, if any.
    pub(super) fn evasion(&self) -> Option<OverfittingKind> {
        self.parts().find_map(|part| part.evasion)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &Candidate> {
        std::iter::once(&self.candidate).chain(&self.others)
    }

    /// Describes the fix.
    pub(super) fn description(&self) -> String {
        let mut said = self.parts().map(|part| &*part.why).collect::<Vec<_>>().join("; ");
        if self.is_shrunk {
            said.push_str(" (reduced to the necessary part)");
        }
        let said = match self.evasion() {
            Some(OverfittingKind::AvoidsCheck) => {
                format!("{said} (caution: this only bypasses a check)")
            }
            Some(OverfittingKind::SkipsWork) => {
                format!("{said} (caution: this only skips the work)")
            }
            Some(OverfittingKind::ConstantResult) => {
                format!("{said} (caution: this only makes the result constant)")
            }
            Some(OverfittingKind::RemovesFailure) => {
                format!("{said} (caution: this only removes the failing code)")
            }
            None => said,
        };
        match &self.breaks {
            Some(promise) => format!("{said} (but this violates {promise})"),
            None => said,
        }
    }

    /// Returns the edits by file.
    pub(super) fn edits(&self) -> Vec<(&RepoPath, &[Edit])> {
        self.parts().map(|part| (&part.path, &part.edits[..])).collect()
    }

    /// Returns the worth of a fix: high for a promising and small one that generated tests confirm.
    pub(super) fn worth(&self) -> f64 {
        let borne_out = self.agreement.map_or(1.0, |agreement| agreement.weight);
        let is_like = |part: &Candidate| part.is_like(&self.candidate);
        let likeness = if self.others.iter().all(is_like) { 1.0 } else { UNLIKE };
        let least = self.parts().map(|part| part.score).fold(f64::INFINITY, f64::min);
        borne_out * likeness * least
            / (1.0 + f64::from(u32::try_from(self.tokens).unwrap_or(u32::MAX)) / TOKENS)
    }
}
