//! Tests variants of a version that differ in parts of their builds only.

use super::build_change::BuildChange;
use super::variant_trees::{Base, VariantParts, VariantTrees};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::judge::Judgement;
use crate::run::session::run_log::TrialSubject;
use mend_model::{Phase, Problem, Result, Verdict};
use std::sync::Arc;

/// Result of testing a variant.
#[derive(Clone, Copy, Debug)]
pub(super) struct VariantVerdict {
    pub(super) verdict: Verdict,
    /// True if the variant fails as bad does, but with another message.
    pub(super) has_other_message: bool,
}

/// Variants of a version that differ in parts of their builds only, and their oracle.
pub(super) struct BuildVariants<'a> {
    setup: &'a SearchSetup<'a>,
    pub(super) trees: VariantTrees,
}

impl<'a> BuildVariants<'a> {
    /// Finds the version whose tests the changes of the build alone break: bad, if it passes with the parts of good, or
    /// else good, if it fails with those of bad. Returns `None` if neither does.
    pub(super) fn find_base(
        setup: &'a SearchSetup<'a>,
        changes: &[BuildChange],
    ) -> Result<Option<Self>> {
        let trees = VariantTrees {
            store: Arc::clone(&setup.prepared.store),
            good: setup.good.clone(),
            bad: setup.prepared.bad.clone(),
            changes: changes.into(),
            base: Base::Bad,
        };
        let of_bad = Self { setup, trees };
        let old_parts = of_bad.trees.select_parts(|_| false);
        if of_bad.judge(&old_parts, "bad with the versions of good", None)? == Verdict::Pass {
            return Ok(Some(of_bad));
        }
        let of_good = Self { trees: VariantTrees { base: Base::Good, ..of_bad.trees }, setup };
        let new_parts = of_good.trees.select_parts(|_| true);
        let verdict = of_good.judge(&new_parts, "good with the versions of bad", None)?;
        Ok((verdict == Verdict::Fail).then_some(of_good))
    }

    /// Tests the variant with these parts. `remaining` is the estimated number of trials, this one included.
    pub(super) fn judge(
        &self,
        parts: &VariantParts,
        description: &str,
        remaining: Option<usize>,
    ) -> Result<Verdict> {
        Ok(self.judge_with_message(parts, description, remaining)?.verdict)
    }

    /// Tests as [`Self::judge`], and compares the message with that of bad.
    pub(super) fn judge_with_message(
        &self,
        parts: &VariantParts,
        description: &str,
        remaining: Option<usize>,
    ) -> Result<VariantVerdict> {
        let tree = self.trees.write_tree(parts)?;
        let trial =
            TrialSubject { description: description.to_owned(), commit: None, search: None };
        let commit = self.trees.version().commit_id();
        let oracle = &self.setup.oracle;
        match oracle.judge(&tree, commit, trial, remaining) {
            // A plugin of this version does not work in the build.
            Err(Problem::BuildToolFailed { .. }) => Ok(VariantVerdict {
                verdict: Verdict::Unresolved(Phase::NotTestable),
                has_other_message: false,
            }),
            Err(problem) => Err(problem),
            Ok(Judgement { verdict, outcome, .. }) => {
                let has_other_message = verdict == Verdict::Unresolved(Phase::OtherFailure)
                    && outcome.is_some_and(|outcome| oracle.has_other_message(&outcome));
                Ok(VariantVerdict { verdict, has_other_message })
            }
        }
    }
}
