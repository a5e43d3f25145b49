//! Divides a subtree of one version only into parts that can be added or removed separately.

use crate::matching::child_items::{ChildItem, child_items, is_bracketed};
use mend_java::{Grammar, NodeId, ParsedSource, SyntaxNode};

/// Role of a part in its subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildRangeRole {
    /// The rest cannot exist without it.
    Required,
    /// A member or statement of a body.
    Member,
    /// An element of a list.
    ListElement(ChildItem),
    /// A part that the grammar makes optional.
    Optional,
}

/// Neighbouring children of a node that are added and removed together.
#[derive(Debug)]
pub(crate) struct ChildRange {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) role: ChildRangeRole,
}

/// Returns the parts of a node; empty for a token, and below the maximum depth. A part that contains `wrapped_node` is
/// excluded: it remains a wrapper.
pub(crate) fn divide_into_ranges(
    source: &ParsedSource,
    id: NodeId,
    wrapped_node: Option<NodeId>,
) -> Vec<ChildRange> {
    let node = source.node(id);
    if node.subtree_end - id <= 1 || node.depth >= MAX_DIFF_DEPTH {
        return Vec::new();
    }
    let items = child_items(source, id);
    let contains_wrapped_node = |id: NodeId| {
        wrapped_node
            .is_some_and(|wrapped_node| (id..source.node(id).subtree_end).contains(&wrapped_node))
    };
    let is_list = !contains_wrapped_node(id) && is_divisible_list(source, id);
    let mut ranges: Vec<ChildRange> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let is_indivisible = contains_wrapped_node(id) && is_logical(source, id);
        let role = if is_indivisible || contains_wrapped_node(item.node) {
            ChildRangeRole::Required
        } else {
            range_role(source, id, node, *item, is_list)
        };
        let is_introduced =
            role == ChildRangeRole::Optional && is_introduced_by_separator(source, &items, at);
        match ranges.last_mut() {
            Some(introducer) if is_introduced => {
                introducer.nodes.push(item.node);
                introducer.role = role;
            }
            _ => {
                let separator =
                    item.separator.filter(|_| !matches!(role, ChildRangeRole::ListElement(_)));
                let nodes = separator.into_iter().chain([item.node]).collect();
                ranges.push(ChildRange { nodes, role });
            }
        }
    }
    require_first_clause(source, id, &mut ranges);
    ranges
}

fn range_role(
    source: &ParsedSource,
    id: NodeId,
    parent: &SyntaxNode,
    item: ChildItem,
    is_list: bool,
) -> ChildRangeRole {
    let grammar = Grammar::get();
    let node = source.node(item.node);
    let is_member = grammar.is_body(parent.kind) && node.is_named && node.field == 0;
    if is_member && node.kind != grammar.kind_id("switch_label") {
        return ChildRangeRole::Member;
    }
    if is_list && item.is_element() {
        return ChildRangeRole::ListElement(item);
    }
    let is_conjunct = node.field == grammar.field_id("right") && is_logical(source, id);
    let is_alternative = parent.kind == grammar.kind_id("if_statement")
        && grammar.arity(parent.kind, node.field).is_some_and(|arity| !arity.required);
    if is_conjunct || is_alternative || grammar.is_clause(node.kind) {
        return ChildRangeRole::Optional;
    }
    ChildRangeRole::Required
}

/// Returns true if a separator belongs to the optional part that follows it.
fn is_introduced_by_separator(source: &ParsedSource, items: &[ChildItem], at: usize) -> bool {
    let Some(previous) = at.checked_sub(1).map(|previous| source.node(items[previous].node)) else {
        return false;
    };
    !previous.is_named
}

/// Returns true if any element of a node can be absent, because no other code depends on the number of elements.
fn is_divisible_list(source: &ParsedSource, id: NodeId) -> bool {
    let grammar = Grammar::get();
    let kind = source.node(id).kind;
    let arity = grammar.arity(kind, 0);
    !grammar.is_body(kind)
        && !grammar.is_fixed_length_list(kind)
        && arity.is_some_and(|arity| arity.multiple && !arity.required)
        && is_bracketed(source, id)
}

/// Returns true for a conjunction or disjunction.
fn is_logical(source: &ParsedSource, id: NodeId) -> bool {
    let grammar = Grammar::get();
    source.node(id).kind == grammar.kind_id("binary_expression")
        && source
            .child(id, grammar.field_id("operator"))
            .is_some_and(|operator| matches!(source.node_text(operator), b"&&" | b"||"))
}

/// Makes the first clause required if the grammar requires one of several.
fn require_first_clause(source: &ParsedSource, id: NodeId, ranges: &mut [ChildRange]) {
    let arity = Grammar::get().arity(source.node(id).kind, 0);
    let is_required = arity.is_some_and(|arity| arity.required);
    let is_clause = |portion: &&mut ChildRange| {
        portion.role == ChildRangeRole::Optional
            && portion.nodes.iter().all(|node| Grammar::get().is_clause(source.node(*node).kind))
    };
    let first = ranges.iter_mut().find(is_clause).filter(|_| is_required);
    if let Some(first) = first {
        first.role = ChildRangeRole::Required;
    }
}

/// Maximum depth of a difference that is split: deeper code is generated, and the traversal is recursive.
pub(crate) const MAX_DIFF_DEPTH: usize = 400;
