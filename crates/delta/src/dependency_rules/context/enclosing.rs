//! The class and the routine that enclose a node.

use crate::dependency_rules::context::node_ref::NodeRef;
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeKind, SymbolId};

impl RuleContext<'_> {
    /// Returns the class that contains a node.
    pub(crate) fn class_of(&self, at: NodeRef) -> Option<SymbolId> {
        self.side(at.version).around[at.tree].classes[at.node]
    }

    /// Returns the method or lambda that contains a node.
    pub(crate) fn routine_of(&self, at: NodeRef) -> Option<NodeRef> {
        self.side(at.version).around[at.tree].routines[at.node].map(|node| at.with_node(node))
    }

    /// Returns the method that contains a node, ignoring lambdas.
    pub(crate) fn method_of(&self, at: NodeRef) -> Option<NodeRef> {
        std::iter::successors(self.routine_of(at), |at| self.routine_of(*at))
            .find(|at| self.kind(*at) == NodeKind::Method)
    }
}
