//! Enclosing classes and routines of all nodes, computed once because deep code has many ancestors.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::NodeRef;
use mend_java::facts::{AttributedTree, NodeIndex, SemanticModel, SymbolId};
use std::collections::HashMap;

/// Enclosing class and routine of each node of one tree.
pub(crate) struct EnclosingScopes {
    /// The class that contains or is declared by each node.
    pub(crate) classes: Vec<Option<SymbolId>>,
    /// The method or lambda that contains each node.
    pub(crate) routines: Vec<Option<NodeIndex>>,
}

impl EnclosingScopes {
    /// Returns the enclosing scopes of the nodes of each tree of a version, given the declarations of its symbols.
    pub(crate) fn for_all_trees(
        version: Version,
        facts: &SemanticModel,
        declarations: &HashMap<SymbolId, NodeRef>,
    ) -> Vec<Self> {
        let is_class = |at: NodeRef, symbol: &SymbolId| {
            declarations.get(symbol) == Some(&at) && facts.symbol(*symbol).kind.is_type()
        };
        let scopes_of_tree = |(tree, nodes): (usize, &AttributedTree)| {
            let class = |node: NodeIndex| {
                let symbol = nodes.nodes[node].symbol;
                symbol.filter(|symbol| is_class(NodeRef { version, tree, node }, symbol))
            };
            Self::for_tree(nodes, class)
        };
        facts.trees().iter().enumerate().map(scopes_of_tree).collect()
    }

    fn for_tree(tree: &AttributedTree, class: impl Fn(NodeIndex) -> Option<SymbolId>) -> Self {
        let mut scopes = Self { classes: Vec::new(), routines: Vec::new() };
        for (node, one) in tree.nodes.iter().enumerate() {
            // Parents precede their children, and the root is its own parent.
            let parent = (one.parent < node).then_some(one.parent);
            scopes.classes.push(class(node).or_else(|| scopes.classes[parent?]));
            scopes.routines.push(parent.and_then(|parent| {
                if tree.nodes[parent].kind.is_routine() {
                    Some(parent)
                } else {
                    scopes.routines[parent]
                }
            }));
        }
        scopes
    }
}
