//! Syntax tree of a Java file: nodes over a sequence of tokens, with white space and comments between tokens.

use super::grammar::Grammar;
use crate::grammar_ids::{FieldId, NodeKindId};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{Parser, Tree, TreeCursor};

/// Index of a node in [`ParsedSource`]: nodes are numbered in preorder, the root is 0.
pub type NodeId = usize;

/// Byte range of a token.
pub type Token = Range<usize>;

/// One node of a syntax tree.
#[derive(Clone, Debug)]
pub struct SyntaxNode {
    /// Kind of the node.
    pub kind: NodeKindId,
    /// Field of the parent that contains it.
    pub field: FieldId,
    /// True for any node but a punctuation mark or keyword.
    pub is_named: bool,
    /// Depth below the root.
    pub depth: usize,
    /// Parent node; the root is its own parent.
    pub parent: NodeId,
    /// The first node after its subtree.
    pub subtree_end: NodeId,
    /// Range of its tokens.
    pub tokens: Range<usize>,
    /// Hash that is equal for equal kinds with equal tokens.
    pub hash: u64,
}

/// A parsed Java file, or a part of one.
#[derive(Debug)]
pub struct ParsedSource {
    /// Text of the whole file.
    text: Arc<[u8]>,
    /// Byte range of the nodes.
    span: Range<usize>,
    nodes: Vec<SyntaxNode>,
    tokens: Vec<Token>,
}

impl ParsedSource {
    /// Parses a file; `None` if it has syntax errors. Invalid UTF-8 bytes are treated as letters, so that other
    /// encodings in comments and literals are accepted.
    pub fn parse(text: Arc<[u8]>) -> Option<Self> {
        let tree = syntax_tree(&text).filter(|tree| !tree.root_node().has_error())?;
        Some(Self::from_tree(text, &tree))
    }

    /// Parses a file that may have syntax errors; the nodes around them are approximate.
    pub fn parse_with_errors(text: Arc<[u8]>) -> Option<Self> {
        let tree = syntax_tree(&text)?;
        Some(Self::from_tree(text, &tree))
    }

    fn from_tree(text: Arc<[u8]>, tree: &Tree) -> Self {
        let mut builder = TreeBuilder { nodes: Vec::new(), tokens: Vec::new(), text: &text };
        builder.build(tree.walk());
        let TreeBuilder { nodes, tokens, .. } = builder;
        Self { span: 0..text.len(), text, nodes, tokens }
    }

    /// Creates an empty file.
    pub fn empty() -> Self {
        Self { text: Arc::default(), span: 0..0, nodes: Vec::new(), tokens: Vec::new() }
    }

    /// Returns a node with its contents, from its first token to its last. Offsets still refer to the whole file.
    #[must_use]
    pub fn subtree(&self, id: NodeId) -> Self {
        let root = &self.nodes[id];
        let (first, depth) = (root.tokens.start, root.depth);
        let nodes = self.nodes[id..root.subtree_end].iter().map(|node| SyntaxNode {
            depth: node.depth - depth,
            parent: node.parent.saturating_sub(id),
            subtree_end: node.subtree_end - id,
            tokens: node.tokens.start - first..node.tokens.end - first,
            ..node.clone()
        });
        Self {
            text: Arc::clone(&self.text),
            span: self.byte_range(id),
            nodes: nodes.collect(),
            tokens: self.tokens[root.tokens.clone()].to_vec(),
        }
    }

    /// Returns true if the grammar accepts these bytes.
    pub fn is_valid(text: &[u8]) -> bool {
        syntax_tree(text).is_some_and(|tree| !tree.root_node().has_error())
    }

    /// Returns the text of the whole file.
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// Returns the byte range that this covers: the whole file, or a part.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns all tokens, in order.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns a token's text.
    pub fn token_text(&self, index: usize) -> &[u8] {
        &self.text[self.tokens[index].clone()]
    }

    /// Returns all nodes, in preorder.
    pub fn nodes(&self) -> &[SyntaxNode] {
        &self.nodes
    }

    /// Returns one node.
    pub fn node(&self, id: NodeId) -> &SyntaxNode {
        &self.nodes[id]
    }

    /// Returns a node's children, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[id].subtree_end;
        let is_in_node = move |child: &NodeId| *child < end;
        std::iter::successors(Some(id + 1).filter(is_in_node), move |child| {
            Some(self.nodes[*child].subtree_end).filter(is_in_node)
        })
    }

    /// Returns a node's children without punctuation marks and keywords.
    pub fn named_children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|child| self.nodes[*child].is_named)
    }

    /// Returns the child in a field that has a name.
    pub fn child_by_name(&self, id: NodeId, field: &str) -> Option<NodeId> {
        self.child(id, Grammar::get().field_id(field))
    }

    /// Returns the name of a node's kind.
    pub fn kind_name(&self, id: NodeId) -> &'static str {
        Grammar::get().kind_name(self.nodes[id].kind)
    }

    /// Returns the child in a field.
    pub fn child(&self, id: NodeId, field: FieldId) -> Option<NodeId> {
        self.children(id).find(|child| self.nodes[*child].field == field)
    }

    /// Returns a node's text, from its first token to its last.
    pub fn node_text(&self, id: NodeId) -> &[u8] {
        &self.text[self.byte_range(id)]
    }

    /// Returns a node's text; empty if it is not UTF-8.
    pub fn str_of(&self, id: NodeId) -> &str {
        std::str::from_utf8(self.node_text(id)).unwrap_or_default()
    }

    /// Returns the byte range from a node's first token to its last; empty for a node without tokens.
    pub fn byte_range(&self, id: NodeId) -> Range<usize> {
        let tokens = &self.tokens[self.nodes[id].tokens.clone()];
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }

    /// Returns the ancestors of `id`, innermost first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |node| {
            let parent = self.nodes[*node].parent;
            (parent != *node).then_some(parent)
        })
        .skip(1)
    }
}

fn syntax_tree(text: &[u8]) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(Grammar::get().language()).ok()?;
    parser.parse(replace_invalid_utf8(text), None)
}

fn replace_invalid_utf8(text: &[u8]) -> Vec<u8> {
    let mut valid = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        valid.extend_from_slice(chunk.valid().as_bytes());
        valid.extend(chunk.invalid().iter().map(|_| b'x'));
    }
    valid
}

struct TreeBuilder<'a> {
    nodes: Vec<SyntaxNode>,
    tokens: Vec<Token>,
    text: &'a [u8],
}

impl TreeBuilder<'_> {
    /// Traverses the tree without recursion, because generated files may be nested deeper than the stack allows.
    fn build(&mut self, mut cursor: TreeCursor<'_>) {
        let mut open_nodes: Vec<NodeId> = Vec::new();
        loop {
            let is_leaf = self.enter_node(&cursor, &mut open_nodes);
            if !is_leaf && cursor.goto_first_child() {
                continue;
            }
            if !is_leaf {
                self.leave_node(&mut open_nodes);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave_node(&mut open_nodes);
            }
        }
    }

    /// Adds the node under the cursor. Returns true for a leaf: a comment or token.
    fn enter_node(&mut self, cursor: &TreeCursor<'_>, open_nodes: &mut Vec<NodeId>) -> bool {
        let grammar = Grammar::get();
        let node = cursor.node();
        if grammar.is_comment(node.kind_id()) {
            return true;
        }
        let id = self.nodes.len();
        let first = self.tokens.len();
        let is_token = node.child_count() == 0 || grammar.is_atomic(node.kind_id());
        let is_root = open_nodes.is_empty();
        if is_token && !node.byte_range().is_empty() {
            self.tokens.push(node.byte_range());
        }
        self.nodes.push(SyntaxNode {
            kind: node.kind_id(),
            field: cursor.field_id().map_or(0, std::num::NonZero::get),
            is_named: node.is_named(),
            depth: open_nodes.len(),
            parent: open_nodes.last().copied().unwrap_or(id),
            subtree_end: id + 1,
            tokens: first..self.tokens.len(),
            hash: 0,
        });
        if is_token && !is_root {
            self.finish_node(id);
            return true;
        }
        open_nodes.push(id);
        false
    }

    fn leave_node(&mut self, open_nodes: &mut Vec<NodeId>) {
        if let Some(id) = open_nodes.pop() {
            self.finish_node(id);
        }
    }

    fn finish_node(&mut self, id: NodeId) {
        let tokens = self.nodes[id].tokens.start..self.tokens.len();
        let mut hasher = DefaultHasher::new();
        self.nodes[id].kind.hash(&mut hasher);
        let mut child = id + 1;
        if child == self.nodes.len() {
            for token in &self.tokens[tokens.clone()] {
                self.text[token.clone()].hash(&mut hasher);
            }
        }
        while child < self.nodes.len() {
            self.nodes[child].hash.hash(&mut hasher);
            child = self.nodes[child].subtree_end;
        }
        let end = self.nodes.len();
        let node = &mut self.nodes[id];
        node.tokens = tokens;
        node.subtree_end = end;
        node.hash = hasher.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ParsedSource {
        ParsedSource::parse(text.as_bytes().into()).unwrap()
    }

    #[test]
    fn comments_and_whitespace_are_not_tokens() {
        let source = parse("class A { // a\n /* b */ int x; }\n");
        let words: Vec<_> = (0..source.tokens().len()).map(|t| source.token_text(t)).collect();
        let expected: Vec<&[u8]> = vec![b"class", b"A", b"{", b"int", b"x", b";", b"}"];
        assert_eq!(words, expected);
    }

    #[test]
    fn hash_depends_on_tokens_only() {
        let hash = |text| parse(text).node(0).hash;
        assert_eq!(hash("class A { int x; }"), hash("class A{\n\tint x; // c\n}"));
        assert_ne!(hash("class A { int x; }"), hash("class A { int y; }"));
    }

    #[test]
    fn string_literal_is_one_token() {
        let source = parse("class A { String s = \"a b\\n c\"; }");
        assert!((0..source.tokens().len()).any(|t| source.token_text(t) == b"\"a b\\n c\""));
    }

    #[test]
    fn invalid_utf8_is_parsed() {
        let text: &[u8] = b"class A { /* caf\xe9 */ String s = \"\xfc\"; }";
        let source = ParsedSource::parse(text.into()).unwrap();
        assert!((0..source.tokens().len()).any(|t| source.token_text(t) == b"\"\xfc\""));
    }

    #[test]
    fn invalid_java_is_rejected() {
        assert!(ParsedSource::parse(b"class A { int".as_slice().into()).is_none());
    }

    #[test]
    fn a_file_with_an_error_has_the_declarations_before_it() {
        let text = b"package a; class A { void m() {} void n( }";
        let source = ParsedSource::parse_with_errors(text.as_slice().into()).unwrap();
        let kinds: Vec<_> = source.named_children(0).map(|id| source.kind_name(id)).collect();
        assert_eq!(kinds[0], "package_declaration");
        let has = |kind| (0..source.nodes().len()).any(|id| source.kind_name(id) == kind);
        assert!(has("method_declaration"));
    }

    #[test]
    fn subtree_keeps_structure_and_offsets() {
        let source = parse("class A { int x; /* why */ int y() { return x + 1; } }");
        let method = Grammar::get().kind_id("method_declaration");
        let id = (0..source.nodes().len()).find(|id| source.node(*id).kind == method).unwrap();
        let part = source.subtree(id);
        assert_eq!((part.node(0).parent, part.node(0).depth), (0, 0));
        assert_eq!(part.node(0).subtree_end, part.nodes().len());
        assert_eq!((part.span(), part.node_text(0)), (source.byte_range(id), source.node_text(id)));
        let inner = |source: &ParsedSource, from: NodeId, to: NodeId| -> Vec<(NodeId, Vec<u8>)> {
            (from..to)
                .map(|id| {
                    (source.node(id).parent.saturating_sub(from), source.node_text(id).into())
                })
                .collect()
        };
        let end = source.node(id).subtree_end;
        assert_eq!(inner(&part, 0, part.nodes().len())[1..], inner(&source, id, end)[1..]);
    }

    #[test]
    fn empty_file_has_root_without_tokens() {
        let source = parse("");
        assert_eq!((source.nodes().len(), source.tokens().len()), (1, 0));
    }

    #[test]
    fn deep_nesting_does_not_overflow_stack() {
        let text = format!("class A {{ int x = {}1{}; }}", "(".repeat(10_000), ")".repeat(10_000));
        assert!(ParsedSource::parse(text.into_bytes().into()).is_some());
    }
}
