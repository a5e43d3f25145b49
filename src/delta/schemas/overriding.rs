//! Methods that override each other, and what a class must implement.

use super::cause::Typed;
use super::links::Links;
use super::world::{At, Hunks, VERSIONS, World};
use crate::delta::couplings::Version;
use crate::delta::hunk::Rule;
use crate::facts::{Flags, Obligation, Role, SymbolId, SymbolKind};
use std::collections::HashMap;

const ACCESS: [&str; 3] = ["public", "protected", "private"];

pub(super) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.kind(*at) == "METHOD") {
            let Some(method) = world.node(at).symbol else { continue };
            if let Some(mark) = override_mark(world, at) {
                marked(world, mark, method, links);
            }
            for other in &world.facts(version).symbol(method).overridden {
                compatible(world, version, method, *other, links);
            }
        }
    }
    obligations(world, links);
    abstract_classes(world, links);
}

/// A class with an abstract method of its own is abstract.
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

/// The name in a method's `@Override`.
fn override_mark(world: &World<'_>, method: At) -> Option<At> {
    let modifiers = world.child(method, Role::Modifiers)?;
    let marks = world.children(modifiers).into_iter();
    marks.filter_map(|annotation| world.children(annotation).first().copied()).find(|name| {
        world.node(*name).symbol.is_some_and(|symbol| {
            let facts = world.facts(method.version);
            facts.text(facts.symbol(symbol).full_name) == "java.lang.Override"
        })
    })
}

/// A method that says so must override something.
fn marked(world: &World<'_>, mark: At, method: SymbolId, links: &mut Links) {
    let version = mark.version;
    let support = best_link(world, version, method);
    if let Some(owner) = world.owner_of(mark) {
        links.rely(version, &Hunks::from([owner]), &support, Rule::Override);
    } else if version == Version::Old
        && let Some(twin) = world.twin_symbol(version, method)
    {
        links.need_all(&support, &best_link(world, Version::New, twin), Rule::Override);
    }
}

/// The hunks of that overridden method which depends on the fewest.
fn best_link(world: &World<'_>, version: Version, method: SymbolId) -> Hunks {
    let overridden = &world.facts(version).symbol(method).overridden;
    let links = overridden.iter().map(|other| link(world, version, method, *other));
    links.min_by_key(Hunks::len).unwrap_or_default()
}

/// The hunks by which one method overrides another in a version.
fn link(world: &World<'_>, version: Version, method: SymbolId, other: SymbolId) -> Hunks {
    let mut hunks = world.makers(version, method);
    hunks.extend(world.makers(version, other));
    let facts = world.facts(version);
    if let (Some(class), Some(above)) = (facts.symbol(method).owner, facts.symbol(other).owner) {
        hunks.extend(world.path_hunks(version, class, above));
    }
    let stays = |id: SymbolId| world.twin_symbol(version, id);
    let still = match (stays(method), stays(other)) {
        (Some(method), Some(other)) => {
            world.facts(version.other()).symbol(method).overridden.contains(&other)
        }
        _ => false,
    };
    let mut parameters = world.parameter_hunks(version, method);
    parameters.extend(world.parameter_hunks(version, other));
    if !still || !parameters.is_empty() {
        hunks.extend(parameters);
    }
    hunks
}

impl World<'_> {
    /// The hunks by which a class has a supertype in a version; empty if it has it anyway.
    pub(super) fn path_hunks(&self, version: Version, class: SymbolId, above: SymbolId) -> Hunks {
        if class == above || self.declaration(version, class).is_none() {
            return Hunks::new();
        }
        if let Some(known) = self.paths.borrow().get(&(version, class, above)) {
            return known.clone();
        }
        let hunks = self.find_path(version, class, above);
        self.paths.borrow_mut().insert((version, class, above), hunks.clone());
        hunks
    }

    fn find_path(&self, version: Version, class: SymbolId, above: SymbolId) -> Hunks {
        let mut best: HashMap<SymbolId, Hunks> = HashMap::from([(class, Hunks::new())]);
        let mut open = std::collections::VecDeque::from([class]);
        let facts = self.facts(version);
        while let Some(one) = open.pop_front() {
            if one == above {
                break;
            }
            for parent in &facts.symbol(one).supers {
                if best.contains_key(parent) {
                    continue;
                }
                let mut hunks = best.get(&one).cloned().unwrap_or_default();
                hunks.extend(self.edge_hunks(version, one, *parent));
                best.insert(*parent, hunks);
                open.push_back(*parent);
            }
        }
        best.remove(&above).unwrap_or_default()
    }

    /// The tokens by which a class names a direct supertype.
    pub(super) fn edge_hunks(&self, version: Version, class: SymbolId, parent: SymbolId) -> Hunks {
        let Some(at) = self.declaration(version, class) else { return Hunks::new() };
        let named = self
            .children(at)
            .into_iter()
            .filter(|child| matches!(self.node(*child).role, Role::Extends | Role::Implements));
        for part in named {
            let name = (part.node..self.node(part).end)
                .map(|node| part.with(node))
                .find(|at| self.node(*at).symbol == Some(parent));
            if let Some(name) = name {
                return self.owner_of(name).into_iter().collect();
            }
        }
        Hunks::new()
    }
}

/// What overrides must return a fitting type and be as accessible, and what is overridden not final.
fn compatible(
    world: &World<'_>,
    version: Version,
    method: SymbolId,
    other: SymbolId,
    links: &mut Links,
) {
    let facts = world.facts(version);
    let (lower, upper) = (facts.symbol(method), facts.symbol(other));
    let path = match (lower.owner, upper.owner) {
        (Some(class), Some(above)) => world.path_hunks(version, class, above),
        _ => Hunks::new(),
    };
    let with = |mut hunks: Hunks, more: Hunks| {
        hunks.extend(more);
        hunks
    };
    let retyped = world.retyping(version, method);
    let retyped_above = world.retyping(version, other);
    let lower_there = with(with(world.makers(version, method), path.clone()), retyped.clone());
    let upper_there = with(with(world.makers(version, other), path), retyped_above.clone());
    let ty = |version, id| Typed { version, ty: world.facts(version).symbol(id).ty };
    let returns = |from, to| world.is_same_type(from, to) || world.fits(from, to);
    if let Some(twin) = world.twin_symbol(version, method)
        && !returns(ty(version.other(), twin), ty(version, other))
    {
        links.rely(version, &upper_there, &retyped, Rule::Override);
    }
    if let Some(twin) = world.twin_symbol(version, other)
        && !returns(ty(version, method), ty(version.other(), twin))
    {
        links.rely(version, &lower_there, &retyped_above, Rule::Override);
    }
    if world.twin_flags(version, method).is_some_and(|flags| flags.access() < upper.flags.access())
    {
        let hunks = world.modifier_hunks(version, method, &ACCESS);
        links.rely(
            version,
            &with(upper_there, world.modifier_hunks(version, other, &ACCESS)),
            &hunks,
            Rule::Override,
        );
    }
    if let Some(flags) = world.twin_flags(version, other) {
        let mut words = Vec::new();
        if flags.access() > lower.flags.access() {
            words.extend(ACCESS);
        }
        if flags.has(Flags::FINAL) {
            words.push("final");
        }
        let hunks = world.modifier_hunks(version, other, &words);
        links.rely(
            version,
            &with(lower_there, world.modifier_hunks(version, method, &words)),
            &hunks,
            Rule::Override,
        );
    }
}

/// A class that may have instances implements what is abstract above it.
fn obligations(world: &World<'_>, links: &mut Links) {
    let new: HashMap<(SymbolId, SymbolId), Obligation> = world
        .facts(Version::New)
        .obligations()
        .iter()
        .map(|one| ((one.class, one.wanted), *one))
        .collect();
    let mut old = HashMap::new();
    for one in world.facts(Version::Old).obligations() {
        let twins = world
            .twin_symbol(Version::Old, one.class)
            .zip(world.twin_symbol(Version::Old, one.wanted));
        if let Some(twins) = twins.filter(|twins| new.contains_key(twins)) {
            old.insert(twins, *one);
        } else {
            lapsed(world, one, links);
        }
    }
    for (key, one) in &new {
        match old.get(key) {
            Some(before) => lasting(world, before, one, links),
            None => arisen(world, one, links),
        }
    }
}

/// The hunks by which a method stands where a class needs it.
fn satisfaction(world: &World<'_>, version: Version, one: &Obligation) -> Hunks {
    let Some(by) = one.by else { return Hunks::new() };
    let mut hunks = world.makers(version, by);
    if let Some(owner) = world.facts(version).symbol(by).owner {
        hunks.extend(world.path_hunks(version, one.class, owner));
    }
    if world.twin_symbol(version, by).is_some_and(|twin| {
        let other = world.facts(version.other()).symbol(twin);
        world.facts(version.other()).text(other.name) != world.facts(version).name(by)
    }) || !world.parameter_hunks(version, by).is_empty()
    {
        hunks.extend(world.parameter_hunks(version, by));
    }
    if world.twin_flags(version, by).is_some_and(|flags| flags.has(Flags::ABSTRACT)) {
        hunks.extend(world.modifier_hunks(version, by, &["abstract"]));
    }
    hunks
}

/// What makes an obligation hold in a version that does not in the other, most telling first.
fn activators(world: &World<'_>, version: Version, one: &Obligation) -> Vec<Hunks> {
    let mut all = vec![world.makers(version, one.wanted)];
    let is_abstract = |flags: Flags| flags.has(Flags::ABSTRACT);
    if !world.twin_flags(version, one.wanted).is_some_and(is_abstract) {
        all.push(world.modifier_hunks(version, one.wanted, &["abstract", "default"]));
    }
    if let Some(owner) = world.facts(version).symbol(one.wanted).owner {
        all.push(world.path_hunks(version, one.class, owner));
    }
    if world.twin_flags(version, one.class).is_some_and(is_abstract) {
        all.push(world.modifier_hunks(version, one.class, &["abstract"]));
    }
    all.push(world.makers(version, one.class));
    all.retain(|hunks| !hunks.is_empty());
    all
}

fn arisen(world: &World<'_>, one: &Obligation, links: &mut Links) {
    let satisfied = satisfaction(world, Version::New, one);
    if let Some(first) = activators(world, Version::New, one).first() {
        let one: Hunks = first.iter().take(1).copied().collect();
        links.need_all(&one, &satisfied, Rule::Override);
    }
}

fn lapsed(world: &World<'_>, one: &Obligation, links: &mut Links) {
    let ended: Hunks = activators(world, Version::Old, one).into_iter().flatten().collect();
    for hunk in satisfaction(world, Version::Old, one) {
        links.need_any(hunk, &ended, Rule::Override);
    }
}

fn lasting(world: &World<'_>, old: &Obligation, new: &Obligation, links: &mut Links) {
    let gone = satisfaction(world, Version::Old, old);
    let made = satisfaction(world, Version::New, new);
    links.need_all(&gone, &made, Rule::Override);
    let above = world.parameter_hunks(Version::New, new.wanted);
    links.need_all(&above, &made, Rule::Override);
    links.need_all(&above, &gone, Rule::Override);
    if !above.is_empty() {
        links.need_all(&made, &above, Rule::Override);
    }
}
