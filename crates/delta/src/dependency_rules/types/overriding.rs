//! Dependency rule: an overriding method has a compatible result type and access, and `@Override` needs an overridden
//! method.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::dependency_rules::names::modifiers::ACCESS_MODIFIERS;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId};
use std::collections::HashMap;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in
            context.all_nodes(version).filter(|node| context.kind(*node) == NodeKind::Method)
        {
            let Some(method) = context.node(node).symbol else { continue };
            if let Some(annotation_name) = find_override_annotation(context, node) {
                add_override_annotation_dependencies(context, annotation_name, method, collector);
            }
            for other in &context.facts(version).symbol(method).overridden {
                add_override_dependencies(context, version, method, *other, collector);
            }
        }
    }
}

/// Returns the name node of a method's `@Override` annotation.
fn find_override_annotation(context: &RuleContext<'_>, method: NodeRef) -> Option<NodeRef> {
    let modifiers = context.child(method, NodeRole::Modifiers)?;
    let annotations = context.children(modifiers).into_iter();
    annotations.filter_map(|annotation| context.children(annotation).first().copied()).find(
        |name| {
            context.node(*name).symbol.is_some_and(|symbol| {
                let facts = context.facts(method.version);
                facts.text(facts.symbol(symbol).full_name) == "java.lang.Override"
            })
        },
    )
}

/// Adds dependencies of a method with `@Override`, which must override another one.
fn add_override_annotation_dependencies(
    context: &RuleContext<'_>,
    annotation_name: NodeRef,
    method: SymbolId,
    collector: &mut DependencyCollector,
) {
    let version = annotation_name.version;
    let required = cheapest_override_hunks(context, version, method);
    if let Some(owner) = context.node_owner(annotation_name) {
        collector.require_in_version(
            version,
            &HunkSet::from([owner]),
            &required,
            DependencyRule::Override,
        );
    } else if version == Version::Old
        && let Some(twin) = context.twin_symbol(version, method)
    {
        collector.require_all(
            &required,
            &cheapest_override_hunks(context, Version::New, twin),
            DependencyRule::Override,
        );
    }
}

/// Returns the hunks of the overridden method that depends on the fewest hunks.
fn cheapest_override_hunks(
    context: &RuleContext<'_>,
    version: Version,
    method: SymbolId,
) -> HunkSet {
    let overridden = &context.facts(version).symbol(method).overridden;
    let candidates =
        overridden.iter().map(|other| override_hunks(context, version, method, *other));
    candidates.min_by_key(HunkSet::len).unwrap_or_default()
}

/// Returns the hunks that make one method override another in a version.
fn override_hunks(
    context: &RuleContext<'_>,
    version: Version,
    method: SymbolId,
    other: SymbolId,
) -> HunkSet {
    let mut hunks = context.presence_hunks(version, method);
    hunks.extend(context.presence_hunks(version, other));
    let facts = context.facts(version);
    if let (Some(class), Some(superclass)) = (facts.symbol(method).owner, facts.symbol(other).owner)
    {
        hunks.extend(context.path_hunks(version, class, superclass));
    }
    hunks.extend(context.parameter_hunks(version, method));
    hunks.extend(context.parameter_hunks(version, other));
    hunks
}

impl RuleContext<'_> {
    /// Returns the hunks that give a class a supertype in a version; empty if it always has it.
    pub(crate) fn path_hunks(
        &self,
        version: Version,
        class: SymbolId,
        supertype: SymbolId,
    ) -> HunkSet {
        if class == supertype || self.declaration(version, class).is_none() {
            return HunkSet::new();
        }
        if let Some(cached) = self.path_cache.borrow().get(&(version, class, supertype)) {
            return cached.clone();
        }
        let hunks = self.find_path_hunks(version, class, supertype);
        self.path_cache.borrow_mut().insert((version, class, supertype), hunks.clone());
        hunks
    }

    fn find_path_hunks(&self, version: Version, class: SymbolId, supertype: SymbolId) -> HunkSet {
        let mut hunks_by_class: HashMap<SymbolId, HunkSet> =
            HashMap::from([(class, HunkSet::new())]);
        let mut queue = std::collections::VecDeque::from([class]);
        let facts = self.facts(version);
        while let Some(current) = queue.pop_front() {
            if current == supertype {
                break;
            }
            for parent in &facts.symbol(current).supertypes {
                if hunks_by_class.contains_key(parent) {
                    continue;
                }
                let mut hunks = hunks_by_class.get(&current).cloned().unwrap_or_default();
                hunks.extend(self.supertype_clause_hunks(version, current, *parent));
                hunks_by_class.insert(*parent, hunks);
                queue.push_back(*parent);
            }
        }
        hunks_by_class.remove(&supertype).unwrap_or_default()
    }

    /// Returns the hunks of the tokens by which a class names a direct supertype.
    pub(crate) fn supertype_clause_hunks(
        &self,
        version: Version,
        class: SymbolId,
        parent: SymbolId,
    ) -> HunkSet {
        let Some(node_ref) = self.declaration(version, class) else { return HunkSet::new() };
        let supertype_clauses = self.children(node_ref).into_iter().filter(|child| {
            matches!(self.node(*child).role, NodeRole::Extends | NodeRole::Implements)
        });
        for part in supertype_clauses {
            let name = (part.node..self.node(part).subtree_end)
                .map(|node| part.with_node(node))
                .find(|node_ref| self.node(*node_ref).symbol == Some(parent));
            if let Some(name) = name {
                return self.node_owner(name).into_iter().collect();
            }
        }
        HunkSet::new()
    }
}

/// Returns true if one method overrides another in both versions.
fn overrides_in_both(
    context: &RuleContext<'_>,
    version: Version,
    method: SymbolId,
    other: SymbolId,
) -> bool {
    let twins = context.twin_symbol(version, method).zip(context.twin_symbol(version, other));
    let facts = context.facts(version.opposite());
    twins.is_some_and(|(method, other)| facts.symbol(method).overridden.contains(&other))
}

/// A method and one that it overrides in a version, with the hunks of each.
struct OverridePair {
    version: Version,
    lower: SymbolId,
    upper: SymbolId,
    lower_hunks: HunkSet,
    upper_hunks: HunkSet,
}

/// Adds dependencies of an overriding method: it needs a compatible result type and access, and the overridden method
/// must not be final.
fn add_override_dependencies(
    context: &RuleContext<'_>,
    version: Version,
    lower: SymbolId,
    upper: SymbolId,
    collector: &mut DependencyCollector,
) {
    let owner = |id| context.facts(version).symbol(id).owner;
    let mut shared_hunks = match (owner(lower), owner(upper)) {
        (Some(class), Some(above)) => context.path_hunks(version, class, above),
        _ => HunkSet::new(),
    };
    if !overrides_in_both(context, version, lower, upper) {
        shared_hunks.extend(context.parameter_hunks(version, lower));
        shared_hunks.extend(context.parameter_hunks(version, upper));
    }
    let method_hunks = |id| {
        let own = context
            .presence_hunks(version, id)
            .into_iter()
            .chain(context.type_change_hunks(version, id));
        own.chain(shared_hunks.iter().copied()).collect()
    };
    let (lower_hunks, upper_hunks) = (method_hunks(lower), method_hunks(upper));
    let pair = OverridePair { version, lower, upper, lower_hunks, upper_hunks };
    add_return_type_dependencies(context, &pair, collector);
    add_modifier_dependencies(context, &pair, collector);
}

fn add_return_type_dependencies(
    context: &RuleContext<'_>,
    pair: &OverridePair,
    collector: &mut DependencyCollector,
) {
    let (version, lower, upper) = (pair.version, pair.lower, pair.upper);
    let ty = |version, id| VersionedType { version, ty: context.facts(version).symbol(id).ty };
    let is_return_assignable =
        |from, to| context.is_same_type(from, to) || context.is_assignable(from, to);
    if let Some(twin) = context.twin_symbol(version, lower)
        && !is_return_assignable(ty(version.opposite(), twin), ty(version, upper))
    {
        collector.require_in_version(
            version,
            &pair.upper_hunks,
            &context.type_change_hunks(version, lower),
            DependencyRule::Override,
        );
    }
    if let Some(twin) = context.twin_symbol(version, upper)
        && !is_return_assignable(ty(version, lower), ty(version.opposite(), twin))
    {
        collector.require_in_version(
            version,
            &pair.lower_hunks,
            &context.type_change_hunks(version, upper),
            DependencyRule::Override,
        );
    }
}

fn add_modifier_dependencies(
    context: &RuleContext<'_>,
    pair: &OverridePair,
    collector: &mut DependencyCollector,
) {
    let (version, lower, upper) = (pair.version, pair.lower, pair.upper);
    let flags = |id| context.facts(version).symbol(id).flags;
    let with_modifiers = |hunks: &HunkSet, id, words: &[&str]| -> HunkSet {
        hunks.union(&context.modifier_hunks(version, id, words)).copied().collect()
    };
    if context
        .twin_flags(version, lower)
        .is_some_and(|twin| twin.access_level() < flags(upper).access_level())
    {
        let code = with_modifiers(&pair.upper_hunks, upper, &ACCESS_MODIFIERS);
        let required = context.modifier_hunks(version, lower, &ACCESS_MODIFIERS);
        collector.require_in_version(version, &code, &required, DependencyRule::Override);
    }
    let Some(twin) = context.twin_flags(version, upper) else { return };
    let mut words = Vec::new();
    if twin.access_level() > flags(lower).access_level() {
        words.extend(ACCESS_MODIFIERS);
    }
    if twin.has(SymbolFlags::FINAL) {
        words.push("final");
    }
    let code = with_modifiers(&pair.lower_hunks, lower, &words);
    let required = context.modifier_hunks(version, upper, &words);
    collector.require_in_version(version, &code, &required, DependencyRule::Override);
}
