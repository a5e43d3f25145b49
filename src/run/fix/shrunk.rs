//! Repairs without what is superfluous in them.

use super::budget::Spending;
use super::comparison::Comparison;
use super::trials::Plausible;
use super::variant::variant;
use crate::delta::change_tokens;
use crate::model::{Outcome, Result, TreeId};
use crate::repair::Strategy;
use crate::run::mending::Mending;
use crate::run::shrinking::Shrinking;

/// So many parts of one repair are tried.
const MOST: usize = 20;

/// Leaves out what is superfluous: what neither the tests at hand nor generated ones can tell.
pub(super) struct Shrinker<'a> {
    pub(super) mending: Mending<'a>,
    pub(super) comparison: &'a Comparison<'a>,
    pub(super) spending: Spending,
}

impl Shrinker<'_> {
    /// A repair without what is superfluous; `None` if there is nothing superfluous, or nobody can tell. Twins stay as
    /// they are: that no test comes upon one of them does not make it less of a fault.
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
            let what = "whether all of each repair is needed: the time was over".to_owned();
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
        let tokens = change_tokens(&store.changes(&bad.tree, &found.tree)?);
        Ok(Some(Plausible { tree: found.tree, tokens, is_shrunk: true, ..one.clone() }))
    }
}
