//! Hunks that may have caused a compile error of a variant, whatever its reason.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeKind, NodeRole, SymbolId};
use mend_model::RepoPath;

/// Distance from an error at which its cause is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorScope {
    /// The statement, and what is named in it.
    Statement,
    /// Only the enclosing member, regardless of the names in it.
    Flow,
    /// The member, and what is named in it.
    Member,
    /// The file, and what is named in it.
    File,
}

const WORDS: [&str; 8] =
    ["public", "protected", "private", "static", "final", "abstract", "default", "native"];

impl RuleContext<'_> {
    /// Returns the hunks around an offset of one version, and those that determine the names there, in both versions.
    pub(crate) fn blame(
        &self,
        version: Version,
        path: &RepoPath,
        byte: usize,
        reach: ErrorScope,
    ) -> HunkSet {
        let trees = self.facts(version).trees();
        let Some(tree) = trees.iter().position(|tree| tree.path == *path) else {
            return HunkSet::new();
        };
        let nodes = trees[tree].nodes.iter().enumerate();
        let Some((node, _)) = nodes.rev().find(|(_, node)| node.bytes.contains(&byte)) else {
            return HunkSet::new();
        };
        let scope = self.scope(NodeRef { version, tree, node }, reach);
        let within = |scope| match reach {
            ErrorScope::Flow => {
                let mut hunks = self.owners_of(scope);
                hunks.extend(self.movers_within(scope));
                hunks
            }
            ErrorScope::Statement | ErrorScope::Member | ErrorScope::File => {
                self.reasons_within(scope)
            }
        };
        let mut hunks = within(scope);
        hunks.extend(self.twin(scope).into_iter().flat_map(within));
        hunks
    }

    fn scope(&self, at: NodeRef, reach: ErrorScope) -> NodeRef {
        let line = || std::iter::once(at).chain(self.ancestors(at));
        let is_member = |one: &NodeRef| {
            self.is_class(self.parent(*one)) && self.node(*one).role == NodeRole::Member
                || matches!(self.kind(*one), NodeKind::Import | NodeKind::Package)
        };
        let is_body = |one: NodeRef| matches!(self.kind(one), NodeKind::Block | NodeKind::Case);
        let found = match reach {
            ErrorScope::Statement => {
                line().find(|one| is_member(one) || is_body(self.parent(*one)))
            }
            ErrorScope::Flow | ErrorScope::Member => line().find(is_member),
            ErrorScope::File => None,
        };
        found.unwrap_or(at.with_node(0))
    }

    fn is_class(&self, at: NodeRef) -> bool {
        let symbol = self.node(at).symbol;
        let is_type = symbol.is_some_and(|one| self.facts(at.version).symbol(one).kind.is_type());
        is_type && self.declaration(at.version, symbol.unwrap_or_default()) == Some(at)
    }

    fn reasons_within(&self, scope: NodeRef) -> HunkSet {
        let mut hunks = self.owners_of(scope);
        for node in scope.node..self.node(scope).end {
            let at = scope.with_node(node);
            let Some(symbol) = self.node(at).symbol else { continue };
            hunks.extend(self.differences(at.version, symbol));
            hunks.extend(self.import_hunks(at));
            if let Some(twin) = self.twin(at)
                && self.node(twin).symbol != self.twin_symbol(at.version, symbol)
            {
                hunks.extend(self.resolution(at));
            }
            if self.declaration(at.version, symbol) == Some(at) {
                hunks.extend(self.ties(at.version, symbol));
            }
        }
        hunks
    }

    /// Returns the hunks that make a symbol differ between the versions.
    fn differences(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let mut hunks = self.makers(version, symbol);
        hunks.extend(self.retyping(version, symbol));
        hunks.extend(self.parameter_hunks(version, symbol));
        hunks.extend(self.modifier_hunks(version, symbol, &WORDS));
        let parts =
            [NodeRole::Throws, NodeRole::Extends, NodeRole::Implements, NodeRole::TypeParameter];
        hunks.extend(self.differing(version, symbol, &parts));
        if let Some(owner) = self.facts(version).symbol(symbol).owner {
            hunks.extend(self.supertype_hunks(version, owner));
        }
        hunks
    }

    /// Returns the hunks of declarations that must agree with a declaration: overridden methods, and methods that its
    /// class must implement.
    fn ties(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let facts = self.facts(version);
        let overridden = facts.symbol(symbol).overridden.iter().copied();
        let duties = VERSIONS.into_iter().flat_map(|side| {
            let class =
                if side == version { Some(symbol) } else { self.twin_symbol(version, symbol) };
            let all = self.facts(side).obligations().iter();
            let own = all.filter(move |one| Some(one.class) == class);
            own.flat_map(move |one| [Some(one.wanted), one.by].into_iter().flatten())
                .map(move |method| (side, method))
        });
        let duties = duties.filter(|_| facts.symbol(symbol).kind.is_type());
        let tied = overridden.map(|method| (version, method)).chain(duties);
        tied.flat_map(|(side, method)| self.differences(side, method)).collect()
    }
}
