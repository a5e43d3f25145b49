//! A method as one version has it, and methods as the other one has them that it would override or be overridden by.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::mutual_exclusion::MutualExclusion;
use crate::dependency_rules::context::node_ref::VERSIONS;
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use mend_java::facts::{NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::{HashMap, HashSet};

const ACCESS: [&str; 3] = ["public", "protected", "private"];

/// The classes' methods by name and parameters.
type MethodsBySignature<'a> = HashMap<(SymbolId, String), SymbolId>;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    let all = VERSIONS.map(|version| methods(world, version));
    for (version, others) in [(Version::Old, &all[1]), (Version::New, &all[0])] {
        let facts = world.facts(version);
        for id in 0..facts.symbols().len() {
            let symbol = facts.symbol(id);
            if symbol.kind == SymbolKind::Method && symbol.place.is_some() {
                add_override_exclusions(world, version, id, others, links);
            }
        }
    }
}

fn methods<'a>(world: &RuleContext<'a>, version: Version) -> MethodsBySignature<'a> {
    let facts = world.facts(version);
    let all = facts.symbols().iter().enumerate();
    all.filter(|(_, symbol)| symbol.kind == SymbolKind::Method && symbol.place.is_some())
        .filter_map(|(id, symbol)| Some(((symbol.owner?, world.signature(version, id)), id)))
        .collect()
}

/// Compares a method with those of the other version in superclasses that have its name and parameters.
fn add_override_exclusions(
    world: &RuleContext<'_>,
    version: Version,
    lower: SymbolId,
    others: &MethodsBySignature<'_>,
    links: &mut DependencyCollector,
) {
    let other = version.opposite();
    let Some(class) = world.facts(version).symbol(lower).owner else { return };
    let twin = world.twin_symbol(version, class);
    let here = world.facts(version).supertypes_with_self(class).into_iter();
    let here = here.map(|above| (Some(above), world.twin_symbol(version, above)));
    let there = twin.into_iter().flat_map(|twin| world.facts(other).supertypes_with_self(twin));
    let there = there.map(|above| (world.twin_symbol(other, above), Some(above)));
    let classes: HashSet<_> = here.chain(there).collect();
    let signature = world.signature(version, lower);
    for (above, above_there) in classes.into_iter().filter(|(_, above)| *above != twin) {
        let Some(there) = above_there else { continue };
        let Some(upper) = others.get(&(there, signature.clone())) else { continue };
        let mut meeting = MutualExclusion::default();
        meeting.add(version, world.presence(version, lower));
        meeting.add(other, world.presence(other, *upper));
        meeting.add(version, world.only_path(version, Some(class), above));
        meeting.add(other, world.only_path(other, twin, Some(there)));
        // Its result and modifiers change apart from its name and parameters.
        for lower in forms(world, (version, lower)) {
            for upper in forms(world, (other, *upper)) {
                if let Some(reasons) = disagreement(world, lower, upper) {
                    meeting.exclude(&reasons, links);
                }
            }
        }
    }
}

/// Returns a method as it is in each version.
fn forms(
    world: &RuleContext<'_>,
    one: (Version, SymbolId),
) -> impl Iterator<Item = (Version, SymbolId)> {
    let twin = world.twin_symbol(one.0, one.1).map(|twin| (one.0.opposite(), twin));
    std::iter::once(one).chain(twin)
}

/// Returns the reason why one method must not override the other, if any.
fn disagreement(
    world: &RuleContext<'_>,
    lower: (Version, SymbolId),
    upper: (Version, SymbolId),
) -> Option<MutualExclusion> {
    let of = |(version, id): (Version, SymbolId)| world.facts(version).symbol(id);
    let (one, two) = (of(lower), of(upper));
    if two.flags.has(SymbolFlags::PRIVATE) {
        return None;
    }
    let ty =
        |(version, id): (Version, SymbolId)| VersionedType { version, ty: of((version, id)).ty };
    let returns = world.is_same_type(ty(lower), ty(upper)) || world.fits(ty(lower), ty(upper));
    let is_static = |flags: SymbolFlags| flags.has(SymbolFlags::STATIC);
    let mut words = Vec::new();
    if one.flags.access() < two.flags.access() {
        words.extend(ACCESS);
    }
    if two.flags.has(SymbolFlags::FINAL) {
        words.push("final");
    }
    if is_static(one.flags) != is_static(two.flags) {
        words.push("static");
    }
    let throws_less = throws_less(world, lower, upper);
    if returns && throws_less && words.is_empty() {
        return None;
    }
    let mut reasons = MutualExclusion::default();
    for (version, id) in [lower, upper] {
        reasons.add(version, world.modifier_hunks(version, id, &words));
        if !returns {
            reasons.add(version, world.retyping(version, id));
        }
        if !throws_less {
            reasons.add(version, world.differing(version, id, &[NodeRole::Throws]));
        }
    }
    Some(reasons)
}

fn throws_less(
    world: &RuleContext<'_>,
    lower: (Version, SymbolId),
    upper: (Version, SymbolId),
) -> bool {
    let (facts, above) = (world.facts(lower.0), world.facts(upper.0));
    facts.symbol(lower.1).thrown.iter().all(|thrown| {
        let name = facts.text(*thrown);
        above.symbol(upper.1).thrown.iter().any(|other| {
            let other = above.text(*other);
            facts.class_named(name).is_some_and(|class| facts.is_below(class, other))
        }) || !world.is_checked(lower.0, name)
    })
}
