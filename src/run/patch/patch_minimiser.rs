//! Minimises a patch to the smallest part that still satisfies the test expectations.

use crate::run::bisect::change_search::{
    ChangeSearch, ExtraCheck, MinimisedChange, announce_search,
};
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use crate::run::subject::attribution::Attribution;
use mend_model::{Result, TreeId};
use mend_search::{MinimisationGoal, SearchLimits};

/// Patch, split into components.
pub(crate) struct PatchMinimiser<'a> {
    repair_context: RepairContext<'a>,
    patch_name: &'a str,
    change: ChangeSearch<'a>,
}

impl<'a> PatchMinimiser<'a> {
    /// Splits the reverse change, from the patched version to `target_tree`, which is bad or has a part of the patch.
    /// Without `attribution`, the dependencies are based on names alone.
    pub(crate) fn new(
        repair_context: RepairContext<'a>,
        attribution: Option<&Attribution>,
        name: &'a str,
        tree: &TreeId,
        target_tree: &TreeId,
    ) -> Result<Self> {
        let patched = ResolvedVersion {
            label: name.to_owned(),
            commit: None,
            original_tree: tree.clone(),
            overlaid_tree: tree.clone(),
        };
        let target_tree =
            ResolvedVersion { overlaid_tree: target_tree.clone(), ..repair_context.bad.clone() };
        let RepairContext { session, oracle: judge, store, .. } = repair_context;
        let ends = VersionPair { base: &patched, target: &target_tree };
        let change = ChangeSearch::new(ends, None, store, judge, attribution, session.subject)?;
        Ok(Self { repair_context, patch_name: name, change })
    }

    /// Returns the number of components of the patch.
    pub(crate) fn component_count(&self) -> usize {
        self.change.size().components
    }

    /// Returns the smallest plausible part of the patch that also satisfies `extra_check`, if there is one. Tests at
    /// most `max_tests` subsets. The components of the result are the necessary ones.
    ///
    /// # Errors
    /// Cause of an early end of the search, except `max_tests`.
    pub(crate) fn minimise(
        self,
        max_tests: Option<usize>,
        extra_check: Option<&ExtraCheck<'_>>,
    ) -> Result<MinimisedChange> {
        let Self { repair_context, patch_name: name, change } = self;
        announce_search(repair_context.oracle, &change.size(), &repair_context.bad.label, name)?;
        let interrupt = repair_context.session.context.interrupt.clone();
        let mut minimiser = change.minimiser(SearchLimits { interrupt, max_tests })?;
        let change = match extra_check {
            Some(extra_check) => change.with_extra_check(extra_check),
            None => change,
        };
        let minimised = change.minimise(&mut minimiser, MinimisationGoal::Fix)?;
        if minimised.is_interrupted {
            Err(repair_context.oracle.early_end_reason())
        } else {
            Ok(minimised)
        }
    }
}
