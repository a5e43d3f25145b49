//! Attributed syntax tree of one file.

use super::node_kind::NodeKind;
use super::symbol::SymbolId;
use crate::facts::type_id::TypeId;
use mend_model::RepoPath;
use std::ops::Range;

/// Index of a node in [`AttributedTree::nodes`]: preorder, the root is 0.
pub type NodeIndex = usize;

/// Node of one of several files: the index of the file, and the node in it.
pub type FileNode = (usize, NodeIndex);

/// Role of a node in its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeRole {
    /// No relevant role.
    #[default]
    Other,
    /// Modifiers and annotations.
    Modifiers,
    /// A declared type.
    Type,
    /// A value: an initialiser, a right side, or a returned, thrown or cast expression.
    Value,
    /// A body.
    Body,
    /// A parameter.
    Parameter,
    /// A type in a `throws` clause.
    Throws,
    /// A type parameter.
    TypeParameter,
    /// The superclass.
    Extends,
    /// An interface.
    Implements,
    /// A member of a class.
    Member,
    /// The called method or created class.
    Callee,
    /// An argument.
    Argument,
    /// A condition.
    Condition,
    /// The first branch.
    Then,
    /// The second branch.
    Else,
    /// The target of an assignment.
    Target,
    /// A type argument.
    TypeArgument,
    /// A `finally` block.
    Finally,
    /// A resource of a `try`.
    Resource,
    /// A class that a sealed one permits.
    Permits,
}

const ROLES_BY_NUMBER: [NodeRole; 21] = [
    NodeRole::Other,
    NodeRole::Modifiers,
    NodeRole::Type,
    NodeRole::Value,
    NodeRole::Body,
    NodeRole::Parameter,
    NodeRole::Throws,
    NodeRole::TypeParameter,
    NodeRole::Extends,
    NodeRole::Implements,
    NodeRole::Member,
    NodeRole::Callee,
    NodeRole::Argument,
    NodeRole::Condition,
    NodeRole::Then,
    NodeRole::Else,
    NodeRole::Target,
    NodeRole::TypeArgument,
    NodeRole::Finally,
    NodeRole::Resource,
    NodeRole::Permits,
];

impl NodeRole {
    pub(super) fn from_number(number: usize) -> Self {
        ROLES_BY_NUMBER.get(number).copied().unwrap_or_default()
    }
}

/// One node.
#[derive(Clone, Debug)]
pub struct AttributedNode {
    /// Kind of the node.
    pub kind: NodeKind,
    /// Parent node; the root is its own parent.
    pub parent: NodeIndex,
    /// The first node after its subtree.
    pub subtree_end: NodeIndex,
    /// Role in the parent.
    pub role: NodeRole,
    /// Byte range in the file.
    pub bytes: Range<usize>,
    /// Offset of its name.
    pub name: Option<usize>,
    /// Its type.
    pub ty: TypeId,
    /// Symbol that the node declares or refers to.
    pub symbol: Option<SymbolId>,
    /// For an argument, the type of the parameter in this call.
    pub parameter_type: TypeId,
}

/// Attributed syntax tree of one file.
#[derive(Clone, Debug)]
pub struct AttributedTree {
    /// Path of the file.
    pub path: RepoPath,
    /// Nodes in preorder.
    pub nodes: Vec<AttributedNode>,
}

impl AttributedTree {
    /// Returns a node's children, in order.
    pub fn children(&self, id: NodeIndex) -> impl DoubleEndedIterator<Item = NodeIndex> + '_ {
        let mut children = Vec::new();
        let mut next = id + 1;
        while next < self.nodes[id].subtree_end {
            children.push(next);
            next = self.nodes[next].subtree_end;
        }
        children.into_iter()
    }

    /// Returns the first child with a role.
    pub fn child(&self, id: NodeIndex, role: NodeRole) -> Option<NodeIndex> {
        self.children(id).find(|child| self.nodes[*child].role == role)
    }

    /// Returns the ancestors of `id`, innermost first.
    pub fn ancestors(&self, id: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        std::iter::successors(Some(id), |node| {
            let parent = self.nodes[*node].parent;
            (parent != *node).then_some(parent)
        })
        .skip(1)
    }

    /// Returns the offset that represents a node: that of its name, otherwise its own.
    pub fn name_or_start(&self, id: NodeIndex) -> usize {
        let node = &self.nodes[id];
        node.name.unwrap_or(node.bytes.start)
    }
}
