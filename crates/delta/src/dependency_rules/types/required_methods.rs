//! Dependency rule: a class implements all abstract methods, or is abstract.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{MethodObligation, SymbolFlags, SymbolId, SymbolKind};
use std::collections::HashMap;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    add_obligation_dependencies(context, collector);
    add_abstract_class_dependencies(context, collector);
}

/// Adds dependencies of a class with an abstract method, which must be abstract.
fn add_abstract_class_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        let facts = context.facts(version);
        let methods = (0..facts.symbols().len()).filter(|id| {
            let symbol = facts.symbol(*id);
            symbol.kind == SymbolKind::Method
                && symbol.flags.has(SymbolFlags::ABSTRACT)
                && symbol.position.is_some()
        });
        for method in methods {
            let Some(class) = facts.symbol(method).owner else { continue };
            let was_abstract =
                |id| context.twin_flags(version, id).map(|flags| flags.has(SymbolFlags::ABSTRACT));
            if was_abstract(class) != Some(false) {
                continue;
            }
            let mut code = context.presence_hunks(version, method);
            if was_abstract(method) == Some(false) {
                code.extend(context.modifier_hunks(version, method, &["abstract"]));
            }
            let abstract_modifier_hunks = context.modifier_hunks(version, class, &["abstract"]);
            collector.require_in_version(
                version,
                &code,
                &abstract_modifier_hunks,
                DependencyRule::Override,
            );
        }
    }
}

/// Adds dependencies of a class that can have instances, which must implement inherited abstract methods.
fn add_obligation_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let new: HashMap<(SymbolId, SymbolId), RequiredMethod> =
        required_methods(context, Version::New)
            .map(|required| ((required.class, required.abstract_method), required))
            .collect();
    let mut old = HashMap::new();
    for required in required_methods(context, Version::Old) {
        let twins = context
            .twin_symbol(Version::Old, required.class)
            .zip(context.twin_symbol(Version::Old, required.abstract_method));
        if let Some(twins) = twins.filter(|twins| new.contains_key(twins)) {
            old.insert(twins, required);
        } else {
            add_removed_requirement_dependencies(context, &required, collector);
        }
    }
    for (key, required) in &new {
        match old.get(key) {
            Some(old_required) => {
                add_kept_requirement_dependencies(context, old_required, required, collector);
            }
            None => add_new_requirement_dependencies(context, required, collector),
        }
    }
}

/// A method that a class must implement in one version.
struct RequiredMethod {
    class: SymbolId,
    abstract_method: SymbolId,
    implementation: Option<SymbolId>,
    /// The hunks that make the class abstract in this version only.
    abstract_class_hunks: HunkSet,
    /// The hunks that change the name or parameters of the abstract method between the versions.
    signature_hunks: HunkSet,
}

/// Returns the required methods of the classes that can have instances in a version.
fn required_methods<'a>(
    context: &'a RuleContext<'_>,
    version: Version,
) -> impl Iterator<Item = RequiredMethod> + 'a {
    let facts = context.facts(version);
    facts.obligations().iter().filter_map(move |one| {
        let MethodObligation { class, abstract_method, implementation } = *one;
        let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
        let is_abstract_class = is_abstract(facts.symbol(class).flags);
        if is_abstract_class && context.twin_flags(version, class).is_none_or(is_abstract) {
            return None;
        }
        let abstract_modifier_hunks = || context.modifier_hunks(version, class, &["abstract"]);
        let excuse = if is_abstract_class { abstract_modifier_hunks() } else { HunkSet::new() };
        Some(RequiredMethod {
            class,
            abstract_method,
            implementation,
            abstract_class_hunks: excuse,
            signature_hunks: signature_change_hunks(context, version, abstract_method),
        })
    })
}

fn signature_change_hunks(
    context: &RuleContext<'_>,
    version: Version,
    abstract_method: SymbolId,
) -> HunkSet {
    let mut hunks = context.parameter_hunks(version, abstract_method);
    if is_renamed(context, version, abstract_method) {
        hunks.extend(context.presence_hunks(version, abstract_method));
    }
    hunks
}

fn is_renamed(context: &RuleContext<'_>, version: Version, symbol: SymbolId) -> bool {
    context.twin_symbol(version, symbol).is_some_and(|twin| {
        context.facts(version.opposite()).name(twin) != context.facts(version).name(symbol)
    })
}

/// Returns the hunks that provide a method that a class requires.
fn implementation_hunks(
    context: &RuleContext<'_>,
    version: Version,
    required: &RequiredMethod,
) -> HunkSet {
    let Some(by) = required.implementation else { return HunkSet::new() };
    let mut hunks = context.presence_hunks(version, by);
    if let Some(owner) = context.facts(version).symbol(by).owner {
        hunks.extend(context.path_hunks(version, required.class, owner));
    }
    hunks.extend(context.parameter_hunks(version, by));
    if context.twin_flags(version, by).is_some_and(|flags| flags.has(SymbolFlags::ABSTRACT)) {
        hunks.extend(context.modifier_hunks(version, by, &["abstract"]));
    }
    hunks
}

/// Returns the hunks that make a class require a method in this version, but not in the other, the most specific first.
fn requirement_hunks(
    context: &RuleContext<'_>,
    version: Version,
    required: &RequiredMethod,
) -> Vec<HunkSet> {
    let mut requirements = Vec::new();
    if !is_renamed(context, version, required.abstract_method) {
        requirements.push(context.presence_hunks(version, required.abstract_method));
    }
    let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
    if !context.twin_flags(version, required.abstract_method).is_some_and(is_abstract) {
        requirements.push(context.modifier_hunks(
            version,
            required.abstract_method,
            &["abstract", "default"],
        ));
    }
    if let Some(owner) = context.facts(version).symbol(required.abstract_method).owner {
        requirements.push(context.path_hunks(version, required.class, owner));
    }
    if required.abstract_class_hunks.is_empty()
        && context.twin_flags(version, required.class).is_some_and(is_abstract)
    {
        requirements.push(context.modifier_hunks(version, required.class, &["abstract"]));
    }
    requirements.push(context.presence_hunks(version, required.class));
    requirements.retain(|hunks| !hunks.is_empty());
    requirements
}

/// Adds dependencies: hunks that require a method need its implementation, or an abstract class.
fn require_implementation(
    from: &HunkSet,
    implementation: &HunkSet,
    required: &RequiredMethod,
    collector: &mut DependencyCollector,
) {
    match (implementation.len(), required.implementation) {
        _ if required.abstract_class_hunks.is_empty() => {
            collector.require_all(from, implementation, DependencyRule::Override);
        }
        (0, Some(_)) => {}
        (1, _) => {
            let alternatives =
                implementation.union(&required.abstract_class_hunks).copied().collect();
            for from in from {
                collector.require_any(*from, &alternatives, DependencyRule::Override);
            }
        }
        _ => collector.require_all(from, &required.abstract_class_hunks, DependencyRule::Override),
    }
}

fn add_new_requirement_dependencies(
    context: &RuleContext<'_>,
    required: &RequiredMethod,
    collector: &mut DependencyCollector,
) {
    let implementation = implementation_hunks(context, Version::New, required);
    match requirement_hunks(context, Version::New, required).first() {
        Some(first_requirement) => {
            let requirement: HunkSet = first_requirement.iter().take(1).copied().collect();
            require_implementation(&requirement, &implementation, required, collector);
            // It is unknown which method implements an unchanged requirement.
            collector.require_all(
                &requirement,
                &required.signature_hunks,
                DependencyRule::Override,
            );
        }
        None => {
            require_implementation(&required.signature_hunks, &implementation, required, collector);
        }
    }
}

fn add_removed_requirement_dependencies(
    context: &RuleContext<'_>,
    required: &RequiredMethod,
    collector: &mut DependencyCollector,
) {
    let requirement: HunkSet =
        requirement_hunks(context, Version::Old, required).into_iter().flatten().collect();
    let implementation = implementation_hunks(context, Version::Old, required);
    for hunk in implementation.iter().chain(&required.signature_hunks) {
        collector.require_any(*hunk, &requirement, DependencyRule::Override);
    }
    if required.implementation.is_none() {
        // An abstract class needs no implementation.
        for modifier_hunk in &required.abstract_class_hunks {
            collector.require_any(*modifier_hunk, &requirement, DependencyRule::Override);
        }
    }
}

fn add_kept_requirement_dependencies(
    context: &RuleContext<'_>,
    old: &RequiredMethod,
    new: &RequiredMethod,
    collector: &mut DependencyCollector,
) {
    let old_implementation = implementation_hunks(context, Version::Old, old);
    let new_implementation = implementation_hunks(context, Version::New, new);
    if old.implementation.is_none() {
        // A class that stops being abstract needs the new implementation.
        collector.require_all(
            &old.abstract_class_hunks,
            &new_implementation,
            DependencyRule::Override,
        );
        collector.require_all(
            &old.abstract_class_hunks,
            &new.signature_hunks,
            DependencyRule::Override,
        );
    }
    if new.signature_hunks.is_empty() {
        require_implementation(&old_implementation, &new_implementation, new, collector);
    } else {
        collector.require_each_other(&new.signature_hunks, DependencyRule::Override);
        collector.require_all(&old_implementation, &new.signature_hunks, DependencyRule::Override);
        require_implementation(&new.signature_hunks, &new_implementation, new, collector);
    }
}
