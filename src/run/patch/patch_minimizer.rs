//! Minimisation of a patch: the smallest part of it that does what is required.

use crate::run::bisect::change_search::{Change, Found, Proviso, announce};
use crate::run::patch::repair_context::Mending;
use crate::run::session::versions::Version;
use crate::run::subject::attribution::Attribution;
use mend_model::{Result, TreeId};
use mend_search::{Goal, Limits};

/// A patch, split into components.
pub(crate) struct Shrinking<'a> {
    mending: Mending<'a>,
    name: &'a str,
    change: Change<'a>,
}

impl<'a> Shrinking<'a> {
    /// Splits the change from the patched version back to `least`, which is bad or has a part of
    /// the patch. Without a compiler, names alone decide the dependencies.
    pub(crate) fn of(
        mending: Mending<'a>,
        attribution: Option<&Attribution>,
        (name, tree): (&'a str, &TreeId),
        least: &TreeId,
    ) -> Result<Self> {
        let patched = Version {
            label: name.to_owned(),
            commit: None,
            original: tree.clone(),
            tree: tree.clone(),
        };
        let least = Version { tree: least.clone(), ..mending.bad.clone() };
        let by = (mending.judge, attribution);
        let subject = mending.session.subject;
        let change = Change::between((&patched, &least), None, mending.store, by, subject)?;
        Ok(Self { mending, name, change })
    }

    /// How many parts can be left out or kept.
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
        proviso: Option<&Proviso<'_>>,
    ) -> Result<Found> {
        let Self { mending, name, change } = self;
        announce(mending.judge, &change.size(), &mending.bad.label, name)?;
        let interrupt = mending.session.context.interrupt.clone();
        let mut minimiser = change.minimiser(Limits { interrupt, max_tests: most })?;
        let change = match proviso {
            Some(proviso) => change.provided(proviso),
            None => change,
        };
        let found = change.minimise(&mut minimiser, Goal::Fix)?;
        if found.interrupted { Err(mending.judge.end()) } else { Ok(found) }
    }
}
