//! Labels: a jump needs an enclosing label of its name, and labels of one name must not be nested.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{At, Hunks, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        for at in world.changed_nodes(version) {
            match world.kind(at) {
                "BREAK" | "CONTINUE" => jump(world, at, links),
                "LABELED_STATEMENT" if version == Version::New => again(world, at, links),
                _ => {}
            }
        }
    }
}

/// Returns the name of a labelled statement, or the label of a jump.
fn label<'a>(world: &World<'a>, at: At) -> Option<&'a [u8]> {
    let bytes = world.node(at).bytes.clone();
    let text = world.text_of(at.version, at.tree).and_then(|text| text.get(bytes))?;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b':' | b';' | b'/');
    let mut words = text.split(is_end).filter(|word| !word.is_empty());
    if world.kind(at) == "LABELED_STATEMENT" { words.next() } else { words.nth(1) }
}

/// Returns the hunks that add or remove a label's own token.
fn token(world: &World<'_>, at: At, label: &[u8]) -> Hunks {
    let start = world.node(at).bytes.start;
    if world.kind(at) == "LABELED_STATEMENT" {
        return world.owner(at.version, at.tree, start).into_iter().collect();
    }
    let word = std::str::from_utf8(label).unwrap_or_default();
    world.word_owners(at, world.node(at).bytes.clone(), &[word])
}

/// Returns the innermost enclosing statement with a label.
fn labelled(world: &World<'_>, at: At, name: &[u8]) -> Option<At> {
    world
        .ancestors(at)
        .find(|one| world.kind(*one) == "LABELED_STATEMENT" && label(world, *one) == Some(name))
}

fn jump(world: &World<'_>, at: At, links: &mut Links) {
    let Some(name) = label(world, at) else { return };
    let Some(target) = labelled(world, at, name) else { return };
    let (code, on) = (token(world, at, name), token(world, target, name));
    links.rely(at.version, &code, &on, if_new(at.version));
    if let (true, Version::Old, Some(twin)) = (code.is_empty(), at.version, world.twin(at))
        && let Some(other) = labelled(world, twin, name)
    {
        links.need_all(&on, &token(world, other, name), Rule::Definition);
    }
}

fn if_new(version: Version) -> Rule {
    if version == Version::New { Rule::Definition } else { Rule::Use }
}

/// Adds dependencies of a new label inside a statement, or around one, that already had its name.
fn again(world: &World<'_>, at: At, links: &mut Links) {
    let Some(name) = label(world, at) else { return };
    let coming = token(world, at, name);
    let Some(routine) = world.method_of(at).and_then(|routine| world.twin(routine)) else { return };
    if coming.is_empty() {
        return;
    }
    let old = (routine.node..world.node(routine).end).map(|node| routine.with(node));
    for other in old.filter(|one| world.kind(*one) == "LABELED_STATEMENT") {
        if label(world, other) == Some(name) {
            links.need_all(&coming, &token(world, other, name), Rule::Duplicate);
        }
    }
}
