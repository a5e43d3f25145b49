//! Dependency rule: every name in a constant expression refers to a constant variable.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::types::expected_type;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context.changed_nodes(version) {
            let Some(symbol) = context.node(node).symbol else { continue };
            if context.kind(node) == NodeKind::Variable {
                add_inner_static_dependencies(context, node, symbol, collector);
            } else if context.is_use(node) && is_constant_in_version_only(context, version, symbol)
            {
                let required = constancy_hunks(context, version, symbol, &mut Vec::new());
                collector.require_in_version(
                    version,
                    &constant_requirement_hunks(context, node),
                    &required,
                    DependencyRule::Modifier,
                );
            }
        }
    }
}

/// Returns true if a variable is a constant in this version only.
fn is_constant_in_version_only(
    context: &RuleContext<'_>,
    version: Version,
    symbol: SymbolId,
) -> bool {
    let is_constant = |flags: SymbolFlags| flags.has(SymbolFlags::CONSTANT);
    is_constant(context.facts(version).symbol(symbol).flags)
        && context.twin_flags(version, symbol).is_some_and(|flags| !is_constant(flags))
}

/// Returns the hunks that make a variable constant, including those of the names in its value.
fn constancy_hunks(
    context: &RuleContext<'_>,
    version: Version,
    symbol: SymbolId,
    visited: &mut Vec<SymbolId>,
) -> HunkSet {
    if visited.contains(&symbol) {
        return HunkSet::new();
    }
    visited.push(symbol);
    let mut hunks = context.modifier_hunks(version, symbol, &["final"]);
    hunks.extend(context.type_change_hunks(version, symbol));
    let declared = context.declaration(version, symbol);
    let Some(value) = declared.and_then(|at| context.child(at, NodeRole::Value)) else {
        return hunks;
    };
    hunks.extend(context.changed_part_hunks(version, symbol, &[NodeRole::Value]));
    for used in (value.node..context.node(value).subtree_end).map(|node| value.with_node(node)) {
        if let Some(named_symbol) = context
            .node(used)
            .symbol
            .filter(|one| is_constant_in_version_only(context, version, *one))
        {
            hunks.extend(constancy_hunks(context, version, named_symbol, visited));
        }
    }
    hunks
}

/// Returns the hunks that require a constant at a node; empty if none is required.
fn constant_requirement_hunks(context: &RuleContext<'_>, node: NodeRef) -> HunkSet {
    let direct_owner = || context.node_owner(node);
    let annotation = context
        .ancestors(node)
        .take_while(|one| {
            !matches!(
                context.kind(*one),
                NodeKind::Block | NodeKind::Method | NodeKind::Variable | NodeKind::Modifiers
            )
        })
        .find(|one| context.kind(*one) == NodeKind::Annotation);
    let outermost = std::iter::successors(Some(node), |one| Some(context.parent(*one)))
        .find(|one| !can_be_constant_operand(context.kind(context.parent(*one))))
        .unwrap_or(node);
    let container = annotation.unwrap_or_else(|| context.parent(outermost));
    if annotation.is_some() || context.kind(container) == NodeKind::Case {
        return direct_owner().or_else(|| context.node_owner(container)).into_iter().collect();
    }
    let expected = expected_type::expected_type(context, outermost).filter(|expected| {
        let [from, to] =
            [context.type_of(outermost), expected.ty].map(|ty| context.erased_type(ty));
        is_narrow_integer(to)
            && (from == "int" || is_narrow_integer(from))
            && !context.is_assignable(context.type_of(outermost), expected.ty)
    });
    let Some(expected) = expected else { return HunkSet::new() };
    match direct_owner().or_else(|| context.node_owner(expected.use_site)) {
        Some(owner) => HunkSet::from([owner]),
        None => expected.causes,
    }
}

/// Returns true for a node kind that can be part of a constant expression around a constant.
fn can_be_constant_operand(kind: NodeKind) -> bool {
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
fn is_narrow_integer(erased: &str) -> bool {
    matches!(
        erased,
        "byte" | "short" | "char" | "java.lang.Byte" | "java.lang.Short" | "java.lang.Character"
    )
}

/// Adds dependencies of static members in inner classes, which must be constants before Java 16.
fn add_inner_static_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    field: SymbolId,
    collector: &mut DependencyCollector,
) {
    let facts = context.facts(node.version);
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
        && context.twin_flags(node.version, field).is_some_and(|twin| !is_static(twin))
    {
        let static_modifier_hunks = context.modifier_hunks(node.version, field, &["static"]);
        let required = constancy_hunks(context, node.version, field, &mut Vec::new());
        collector.require_in_version(
            node.version,
            &static_modifier_hunks,
            &required,
            DependencyRule::Modifier,
        );
    }
}
