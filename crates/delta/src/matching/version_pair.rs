//! Both versions of a file.

use mend_java::{NodeId, ParsedSource};

/// The old or the new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Version {
    Old,
    New,
}

impl Version {
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

/// Sources of one file of a delta that can be compared; empty if the file is not split as Java.
pub(crate) struct FileSources {
    /// Index of the file in the delta.
    pub(crate) file: usize,
    pub(crate) old: Option<ParsedSource>,
    pub(crate) new: Option<ParsedSource>,
}

impl FileSources {
    pub(crate) fn source(&self, version: Version) -> Option<&ParsedSource> {
        match version {
            Version::Old => self.old.as_ref(),
            Version::New => self.new.as_ref(),
        }
    }
}

/// Both versions of a file.
#[derive(Clone, Copy)]
pub(crate) struct VersionPair<'a> {
    pub(crate) old: &'a ParsedSource,
    pub(crate) new: &'a ParsedSource,
}

impl<'a> VersionPair<'a> {
    pub(crate) fn source(self, version: Version) -> &'a ParsedSource {
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
