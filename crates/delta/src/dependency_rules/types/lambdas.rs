//! A lambda and the one method that its interface leaves to it.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.changed_nodes(version).filter(|at| is_function(world.kind(*at))) {
            let Some(owner) = world.owner_of(at) else { continue };
            let Some(method) = world.functional_method(at) else { continue };
            let code = HunkSet::from([owner]);
            links.rely(version, &code, &world.makers(version, method), DependencyRule::Definition);
            links.rely(
                version,
                &code,
                &added_abstract_method_hunks(world, at),
                DependencyRule::Override,
            );
            let is_recounted = count(world, version, method) != other_count(world, version, method);
            if is_recounted {
                links.rely(
                    version,
                    &code,
                    &world.parameter_hunks(version, method),
                    DependencyRule::Signature,
                );
            }
        }
    }
    for at in
        world.changed_nodes(Version::New).filter(|at| world.kind(*at) == NodeKind::LambdaExpression)
    {
        parameters(world, at, links);
    }
}

fn is_function(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::LambdaExpression | NodeKind::MemberReference)
}

fn count(world: &RuleContext<'_>, version: Version, method: SymbolId) -> usize {
    world.facts(version).symbol(method).parameters.len()
}

fn other_count(world: &RuleContext<'_>, version: Version, method: SymbolId) -> usize {
    let twin = world.twin_symbol(version, method);
    twin.map_or(count(world, version, method), |twin| count(world, version.opposite(), twin))
}

/// Adds dependencies of a lambda of both versions, whose parameters must match its method.
fn parameters(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let (Some(method), Some(old)) = (world.functional_method(at), world.twin(at)) else { return };
    if count(world, Version::New, method) == other_count(world, Version::New, method) {
        return;
    }
    let own = |lambda: NodeRef| {
        let all = world.children(lambda).into_iter();
        all.filter(|one| world.node(*one).role == NodeRole::Parameter)
            .flat_map(|one| world.owners_of(one))
    };
    let mut group: HunkSet = own(at).chain(own(old)).collect();
    group.extend(world.parameter_hunks(Version::New, method));
    links.together(&group, DependencyRule::Signature);
}

/// Returns the hunks that give the other version's interface more methods to implement.
fn added_abstract_method_hunks(world: &RuleContext<'_>, at: NodeRef) -> HunkSet {
    let version = at.version;
    let class = world.facts(version).class(world.node(at).ty.erased);
    let Some(twin) = class.and_then(|class| world.twin_symbol(version, class)) else {
        return HunkSet::new();
    };
    let there = world.methods_of(version.opposite(), twin);
    let is_fresh = |method: &&SymbolId| world.twin_symbol(version.opposite(), **method).is_none();
    there
        .iter()
        .filter(is_fresh)
        .flat_map(|method| world.makers(version.opposite(), *method))
        .collect()
}

impl RuleContext<'_> {
    /// Returns the method that a lambda or a method reference implements.
    pub(crate) fn functional_method(&self, at: NodeRef) -> Option<SymbolId> {
        let class = self.facts(at.version).class(self.node(at).ty.erased)?;
        let mut methods = self.methods_of(at.version, class).into_iter();
        methods.next().filter(|_| methods.next().is_none())
    }

    /// Returns the abstract methods that an interface declares in the sources.
    fn methods_of(&self, version: Version, class: SymbolId) -> BTreeSet<SymbolId> {
        let facts = self.facts(version);
        let above = facts.supertypes_with_self(class);
        let bodies = above.iter().filter_map(|class| self.declaration(version, *class));
        bodies
            .flat_map(|class| self.children(class))
            .filter(|member| self.kind(*member) == NodeKind::Method)
            .filter_map(|method| self.node(method).symbol)
            .filter(|method| {
                let symbol = facts.symbol(*method);
                symbol.kind == SymbolKind::Method && symbol.flags.has(SymbolFlags::ABSTRACT)
            })
            .collect()
    }
}
