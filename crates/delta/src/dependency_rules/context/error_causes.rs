//! Hunks that may have caused a compile error of a variant, by the position of the error.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeKind, NodeRole, SymbolId};
use mend_model::RepoPath;

/// Scope around an error in which its cause is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorScope {
    /// The statement, and the declarations of names in it.
    Statement,
    /// Only the enclosing member, without the declarations of names in it.
    Flow,
    /// The member, and the declarations of names in it.
    Member,
    /// The file, and the declarations of names in it.
    File,
}

const MODIFIER_KEYWORDS: [&str; 8] =
    ["public", "protected", "private", "static", "final", "abstract", "default", "native"];

impl RuleContext<'_> {
    /// Returns the hunks around an offset of one version, and those of the declarations used there, in both versions.
    pub(crate) fn find_error_causes(
        &self,
        version: Version,
        path: &RepoPath,
        byte: usize,
        error_scope: ErrorScope,
    ) -> HunkSet {
        let trees = self.facts(version).trees();
        let Some(tree) = trees.iter().position(|tree| tree.path == *path) else {
            return HunkSet::new();
        };
        let nodes = trees[tree].nodes.iter().enumerate();
        let Some((node, _)) = nodes.rev().find(|(_, node)| node.bytes.contains(&byte)) else {
            return HunkSet::new();
        };
        let scope = self.find_scope_node(NodeRef { version, tree, node }, error_scope);
        let causes_in = |scope| match error_scope {
            ErrorScope::Flow => {
                let mut hunks = self.node_owners(scope);
                hunks.extend(self.moves_within(scope));
                hunks
            }
            ErrorScope::Statement | ErrorScope::Member | ErrorScope::File => {
                self.causes_within(scope)
            }
        };
        let mut hunks = causes_in(scope);
        hunks.extend(self.twin_node(scope).into_iter().flat_map(causes_in));
        hunks
    }

    fn find_scope_node(&self, node: NodeRef, error_scope: ErrorScope) -> NodeRef {
        let self_and_ancestors = || std::iter::once(node).chain(self.ancestors(node));
        let is_member = |one: &NodeRef| {
            self.is_class_declaration(self.parent(*one)) && self.node(*one).role == NodeRole::Member
                || matches!(self.kind(*one), NodeKind::Import | NodeKind::Package)
        };
        let is_body = |one: NodeRef| matches!(self.kind(one), NodeKind::Block | NodeKind::Case);
        let scope_node = match error_scope {
            ErrorScope::Statement => {
                self_and_ancestors().find(|one| is_member(one) || is_body(self.parent(*one)))
            }
            ErrorScope::Flow | ErrorScope::Member => self_and_ancestors().find(is_member),
            ErrorScope::File => None,
        };
        scope_node.unwrap_or(node.with_node(0))
    }

    fn is_class_declaration(&self, node: NodeRef) -> bool {
        let symbol = self.node(node).symbol;
        let is_type = symbol.is_some_and(|one| self.facts(node.version).symbol(one).kind.is_type());
        is_type && self.declaration(node.version, symbol.unwrap_or_default()) == Some(node)
    }

    fn causes_within(&self, scope: NodeRef) -> HunkSet {
        let mut hunks = self.node_owners(scope);
        for node in scope.node..self.node(scope).subtree_end {
            let node_ref = scope.with_node(node);
            let Some(symbol) = self.node(node_ref).symbol else { continue };
            hunks.extend(self.difference_hunks(node_ref.version, symbol));
            hunks.extend(self.import_hunks(node_ref));
            if let Some(twin) = self.twin_node(node_ref)
                && self.node(twin).symbol != self.twin_symbol(node_ref.version, symbol)
            {
                hunks.extend(self.resolution_hunks(node_ref));
            }
            if self.declaration(node_ref.version, symbol) == Some(node_ref) {
                hunks.extend(self.related_declaration_hunks(node_ref.version, symbol));
            }
        }
        hunks
    }

    /// Returns the hunks that make a symbol differ between the versions.
    fn difference_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let mut hunks = self.presence_hunks(version, symbol);
        hunks.extend(self.type_change_hunks(version, symbol));
        hunks.extend(self.parameter_hunks(version, symbol));
        hunks.extend(self.modifier_hunks(version, symbol, &MODIFIER_KEYWORDS));
        let roles =
            [NodeRole::Throws, NodeRole::Extends, NodeRole::Implements, NodeRole::TypeParameter];
        hunks.extend(self.changed_part_hunks(version, symbol, &roles));
        if let Some(owner) = self.facts(version).symbol(symbol).owner {
            hunks.extend(self.supertype_hunks(version, owner));
        }
        hunks
    }

    /// Returns the hunks of declarations that must match a declaration: overridden methods, and methods that its class
    /// must implement.
    fn related_declaration_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let facts = self.facts(version);
        let overridden = facts.symbol(symbol).overridden.iter().copied();
        let obligations = VERSIONS.into_iter().flat_map(|side_version| {
            let class = if side_version == version {
                Some(symbol)
            } else {
                self.twin_symbol(version, symbol)
            };
            let all = self.facts(side_version).obligations().iter();
            let own = all.filter(move |one| Some(one.class) == class);
            own.flat_map(move |one| {
                [Some(one.abstract_method), one.implementation].into_iter().flatten()
            })
            .map(move |method| (side_version, method))
        });
        let obligations = obligations.filter(|_| facts.symbol(symbol).kind.is_type());
        let related_methods = overridden.map(|method| (version, method)).chain(obligations);
        related_methods
            .flat_map(|(side_version, method)| self.difference_hunks(side_version, method))
            .collect()
    }
}
