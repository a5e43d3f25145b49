//! New abstract methods, and classes that stop being subtypes at the same time and never implemented them.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::mutual_exclusion::MutualExclusion;
use crate::dependency_rules::context::node_ref::{HunkSet, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{SymbolFlags, SymbolId, SymbolKind};
use std::collections::HashMap;

/// The abstract methods that only one version wants, by the other version's symbols of their classes, each
/// with the hunks by which it is wanted.
type NewAbstractMethods = HashMap<SymbolId, Vec<(SymbolId, HunkSet)>>;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        let arrivals = arrivals(world, version);
        let other = version.opposite();
        let facts = world.facts(other);
        let classes = (0..facts.symbols().len()).filter(|id| {
            let symbol = facts.symbol(*id);
            !arrivals.is_empty() && symbol.kind == SymbolKind::Class && symbol.place.is_some()
        });
        for class in classes.filter(|class| !is_excused(world, other, *class)) {
            for above in facts
                .supertypes_with_self(class)
                .into_iter()
                .filter(|one| arrivals.contains_key(one))
            {
                let leaving = leaving(world, other, class, above);
                if leaving.is_empty() {
                    continue;
                }
                for (wanted, hunks) in arrivals.get(&above).into_iter().flatten() {
                    if !is_implemented(world, other, class, version, *wanted) {
                        let mut meeting = MutualExclusion::default();
                        meeting.add(version, hunks.clone());
                        meeting.add(other, leaving.clone());
                        meeting.exclude(&MutualExclusion::default(), links);
                    }
                }
            }
        }
    }
}

fn arrivals(world: &RuleContext<'_>, version: Version) -> NewAbstractMethods {
    let facts = world.facts(version);
    let mut arrivals = NewAbstractMethods::new();
    for (id, symbol) in facts.symbols().iter().enumerate() {
        let is_abstract =
            symbol.kind == SymbolKind::Method && symbol.flags.has(SymbolFlags::ABSTRACT);
        let class = symbol.owner.filter(|_| is_abstract && symbol.place.is_some());
        let Some(twin) = class.and_then(|class| world.twin_symbol(version, class)) else {
            continue;
        };
        let mut hunks = world.presence(version, id);
        if world.twin_flags(version, id).is_some_and(|flags| !flags.has(SymbolFlags::ABSTRACT)) {
            hunks.extend(world.modifier_hunks(version, id, &["abstract", "default"]));
        }
        if !hunks.is_empty() {
            arrivals.entry(twin).or_default().push((id, hunks));
        }
    }
    arrivals
}

/// Returns true if a class is abstract in all variants.
fn is_excused(world: &RuleContext<'_>, version: Version, class: SymbolId) -> bool {
    let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
    is_abstract(world.facts(version).symbol(class).flags)
        && world.twin_flags(version, class).is_none_or(is_abstract)
}

/// Returns true if a class always has a method with the signature of an abstract method of the other version.
fn is_implemented(
    world: &RuleContext<'_>,
    version: Version,
    class: SymbolId,
    other: Version,
    wanted: SymbolId,
) -> bool {
    let facts = world.facts(version);
    let above = facts.supertypes_with_self(class);
    let signature = world.signature(other, wanted);
    facts.symbols().iter().enumerate().any(|(id, symbol)| {
        symbol.kind == SymbolKind::Method
            && !symbol.flags.has(SymbolFlags::ABSTRACT)
            && symbol.owner.is_some_and(|owner| above.contains(&owner))
            && world.twin_symbol(version, id).is_some()
            && world.signature(version, id) == signature
            && world.presence(version, id).is_empty()
    })
}

/// Returns the hunks that make a class a subtype of another in a version only, or that add the class.
fn leaving(world: &RuleContext<'_>, version: Version, class: SymbolId, above: SymbolId) -> HunkSet {
    let mut hunks = world.only_path(version, Some(class), Some(above));
    if world.twin_symbol(version, class).is_none() {
        hunks.extend(world.makers(version, class));
    }
    hunks
}
