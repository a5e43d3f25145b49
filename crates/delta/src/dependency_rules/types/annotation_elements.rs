//! Annotation elements: an annotation has a value for every element without a default, and for no unknown element.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.kind(*at) == NodeKind::Annotation) {
            let twin = counterpart(world, at);
            match twin {
                None => alone(world, at, links),
                Some(old) if version == Version::New => {
                    add_two_sided_annotation_dependencies(world, at, old, links);
                }
                Some(_) => {}
            }
        }
    }
}

/// Returns the same annotation on the same declaration of the other version.
fn counterpart(world: &RuleContext<'_>, at: NodeRef) -> Option<NodeRef> {
    let declaration = world.parent(world.parent(at));
    let modifiers =
        world.twin(declaration).and_then(|twin| world.child(twin, NodeRole::Modifiers))?;
    let class = world.twin_symbol(at.version, class(world, at)?)?;
    let all = world.children(modifiers).into_iter();
    all.filter(|one| world.kind(*one) == NodeKind::Annotation)
        .find(|one| self::class(world, *one) == Some(class))
}

fn class(world: &RuleContext<'_>, annotation: NodeRef) -> Option<SymbolId> {
    let name = world.children(annotation).first().copied()?;
    world.node(name).symbol
}

impl RuleContext<'_> {
    /// Returns the element that a part of an annotation sets; without a name it is `value`.
    pub(crate) fn element_given(&self, part: NodeRef) -> Option<SymbolId> {
        if let Some(target) = self.child(part, NodeRole::Target) {
            return self.node(target).symbol;
        }
        let class = class(self, self.parent(part))?;
        let facts = self.facts(part.version);
        elements(self, part.version, class).into_iter().find(|one| facts.name(*one) == "value")
    }
}

/// Returns the elements of an annotation declared in the sources.
fn elements(world: &RuleContext<'_>, version: Version, class: SymbolId) -> BTreeSet<SymbolId> {
    let Some(at) = world.declaration(version, class) else { return BTreeSet::new() };
    let members = world.children(at).into_iter().filter_map(|member| world.node(member).symbol);
    members.filter(|one| world.facts(version).symbol(*one).kind == SymbolKind::Method).collect()
}

fn element_value_hunks(world: &RuleContext<'_>, annotation: NodeRef, element: SymbolId) -> HunkSet {
    let parts = world.children(annotation).into_iter().skip(1);
    parts
        .filter(|part| world.element_given(*part) == Some(element))
        .flat_map(|part| world.owners_of(part))
        .collect()
}

fn is_required(world: &RuleContext<'_>, version: Version, element: SymbolId) -> bool {
    !world.facts(version).symbol(element).flags.has(SymbolFlags::HAS_DEFAULT)
}

/// Adds the dependencies of an annotation of one version only.
fn alone(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let (Some(class), Some(owner)) = (class(world, at), world.owner_of(at)) else { return };
    for element in elements(world, at.version, class) {
        let value = element_value_hunks(world, at, element);
        links.rely(
            at.version,
            &value,
            &world.makers(at.version, element),
            DependencyRule::Definition,
        );
        if is_required(world, at.version, element) {
            links.rely(at.version, &HunkSet::from([owner]), &value, DependencyRule::Signature);
        }
    }
}

/// Adds the dependencies of an annotation of both versions.
fn add_two_sided_annotation_dependencies(
    world: &RuleContext<'_>,
    new: NodeRef,
    old: NodeRef,
    links: &mut DependencyCollector,
) {
    let (Some(class), Some(old_class)) = (class(world, new), class(world, old)) else { return };
    for element in elements(world, Version::New, class) {
        let value = element_value_hunks(world, new, element);
        let Some(before) = world.twin_symbol(Version::New, element) else {
            let made = world.makers(Version::New, element);
            links.need_all(&value, &made, DependencyRule::Definition);
            if is_required(world, Version::New, element) {
                links.need_all(&made, &value, DependencyRule::Signature);
            }
            continue;
        };
        let default = world.differing(Version::New, element, &[NodeRole::Value]);
        match [is_required(world, Version::Old, before), is_required(world, Version::New, element)]
        {
            [false, true] => links.need_all(&default, &value, DependencyRule::Signature),
            [true, false] => {
                links.need_all(
                    &element_value_hunks(world, old, before),
                    &default,
                    DependencyRule::Signature,
                );
            }
            _ => {}
        }
    }
    for element in elements(world, Version::Old, old_class) {
        if world.twin_symbol(Version::Old, element).is_none() {
            let (value, gone) =
                (element_value_hunks(world, old, element), world.makers(Version::Old, element));
            links.need_all(&gone, &value, DependencyRule::Use);
            if is_required(world, Version::Old, element) {
                links.need_all(&value, &gone, DependencyRule::Signature);
            }
        }
    }
}
