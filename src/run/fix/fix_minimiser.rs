//! Reduces fixes to their necessary part.

use super::budget::BudgetUse;
use super::plausible::PlausibleFix;
use crate::run::fix::applied_edits::variant;
use crate::run::fix::generated_test_comparison::GeneratedTestComparison;
use crate::run::patch::patch_minimiser::PatchMinimiser;
use crate::run::patch::repair_context::RepairContext;
use mend_delta::change_tokens;
use mend_model::{FileState, Outcome, Result, TreeEdit, TreeId};
use mend_repair::{FixOperator, hollow_blocks, without_hollow_branches};
use std::collections::BTreeMap;

/// Maximum number of subsets of one fix that are tried.
const MOST: usize = 20;

/// Removes parts of a fix that neither existing nor generated tests can observe.
pub(super) struct FixMinimiser<'a> {
    pub(super) mending: RepairContext<'a>,
    pub(super) comparison: &'a GeneratedTestComparison<'a>,
    pub(super) spending: BudgetUse,
}

impl FixMinimiser<'_> {
    /// Returns a fix without its unnecessary parts; `None` if it has none, or if no test can show
    /// that they are unnecessary. Multi-location edits stay whole: a clone that no test executes is
    /// faulty too.
    pub(super) fn smaller(&self, one: &PlausibleFix) -> Result<Option<PlausibleFix>> {
        let RepairContext { demands, store, bad, session, .. } = self.mending;
        let twins = one.parts().filter(|part| part.strategy == FixOperator::MultiLocation);
        let twins = twins.map(|part| (&part.path, &part.edits[..]));
        let least = variant(store, &bad.tree, twins)?.unwrap_or_else(|| bad.tree.clone());
        let why = one.description();
        let shrinking = PatchMinimiser::new(self.mending, None, &why, &one.tree, &least)?;
        let parts = shrinking.parts();
        if parts < 2 {
            return Ok(None);
        }
        if self.spending.is_late() {
            let what =
                "whether every part of each fix is needed: the time budget was used up".to_owned();
            return session.ledger.note(what).map(|()| None);
        }
        let Some(whole) = self.comparison.telling(&one.tree)? else { return Ok(None) };
        let is_as_good = |tree: &TreeId, outcome: &Outcome| {
            let is_mended = demands.left_by(outcome).is_subset(&one.left);
            Ok(is_mended && self.comparison.telling(tree)?.as_ref() == Some(&whole))
        };
        let found = shrinking.smallest(Some(MOST), Some(&is_as_good))?;
        if found.components == parts {
            return Ok(None);
        }
        let tree = self.tidied(one, &found.tree)?;
        if self.is_hollow(one, &tree)? {
            return Ok(None);
        }
        let tokens = change_tokens(&store.changes(&bad.tree, &tree)?);
        Ok(Some(PlausibleFix { tree, tokens, is_shrunk: true, ..one.clone() }))
    }

    /// Removes empty branches from the reduced fix.
    fn tidied(&self, whole: &PlausibleFix, part: &TreeId) -> Result<TreeId> {
        let RepairContext { store, bad, .. } = self.mending;
        let mut changes = BTreeMap::new();
        for (path, _) in whole.edits() {
            let [before, after] = [&bad.tree, part].map(|tree| store.file(tree, path));
            let (Some(before), Some(after)) = (before?, after?) else { continue };
            let texts = [&before, &after].map(|state| std::str::from_utf8(&state.content));
            if let [Ok(before), Ok(text)] = texts {
                let content = without_hollow_branches(text, before).into_bytes().into();
                changes.insert(path.clone(), Some(FileState { content, ..after }));
            }
        }
        store.write(&TreeEdit { base: part.clone(), changes })
    }

    /// Returns true if the reduced fix contains an empty block that neither bad nor the whole fix contains.
    fn is_hollow(&self, whole: &PlausibleFix, part: &TreeId) -> Result<bool> {
        let RepairContext { store, bad, .. } = self.mending;
        for (path, _) in whole.edits() {
            let blocks = |tree: &TreeId| -> Result<usize> {
                Ok(store.file(tree, path)?.map_or(0, |state| hollow_blocks(&state.content)))
            };
            if blocks(part)? > blocks(&bad.tree)?.max(blocks(&whole.tree)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
