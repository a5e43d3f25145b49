//! Nodes of the two versions.

use crate::couplings::Version;
use crate::hunk::HunkId;
use mend_java::facts::NodeIndex;
use std::collections::BTreeSet;

/// A node of either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) version: Version,
    pub(super) tree: usize,
    pub(super) node: NodeIndex,
}

impl At {
    pub(super) fn with(self, node: NodeIndex) -> Self {
        Self { node, ..self }
    }
}

pub(super) const VERSIONS: [Version; 2] = [Version::Old, Version::New];

/// Sort of nodes that can start at the same offset and must be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Declaration,
    Use,
    Call,
    Assignment,
    Statement,
    Closing,
    Other,
}

/// A set of hunks.
pub(super) type Hunks = BTreeSet<HunkId>;
