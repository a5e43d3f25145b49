//! A patch without what is superfluous in it: the smallest part of it that does what is asked for.

use super::attribution::Attribution;
use super::change::{Change, Found, Proviso, announce};
use super::mending::Mending;
use super::versions::Version;
use crate::model::{Result, TreeId};
use crate::search::{Goal, Limits};

/// A patch that is taken apart.
pub(super) struct Shrinking<'a> {
    mending: Mending<'a>,
    name: &'a str,
    change: Change<'a>,
}

impl<'a> Shrinking<'a> {
    /// Takes the change from what a patch makes of bad back to `least`, which is bad or has a part of the patch, apart.
    /// Names alone tell what belongs together if there is no compiler to ask.
    pub(super) fn of(
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
    pub(super) fn parts(&self) -> usize {
        self.change.size().components
    }

    /// The smallest part of the patch that is found to be plausible, and to meet `proviso` if there is one; at most so
    /// many are tried. Its components are those that are needed.
    ///
    /// # Errors
    /// What ends the search before it came to its end, but for `most`.
    pub(super) fn smallest(
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
