//! Labels: a jump needs an enclosing label of its name, and labels of one name must not be nested.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::NodeKind;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.changed_nodes(version) {
            match world.kind(at) {
                NodeKind::Break | NodeKind::Continue => jump(world, at, links),
                NodeKind::LabeledStatement if version == Version::New => again(world, at, links),
                _ => {}
            }
        }
    }
}

/// Returns the name of a labelled statement, or the label of a jump.
fn label<'a>(world: &RuleContext<'a>, at: NodeRef) -> Option<&'a [u8]> {
    let bytes = world.node(at).bytes.clone();
    let text = world.text_of(at.version, at.tree).and_then(|text| text.get(bytes))?;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b':' | b';' | b'/');
    let mut words = text.split(is_end).filter(|word| !word.is_empty());
    if world.kind(at) == NodeKind::LabeledStatement { words.next() } else { words.nth(1) }
}

/// Returns the hunks that add or remove a label's own token.
fn token(world: &RuleContext<'_>, at: NodeRef, label: &[u8]) -> HunkSet {
    let start = world.node(at).bytes.start;
    if world.kind(at) == NodeKind::LabeledStatement {
        return world.owner(at.version, at.tree, start).into_iter().collect();
    }
    let word = std::str::from_utf8(label).unwrap_or_default();
    world.word_owners(at, world.node(at).bytes.clone(), &[word])
}

/// Returns the innermost enclosing statement with a label.
fn labelled(world: &RuleContext<'_>, at: NodeRef, name: &[u8]) -> Option<NodeRef> {
    world.ancestors(at).find(|one| {
        world.kind(*one) == NodeKind::LabeledStatement && label(world, *one) == Some(name)
    })
}

fn jump(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(name) = label(world, at) else { return };
    let Some(target) = labelled(world, at, name) else { return };
    let (code, on) = (token(world, at, name), token(world, target, name));
    links.rely(at.version, &code, &on, if_new(at.version));
    if let (true, Version::Old, Some(twin)) = (code.is_empty(), at.version, world.twin(at))
        && let Some(other) = labelled(world, twin, name)
    {
        links.need_all(&on, &token(world, other, name), DependencyRule::Definition);
    }
}

fn if_new(version: Version) -> DependencyRule {
    if version == Version::New { DependencyRule::Definition } else { DependencyRule::Use }
}

/// Adds dependencies of a new label inside a statement, or around one, that already had its name.
fn again(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(name) = label(world, at) else { return };
    let coming = token(world, at, name);
    let Some(routine) = world.method_of(at).and_then(|routine| world.twin(routine)) else { return };
    if coming.is_empty() {
        return;
    }
    let old = (routine.node..world.node(routine).end).map(|node| routine.with_node(node));
    for other in old.filter(|one| world.kind(*one) == NodeKind::LabeledStatement) {
        if label(world, other) == Some(name) {
            links.need_all(&coming, &token(world, other, name), DependencyRule::Duplicate);
        }
    }
}
