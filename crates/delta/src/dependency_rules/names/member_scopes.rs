//! Dependency rule: the simple name of a member is where the member is in scope.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, SymbolFlags, SymbolId, SymbolKind};
use std::collections::HashMap;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let mut positions = HashMap::new();
    for version in VERSIONS {
        let is_simple_name = |node: &NodeRef| context.kind(*node) == NodeKind::Identifier;
        for name in context.changed_nodes(version).filter(is_simple_name) {
            let Some(enclosing_move) = context.enclosing_move(name) else { continue };
            let position = *positions
                .entry((version, enclosing_move))
                .or_insert_with(|| other_position(context, name, enclosing_move));
            if let Some(position) = position {
                add_move_dependencies(context, name, (enclosing_move, position), collector);
            }
        }
    }
}

/// Adds dependencies of a name that is new or has a qualifier in the other version, in moved code: the move brings it
/// where its member is in scope.
fn add_move_dependencies(
    context: &RuleContext<'_>,
    name: NodeRef,
    (enclosing_move, other_position): (HunkId, NodeRef),
    collector: &mut DependencyCollector,
) {
    let Some(member) = member_of(context, name) else { return };
    let twin_name = context.twin_node(name);
    let qualifier = twin_name.map(|twin| context.qualification_hunks(name, twin));
    let edits: HunkSet =
        context.node_owner(name).into_iter().chain(qualifier.unwrap_or_default()).collect();
    let Some(access) = MemberAccess::new(context, name.version, member) else { return };
    let is_in_scope_there = access
        .in_other_version(context, name.version, member)
        .is_some_and(|twin| twin.is_simple_at(context, other_position));
    if access.is_simple_at(context, name) && !is_in_scope_there {
        collector.require_in_version(
            name.version,
            &edits,
            &HunkSet::from([enclosing_move]),
            DependencyRule::Definition,
        );
    }
}

/// Returns the member that a name refers to.
fn member_of(context: &RuleContext<'_>, name: NodeRef) -> Option<SymbolId> {
    let symbol = context.node(name).symbol?;
    let is_member = matches!(
        context.facts(name.version).symbol(symbol).kind,
        SymbolKind::Field | SymbolKind::EnumConstant | SymbolKind::Method
    );
    is_member.then_some(symbol)
}

/// Returns the smallest node around the code of a move in the other version of a node's file.
fn other_position(context: &RuleContext<'_>, node: NodeRef, moved: HunkId) -> Option<NodeRef> {
    let moved = Some(&context.hunks[moved]).filter(|hunk| hunk.is_move_within_file())?;
    let version = node.version.opposite();
    let tree = context.twin_tree(node.version, node.tree)?;
    let range = if version == Version::Old { &moved.old } else { &moved.new }.as_ref()?;
    let nodes = &context.facts(version).trees()[tree].nodes;
    let node = nodes
        .iter()
        .rposition(|node| node.bytes.start <= range.start && range.end <= node.bytes.end)?;
    Some(NodeRef { version, tree, node })
}

/// What decides where the simple name of a member is valid.
#[derive(Clone, Copy)]
struct MemberAccess {
    /// Class that declares the member.
    class: SymbolId,
    /// True if the member belongs to an instance.
    needs_instance: bool,
}

impl MemberAccess {
    fn new(context: &RuleContext<'_>, version: Version, member: SymbolId) -> Option<Self> {
        let symbol = context.facts(version).symbol(member);
        let is_static =
            symbol.flags.has(SymbolFlags::STATIC) || symbol.kind == SymbolKind::EnumConstant;
        Some(Self { class: symbol.owner?, needs_instance: !is_static })
    }

    /// Returns the access in the other version. A member that is not there would be in the same class.
    fn in_other_version(
        self,
        context: &RuleContext<'_>,
        version: Version,
        member: SymbolId,
    ) -> Option<Self> {
        match context.twin_symbol(version, member) {
            Some(twin) => Self::new(context, version.opposite(), twin),
            None => Some(Self { class: context.twin_symbol(version, self.class)?, ..self }),
        }
    }

    /// Returns true if the simple name is valid at a node.
    fn is_simple_at(self, context: &RuleContext<'_>, node: NodeRef) -> bool {
        let facts = context.facts(node.version);
        let is_static = |symbol: SymbolId| facts.symbol(symbol).flags.has(SymbolFlags::STATIC);
        let method = context.enclosing_method(node).and_then(|method| context.node(method).symbol);
        let mut has_instance = !method.is_some_and(is_static);
        let innermost = context.enclosing_class(node);
        let classes = innermost
            .into_iter()
            .flat_map(|one| std::iter::once(one).chain(facts.enclosing_symbols(one)));
        for enclosing in classes.filter(|one| facts.symbol(*one).kind.is_type()) {
            if facts.supertypes_with_self(enclosing).contains(&self.class) {
                return has_instance || !self.needs_instance;
            }
            has_instance &= !is_static(enclosing);
        }
        false
    }
}
