//! Enclosing class and routine of a node.

use crate::dependency_rules::context::node_ref::NodeRef;
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeKind, SymbolId};

impl RuleContext<'_> {
    /// Returns the class that contains a node.
    pub(crate) fn enclosing_class(&self, node: NodeRef) -> Option<SymbolId> {
        self.version_index(node.version).enclosing_scopes[node.tree].classes[node.node]
    }

    /// Returns the method or lambda that contains a node.
    pub(crate) fn enclosing_routine(&self, node_ref: NodeRef) -> Option<NodeRef> {
        self.version_index(node_ref.version).enclosing_scopes[node_ref.tree].routines[node_ref.node]
            .map(|node| node_ref.with_node(node))
    }

    /// Returns the method that contains a node, ignoring lambdas.
    pub(crate) fn enclosing_method(&self, node: NodeRef) -> Option<NodeRef> {
        std::iter::successors(self.enclosing_routine(node), |node| self.enclosing_routine(*node))
            .find(|node| self.kind(*node) == NodeKind::Method)
    }
}
