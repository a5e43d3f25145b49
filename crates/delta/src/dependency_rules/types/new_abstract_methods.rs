//! Dependency rule: a class that stops being a subtype excludes new abstract methods that it does not implement.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::mutual_exclusion::MutualExclusion;
use crate::dependency_rules::context::node_ref::{HunkSet, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{SymbolFlags, SymbolId, SymbolKind};
use std::collections::HashMap;

/// Abstract methods of one version only, by the other version's symbols of their classes, each with the hunks that add
/// it.
type NewAbstractMethods = HashMap<SymbolId, Vec<(SymbolId, HunkSet)>>;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        let new_methods = collect_new_abstract_methods(context, version);
        let other = version.opposite();
        let facts = context.facts(other);
        let classes = (0..facts.symbols().len()).filter(|id| {
            let symbol = facts.symbol(*id);
            !new_methods.is_empty() && symbol.kind == SymbolKind::Class && symbol.position.is_some()
        });
        for class in classes.filter(|class| !is_always_abstract(context, other, *class)) {
            for supertype in facts
                .supertypes_with_self(class)
                .into_iter()
                .filter(|one| new_methods.contains_key(one))
            {
                let leaving = version_only_subtype_hunks(context, other, class, supertype);
                if leaving.is_empty() {
                    continue;
                }
                for (abstract_method, hunks) in new_methods.get(&supertype).into_iter().flatten() {
                    if !is_implemented(context, other, class, version, *abstract_method) {
                        let mut exclusion = MutualExclusion::default();
                        exclusion.add(version, hunks.clone());
                        exclusion.add(other, leaving.clone());
                        exclusion
                            .add_exclusion_dependencies(&MutualExclusion::default(), collector);
                    }
                }
            }
        }
    }
}

fn collect_new_abstract_methods(context: &RuleContext<'_>, version: Version) -> NewAbstractMethods {
    let facts = context.facts(version);
    let mut new_methods = NewAbstractMethods::new();
    for (id, symbol) in facts.symbols().iter().enumerate() {
        let is_abstract =
            symbol.kind == SymbolKind::Method && symbol.flags.has(SymbolFlags::ABSTRACT);
        let class = symbol.owner.filter(|_| is_abstract && symbol.position.is_some());
        let Some(twin) = class.and_then(|class| context.twin_symbol(version, class)) else {
            continue;
        };
        let mut hunks = context.signature_hunks(version, id);
        if context.twin_flags(version, id).is_some_and(|flags| !flags.has(SymbolFlags::ABSTRACT)) {
            hunks.extend(context.modifier_hunks(version, id, &["abstract", "default"]));
        }
        if !hunks.is_empty() {
            new_methods.entry(twin).or_default().push((id, hunks));
        }
    }
    new_methods
}

/// Returns true if a class is abstract in all variants.
fn is_always_abstract(context: &RuleContext<'_>, version: Version, class: SymbolId) -> bool {
    let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
    is_abstract(context.facts(version).symbol(class).flags)
        && context.twin_flags(version, class).is_none_or(is_abstract)
}

/// Returns true if a class always has a method with the signature of an abstract method of the other version.
fn is_implemented(
    context: &RuleContext<'_>,
    version: Version,
    class: SymbolId,
    other: Version,
    abstract_method: SymbolId,
) -> bool {
    let facts = context.facts(version);
    let supertypes = facts.supertypes_with_self(class);
    let signature = context.signature(other, abstract_method);
    facts.symbols().iter().enumerate().any(|(id, symbol)| {
        symbol.kind == SymbolKind::Method
            && !symbol.flags.has(SymbolFlags::ABSTRACT)
            && symbol.owner.is_some_and(|owner| supertypes.contains(&owner))
            && context.twin_symbol(version, id).is_some()
            && context.signature(version, id) == signature
            && context.signature_hunks(version, id).is_empty()
    })
}

/// Returns the hunks that make a class a subtype of another in one version only, or that add the class.
fn version_only_subtype_hunks(
    context: &RuleContext<'_>,
    version: Version,
    class: SymbolId,
    supertype: SymbolId,
) -> HunkSet {
    let mut hunks = context.version_only_path_hunks(version, Some(class), Some(supertype));
    if context.twin_symbol(version, class).is_none() {
        hunks.extend(context.presence_hunks(version, class));
    }
    hunks
}
