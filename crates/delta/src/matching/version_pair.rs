//! Two versions of a file side by side.

use mend_java::{NodeId, Source};

/// The old or the new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Version {
    Old,
    New,
}

impl Version {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

/// Sources of one file of a delta that can be compared; empty if the file is not split as Java.
pub(crate) struct Sources {
    /// The file's number in the delta.
    pub(crate) file: usize,
    pub(crate) old: Option<Source>,
    pub(crate) new: Option<Source>,
}

impl Sources {
    pub(crate) fn of(&self, version: Version) -> Option<&Source> {
        match version {
            Version::Old => self.old.as_ref(),
            Version::New => self.new.as_ref(),
        }
    }
}

/// Both versions.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) old: &'a Source,
    pub(crate) new: &'a Source,
}

impl<'a> Sides<'a> {
    pub(crate) fn of(self, version: Version) -> &'a Source {
        match version {
            Version::Old => self.old,
            Version::New => self.new,
        }
    }

    /// Returns true if two nodes have equal tokens.
    pub(crate) fn are_equal(self, old: NodeId, new: NodeId) -> bool {
        let (old, new) = (self.old.node(old), self.new.node(new));
        old.hash == new.hash && old.tokens.len() == new.tokens.len()
    }
}
