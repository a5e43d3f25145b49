//! Methods that a class must implement, and abstract classes.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{Hunks, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;
use mend_java::facts::{Flags, Obligation, SymbolId, SymbolKind};
use std::collections::HashMap;

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    obligations(world, links);
    abstract_classes(world, links);
}

/// Adds dependencies of a class with an abstract method, which must be abstract.
fn abstract_classes(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        let facts = world.facts(version);
        let methods = (0..facts.symbols().len()).filter(|id| {
            let symbol = facts.symbol(*id);
            symbol.kind == SymbolKind::Method
                && symbol.flags.has(Flags::ABSTRACT)
                && symbol.place.is_some()
        });
        for method in methods {
            let Some(class) = facts.symbol(method).owner else { continue };
            let was_abstract =
                |id| world.twin_flags(version, id).map(|flags| flags.has(Flags::ABSTRACT));
            if was_abstract(class) != Some(false) {
                continue;
            }
            let mut code = world.makers(version, method);
            if was_abstract(method) == Some(false) {
                code.extend(world.modifier_hunks(version, method, &["abstract"]));
            }
            let mark = world.modifier_hunks(version, class, &["abstract"]);
            links.rely(version, &code, &mark, Rule::Override);
        }
    }
}

/// Adds dependencies of a class that can have instances, which must implement inherited abstract methods.
fn obligations(world: &World<'_>, links: &mut Links) {
    let new: HashMap<(SymbolId, SymbolId), Duty> =
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
struct Duty {
    class: SymbolId,
    wanted: SymbolId,
    by: Option<SymbolId>,
    /// The hunks that make the class abstract in this version only.
    excuse: Hunks,
    /// The hunks by which what is wanted has other parameters or another name than in the other version.
    renewal: Hunks,
}

/// Returns the required methods of the classes that can have instances in a version.
fn duties<'a>(world: &'a World<'_>, version: Version) -> impl Iterator<Item = Duty> + 'a {
    let facts = world.facts(version);
    facts.obligations().iter().filter_map(move |one| {
        let Obligation { class, wanted, by } = *one;
        let is_abstract = |flags: Flags| flags.has(Flags::ABSTRACT);
        let is_excused = is_abstract(facts.symbol(class).flags);
        if is_excused && world.twin_flags(version, class).is_none_or(is_abstract) {
            return None;
        }
        let marks = || world.modifier_hunks(version, class, &["abstract"]);
        let excuse = if is_excused { marks() } else { Hunks::new() };
        Some(Duty { class, wanted, by, excuse, renewal: renewal(world, version, wanted) })
    })
}

fn renewal(world: &World<'_>, version: Version, wanted: SymbolId) -> Hunks {
    let mut hunks = world.parameter_hunks(version, wanted);
    if is_renamed(world, version, wanted) {
        hunks.extend(world.makers(version, wanted));
    }
    hunks
}

fn is_renamed(world: &World<'_>, version: Version, symbol: SymbolId) -> bool {
    world.twin_symbol(version, symbol).is_some_and(|twin| {
        world.facts(version.other()).name(twin) != world.facts(version).name(symbol)
    })
}

/// Returns the hunks that provide a method that a class requires.
fn satisfaction(world: &World<'_>, version: Version, one: &Duty) -> Hunks {
    let Some(by) = one.by else { return Hunks::new() };
    let mut hunks = world.makers(version, by);
    if let Some(owner) = world.facts(version).symbol(by).owner {
        hunks.extend(world.path_hunks(version, one.class, owner));
    }
    hunks.extend(world.parameter_hunks(version, by));
    if world.twin_flags(version, by).is_some_and(|flags| flags.has(Flags::ABSTRACT)) {
        hunks.extend(world.modifier_hunks(version, by, &["abstract"]));
    }
    hunks
}

/// Returns the hunks that make a class require a method in this version, but not in the other, the most specific first.
fn activators(world: &World<'_>, version: Version, one: &Duty) -> Vec<Hunks> {
    let mut all = Vec::new();
    if !is_renamed(world, version, one.wanted) {
        all.push(world.makers(version, one.wanted));
    }
    let is_abstract = |flags: Flags| flags.has(Flags::ABSTRACT);
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
fn need(from: &Hunks, made: &Hunks, one: &Duty, links: &mut Links) {
    match (made.len(), one.by) {
        _ if one.excuse.is_empty() => links.need_all(from, made, Rule::Override),
        (0, Some(_)) => {}
        (1, _) => {
            let either = made.union(&one.excuse).copied().collect();
            for from in from {
                links.need_any(*from, &either, Rule::Override);
            }
        }
        _ => links.need_all(from, &one.excuse, Rule::Override),
    }
}

fn arisen(world: &World<'_>, one: &Duty, links: &mut Links) {
    let made = satisfaction(world, Version::New, one);
    match activators(world, Version::New, one).first() {
        Some(first) => {
            let first: Hunks = first.iter().take(1).copied().collect();
            need(&first, &made, one, links);
            // The implementor of an unchanged requirement is unknown.
            links.need_all(&first, &one.renewal, Rule::Override);
        }
        None => need(&one.renewal, &made, one, links),
    }
}

fn lapsed(world: &World<'_>, one: &Duty, links: &mut Links) {
    let ended: Hunks = activators(world, Version::Old, one).into_iter().flatten().collect();
    let gone = satisfaction(world, Version::Old, one);
    for hunk in gone.iter().chain(&one.renewal) {
        links.need_any(*hunk, &ended, Rule::Override);
    }
    if one.by.is_none() {
        // What made the class abstract was its excuse.
        for mark in &one.excuse {
            links.need_any(*mark, &ended, Rule::Override);
        }
    }
}

fn lasting(world: &World<'_>, old: &Duty, new: &Duty, links: &mut Links) {
    let gone = satisfaction(world, Version::Old, old);
    let made = satisfaction(world, Version::New, new);
    if old.by.is_none() {
        // The class needs it all as soon as it is no longer abstract.
        links.need_all(&old.excuse, &made, Rule::Override);
        links.need_all(&old.excuse, &new.renewal, Rule::Override);
    }
    if new.renewal.is_empty() {
        need(&gone, &made, new, links);
    } else {
        links.together(&new.renewal, Rule::Override);
        links.need_all(&gone, &new.renewal, Rule::Override);
        need(&new.renewal, &made, new, links);
    }
}
