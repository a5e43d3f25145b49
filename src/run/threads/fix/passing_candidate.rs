//! Candidates of concurrency repair that no schedule rejects: our own ones, and patches of a generator.

use crate::run::fix::plausible::TEST_EDITS_CAUTION;
use mend_java::describe_candidates;
use mend_model::TreeId;
use mend_report::GENERATOR_TECHNIQUE;
use mend_threads::ConcurrencyCandidate;

/// Candidate that no schedule rejects.
#[derive(Clone)]
pub(super) struct PassingCandidate {
    /// Combined candidates, each applied on top of the previous one.
    pub(super) candidates: Vec<ConcurrencyCandidate>,
    pub(super) tree: TreeId,
    /// Number of schedules that ran with the failing seed.
    pub(super) repeated_schedules: usize,
    /// The patch, if a generator offered it.
    pub(super) generator_patch: Option<PassingPatch>,
}

/// Patch of a generator that no schedule rejects.
#[derive(Clone)]
pub(super) struct PassingPatch {
    pub(super) name: String,
    /// True if the patch also changes test code. These changes are left out.
    pub(super) edits_tests: bool,
}

impl PassingCandidate {
    /// Describes the fix.
    pub(super) fn description(&self) -> String {
        let mut description = describe_candidates(&self.candidates);
        if self.generator_patch.as_ref().is_some_and(|patch| patch.edits_tests) {
            description.push_str(TEST_EDITS_CAUTION);
        }
        description
    }

    /// Returns the names of the technique and of the operator.
    pub(super) fn technique_and_operator(&self) -> (&'static str, &str) {
        let own_operator = self.candidates.first().map_or("", |first| first.operator.name());
        let patch = self.generator_patch.as_ref();
        patch.map_or(("concurrency", own_operator), |patch| (GENERATOR_TECHNIQUE, &patch.name))
    }

    /// Returns true for a candidate of our own that ends with an edit of this description.
    pub(super) fn is_own_with_description(&self, description: &str) -> bool {
        self.generator_patch.is_none()
            && self.candidates.last().is_some_and(|last| last.description == description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_threads::ConcurrencyOperator;

    #[test]
    fn candidates_are_compared_only_with_our_own_by_description() {
        let description = ConcurrencyOperator::Join.name();
        let passing = |generator_patch| PassingCandidate {
            candidates: vec![ConcurrencyCandidate {
                edits: [].into(),
                operator: ConcurrencyOperator::Join,
                description: description.to_owned(),
                score: 1.0,
            }],
            tree: TreeId(String::new()),
            repeated_schedules: 1,
            generator_patch,
        };
        let patch = PassingPatch { name: "candidate-1".to_owned(), edits_tests: true };
        let (own, patch) = (passing(None), passing(Some(patch)));
        assert!(own.is_own_with_description(description));
        assert!(!patch.is_own_with_description(description));
        assert_eq!(own.description(), description);
        assert_eq!(patch.description(), format!("{description}{TEST_EDITS_CAUTION}"));
        assert_eq!(patch.technique_and_operator(), (GENERATOR_TECHNIQUE, "candidate-1"));
    }
}
