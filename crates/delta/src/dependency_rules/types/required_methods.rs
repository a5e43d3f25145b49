//! Methods that a class must implement, and abstract classes.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{MethodObligation, SymbolFlags, SymbolId, SymbolKind};
use std::collections::HashMap;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    obligations(world, links);
    abstract_classes(world, links);
}

/// Adds dependencies of a class with an abstract method, which must be abstract.
fn abstract_classes(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        let facts = world.facts(version);
        let methods = (0..facts.symbols().len()).filter(|id| {
            let symbol = facts.symbol(*id);
            symbol.kind == SymbolKind::Method
                && symbol.flags.has(SymbolFlags::ABSTRACT)
                && symbol.place.is_some()
        });
        for method in methods {
            let Some(class) = facts.symbol(method).owner else { continue };
            let was_abstract =
                |id| world.twin_flags(version, id).map(|flags| flags.has(SymbolFlags::ABSTRACT));
            if was_abstract(class) != Some(false) {
                continue;
            }
            let mut code = world.makers(version, method);
            if was_abstract(method) == Some(false) {
                code.extend(world.modifier_hunks(version, method, &["abstract"]));
            }
            let mark = world.modifier_hunks(version, class, &["abstract"]);
            links.rely(version, &code, &mark, DependencyRule::Override);
        }
    }
}

/// Adds dependencies of a class that can have instances, which must implement inherited abstract methods.
fn obligations(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    let new: HashMap<(SymbolId, SymbolId), RequiredMethod> =
        duties(world, Version::New).map(|one| ((one.class, one.wanted), one)).collect();
    let mut old = HashMap::new();
    for one in duties(world, Version::Old) {
        let twins = world
            .twin_symbol(Version::Old, one.class)
            .zip(world.twin_symbol(Version::Old, one.wanted));
        if let Some(twins) = twins.filter(|twins| new.contains_key(twins)) {
            old.insert(twins, one);
        } else {
            lapsed(world, &one, links);
        }
    }
    for (key, one) in &new {
        match old.get(key) {
            Some(before) => lasting(world, before, one, links),
            None => arisen(world, one, links),
        }
    }
}

/// A method that a class must implement in one version.
struct RequiredMethod {
    class: SymbolId,
    wanted: SymbolId,
    by: Option<SymbolId>,
    /// The hunks that make the class abstract in this version only.
    excuse: HunkSet,
    /// The hunks by which what is wanted has other parameters or another name than in the other version.
    renewal: HunkSet,
}

/// Returns the required methods of the classes that can have instances in a version.
fn duties<'a>(
    world: &'a RuleContext<'_>,
    version: Version,
) -> impl Iterator<Item = RequiredMethod> + 'a {
    let facts = world.facts(version);
    facts.obligations().iter().filter_map(move |one| {
        let MethodObligation { class, wanted, by } = *one;
        let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
        let is_excused = is_abstract(facts.symbol(class).flags);
        if is_excused && world.twin_flags(version, class).is_none_or(is_abstract) {
            return None;
        }
        let marks = || world.modifier_hunks(version, class, &["abstract"]);
        let excuse = if is_excused { marks() } else { HunkSet::new() };
        Some(RequiredMethod { class, wanted, by, excuse, renewal: renewal(world, version, wanted) })
    })
}

fn renewal(world: &RuleContext<'_>, version: Version, wanted: SymbolId) -> HunkSet {
    let mut hunks = world.parameter_hunks(version, wanted);
    if is_renamed(world, version, wanted) {
        hunks.extend(world.makers(version, wanted));
    }
    hunks
}

fn is_renamed(world: &RuleContext<'_>, version: Version, symbol: SymbolId) -> bool {
    world.twin_symbol(version, symbol).is_some_and(|twin| {
        world.facts(version.opposite()).name(twin) != world.facts(version).name(symbol)
    })
}

/// Returns the hunks that provide a method that a class requires.
fn satisfaction(world: &RuleContext<'_>, version: Version, one: &RequiredMethod) -> HunkSet {
    let Some(by) = one.by else { return HunkSet::new() };
    let mut hunks = world.makers(version, by);
    if let Some(owner) = world.facts(version).symbol(by).owner {
        hunks.extend(world.path_hunks(version, one.class, owner));
    }
    hunks.extend(world.parameter_hunks(version, by));
    if world.twin_flags(version, by).is_some_and(|flags| flags.has(SymbolFlags::ABSTRACT)) {
        hunks.extend(world.modifier_hunks(version, by, &["abstract"]));
    }
    hunks
}

/// Returns the hunks that make a class require a method in this version, but not in the other, the most specific first.
fn activators(world: &RuleContext<'_>, version: Version, one: &RequiredMethod) -> Vec<HunkSet> {
    let mut all = Vec::new();
    if !is_renamed(world, version, one.wanted) {
        all.push(world.makers(version, one.wanted));
    }
    let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
    if !world.twin_flags(version, one.wanted).is_some_and(is_abstract) {
        all.push(world.modifier_hunks(version, one.wanted, &["abstract", "default"]));
    }
    if let Some(owner) = world.facts(version).symbol(one.wanted).owner {
        all.push(world.path_hunks(version, one.class, owner));
    }
    if one.excuse.is_empty() && world.twin_flags(version, one.class).is_some_and(is_abstract) {
        all.push(world.modifier_hunks(version, one.class, &["abstract"]));
    }
    all.push(world.makers(version, one.class));
    all.retain(|hunks| !hunks.is_empty());
    all
}

/// Adds dependencies: hunks that require a method need its implementation, or an abstract class.
fn need(from: &HunkSet, made: &HunkSet, one: &RequiredMethod, links: &mut DependencyCollector) {
    match (made.len(), one.by) {
        _ if one.excuse.is_empty() => links.need_all(from, made, DependencyRule::Override),
        (0, Some(_)) => {}
        (1, _) => {
            let either = made.union(&one.excuse).copied().collect();
            for from in from {
                links.need_any(*from, &either, DependencyRule::Override);
            }
        }
        _ => links.need_all(from, &one.excuse, DependencyRule::Override),
    }
}

fn arisen(world: &RuleContext<'_>, one: &RequiredMethod, links: &mut DependencyCollector) {
    let made = satisfaction(world, Version::New, one);
    match activators(world, Version::New, one).first() {
        Some(first) => {
            let first: HunkSet = first.iter().take(1).copied().collect();
            need(&first, &made, one, links);
            // The implementor of an unchanged requirement is unknown.
            links.need_all(&first, &one.renewal, DependencyRule::Override);
        }
        None => need(&one.renewal, &made, one, links),
    }
}

fn lapsed(world: &RuleContext<'_>, one: &RequiredMethod, links: &mut DependencyCollector) {
    let ended: HunkSet = activators(world, Version::Old, one).into_iter().flatten().collect();
    let gone = satisfaction(world, Version::Old, one);
    for hunk in gone.iter().chain(&one.renewal) {
        links.need_any(*hunk, &ended, DependencyRule::Override);
    }
    if one.by.is_none() {
        // What made the class abstract was its excuse.
        for mark in &one.excuse {
            links.need_any(*mark, &ended, DependencyRule::Override);
        }
    }
}

fn lasting(
    world: &RuleContext<'_>,
    old: &RequiredMethod,
    new: &RequiredMethod,
    links: &mut DependencyCollector,
) {
    let gone = satisfaction(world, Version::Old, old);
    let made = satisfaction(world, Version::New, new);
    if old.by.is_none() {
        // The class needs it all as soon as it is no longer abstract.
        links.need_all(&old.excuse, &made, DependencyRule::Override);
        links.need_all(&old.excuse, &new.renewal, DependencyRule::Override);
    }
    if new.renewal.is_empty() {
        need(&gone, &made, new, links);
    } else {
        links.together(&new.renewal, DependencyRule::Override);
        links.need_all(&gone, &new.renewal, DependencyRule::Override);
        need(&new.renewal, &made, new, links);
    }
}
