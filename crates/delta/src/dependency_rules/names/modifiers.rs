//! Dependency rule: uses need the modifiers that allow them, and modifiers exclude each other and forbidden uses.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};

pub(crate) const ACCESS_MODIFIERS: [&str; 3] = ["public", "protected", "private"];

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context.changed_nodes(version) {
            let Some(symbol) = context.node(node).symbol.filter(|_| context.is_use(node)) else {
                continue;
            };
            let code = use_hunks(context, node);
            if !code.is_empty() {
                let needed = required_modifier_hunks(context, node, symbol);
                collector.require_in_version(version, &code, &needed, DependencyRule::Modifier);
            }
        }
    }
    for node in context.changed_nodes(Version::New) {
        if context.kind(node) == NodeKind::Method {
            add_body_dependencies(context, node, collector);
        }
        if context.kind(node) == NodeKind::Modifiers {
            add_modifier_conflicts(context, node, collector);
        }
    }
}

/// Returns the hunks with which a use exists in its form: with or without a qualifier.
fn use_hunks(context: &RuleContext<'_>, node: NodeRef) -> HunkSet {
    let owner =
        context.node_owner_or_edited_move(node).or_else(|| created_class_owner(context, node));
    let requalified = || {
        let twin = context.twin_node(node);
        twin.map(|twin| context.qualification_hunks(node, twin)).unwrap_or_default()
    };
    owner.map_or_else(requalified, |owner| HunkSet::from([owner]))
}

/// Adds dependencies of modifiers: each is allowed once, and only one access modifier.
fn add_modifier_conflicts(
    context: &RuleContext<'_>,
    new: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(old) = context.twin_node(context.parent(new)) else { return };
    let Some(old) = context.child(old, NodeRole::Modifiers) else { return };
    let modifier_owners = |at: NodeRef, words: &[&str]| {
        context.word_owners_in_range(at, context.node(at).bytes.clone(), words)
    };
    collector.require_all(
        &modifier_owners(new, &ACCESS_MODIFIERS),
        &modifier_owners(old, &ACCESS_MODIFIERS),
        DependencyRule::Duplicate,
    );
    let words = ["static", "final", "abstract", "synchronized", "native", "transient", "volatile"];
    for word in words.iter().chain(&ACCESS_MODIFIERS) {
        // The modifier only changes its position among the others.
        let (added, removed) = (modifier_owners(new, &[word]), modifier_owners(old, &[word]));
        if !added.is_empty() && !removed.is_empty() {
            collector.require_each_other(
                &added.into_iter().chain(removed).collect(),
                DependencyRule::Duplicate,
            );
        }
    }
}

/// Returns the hunks of the modifiers that a use requires.
fn required_modifier_hunks(
    rule_context: &RuleContext<'_>,
    node: NodeRef,
    symbol: SymbolId,
) -> HunkSet {
    let version = node.version;
    let mut hunks = HunkSet::new();
    let facts = rule_context.facts(version);
    if let Some(other) = rule_context.twin_flags(version, symbol) {
        let flags = facts.symbol(symbol).flags;
        if other.access_level() < flags.access_level()
            && other.access_level() < required_access_level(rule_context, node, symbol)
        {
            hunks.extend(rule_context.modifier_hunks(version, symbol, &ACCESS_MODIFIERS));
        }
        if flags.has(SymbolFlags::STATIC) != other.has(SymbolFlags::STATIC)
            && !facts.symbol(symbol).kind.is_type()
        {
            hunks.extend(rule_context.modifier_hunks(version, symbol, &["static"]));
        }
        if other.has(SymbolFlags::FINAL)
            && !flags.has(SymbolFlags::FINAL)
            && violates_final(rule_context, node)
        {
            hunks.extend(rule_context.modifier_hunks(version, symbol, &["final"]));
        }
    }
    hunks.extend(non_abstract_hunks(rule_context, node, symbol));
    hunks.extend(static_context_hunks(rule_context, node, symbol));
    hunks
}

/// Returns the hunk that creates another class at the same position.
fn created_class_owner(context: &RuleContext<'_>, node: NodeRef) -> Option<HunkId> {
    let name = context
        .child(node, NodeRole::Callee)
        .filter(|_| context.kind(node) == NodeKind::NewClass)?;
    context.node_owner(name)
}

/// Returns the hunks that keep a created class from being abstract.
fn non_abstract_hunks(context: &RuleContext<'_>, node: NodeRef, constructor: SymbolId) -> HunkSet {
    let facts = context.facts(node.version);
    if context.kind(node) != NodeKind::NewClass || context.child(node, NodeRole::Body).is_some() {
        return HunkSet::new();
    }
    let Some(class) = facts.symbol(constructor).owner else { return HunkSet::new() };
    let is_abstract = |flags: SymbolFlags| flags.has(SymbolFlags::ABSTRACT);
    if context.twin_flags(node.version, class).is_some_and(is_abstract)
        && !is_abstract(facts.symbol(class).flags)
    {
        return context.modifier_hunks(node.version, class, &["abstract"]);
    }
    HunkSet::new()
}

/// Returns the hunks that keep an instance member from being used in a static context.
fn static_context_hunks(
    rule_context: &RuleContext<'_>,
    node: NodeRef,
    symbol: SymbolId,
) -> HunkSet {
    let facts = rule_context.facts(node.version);
    let used = facts.symbol(symbol);
    let is_member = matches!(used.kind, SymbolKind::Field | SymbolKind::Method)
        || matches!(facts.name(symbol), "this" | "super");
    if rule_context.kind(node) != NodeKind::Identifier
        || used.flags.has(SymbolFlags::STATIC)
        || !is_member
    {
        return HunkSet::new();
    }
    let member =
        rule_context.ancestors(node).find(|one| rule_context.node(*one).role == NodeRole::Member);
    let Some(member) = member else { return HunkSet::new() };
    if let Some(symbol) = rule_context.node(member).symbol {
        let is_static = |flags: SymbolFlags| flags.has(SymbolFlags::STATIC);
        let is_twin_static = rule_context.twin_flags(node.version, symbol).is_some_and(is_static);
        let static_modifier_hunks =
            || rule_context.modifier_hunks(node.version, symbol, &["static"]);
        return if is_twin_static { static_modifier_hunks() } else { HunkSet::new() };
    }
    // An instance or static initialiser.
    let Some(twin) = rule_context.twin_node(member) else { return HunkSet::new() };
    let body_start = rule_context
        .children(twin)
        .first()
        .map_or(rule_context.node(twin).bytes.end, |one| rule_context.node(*one).bytes.start);
    rule_context.word_owners_in_range(
        twin,
        rule_context.node(twin).bytes.start..body_start,
        &["static"],
    )
}

/// Returns true if a use writes a variable or extends a class.
fn violates_final(context: &RuleContext<'_>, node: NodeRef) -> bool {
    let role = context.node(node).role;
    matches!(role, NodeRole::Target | NodeRole::Extends)
        || matches!(
            context.kind(context.parent(node)),
            NodeKind::PostfixIncrement
                | NodeKind::PostfixDecrement
                | NodeKind::PrefixIncrement
                | NodeKind::PrefixDecrement
        )
}

/// Returns the access that a use requires: 0 inside the same outermost class, 1 inside the package, 2 in a subclass.
fn required_access_level(context: &RuleContext<'_>, node: NodeRef, symbol: SymbolId) -> u8 {
    let facts = context.facts(node.version);
    let outermost = |id: SymbolId| -> Option<SymbolId> {
        std::iter::once(id)
            .chain(facts.enclosing_symbols(id))
            .filter(|owner| facts.symbol(*owner).kind.is_type())
            .last()
    };
    let package = |id: SymbolId| outermost(id).and_then(|class| facts.symbol(class).owner);
    let Some(class) = context.enclosing_class(node) else { return 1 };
    if outermost(class) == outermost(symbol) {
        return 0;
    }
    if package(class) == package(symbol) {
        return 1;
    }
    let owner = facts.symbol(symbol).owner;
    let enclosing = std::iter::once(class).chain(facts.enclosing_symbols(class));
    let is_in_subclass = enclosing
        .filter(|class| facts.symbol(*class).kind.is_type())
        .any(|class| owner.is_some_and(|owner| facts.supertypes_with_self(class).contains(&owner)));
    if is_in_subclass { 2 } else { 3 }
}

/// Adds dependencies of a method's body, which exists unless the method is abstract or native.
fn add_body_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(symbol), Some(old)) = (context.node(node).symbol, context.twin_node(node)) else {
        return;
    };
    let (new_body, old_body) =
        (context.child(node, NodeRole::Body), context.child(old, NodeRole::Body));
    if new_body.is_some() == old_body.is_some() {
        return;
    }
    let words = ["abstract", "native", "default", "static"];
    let mut hunks = context.modifier_hunks(Version::New, symbol, &words);
    hunks.extend(new_body.or(old_body).and_then(|body| context.node_owner_or_edited_move(body)));
    collector.require_each_other(&hunks, DependencyRule::Modifier);
}
