//! A sealed class permits those that extend it, and those say whether they are final.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{At, Hunks, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;
use mend_java::facts::{Flags, Role, SymbolId};

/// Modifiers of a direct subclass of a sealed class.
const ENDS: [&str; 3] = ["final", "sealed", "non-sealed"];

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        let facts = world.facts(version);
        let classes = (0..facts.symbols().len()).filter(|id| facts.symbol(*id).kind.is_type());
        for class in classes.filter(|class| world.declaration(version, *class).is_some()) {
            for above in &facts.symbol(class).supers {
                below(world, version, class, *above, links);
            }
        }
    }
}

fn is_sealed(flags: Flags) -> bool {
    flags.has(Flags::SEALED)
}

fn below(world: &World<'_>, version: Version, class: SymbolId, above: SymbolId, links: &mut Links) {
    let Some(sealed) = world.declaration(version, above) else { return };
    let edge = world.edge_hunks(version, class, above);
    let was_sealed = world.twin_flags(version, above).map(is_sealed);
    if !is_sealed(world.facts(version).symbol(above).flags) {
        if was_sealed == Some(true) {
            let mark = world.modifier_hunks(version, above, &["sealed"]);
            links.rely(version, &edge, &mark, Rule::Modifier);
            links.rely(version, &world.makers(version, class), &mark, Rule::Modifier);
        }
        return;
    }
    let entry = entry(world, sealed, class);
    let ends = self::ends(world, version, class, &ENDS);
    let open = self::ends(world, version, class, &["non-sealed"]);
    links.rely(version, &entry, &edge, Rule::Override);
    links.rely(version, &edge, &entry, Rule::Override);
    links.rely(version, &edge, &ends, Rule::Modifier);
    links.rely(version, &open, &edge, Rule::Modifier);
    if was_sealed == Some(false) {
        let mark = world.modifier_hunks(version, above, &["sealed"]);
        for needed in [&entry, &edge, &ends] {
            links.rely(version, &mark, needed, Rule::Modifier);
        }
        links.rely(version, &entry, &mark, Rule::Modifier);
        links.rely(version, &open, &mark, Rule::Modifier);
    } else if version == Version::Old {
        let twin = world.twin_symbol(version, class);
        let after = twin.map(|twin| self::ends(world, Version::New, twin, &ENDS));
        links
            .together(&ends.into_iter().chain(after.unwrap_or_default()).collect(), Rule::Modifier);
    }
}

/// Returns the hunks of a class's name in the `permits` clause of a sealed class.
fn entry(world: &World<'_>, sealed: At, class: SymbolId) -> Hunks {
    let entries = world.children(sealed).into_iter();
    entries
        .filter(|one| {
            world.node(*one).role == Role::Permits && world.node(*one).symbol == Some(class)
        })
        .flat_map(|one| world.owners_of(one))
        .collect()
}

/// Returns the hunks of one version's modifiers.
fn ends(world: &World<'_>, version: Version, class: SymbolId, words: &[&str]) -> Hunks {
    let modifiers =
        world.declaration(version, class).and_then(|class| world.child(class, Role::Modifiers));
    let bytes = modifiers.map(|at| (at, world.node(at).bytes.clone()));
    bytes.map(|(at, bytes)| world.word_owners(at, bytes, words)).unwrap_or_default()
}
