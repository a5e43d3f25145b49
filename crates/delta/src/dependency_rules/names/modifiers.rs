//! A modifier and what it allows or forbids.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};

const ACCESS: [&str; 3] = ["public", "protected", "private"];

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.changed_nodes(version) {
            if world.is_use(at)
                && let Some(symbol) = world.node(at).symbol
                && let Some(owner) = world.bearer_of(at).or_else(|| created(world, at))
            {
                let needed = needed(world, at, symbol);
                links.rely(version, &HunkSet::from([owner]), &needed, DependencyRule::Modifier);
            }
        }
    }
    for at in world.changed_nodes(Version::New) {
        if world.kind(at) == NodeKind::Method {
            body(world, at, links);
        }
        if world.kind(at) == NodeKind::Modifiers {
            exclusive(world, at, links);
        }
    }
}

/// Adds dependencies of modifiers: each is allowed once, and only one access modifier.
fn exclusive(world: &RuleContext<'_>, new: NodeRef, links: &mut DependencyCollector) {
    let Some(old) = world.twin(world.parent(new)) else { return };
    let Some(old) = world.child(old, NodeRole::Modifiers) else { return };
    let of =
        |at: NodeRef, words: &[&str]| world.word_owners(at, world.node(at).bytes.clone(), words);
    links.need_all(&of(new, &ACCESS), &of(old, &ACCESS), DependencyRule::Duplicate);
    let words = ["static", "final", "abstract", "synchronized", "native", "transient", "volatile"];
    for word in words.iter().chain(&ACCESS) {
        // Only its place among the others differs.
        let (coming, going) = (of(new, &[word]), of(old, &[word]));
        if !coming.is_empty() && !going.is_empty() {
            links.together(&coming.into_iter().chain(going).collect(), DependencyRule::Duplicate);
        }
    }
}

/// Returns the hunks of the modifiers that a use requires.
fn needed(world: &RuleContext<'_>, at: NodeRef, symbol: SymbolId) -> HunkSet {
    let version = at.version;
    let mut hunks = HunkSet::new();
    let facts = world.facts(version);
    if let Some(other) = world.twin_flags(version, symbol) {
        let flags = facts.symbol(symbol).flags;
        if other.access() < flags.access() && other.access() < distance(world, at, symbol) {
            hunks.extend(world.modifier_hunks(version, symbol, &ACCESS));
        }
        if flags.has(SymbolFlags::STATIC) != other.has(SymbolFlags::STATIC)
            && !facts.symbol(symbol).kind.is_type()
        {
            hunks.extend(world.modifier_hunks(version, symbol, &["static"]));
        }
        if other.has(SymbolFlags::FINAL)
            && !flags.has(SymbolFlags::FINAL)
            && is_against_final(world, at)
        {
            hunks.extend(world.modifier_hunks(version, symbol, &["final"]));
        }
    }
    hunks.extend(creation(world, at, symbol));
    hunks.extend(context(world, at, symbol));
    hunks
}

/// Returns the hunk that creates another class at the same place.
fn created(world: &RuleContext<'_>, at: NodeRef) -> Option<HunkId> {
    let name =
        world.child(at, NodeRole::Callee).filter(|_| world.kind(at) == NodeKind::NewClass)?;
    world.owner_of(name)
}

/// Returns the hunks that keep a created class from being abstract.
fn creation(world: &RuleContext<'_>, at: NodeRef, constructor: SymbolId) -> HunkSet {
    let facts = world.facts(at.version);
    if world.kind(at) != NodeKind::NewClass || world.child(at, NodeRole::Body).is_some() {
        return HunkSet::new();
    }
    let Some(class) = facts.symbol(constructor).owner else { return HunkSet::new() };
    let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
    if world.twin_flags(at.version, class).is_some_and(is_abstract)
        && !is_abstract(facts.symbol(class).flags)
    {
        return world.modifier_hunks(at.version, class, &["abstract"]);
    }
    HunkSet::new()
}

/// Returns the hunks that keep an instance member from being used in a static context.
fn context(world: &RuleContext<'_>, at: NodeRef, symbol: SymbolId) -> HunkSet {
    let facts = world.facts(at.version);
    let used = facts.symbol(symbol);
    let is_member = matches!(used.kind, SymbolKind::Field | SymbolKind::Method)
        || matches!(facts.name(symbol), "this" | "super");
    if world.kind(at) != NodeKind::Identifier || used.flags.has(SymbolFlags::STATIC) || !is_member {
        return HunkSet::new();
    }
    let member = world.ancestors(at).find(|one| world.node(*one).role == NodeRole::Member);
    let Some(member) = member else { return HunkSet::new() };
    if let Some(symbol) = world.node(member).symbol {
        let is_static = |flags: SymbolFlags| flags.has(SymbolFlags::STATIC);
        let is_in_doubt = world.twin_flags(at.version, symbol).is_some_and(is_static);
        let marks = || world.modifier_hunks(at.version, symbol, &["static"]);
        return if is_in_doubt { marks() } else { HunkSet::new() };
    }
    // A block that gives fields their first values.
    let Some(twin) = world.twin(member) else { return HunkSet::new() };
    let body = world
        .children(twin)
        .first()
        .map_or(world.node(twin).bytes.end, |one| world.node(*one).bytes.start);
    world.word_owners(twin, world.node(twin).bytes.start..body, &["static"])
}

/// Returns true if a use writes a variable or extends a class.
fn is_against_final(world: &RuleContext<'_>, at: NodeRef) -> bool {
    let role = world.node(at).role;
    matches!(role, NodeRole::Target | NodeRole::Extends)
        || matches!(
            world.kind(world.parent(at)),
            NodeKind::PostfixIncrement
                | NodeKind::PostfixDecrement
                | NodeKind::PrefixIncrement
                | NodeKind::PrefixDecrement
        )
}

/// Returns the access that a use requires: 0 inside the same outermost class, 1 inside the package, 2 in a subclass.
fn distance(world: &RuleContext<'_>, at: NodeRef, symbol: SymbolId) -> u8 {
    let facts = world.facts(at.version);
    let outermost = |id: SymbolId| -> Option<SymbolId> {
        std::iter::once(id)
            .chain(facts.owners(id))
            .filter(|owner| facts.symbol(*owner).kind.is_type())
            .last()
    };
    let package = |id: SymbolId| outermost(id).and_then(|class| facts.symbol(class).owner);
    let Some(class) = world.class_of(at) else { return 1 };
    if outermost(class) == outermost(symbol) {
        return 0;
    }
    if package(class) == package(symbol) {
        return 1;
    }
    let owner = facts.symbol(symbol).owner;
    let around = std::iter::once(class).chain(facts.owners(class));
    let is_below = around
        .filter(|class| facts.symbol(*class).kind.is_type())
        .any(|class| owner.is_some_and(|owner| facts.supertypes_with_self(class).contains(&owner)));
    if is_below { 2 } else { 3 }
}

/// Adds dependencies of a method's body, which exists unless the method is abstract or native.
fn body(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let (Some(symbol), Some(old)) = (world.node(at).symbol, world.twin(at)) else { return };
    let (new_body, old_body) = (world.child(at, NodeRole::Body), world.child(old, NodeRole::Body));
    if new_body.is_some() == old_body.is_some() {
        return;
    }
    let words = ["abstract", "native", "default", "static"];
    let mut hunks = world.modifier_hunks(Version::New, symbol, &words);
    hunks.extend(new_body.or(old_body).and_then(|body| world.owner_of(body)));
    links.together(&hunks, DependencyRule::Modifier);
}
