//! Chains of operands and binary operators. Another operator may group the operands in another way, although only its
//! token changes.

use crate::matching::child_items::{ChildItem, ChildRole};
use crate::matching::version_pair::VersionPair;
use mend_java::{Grammar, NodeId, ParsedSource};

/// Returns the operands and operators of two binary expressions, pair by pair, if both have the same number, at least half
/// of them are equal or names, and the operators group them in different ways.
pub(super) fn pair_regrouped(
    pair: VersionPair<'_>,
    old: NodeId,
    new: NodeId,
) -> Option<Vec<(ChildItem, ChildItem)>> {
    let binary = Grammar::get().kind_id("binary_expression");
    if [pair.old.node(old).kind, pair.new.node(new).kind] != [binary, binary] {
        return None;
    }
    let (old_chain, new_chain) = (flatten(pair.old, old), flatten(pair.new, new));
    let depths = |source: &ParsedSource, chain: &[ChildItem], root: NodeId| -> Vec<usize> {
        let depth = |id: NodeId| source.node(id).depth;
        chain.iter().map(|item| depth(item.node) - depth(root)).collect()
    };
    let is_regrouped = old_chain.len() == new_chain.len()
        && depths(pair.old, &old_chain, old) != depths(pair.new, &new_chain, new)
        && is_alternating(pair.old, &old_chain)
        && is_alternating(pair.new, &new_chain);
    if !is_regrouped {
        return None;
    }
    let pairs: Vec<_> = old_chain.into_iter().zip(new_chain).collect();
    let identifier = Grammar::get().kind_id("identifier");
    let are_names = |old: NodeId, new: NodeId| {
        [pair.old.node(old).kind, pair.new.node(new).kind] == [identifier, identifier]
    };
    let is_kept = |(old, new): &&(ChildItem, ChildItem)| {
        pair.are_equal(old.node, new.node) || are_names(old.node, new.node)
    };
    (2 * pairs.iter().filter(is_kept).count() >= pairs.len()).then_some(pairs)
}

/// Returns the operands and operators in the order of the text. Brackets end a chain.
fn flatten(source: &ParsedSource, root: NodeId) -> Vec<ChildItem> {
    let binary = Grammar::get().kind_id("binary_expression");
    let (mut items, mut waiting) = (Vec::new(), vec![root]);
    while let Some(node) = waiting.pop() {
        if source.node(node).kind == binary {
            let children: Vec<NodeId> = source.children(node).collect();
            waiting.extend(children.into_iter().rev());
        } else {
            let role = ChildRole::Slot(source.node(node).field);
            items.push(ChildItem { node, separator: None, role });
        }
    }
    items
}

/// Returns true if operands and operators alternate. Otherwise there are comments between them.
fn is_alternating(source: &ParsedSource, chain: &[ChildItem]) -> bool {
    chain.iter().enumerate().all(|(at, item)| source.node(item.node).is_named == (at % 2 == 0))
}
