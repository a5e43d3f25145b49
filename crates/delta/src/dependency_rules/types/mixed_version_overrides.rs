//! Dependency rule: a method of one version must not illegally override, or be overridden by, one of the other version.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::mutual_exclusion::MutualExclusion;
use crate::dependency_rules::context::node_ref::VERSIONS;
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::dependency_rules::names::modifiers::ACCESS_MODIFIERS;
use mend_java::facts::{NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::{HashMap, HashSet};

/// Methods by class, name and parameter types.
type MethodsBySignature<'a> = HashMap<(SymbolId, String), SymbolId>;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let methods_by_version = VERSIONS.map(|version| collect_methods(context, version));
    for (version, others) in
        [(Version::Old, &methods_by_version[1]), (Version::New, &methods_by_version[0])]
    {
        let facts = context.facts(version);
        for id in 0..facts.symbols().len() {
            let symbol = facts.symbol(id);
            if symbol.kind == SymbolKind::Method && symbol.position.is_some() {
                add_override_exclusions(context, version, id, others, collector);
            }
        }
    }
}

fn collect_methods<'a>(context: &RuleContext<'a>, version: Version) -> MethodsBySignature<'a> {
    let facts = context.facts(version);
    let all = facts.symbols().iter().enumerate();
    all.filter(|(_, symbol)| symbol.kind == SymbolKind::Method && symbol.position.is_some())
        .filter_map(|(id, symbol)| Some(((symbol.owner?, context.signature(version, id)), id)))
        .collect()
}

/// Compares a method with those of the other version in superclasses that have its name and parameters.
fn add_override_exclusions(
    context: &RuleContext<'_>,
    version: Version,
    lower: SymbolId,
    other_methods: &MethodsBySignature<'_>,
    collector: &mut DependencyCollector,
) {
    let other = version.opposite();
    let Some(class) = context.facts(version).symbol(lower).owner else { return };
    let twin = context.twin_symbol(version, class);
    let own_classes = context.facts(version).supertypes_with_self(class).into_iter();
    let own_classes = own_classes.map(|above| (Some(above), context.twin_symbol(version, above)));
    let twin_classes =
        twin.into_iter().flat_map(|twin| context.facts(other).supertypes_with_self(twin));
    let twin_classes = twin_classes.map(|above| (context.twin_symbol(other, above), Some(above)));
    let classes: HashSet<_> = own_classes.chain(twin_classes).collect();
    let signature = context.signature(version, lower);
    for (above, above_there) in classes.into_iter().filter(|(_, above)| *above != twin) {
        let Some(twin_classes) = above_there else { continue };
        let Some(upper) = other_methods.get(&(twin_classes, signature.clone())) else { continue };
        let mut exclusion = MutualExclusion::default();
        exclusion.add(version, context.signature_hunks(version, lower));
        exclusion.add(other, context.signature_hunks(other, *upper));
        exclusion.add(version, context.version_only_path_hunks(version, Some(class), above));
        exclusion.add(other, context.version_only_path_hunks(other, twin, Some(twin_classes)));
        // Result type and modifiers can change separately from the signature.
        for lower in method_versions(context, (version, lower)) {
            for upper in method_versions(context, (other, *upper)) {
                if let Some(reasons) = override_conflict(context, lower, upper) {
                    exclusion.add_exclusion_dependencies(&reasons, collector);
                }
            }
        }
    }
}

/// Returns a method in each version that has it.
fn method_versions(
    context: &RuleContext<'_>,
    one: (Version, SymbolId),
) -> impl Iterator<Item = (Version, SymbolId)> {
    let twin = context.twin_symbol(one.0, one.1).map(|twin| (one.0.opposite(), twin));
    std::iter::once(one).chain(twin)
}

/// Returns the reason why one method must not override the other, if any.
fn override_conflict(
    context: &RuleContext<'_>,
    lower: (Version, SymbolId),
    upper: (Version, SymbolId),
) -> Option<MutualExclusion> {
    let symbol_of = |(version, id): (Version, SymbolId)| context.facts(version).symbol(id);
    let (one, two) = (symbol_of(lower), symbol_of(upper));
    if two.flags.has(SymbolFlags::PRIVATE) {
        return None;
    }
    let ty = |(version, id): (Version, SymbolId)| VersionedType {
        version,
        ty: symbol_of((version, id)).ty,
    };
    let is_return_assignable =
        context.is_same_type(ty(lower), ty(upper)) || context.is_assignable(ty(lower), ty(upper));
    let is_static = |flags: SymbolFlags| flags.has(SymbolFlags::STATIC);
    let mut words = Vec::new();
    if one.flags.access_level() < two.flags.access_level() {
        words.extend(ACCESS_MODIFIERS);
    }
    if two.flags.has(SymbolFlags::FINAL) {
        words.push("final");
    }
    if is_static(one.flags) != is_static(two.flags) {
        words.push("static");
    }
    let throws_less = throws_no_more(context, lower, upper);
    if is_return_assignable && throws_less && words.is_empty() {
        return None;
    }
    let mut conflict = MutualExclusion::default();
    for (version, id) in [lower, upper] {
        conflict.add(version, context.modifier_hunks(version, id, &words));
        if !is_return_assignable {
            conflict.add(version, context.type_change_hunks(version, id));
        }
        if !throws_less {
            conflict.add(version, context.changed_part_hunks(version, id, &[NodeRole::Throws]));
        }
    }
    Some(conflict)
}

fn throws_no_more(
    context: &RuleContext<'_>,
    lower: (Version, SymbolId),
    upper: (Version, SymbolId),
) -> bool {
    let (facts, above) = (context.facts(lower.0), context.facts(upper.0));
    facts.symbol(lower.1).thrown_types.iter().all(|thrown| {
        let name = facts.text(*thrown);
        above.symbol(upper.1).thrown_types.iter().any(|other| {
            let other = above.text(*other);
            facts.find_class(name).is_some_and(|class| facts.is_subtype_of(class, other))
        }) || !context.is_checked_exception(lower.0, name)
    })
}
