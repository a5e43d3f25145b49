//! Reduces fixes to their necessary part.

use super::budget::Spending;
use super::plausible::Plausible;
use crate::run::fix::applied_edits::variant;
use crate::run::fix::generated_test_comparison::Comparison;
use crate::run::patch::patch_minimizer::Shrinking;
use crate::run::patch::repair_context::Mending;
use mend_delta::change_tokens;
use mend_model::{FileState, Outcome, Result, TreeEdit, TreeId};
use mend_repair::{Strategy, hollow_blocks, without_hollow_branches};
use std::collections::BTreeMap;

/// Maximum number of subsets of one fix that are tried.
const MOST: usize = 20;

/// Removes parts of a fix that neither existing nor generated tests can observe.
pub(super) struct Shrinker<'a> {
    pub(super) mending: Mending<'a>,
    pub(super) comparison: &'a Comparison<'a>,
    pub(super) spending: Spending,
}

impl Shrinker<'_> {
    /// Returns a fix without its unnecessary parts; `None` if it has none, or if no test can show
    /// that they are unnecessary. Multi-location edits stay whole: a clone that no test executes is
    /// faulty too.
    pub(super) fn smaller(&self, one: &Plausible) -> Result<Option<Plausible>> {
        let Mending { demands, store, bad, session, .. } = self.mending;
        let twins = one.parts().filter(|part| part.strategy == Strategy::Twins);
        let twins = twins.map(|part| (&part.path, &part.edits[..]));
        let least = variant(store, &bad.tree, twins)?.unwrap_or_else(|| bad.tree.clone());
        let why = one.why();
        let shrinking = Shrinking::of(self.mending, None, (&why, &one.tree), &least)?;
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
        Ok(Some(Plausible { tree, tokens, is_shrunk: true, ..one.clone() }))
    }

    /// A part of a repair without branches that have nothing in them.
    fn tidied(&self, whole: &Plausible, part: &TreeId) -> Result<TreeId> {
        let Mending { store, bad, .. } = self.mending;
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

    /// Whether a part of a repair has a block with nothing in it that neither bad nor the whole repair has.
    fn is_hollow(&self, whole: &Plausible, part: &TreeId) -> Result<bool> {
        let Mending { store, bad, .. } = self.mending;
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
