//! Parser for a single Java expression.

use crate::grammar::Grammar;
use crate::syntax::{NodeId, ParsedSource};

/// A parsed Java expression.
pub struct ParsedExpression {
    source: ParsedSource,
    /// The expression's node.
    pub root: NodeId,
}

impl ParsedExpression {
    /// Parses an expression; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let text = format!("class A {{ boolean a = {text}; }}");
        let source = ParsedSource::parse(text.into_bytes().into())?;
        let declarator = Grammar::get().kind_id("variable_declarator");
        let mut nodes = 0..source.nodes().len();
        let declared = nodes.find(|id| source.node(*id).kind == declarator)?;
        let root = source.child(declared, Grammar::get().field_id("value"))?;
        Some(Self { source, root })
    }

    /// Returns the grammar's name of a node's kind.
    pub fn kind(&self, id: NodeId) -> &'static str {
        Grammar::get().kind_name(self.source.node(id).kind)
    }

    /// Returns a node's text.
    pub fn text(&self, id: NodeId) -> &str {
        std::str::from_utf8(self.source.node_text(id)).unwrap_or_default()
    }

    /// Returns a node's text on one line.
    pub fn text_on_one_line(&self, id: NodeId) -> String {
        self.text(id).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the expression inside parentheses.
    pub fn in_parentheses(&self, id: NodeId) -> Option<NodeId> {
        let inside = self.source.children(id).find(|child| self.source.node(*child).is_named);
        inside.filter(|_| self.kind(id) == "parenthesized_expression")
    }

    /// Returns the operator of a unary or binary expression, and its operands.
    pub fn operation(&self, id: NodeId) -> Option<(&str, NodeId, Option<NodeId>)> {
        let child = |field| self.source.child(id, Grammar::get().field_id(field));
        let operator = self.text(child("operator")?);
        Some(match self.kind(id) {
            "unary_expression" => (operator, child("operand")?, None),
            "binary_expression" => (operator, child("left")?, child("right")),
            _ => return None,
        })
    }
}
