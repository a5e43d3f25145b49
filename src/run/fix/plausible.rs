//! Plausible fixes, which are candidates that satisfy the test expectations, and their ranking.

use mend_java::{Edit, describe_candidates};
use mend_model::{RepoPath, TreeId};
use mend_repair::{DifferentialResult, LocatedCandidate, OverfittingKind};
use mend_report::GENERATOR_TECHNIQUE;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// End of the description of a patch that also changes test code.
pub(in crate::run) const TEST_EDITS_CAUTION: &str =
    " (caution: the generator also changed tests; these changes are left out)";

/// Origin of a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FixOrigin {
    /// Contract repair.
    Contract,
    /// External generator.
    Generator {
        /// Name of the patch.
        candidate: String,
        /// True if all checks for overfitting apply to it.
        is_classified: bool,
        /// True if the patch also changes test code. These changes are left out.
        edits_tests: bool,
    },
}

/// Candidate that satisfies the test expectations.
#[derive(Clone, Debug)]
pub(super) struct PlausibleFix {
    pub(super) origin: FixOrigin,
    pub(super) candidate: LocatedCandidate,
    /// Further candidates that are applied together with it, if each fixes only some of the failing tests.
    pub(super) further_candidates: Vec<LocatedCandidate>,
    pub(super) tree: TreeId,
    /// Number of tokens deleted plus inserted.
    pub(super) tokens: usize,
    /// Tests that still fail and failed without it.
    pub(super) still_failing: BTreeSet<String>,
    /// Result of the differential testing on generated tests.
    pub(super) agreement: Option<DifferentialResult>,
    /// Contract that the fix violates and that bad satisfied.
    pub(super) violated_contract: Option<String>,
    /// True if unnecessary parts were removed.
    pub(super) is_minimised: bool,
}

/// Number of tokens at which the worth of a fix is half that of an empty one.
const HALF_WORTH_TOKENS: f64 = 15.0;

/// Likelihood that failures in several places need different kinds of edits.
const DISSIMILAR_EDITS_WEIGHT: f64 = 0.5;

impl PlausibleFix {
    /// Compares by still failing tests, then by violated contracts, then by overfitting, then by worth.
    pub(super) fn compare_rank(&self, other: &Self) -> Ordering {
        let key = |one: &Self| {
            (
                one.still_failing.len(),
                one.violated_contract.is_some(),
                one.overfitting_kind().is_some(),
            )
        };
        key(self).cmp(&key(other)).then_with(|| other.worth().total_cmp(&self.worth()))
    }

    /// Returns the kind of overfitting of the first overfitting part, if any.
    pub(super) fn overfitting_kind(&self) -> Option<OverfittingKind> {
        self.candidates().find_map(|part| part.overfitting)
    }

    /// Returns the signs that it only evades the failure, as predicates of a sentence.
    pub(super) fn overfitting_signs(&self) -> Vec<String> {
        let evasion = self.overfitting_kind().map(|kind| kind.description().to_owned());
        let violation = self.violated_contract.iter().map(|one| format!("violates {one}"));
        evasion.into_iter().chain(violation).collect()
    }

    /// Returns true if all checks for overfitting apply to it.
    pub(super) fn is_classified(&self) -> bool {
        match self.origin {
            FixOrigin::Contract => true,
            FixOrigin::Generator { is_classified, .. } => is_classified,
        }
    }

    pub(super) fn candidates(&self) -> impl Iterator<Item = &LocatedCandidate> {
        std::iter::once(&self.candidate).chain(&self.further_candidates)
    }

    /// Returns the names of the technique and of the operator.
    pub(super) fn technique_and_operator(&self) -> (&'static str, &str) {
        match &self.origin {
            FixOrigin::Contract => ("contract", self.candidate.change.operator.name()),
            FixOrigin::Generator { candidate, .. } => (GENERATOR_TECHNIQUE, candidate),
        }
    }

    /// Returns the name of its edit. Equal edits of different statements have the same name.
    pub(super) fn edit_name(&self) -> String {
        match &self.origin {
            FixOrigin::Contract => self.candidate.change.description.clone(),
            FixOrigin::Generator { candidate, .. } => candidate.clone(),
        }
    }

    /// Describes the fix.
    pub(super) fn description(&self) -> String {
        let mut description = describe_candidates(self.candidates().map(|part| &part.change));
        if self.is_minimised {
            description.push_str(" (reduced to the necessary part)");
        }
        if matches!(self.origin, FixOrigin::Generator { edits_tests: true, .. }) {
            description.push_str(TEST_EDITS_CAUTION);
        }
        let description = match self.overfitting_kind() {
            Some(kind) => format!("{description} (caution: this {})", kind.description()),
            None => description,
        };
        match &self.violated_contract {
            Some(contract) => format!("{description} (but this violates {contract})"),
            None => description,
        }
    }

    /// Returns the edits by file.
    pub(super) fn edits(&self) -> Vec<(&RepoPath, &[Edit])> {
        self.candidates().flat_map(|part| part.change.edited_files()).collect()
    }

    /// Returns the worth of a fix, which decreases with its size and increases with its score and the agreement in
    /// generated tests. An exception with its message is no larger than another exit.
    pub(super) fn worth(&self) -> f64 {
        let agreement_weight = self.agreement.map_or(1.0, |agreement| agreement.weight);
        let is_similar = |part: &LocatedCandidate| part.has_same_shape(&self.candidate);
        let similarity = if self.further_candidates.iter().all(is_similar) {
            1.0
        } else {
            DISSIMILAR_EDITS_WEIGHT
        };
        let exceptions: usize = match self.origin {
            FixOrigin::Contract => {
                self.candidates().map(LocatedCandidate::count_exception_tokens).sum()
            }
            // An edit of a generator may contain tokens that it does not change.
            FixOrigin::Generator { .. } => 0,
        };
        let tokens = self.tokens.saturating_sub(exceptions);
        let lowest_score =
            self.candidates().map(|part| part.change.score).fold(f64::INFINITY, f64::min);
        agreement_weight * similarity * lowest_score
            / (1.0 + f64::from(u32::try_from(tokens).unwrap_or(u32::MAX)) / HALF_WORTH_TOKENS)
    }
}
