//! Children of a node, with their roles.

use mend_java::{Grammar, NodeId, NodeKindId, ParsedSource};

/// Role of a child in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ChildRole {
    /// The only child of its field.
    Slot(u16),
    /// One of a field's children, or of the children without a field (0).
    Element(u16),
    /// The only child without a field.
    Single,
    /// A keyword or punctuation mark of the parent itself.
    Punctuation,
}

/// A child, with the separator before it if it is a later element of a list that has separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChildItem {
    pub(crate) node: NodeId,
    pub(crate) separator: Option<NodeId>,
    pub(crate) part: ChildRole,
}

impl ChildItem {
    pub(crate) fn is_element(&self) -> bool {
        matches!(self.part, ChildRole::Element(_))
    }
}

/// Returns the children of a node as items.
pub(crate) fn items(source: &ParsedSource, parent: NodeId) -> Vec<ChildItem> {
    let kind = source.node(parent).kind;
    let mut items: Vec<ChildItem> = Vec::new();
    let mut children = source.children(parent).peekable();
    while let Some(child) = children.next() {
        let part = part(source, kind, child);
        let next = children.peek().map(|next| self::part(source, kind, *next));
        let separates = part == ChildRole::Punctuation
            && matches!(next, Some(ChildRole::Element(_)))
            && items.last().is_some_and(|last| Some(last.part) == next)
            && is_separator(source, child);
        if let (true, Some(element)) = (separates, next) {
            items.extend(children.next().map(|node| ChildItem {
                node,
                separator: Some(child),
                part: element,
            }));
        } else {
            items.push(ChildItem { node: child, separator: None, part });
        }
    }
    items
}

fn part(source: &ParsedSource, parent: NodeKindId, child: NodeId) -> ChildRole {
    let node = source.node(child);
    let grammar = Grammar::get();
    let arity = grammar.arity(parent, node.field);
    let multiple = arity.is_some_and(|arity| arity.multiple);
    match (node.field, node.named) {
        (0, false) => ChildRole::Punctuation,
        (0, true) if !multiple => ChildRole::Single,
        (field, _) if !multiple => ChildRole::Slot(field),
        (_, false) => ChildRole::Punctuation,
        // A body that closes a list (the members after an enum's constants) is none of its elements.
        (0, true) if grammar.is_body(node.kind) && !grammar.is_body(parent) => ChildRole::Single,
        // An annotation's value without a name stands alone, whatever the arity of the node says.
        (0, true) if is_bare_value(parent, node.kind) => ChildRole::Single,
        (field, true) => ChildRole::Element(field),
    }
}

fn is_bare_value(parent: NodeKindId, kind: NodeKindId) -> bool {
    let grammar = Grammar::get();
    parent == grammar.kind("annotation_argument_list") && kind != grammar.kind("element_value_pair")
}

/// Returns the separator of a list, if the node has one.
pub(crate) fn separator(source: &ParsedSource, parent: NodeId) -> Option<Vec<u8>> {
    let mark = source.children(parent).find(|child| {
        let node = source.node(*child);
        !node.named && node.field == 0 && is_separator(source, *child)
    })?;
    Some(source.text_of(mark).to_vec())
}

fn is_separator(source: &ParsedSource, node: NodeId) -> bool {
    matches!(source.text_of(node), b"," | b"|" | b"&")
}

/// Returns true if a body contains statements, not members.
pub(crate) fn is_statement_body(source: &ParsedSource, body: NodeId) -> bool {
    let name = Grammar::get().name(source.node(body).kind);
    name.contains("block") || name == "constructor_body"
}

/// Returns true if a node starts and ends with its own brackets (or is the whole file), so that it can be empty.
pub(crate) fn is_bracketed(source: &ParsedSource, id: NodeId) -> bool {
    let node = source.node(id);
    if node.kind == Grammar::get().kind("program") {
        return true;
    }
    let mut children = source.children(id);
    let is_mark = |child: Option<NodeId>| child.is_some_and(|child| !source.node(child).named);
    let first = children.next();
    is_mark(first) && is_mark(children.last())
}
