//! Constant expressions: every name in one must be final, with a constant value.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::types::expected_type;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.changed_nodes(version) {
            let Some(symbol) = world.node(at).symbol else { continue };
            if world.kind(at) == NodeKind::Variable {
                inner_static(world, at, symbol, links);
            } else if world.is_use(at) && is_lost(world, version, symbol) {
                let on = constancy(world, version, symbol, &mut Vec::new());
                links.rely(version, &demand(world, at), &on, DependencyRule::Modifier);
            }
        }
    }
}

/// Returns true if a variable is a constant in this version only.
fn is_lost(world: &RuleContext<'_>, version: Version, symbol: SymbolId) -> bool {
    let is_constant = |flags: SymbolFlags| flags.has(SymbolFlags::CONSTANT);
    is_constant(world.facts(version).symbol(symbol).flags)
        && world.twin_flags(version, symbol).is_some_and(|flags| !is_constant(flags))
}

/// Returns the hunks that make a variable constant, including those of the names in its value.
fn constancy(
    world: &RuleContext<'_>,
    version: Version,
    symbol: SymbolId,
    seen: &mut Vec<SymbolId>,
) -> HunkSet {
    if seen.contains(&symbol) {
        return HunkSet::new();
    }
    seen.push(symbol);
    let mut hunks = world.modifier_hunks(version, symbol, &["final"]);
    hunks.extend(world.retyping(version, symbol));
    let declared = world.declaration(version, symbol);
    let Some(value) = declared.and_then(|at| world.child(at, NodeRole::Value)) else {
        return hunks;
    };
    hunks.extend(world.differing(version, symbol, &[NodeRole::Value]));
    for used in (value.node..world.node(value).end).map(|node| value.with_node(node)) {
        if let Some(named) = world.node(used).symbol.filter(|one| is_lost(world, version, *one)) {
            hunks.extend(constancy(world, version, named, seen));
        }
    }
    hunks
}

/// Returns the hunks that require a constant at a place; empty if none is required.
fn demand(world: &RuleContext<'_>, at: NodeRef) -> HunkSet {
    let own = || world.owner_of(at);
    let annotation = world
        .ancestors(at)
        .take_while(|one| {
            !matches!(
                world.kind(*one),
                NodeKind::Block | NodeKind::Method | NodeKind::Variable | NodeKind::Modifiers
            )
        })
        .find(|one| world.kind(*one) == NodeKind::Annotation);
    let top = std::iter::successors(Some(at), |one| Some(world.parent(*one)))
        .find(|one| !is_part(world.kind(world.parent(*one))))
        .unwrap_or(at);
    let holder = annotation.unwrap_or_else(|| world.parent(top));
    if annotation.is_some() || world.kind(holder) == NodeKind::Case {
        return own().or_else(|| world.owner_of(holder)).into_iter().collect();
    }
    let wanted = expected_type::expected_type(world, top).filter(|wanted| {
        let [from, to] = [world.type_of(top), wanted.ty].map(|ty| world.erased(ty));
        is_narrow(to)
            && (from == "int" || is_narrow(from))
            && !world.fits(world.type_of(top), wanted.ty)
    });
    let Some(wanted) = wanted else { return HunkSet::new() };
    match own().or_else(|| world.owner_of(wanted.holder)) {
        Some(owner) => HunkSet::from([owner]),
        None => wanted.causes,
    }
}

/// Returns true for a node kind that can be part of a constant expression around a constant.
fn is_part(kind: NodeKind) -> bool {
    let is_calculation =
        kind.binary_operator().is_some() && !kind.is_comparison() && !kind.is_logical();
    is_calculation
        || matches!(
            kind,
            NodeKind::Parenthesized
                | NodeKind::ConditionalExpression
                | NodeKind::ConstantCaseLabel
                | NodeKind::UnaryMinus
                | NodeKind::UnaryPlus
                | NodeKind::BitwiseComplement
        )
}

/// Returns true if a variable of this type accepts an `int` only if it is constant.
fn is_narrow(erased: &str) -> bool {
    matches!(
        erased,
        "byte" | "short" | "char" | "java.lang.Byte" | "java.lang.Short" | "java.lang.Character"
    )
}

/// Adds dependencies of static members in inner classes, which must be constants before Java 16.
fn inner_static(
    world: &RuleContext<'_>,
    at: NodeRef,
    field: SymbolId,
    links: &mut DependencyCollector,
) {
    let facts = world.facts(at.version);
    let symbol = facts.symbol(field);
    let is_static = |flags: SymbolFlags| flags.has(SymbolFlags::STATIC);
    let class = symbol.owner.filter(|_| symbol.kind == SymbolKind::Field);
    let is_inner = class.map(|class| facts.symbol(class)).is_some_and(|class| {
        let is_in_class =
            class.owner.is_some_and(|outer| facts.symbol(outer).kind != SymbolKind::Other);
        class.kind == SymbolKind::Class && is_in_class && !is_static(class.flags)
    });
    if is_inner
        && symbol.flags.has(SymbolFlags::CONSTANT)
        && is_static(symbol.flags)
        && world.twin_flags(at.version, field).is_some_and(|twin| !is_static(twin))
    {
        let marks = world.modifier_hunks(at.version, field, &["static"]);
        let on = constancy(world, at.version, field, &mut Vec::new());
        links.rely(at.version, &marks, &on, DependencyRule::Modifier);
    }
}
