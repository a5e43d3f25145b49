//! A sealed class permits those that extend it, and those say whether they are final.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeRole, SymbolFlags, SymbolId};

/// Modifiers of a direct subclass of a sealed class.
const ENDS: [&str; 3] = ["final", "sealed", "non-sealed"];

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
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

fn is_sealed(flags: SymbolFlags) -> bool {
    flags.has(SymbolFlags::SEALED)
}

fn below(
    world: &RuleContext<'_>,
    version: Version,
    class: SymbolId,
    above: SymbolId,
    links: &mut DependencyCollector,
) {
    let Some(sealed) = world.declaration(version, above) else { return };
    let edge = world.edge_hunks(version, class, above);
    let was_sealed = world.twin_flags(version, above).map(is_sealed);
    if !is_sealed(world.facts(version).symbol(above).flags) {
        if was_sealed == Some(true) {
            let mark = world.modifier_hunks(version, above, &["sealed"]);
            links.rely(version, &edge, &mark, DependencyRule::Modifier);
            links.rely(version, &world.makers(version, class), &mark, DependencyRule::Modifier);
        }
        return;
    }
    let entry = entry(world, sealed, class);
    let ends = self::ends(world, version, class, &ENDS);
    let open = self::ends(world, version, class, &["non-sealed"]);
    links.rely(version, &entry, &edge, DependencyRule::Override);
    links.rely(version, &edge, &entry, DependencyRule::Override);
    links.rely(version, &edge, &ends, DependencyRule::Modifier);
    links.rely(version, &open, &edge, DependencyRule::Modifier);
    if was_sealed == Some(false) {
        let mark = world.modifier_hunks(version, above, &["sealed"]);
        for needed in [&entry, &edge, &ends] {
            links.rely(version, &mark, needed, DependencyRule::Modifier);
        }
        links.rely(version, &entry, &mark, DependencyRule::Modifier);
        links.rely(version, &open, &mark, DependencyRule::Modifier);
    } else if version == Version::Old {
        let twin = world.twin_symbol(version, class);
        let after = twin.map(|twin| self::ends(world, Version::New, twin, &ENDS));
        links.together(
            &ends.into_iter().chain(after.unwrap_or_default()).collect(),
            DependencyRule::Modifier,
        );
    }
}

/// Returns the hunks of a class's name in the `permits` clause of a sealed class.
fn entry(world: &RuleContext<'_>, sealed: NodeRef, class: SymbolId) -> HunkSet {
    let entries = world.children(sealed).into_iter();
    entries
        .filter(|one| {
            world.node(*one).role == NodeRole::Permits && world.node(*one).symbol == Some(class)
        })
        .flat_map(|one| world.owners_of(one))
        .collect()
}

/// Returns the hunks of one version's modifiers.
fn ends(world: &RuleContext<'_>, version: Version, class: SymbolId, words: &[&str]) -> HunkSet {
    let modifiers =
        world.declaration(version, class).and_then(|class| world.child(class, NodeRole::Modifiers));
    let bytes = modifiers.map(|at| (at, world.node(at).bytes.clone()));
    bytes.map(|(at, bytes)| world.word_owners(at, bytes, words)).unwrap_or_default()
}
