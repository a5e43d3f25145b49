//! Nodes of the two versions.

use crate::dependencies::name_dependencies::Version;
use crate::hunk::HunkId;
use mend_java::facts::NodeIndex;
use std::collections::BTreeSet;

/// A node of either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeRef {
    pub(crate) version: Version,
    pub(crate) tree: usize,
    pub(crate) node: NodeIndex,
}

impl NodeRef {
    pub(crate) fn with_node(self, node: NodeIndex) -> Self {
        Self { node, ..self }
    }
}

pub(crate) const VERSIONS: [Version; 2] = [Version::Old, Version::New];

/// Sort of nodes that can start at the same offset and must be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NodeCategory {
    Declaration,
    Reference,
    Call,
    Assignment,
    Statement,
    ImplicitClose,
    Other,
}

/// A set of hunks.
pub(crate) type HunkSet = BTreeSet<HunkId>;
