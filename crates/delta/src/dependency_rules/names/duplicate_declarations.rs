//! Dependency rule: two declarations of one name in one scope exclude each other.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};
use std::collections::{BTreeMap, HashMap};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    add_member_dependencies(context, collector);
    add_overload_dependencies(context, collector);
    add_local_dependencies(context, collector);
    add_label_dependencies(context, collector);
}

/// Adds dependencies of members of one class with the same kind and signature.
fn add_member_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    type MemberKey = (SymbolId, u8, String);
    let key = |version: Version, id: SymbolId, class: SymbolId| -> MemberKey {
        let facts = context.facts(version);
        let symbol = facts.symbol(id);
        let category = match symbol.kind {
            kind if kind.is_type() => 0,
            SymbolKind::Method => 1,
            SymbolKind::Constructor => 2,
            SymbolKind::TypeParameter => 3,
            _ => 4,
        };
        (class, category, context.signature(version, id))
    };
    let mut old: HashMap<MemberKey, SymbolId> = HashMap::new();
    for id in declared_members(context, Version::Old) {
        let owner = context.facts(Version::Old).symbol(id).owner;
        if let Some(class) = owner.and_then(|owner| context.twin_symbol(Version::Old, owner)) {
            old.insert(key(Version::Old, id, class), id);
        }
    }
    for id in declared_members(context, Version::New) {
        let Some(class) = context.facts(Version::New).symbol(id).owner else { continue };
        let Some(other) = old.get(&key(Version::New, id, class)) else { continue };
        if context.twin_symbol(Version::Old, *other) == Some(id) {
            continue;
        }
        let mut added = context.presence_hunks(Version::New, id);
        if added.is_empty() {
            added = context.parameter_hunks(Version::New, id);
        }
        let mut removed = context.presence_hunks(Version::Old, *other);
        if removed.is_empty() {
            removed = context.parameter_hunks(Version::Old, *other);
        }
        collector.require_all(
            &added,
            &removed.into_iter().take(1).collect(),
            DependencyRule::Duplicate,
        );
    }
}

fn declared_members(context: &RuleContext<'_>, version: Version) -> Vec<SymbolId> {
    let facts = context.facts(version);
    (0..facts.symbols().len())
        .filter(|id| {
            let symbol = facts.symbol(*id);
            symbol.position.is_some() && symbol.kind != SymbolKind::Local
        })
        .collect()
}

/// Adds dependencies of overloads: while only some parameters have changed, a method must not have the signature of
/// another one.
fn add_overload_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let mut methods_by_name: HashMap<(Option<SymbolId>, &str), Vec<SymbolId>> = HashMap::new();
    let facts = context.facts(Version::New);
    for id in declared_members(context, Version::New) {
        if facts.symbol(id).kind.is_callable() {
            methods_by_name.entry((facts.symbol(id).owner, facts.name(id))).or_default().push(id);
        }
    }
    for same_named in methods_by_name.values().filter(|same_named| same_named.len() > 1) {
        for id in same_named {
            let others = same_named.iter().filter(|other| *other != id);
            if others.into_iter().any(|other| can_collide_with(context, *id, *other)) {
                collector.require_each_other(
                    &context.parameter_hunks(Version::New, *id),
                    DependencyRule::Duplicate,
                );
            }
        }
    }
}

/// Returns true if a method of the new version can have the parameters of another one in some variant.
fn can_collide_with(context: &RuleContext<'_>, id: SymbolId, other: SymbolId) -> bool {
    let Some(twin) = context.twin_symbol(Version::New, id) else { return false };
    let types = |version: Version, id| -> Vec<&str> {
        let facts = context.facts(version);
        let parameters = facts.symbol(id).parameters.iter();
        parameters.map(|one| facts.text(facts.symbol(*one).ty.erased)).collect()
    };
    let (new, old) = (types(Version::New, id), types(Version::Old, twin));
    let other_types = types(Version::New, other);
    new != old
        && other_types.len() <= new.len() + old.len()
        && other_types.iter().all(|ty| new.contains(ty) || old.contains(ty))
}

/// Adds dependencies of variables of one routine whose scopes may overlap.
fn add_local_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let mut old: BTreeMap<(usize, usize, &str), Vec<NodeRef>> = BTreeMap::new();
    let facts = context.facts(Version::Old);
    for (at, symbol) in local_variables(context, Version::Old) {
        if let Some(routine) =
            outermost_method(context, at).and_then(|routine| context.twin_node(routine))
        {
            old.entry((routine.tree, routine.node, facts.name(symbol))).or_default().push(at);
        }
    }
    for (at, symbol) in local_variables(context, Version::New) {
        let Some(from) = context.node_owner(at) else { continue };
        let Some(routine) = outermost_method(context, at) else { continue };
        let key = (routine.tree, routine.node, context.facts(Version::New).name(symbol));
        for other in old.get(&key).into_iter().flatten() {
            if let Some(to) = context.node_owner(*other)
                && can_overlap(context, *other, at)
            {
                collector.require(from, to, DependencyRule::Duplicate);
            }
        }
    }
}

fn local_variables<'a>(
    context: &'a RuleContext<'_>,
    version: Version,
) -> impl Iterator<Item = (NodeRef, SymbolId)> + 'a {
    context.changed_nodes(version).filter_map(move |at| {
        let symbol = context.node(at).symbol?;
        let is_local = context.kind(at) == NodeKind::Variable
            && context.facts(version).symbol(symbol).kind == SymbolKind::Local;
        is_local.then_some((at, symbol))
    })
}

/// Returns the outermost method that contains a variable, below the innermost class.
fn outermost_method(context: &RuleContext<'_>, node: NodeRef) -> Option<NodeRef> {
    context.enclosing_method(node)
}

/// Returns true if the nearest kept nodes around two variables contain each other.
fn can_overlap(context: &RuleContext<'_>, old: NodeRef, new: NodeRef) -> bool {
    let kept_ancestor = |at: NodeRef| {
        context.ancestors(at).find(|holder| {
            context.kind(*holder) != NodeKind::ExpressionStatement
                && context.node_owner(*holder).is_none()
                && context.twin_node(*holder).is_some()
        })
    };
    let (Some(old), Some(new)) =
        (kept_ancestor(old).and_then(|at| context.twin_node(at)), kept_ancestor(new))
    else {
        return true;
    };
    let contains = |outer: NodeRef, inner: NodeRef| {
        (outer.node..context.node(outer).subtree_end).contains(&inner.node)
    };
    contains(old, new) || contains(new, old)
}

/// Adds dependencies of equal labels of one `switch`.
fn add_label_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for node in
        context.changed_nodes(Version::New).filter(|node| context.kind(*node) == NodeKind::Case)
    {
        let Some(from) = context.node_owner(node) else { continue };
        let Some(old) = context.twin_node(context.parent(node)) else { continue };
        for other in
            context.children(old).into_iter().filter(|one| context.kind(*one) == NodeKind::Case)
        {
            if let Some(to) = context.node_owner(other)
                && case_label_text(context, node) == case_label_text(context, other)
            {
                collector.require_all(
                    &HunkSet::from([from]),
                    &HunkSet::from([to]),
                    DependencyRule::Duplicate,
                );
            }
        }
    }
}

/// Returns the text from `case` to its colon or arrow.
fn case_label_text(context: &RuleContext<'_>, case: NodeRef) -> Vec<u8> {
    let bytes = context.node(case).bytes.clone();
    let text = context.tree_text(case.version, case.tree).and_then(|text| text.get(bytes));
    let text = text.unwrap_or_default();
    let end = text.iter().position(|byte| matches!(byte, b':' | b'-')).unwrap_or(text.len());
    text[..end].iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect()
}
