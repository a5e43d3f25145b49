//! Minimisation of a patch to the smallest part that still meets the expectations.

use crate::run::bisect::change_search::{ChangeSearch, ExtraCheck, MinimisedChange, announce};
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use crate::run::subject::attribution::Attribution;
use mend_model::{Result, TreeId};
use mend_search::{MinimisationGoal, SearchLimits};

/// A patch, split into components.
pub(crate) struct PatchMinimiser<'a> {
    mending: RepairContext<'a>,
    name: &'a str,
    change: ChangeSearch<'a>,
}

impl<'a> PatchMinimiser<'a> {
    /// Splits the change from the patched version back to `least`, which is bad or has a part of
    /// the patch. Without a compiler, names alone decide the dependencies.
    pub(crate) fn new(
        mending: RepairContext<'a>,
        attribution: Option<&Attribution>,
        name: &'a str,
        tree: &TreeId,
        least: &TreeId,
    ) -> Result<Self> {
        let patched = ResolvedVersion {
            label: name.to_owned(),
            commit: None,
            original: tree.clone(),
            tree: tree.clone(),
        };
        let least = ResolvedVersion { tree: least.clone(), ..mending.bad.clone() };
        let RepairContext { session, judge, store, .. } = mending;
        let ends = VersionPair { base: &patched, target: &least };
        let change = ChangeSearch::new(ends, None, store, judge, attribution, session.subject)?;
        Ok(Self { mending, name, change })
    }

    /// Returns the number of components of the patch.
    pub(crate) fn parts(&self) -> usize {
        self.change.size().components
    }

    /// Returns the smallest plausible part of the patch that also meets `proviso`, if there is one;
    /// tries at most `most` subsets. Its components are those that are needed.
    ///
    /// # Errors
    /// The cause of an early end of the search, other than `most`.
    pub(crate) fn smallest(
        self,
        most: Option<usize>,
        proviso: Option<&ExtraCheck<'_>>,
    ) -> Result<MinimisedChange> {
        let Self { mending, name, change } = self;
        announce(mending.judge, &change.size(), &mending.bad.label, name)?;
        let interrupt = mending.session.context.interrupt.clone();
        let mut minimiser = change.minimiser(SearchLimits { interrupt, max_tests: most })?;
        let change = match proviso {
            Some(proviso) => change.provided(proviso),
            None => change,
        };
        let found = change.minimise(&mut minimiser, MinimisationGoal::Fix)?;
        if found.interrupted { Err(mending.judge.end()) } else { Ok(found) }
    }
}
