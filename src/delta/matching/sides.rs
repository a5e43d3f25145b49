//! Two versions of a file side by side.

use crate::java::{NodeId, Source};

/// The old or the new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::delta) enum Version {
    Old,
    New,
}

impl Version {
    pub(in crate::delta) fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

/// Sources of one file of a delta that can be compared; empty if the file is not split as Java.
pub(in crate::delta) struct Sources {
    /// The file's number in the delta.
    pub(in crate::delta) file: usize,
    pub(in crate::delta) old: Option<Source>,
    pub(in crate::delta) new: Option<Source>,
}

impl Sources {
    pub(in crate::delta) fn of(&self, version: Version) -> Option<&Source> {
        match version {
            Version::Old => self.old.as_ref(),
            Version::New => self.new.as_ref(),
        }
    }
}

/// Both versions.
#[derive(Clone, Copy)]
pub(in crate::delta) struct Sides<'a> {
    pub(in crate::delta) old: &'a Source,
    pub(in crate::delta) new: &'a Source,
}

impl<'a> Sides<'a> {
    pub(in crate::delta) fn of(self, version: Version) -> &'a Source {
        match version {
            Version::Old => self.old,
            Version::New => self.new,
        }
    }

    /// Returns true if two nodes have equal tokens.
    pub(in crate::delta) fn are_equal(self, old: NodeId, new: NodeId) -> bool {
        let (old, new) = (self.old.node(old), self.new.node(new));
        old.hash == new.hash && old.tokens.len() == new.tokens.len()
    }
}
