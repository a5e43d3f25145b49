//! Annotation elements: an annotation has a value for every element without a default, and for no unknown element.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{At, Hunks, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;
use mend_java::facts::{Flags, Role, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.kind(*at) == "ANNOTATION") {
            let twin = counterpart(world, at);
            match twin {
                None => alone(world, at, links),
                Some(old) if version == Version::New => both(world, at, old, links),
                Some(_) => {}
            }
        }
    }
}

/// Returns the same annotation on the same declaration of the other version.
fn counterpart(world: &World<'_>, at: At) -> Option<At> {
    let declaration = world.parent(world.parent(at));
    let modifiers = world.twin(declaration).and_then(|twin| world.child(twin, Role::Modifiers))?;
    let class = world.twin_symbol(at.version, class(world, at)?)?;
    let all = world.children(modifiers).into_iter();
    all.filter(|one| world.kind(*one) == "ANNOTATION")
        .find(|one| self::class(world, *one) == Some(class))
}

fn class(world: &World<'_>, annotation: At) -> Option<SymbolId> {
    let name = world.children(annotation).first().copied()?;
    world.node(name).symbol
}

impl World<'_> {
    /// Returns the element that a part of an annotation sets; without a name it is `value`.
    pub(crate) fn element_given(&self, part: At) -> Option<SymbolId> {
        if let Some(target) = self.child(part, Role::Target) {
            return self.node(target).symbol;
        }
        let class = class(self, self.parent(part))?;
        let facts = self.facts(part.version);
        elements(self, part.version, class).into_iter().find(|one| facts.name(*one) == "value")
    }
}

/// Returns the elements of an annotation declared in the sources.
fn elements(world: &World<'_>, version: Version, class: SymbolId) -> BTreeSet<SymbolId> {
    let Some(at) = world.declaration(version, class) else { return BTreeSet::new() };
    let members = world.children(at).into_iter().filter_map(|member| world.node(member).symbol);
    members.filter(|one| world.facts(version).symbol(*one).kind == SymbolKind::Method).collect()
}

fn given(world: &World<'_>, annotation: At, element: SymbolId) -> Hunks {
    let parts = world.children(annotation).into_iter().skip(1);
    parts
        .filter(|part| world.element_given(*part) == Some(element))
        .flat_map(|part| world.owners_of(part))
        .collect()
}

fn is_required(world: &World<'_>, version: Version, element: SymbolId) -> bool {
    !world.facts(version).symbol(element).flags.has(Flags::HAS_DEFAULT)
}

/// Adds the dependencies of an annotation of one version only.
fn alone(world: &World<'_>, at: At, links: &mut Links) {
    let (Some(class), Some(owner)) = (class(world, at), world.owner_of(at)) else { return };
    for element in elements(world, at.version, class) {
        let value = given(world, at, element);
        links.rely(at.version, &value, &world.makers(at.version, element), Rule::Definition);
        if is_required(world, at.version, element) {
            links.rely(at.version, &Hunks::from([owner]), &value, Rule::Signature);
        }
    }
}

/// Adds the dependencies of an annotation of both versions.
fn both(world: &World<'_>, new: At, old: At, links: &mut Links) {
    let (Some(class), Some(old_class)) = (class(world, new), class(world, old)) else { return };
    for element in elements(world, Version::New, class) {
        let value = given(world, new, element);
        let Some(before) = world.twin_symbol(Version::New, element) else {
            let made = world.makers(Version::New, element);
            links.need_all(&value, &made, Rule::Definition);
            if is_required(world, Version::New, element) {
                links.need_all(&made, &value, Rule::Signature);
            }
            continue;
        };
        let default = world.differing(Version::New, element, &[Role::Value]);
        match [is_required(world, Version::Old, before), is_required(world, Version::New, element)]
        {
            [false, true] => links.need_all(&default, &value, Rule::Signature),
            [true, false] => {
                links.need_all(&given(world, old, before), &default, Rule::Signature);
            }
            _ => {}
        }
    }
    for element in elements(world, Version::Old, old_class) {
        if world.twin_symbol(Version::Old, element).is_none() {
            let (value, gone) = (given(world, old, element), world.makers(Version::Old, element));
            links.need_all(&gone, &value, Rule::Use);
            if is_required(world, Version::Old, element) {
                links.need_all(&value, &gone, Rule::Signature);
            }
        }
    }
}
