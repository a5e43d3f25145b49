//! Signatures of declarations: kind, name and parameter types.

use crate::matching::child_items::ChildItem;
use mend_java::{Grammar, NodeId, NodeKindId, ParsedSource};
use std::collections::{BTreeMap, HashSet};

/// Returns the signatures that occur once among the items outside `taken`, with their indexes.
pub(crate) fn unique_signatures(
    source: &ParsedSource,
    items: &[ChildItem],
    with_parameters: bool,
    taken: &HashSet<usize>,
) -> BTreeMap<Vec<u8>, usize> {
    let mut keys: BTreeMap<Vec<u8>, Option<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        if let Some(key) = signature(source, item.node, with_parameters) {
            keys.entry(key).and_modify(|place| *place = None).or_insert(Some(at));
        }
    }
    keys.into_iter().filter_map(|(key, at)| Some((key, at?))).collect()
}

/// Returns the signature of a declaration: its kind, its name and, on request, its parameter types.
pub(crate) fn signature(
    source: &ParsedSource,
    node: NodeId,
    with_parameters: bool,
) -> Option<Vec<u8>> {
    let grammar = Grammar::get();
    let kind = source.node(node).kind;
    let is_local = kind == grammar.kind_id("local_variable_declaration");
    let is_declarator = kind == grammar.kind_id("variable_declarator");
    let is_declaration =
        is_declarator || (!is_local && grammar.kind_name(kind).ends_with("_declaration"));
    let is_constant = kind == grammar.kind_id("enum_constant");
    if !(is_declaration || is_constant) {
        return None;
    }
    let name = name_of_declaration(source, node)?;
    let mut key = kind.to_le_bytes().to_vec();
    key.extend_from_slice(source.node_text(name));
    let parameters = source.child(node, grammar.field_id("parameters")).filter(|_| with_parameters);
    for parameter in parameters.iter().flat_map(|list| source.children(*list)) {
        if let Some(r#type) = source.child(parameter, grammar.field_id("type")) {
            key.push(b',');
            key.extend_from_slice(source.node_text(r#type));
        }
    }
    Some(key)
}

/// Returns the name in a declaration.
pub(crate) fn name_of_declaration(source: &ParsedSource, node: NodeId) -> Option<NodeId> {
    let grammar = Grammar::get();
    let declarator = source.child(node, grammar.field_id("declarator"));
    source.child(declarator.unwrap_or(node), grammar.field_id("name"))
}

/// Returns true if a kind declares a type.
pub(crate) fn is_type_declaration(kind: NodeKindId) -> bool {
    let name = Grammar::get().kind_name(kind);
    matches!(
        name,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}
