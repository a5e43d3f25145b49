//! Minimises fixes: removes parts that no test observes.

use super::budget::BudgetUse;
use super::generator::trials::GeneratorTrials;
use super::plausible::{FixOrigin, PlausibleFix};
use crate::run::patch::apply_edits::write_variant;
use crate::run::patch::behaviour_comparison::BehaviourComparison;
use crate::run::patch::patch_minimiser::PatchMinimiser;
use crate::run::patch::repair_context::RepairContext;
use mend_delta::count_changed_tokens;
use mend_model::{FileState, Outcome, Result, TreeEdit, TreeId};
use mend_repair::{FixOperator, LocatedPatch, count_empty_blocks, remove_empty_branches};
use std::collections::BTreeMap;

/// Maximum number of tried subsets of one fix.
const MAX_TRIED_SUBSETS: usize = 20;

/// Minimiser of fixes. It removes parts of a fix that neither existing nor generated tests observe.
pub(super) struct FixMinimiser<'a> {
    pub(super) repair_context: RepairContext<'a>,
    pub(super) comparison: &'a BehaviourComparison<'a>,
    pub(super) budget_use: BudgetUse,
    /// Generator of patches, if the user asked for one.
    pub(super) generator: Option<&'a GeneratorTrials<'a>>,
}

impl FixMinimiser<'_> {
    /// Returns a fix without its unnecessary parts. Returns `None` if there are none, or if the tests cannot show that
    /// a part is unnecessary. Edits in several places are not split: a clone that no test executes is faulty too.
    pub(super) fn minimise(&self, fix: &PlausibleFix) -> Result<Option<PlausibleFix>> {
        let RepairContext { expectations, store, bad, session, .. } = self.repair_context;
        let multi_location_edits =
            fix.candidates().filter(|part| part.change.operator == FixOperator::MultiLocation);
        let multi_location_edits = multi_location_edits.flat_map(|part| part.change.edited_files());
        let multi_location_tree = write_variant(store, &bad.overlaid_tree, multi_location_edits)?
            .unwrap_or_else(|| bad.overlaid_tree.clone());
        let why = fix.description();
        let patch_minimiser =
            PatchMinimiser::new(self.repair_context, None, &why, &fix.tree, &multi_location_tree)?;
        let parts = patch_minimiser.component_count();
        if parts < 2 {
            return Ok(None);
        }
        if self.budget_use.is_time_over() {
            let note =
                "whether every part of each fix is needed: the time budget was used up".to_owned();
            return session.run_log.note_unchecked(note).map(|()| None);
        }
        let Some(whole_behaviour) = self.comparison.distinguishing_behaviour(&fix.tree)? else {
            return Ok(None);
        };
        let is_equivalent = |tree: &TreeId, outcome: &Outcome| {
            if self.budget_use.remaining_verification_time().is_zero() {
                return Ok(false);
            }
            let fixes_as_many =
                expectations.still_failing_in(outcome).is_subset(&fix.still_failing);
            Ok(fixes_as_many
                && self.comparison.distinguishing_behaviour(tree)?.as_ref()
                    == Some(&whole_behaviour))
        };
        let minimised = patch_minimiser.minimise(Some(MAX_TRIED_SUBSETS), Some(&is_equivalent))?;
        if minimised.components == parts {
            return Ok(None);
        }
        let tree = self.remove_empty_branches(fix, &minimised.tree)?;
        if self.adds_empty_block(fix, &tree)? {
            return Ok(None);
        }
        let tokens = count_changed_tokens(&store.diff_trees(&bad.overlaid_tree, &tree)?);
        self.classify_again(PlausibleFix { tree, tokens, is_minimised: true, ..fix.clone() })
    }

    /// Classifies a minimised patch of a generator: parts of a patch may have signs of overfitting that the whole has
    /// not. Returns `None` then, because tests do not show that the other parts are unnecessary.
    fn classify_again(&self, minimised: PlausibleFix) -> Result<Option<PlausibleFix>> {
        let (FixOrigin::Generator { candidate: name, edits_tests, .. }, Some(generator)) =
            (&minimised.origin, self.generator)
        else {
            return Ok(Some(minimised));
        };
        let description = minimised.candidate.change.description.clone();
        let Some(LocatedPatch { candidate, is_classified }) =
            generator.locate_tree(&minimised.tree, description)?
        else {
            return Ok(None);
        };
        if candidate.overfitting.is_some() && minimised.overfitting_kind().is_none() {
            return Ok(None);
        }
        let (candidate_name, edits_tests) = (name.clone(), *edits_tests);
        let origin = FixOrigin::Generator { candidate: candidate_name, is_classified, edits_tests };
        Ok(Some(PlausibleFix { origin, candidate, ..minimised }))
    }

    /// Removes empty branches from the minimised fix.
    fn remove_empty_branches(
        &self,
        whole_fix: &PlausibleFix,
        reduced_tree: &TreeId,
    ) -> Result<TreeId> {
        let RepairContext { store, bad, .. } = self.repair_context;
        let mut changes = BTreeMap::new();
        for (path, _) in whole_fix.edits() {
            let [before, after] =
                [&bad.overlaid_tree, reduced_tree].map(|tree| store.read_file(tree, path));
            let (Some(before), Some(after)) = (before?, after?) else { continue };
            let texts = [&before, &after].map(|state| std::str::from_utf8(&state.content));
            if let [Ok(before), Ok(text)] = texts {
                let content = remove_empty_branches(text, before).into_bytes().into();
                changes.insert(path.clone(), Some(FileState { content, ..after }));
            }
        }
        store.write_tree(&TreeEdit { base: reduced_tree.clone(), changes })
    }

    /// Returns true if the minimised fix contains an empty block that neither bad nor the whole fix contains.
    fn adds_empty_block(&self, whole_fix: &PlausibleFix, reduced_tree: &TreeId) -> Result<bool> {
        let RepairContext { store, bad, .. } = self.repair_context;
        for (path, _) in whole_fix.edits() {
            let blocks = |tree: &TreeId| -> Result<usize> {
                Ok(store
                    .read_file(tree, path)?
                    .map_or(0, |state| count_empty_blocks(&state.content)))
            };
            if blocks(reduced_tree)? > blocks(&bad.overlaid_tree)?.max(blocks(&whole_fix.tree)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
