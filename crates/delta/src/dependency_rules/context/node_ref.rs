//! References to nodes of both versions.

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

/// Category of nodes, to distinguish nodes that start at the same offset.
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
