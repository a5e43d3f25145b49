//! Children of a syntax node, with their roles and separators.

use mend_java::{Grammar, NodeId, NodeKindId, ParsedSource};

/// Role of a child in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ChildRole {
    /// The only child of its field.
    Slot(u16),
    /// One of several children of a field, or of the children without a field (0).
    Element(u16),
    /// The only child without a field.
    Single,
    /// A keyword or punctuation mark of the parent itself.
    Punctuation,
}

/// A child, with the separator before it unless it is the first element of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChildItem {
    pub(crate) node: NodeId,
    pub(crate) separator: Option<NodeId>,
    pub(crate) role: ChildRole,
}

impl ChildItem {
    pub(crate) fn is_element(&self) -> bool {
        matches!(self.role, ChildRole::Element(_))
    }
}

/// Returns the children of a node as items.
pub(crate) fn child_items(source: &ParsedSource, parent: NodeId) -> Vec<ChildItem> {
    let kind = source.node(parent).kind;
    let mut items: Vec<ChildItem> = Vec::new();
    let mut children = source.children(parent).peekable();
    while let Some(child) = children.next() {
        let role = child_role(source, kind, child);
        let next = children.peek().map(|next| self::child_role(source, kind, *next));
        let is_list_separator = role == ChildRole::Punctuation
            && matches!(next, Some(ChildRole::Element(_)))
            && items.last().is_some_and(|last| Some(last.role) == next)
            && is_separator(source, child);
        if let (true, Some(element)) = (is_list_separator, next) {
            items.extend(children.next().map(|node| ChildItem {
                node,
                separator: Some(child),
                role: element,
            }));
        } else {
            items.push(ChildItem { node: child, separator: None, role });
        }
    }
    items
}

fn child_role(source: &ParsedSource, parent: NodeKindId, child: NodeId) -> ChildRole {
    let node = source.node(child);
    let grammar = Grammar::get();
    let arity = grammar.arity(parent, node.field);
    let multiple = arity.is_some_and(|arity| arity.multiple);
    match (node.field, node.is_named) {
        (0, false) => ChildRole::Punctuation,
        (0, true) if !multiple => ChildRole::Single,
        (field, _) if !multiple => ChildRole::Slot(field),
        (_, false) => ChildRole::Punctuation,
        // A body after a list, as after the constants of an enum, is no element of it.
        (0, true) if grammar.is_body(node.kind) && !grammar.is_body(parent) => ChildRole::Single,
        // A value without a name is the only one, even if the grammar allows several elements.
        (0, true) if is_unnamed_value(parent, node.kind) => ChildRole::Single,
        // A parameter of a `catch` needs its type, but not its modifiers.
        (0, true) if node.kind == grammar.kind_id("catch_type") => ChildRole::Single,
        (field, true) => ChildRole::Element(field),
    }
}

fn is_unnamed_value(parent: NodeKindId, kind: NodeKindId) -> bool {
    let grammar = Grammar::get();
    parent == grammar.kind_id("annotation_argument_list")
        && kind != grammar.kind_id("element_value_pair")
}

/// Returns the separator of a node's list, if it has one.
pub(crate) fn separator_text(source: &ParsedSource, parent: NodeId) -> Option<Vec<u8>> {
    let separator_node = source.children(parent).find(|child| {
        let node = source.node(*child);
        !node.is_named && node.field == 0 && is_separator(source, *child)
    })?;
    Some(source.node_text(separator_node).to_vec())
}

fn is_separator(source: &ParsedSource, node: NodeId) -> bool {
    matches!(source.node_text(node), b"," | b"|" | b"&")
}

/// Returns true if a body contains statements rather than members.
pub(crate) fn is_statement_body(source: &ParsedSource, body: NodeId) -> bool {
    let name = Grammar::get().kind_name(source.node(body).kind);
    name.contains("block") || name == "constructor_body"
}

/// Returns true if a node starts and ends with its own brackets (or is the whole file), so that it can be empty.
pub(crate) fn is_bracketed(source: &ParsedSource, id: NodeId) -> bool {
    let node = source.node(id);
    if node.kind == Grammar::get().kind_id("program") {
        return true;
    }
    let mut children = source.children(id);
    let is_punctuation =
        |child: Option<NodeId>| child.is_some_and(|child| !source.node(child).is_named);
    let first = children.next();
    is_punctuation(first) && is_punctuation(children.last())
}
