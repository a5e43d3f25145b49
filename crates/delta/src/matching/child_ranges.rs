//! Portions of a subtree that only one version has: those that can exist without the rest, and the rest.

use crate::matching::child_items::{ChildItem, is_bracketed, items};
use mend_java::{Grammar, NodeId, ParsedSource, SyntaxNode};

/// Role of a portion in its subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildRangeRole {
    /// The whole is nothing without it.
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

/// Returns the portions of a node; empty for a token, and at too great a depth. A part that contains `hole` is no
/// portion: it remains a wrapper.
pub(crate) fn portions(source: &ParsedSource, id: NodeId, hole: Option<NodeId>) -> Vec<ChildRange> {
    let node = source.node(id);
    if node.end - id <= 1 || node.depth >= DEEPEST {
        return Vec::new();
    }
    let items = items(source, id);
    let holds_hole =
        |id: NodeId| hole.is_some_and(|hole| (id..source.node(id).end).contains(&hole));
    let is_list = !holds_hole(id) && is_divisible_list(source, id);
    let mut portions: Vec<ChildRange> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let is_frame = holds_hole(id) && is_logical(source, id);
        let role = if is_frame || holds_hole(item.node) {
            ChildRangeRole::Required
        } else {
            role(source, id, node, *item, is_list)
        };
        let is_introduced = role == ChildRangeRole::Optional && introduces(source, &items, at);
        match portions.last_mut() {
            Some(mark) if is_introduced => {
                mark.nodes.push(item.node);
                mark.role = role;
            }
            _ => {
                let separator =
                    item.separator.filter(|_| !matches!(role, ChildRangeRole::ListElement(_)));
                let nodes = separator.into_iter().chain([item.node]).collect();
                portions.push(ChildRange { nodes, role });
            }
        }
    }
    keep_the_first_clause(source, id, &mut portions);
    portions
}

fn role(
    source: &ParsedSource,
    id: NodeId,
    parent: &SyntaxNode,
    item: ChildItem,
    is_list: bool,
) -> ChildRangeRole {
    let grammar = Grammar::get();
    let node = source.node(item.node);
    let is_member = grammar.is_body(parent.kind) && node.named && node.field == 0;
    if is_member && node.kind != grammar.kind("switch_label") {
        return ChildRangeRole::Member;
    }
    if is_list && item.is_element() {
        return ChildRangeRole::ListElement(item);
    }
    let is_conjunct = node.field == grammar.field("right") && is_logical(source, id);
    let is_alternative = parent.kind == grammar.kind("if_statement")
        && grammar.arity(parent.kind, node.field).is_some_and(|arity| !arity.required);
    if is_conjunct || is_alternative || grammar.is_clause(node.kind) {
        return ChildRangeRole::Optional;
    }
    ChildRangeRole::Required
}

/// Returns true if a separator belongs to the optional part after it.
fn introduces(source: &ParsedSource, items: &[ChildItem], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| source.node(items[before].node)) else {
        return false;
    };
    !before.named
}

/// Returns true if any element of a node can be absent: no other code depends on their number.
fn is_divisible_list(source: &ParsedSource, id: NodeId) -> bool {
    let grammar = Grammar::get();
    let kind = source.node(id).kind;
    let arity = grammar.arity(kind, 0);
    !grammar.is_body(kind)
        && !grammar.is_counted(kind)
        && arity.is_some_and(|arity| arity.multiple && !arity.required)
        && is_bracketed(source, id)
}

/// Returns true for a conjunction or disjunction.
fn is_logical(source: &ParsedSource, id: NodeId) -> bool {
    let grammar = Grammar::get();
    source.node(id).kind == grammar.kind("binary_expression")
        && source
            .child(id, grammar.field("operator"))
            .is_some_and(|operator| matches!(source.text_of(operator), b"&&" | b"||"))
}

/// Keeps the first clause if the grammar requires one of several.
fn keep_the_first_clause(source: &ParsedSource, id: NodeId, portions: &mut [ChildRange]) {
    let arity = Grammar::get().arity(source.node(id).kind, 0);
    let is_demanded = arity.is_some_and(|arity| arity.required);
    let is_clause = |portion: &&mut ChildRange| {
        portion.role == ChildRangeRole::Optional
            && portion.nodes.iter().all(|node| Grammar::get().is_clause(source.node(*node).kind))
    };
    let first = portions.iter_mut().find(is_clause).filter(|_| is_demanded);
    if let Some(first) = first {
        first.role = ChildRangeRole::Required;
    }
}

/// Deeper than this a difference is one hunk: such code is generated, and the walk is recursive.
pub(crate) const DEEPEST: usize = 400;
