//! A method of one version only, and methods of the other version that it would override or be overridden by.

use super::cause::Typed;
use super::links::Links;
use super::world::{VERSIONS, World};
use crate::delta::couplings::Version;
use crate::delta::hunk::Rule;
use crate::facts::{Flags, SymbolId, SymbolKind};
use std::collections::{HashMap, HashSet};

/// The classes' methods by name and parameters.
type Methods<'a> = HashMap<(SymbolId, String), SymbolId>;

pub(super) fn couple(world: &World<'_>, links: &mut Links) {
    let all = VERSIONS.map(|version| methods(world, version));
    for (version, others) in [(Version::Old, &all[1]), (Version::New, &all[0])] {
        let facts = world.facts(version);
        for id in 0..facts.symbols().len() {
            let symbol = facts.symbol(id);
            if symbol.kind == SymbolKind::Method && symbol.place.is_some() {
                above(world, version, id, others, links);
            }
        }
    }
}

fn methods<'a>(world: &World<'a>, version: Version) -> Methods<'a> {
    let facts = world.facts(version);
    let all = facts.symbols().iter().enumerate();
    all.filter(|(_, symbol)| symbol.kind == SymbolKind::Method && symbol.place.is_some())
        .filter_map(|(id, symbol)| Some(((symbol.owner?, signature(world, version, id)), id)))
        .collect()
}

fn signature(world: &World<'_>, version: Version, id: SymbolId) -> String {
    let facts = world.facts(version);
    let parameters = &facts.symbol(id).parameters;
    let types: Vec<_> =
        parameters.iter().map(|one| facts.text(facts.symbol(*one).ty.erased)).collect();
    format!("{}({})", facts.name(id), types.join(","))
}

/// A method, and those of the other version with its name and parameters in classes above its own.
fn above(
    world: &World<'_>,
    version: Version,
    lower: SymbolId,
    others: &Methods<'_>,
    links: &mut Links,
) {
    let other = version.other();
    let Some(class) = world.facts(version).symbol(lower).owner else { return };
    let here = world.facts(version).above(class).into_iter();
    let mut classes: HashSet<SymbolId> =
        here.filter_map(|one| world.twin_symbol(version, one)).collect();
    let twin = world.twin_symbol(version, class);
    classes.extend(twin.into_iter().flat_map(|twin| world.facts(other).above(twin)));
    classes.retain(|one| Some(*one) != twin);
    let signature = signature(world, version, lower);
    for above in classes {
        let Some(upper) = others.get(&(above, signature.clone())) else { continue };
        if !agree(world, (version, lower), (other, *upper)) {
            exclude(world, (version, lower), (other, *upper), links);
        }
    }
}

/// Whether the one may override the other.
fn agree(world: &World<'_>, lower: (Version, SymbolId), upper: (Version, SymbolId)) -> bool {
    let of = |(version, id): (Version, SymbolId)| world.facts(version).symbol(id);
    let (one, two) = (of(lower), of(upper));
    if two.flags.has(Flags::PRIVATE) {
        return true;
    }
    let ty = |(version, id): (Version, SymbolId)| Typed { version, ty: of((version, id)).ty };
    let returns = world.is_same_type(ty(lower), ty(upper)) || world.fits(ty(lower), ty(upper));
    let throws_less = one.thrown.iter().all(|thrown| {
        let name = world.facts(lower.0).text(*thrown);
        two.thrown.iter().any(|other| {
            let (facts, other) = (world.facts(lower.0), world.facts(upper.0).text(*other));
            facts.class_named(name).is_some_and(|class| facts.is_below(class, other))
        }) || !world.is_checked(lower.0, name)
    });
    returns
        && throws_less
        && one.flags.access() >= two.flags.access()
        && !two.flags.has(Flags::FINAL)
        && one.flags.has(Flags::STATIC) == two.flags.has(Flags::STATIC)
}

/// The new one of two methods needs the old one to be gone.
fn exclude(
    world: &World<'_>,
    lower: (Version, SymbolId),
    upper: (Version, SymbolId),
    links: &mut Links,
) {
    let (new, old) = if lower.0 == Version::New { (lower, upper) } else { (upper, lower) };
    let coming = world.makers(new.0, new.1);
    let going = world.makers(old.0, old.1);
    links.need_all(&coming, &going, Rule::Override);
}
