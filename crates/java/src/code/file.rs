//! Java file with compiler facts: queries about its nodes, statements, expressions and types.

use crate::code::precedence::needs_no_parentheses;
use crate::facts::{
    AttributedNode, AttributedTree, NodeIndex, NodeKind, NodeRole, SemanticModel, Symbol, SymbolId,
    SymbolKind,
};
use mend_model::RepoPath;
use std::collections::HashSet;
use std::ops::Range;

/// Node kinds with a parenthesised expression in their head.
const HEADED: [NodeKind; 6] = [
    NodeKind::DoWhileLoop,
    NodeKind::If,
    NodeKind::Switch,
    NodeKind::SwitchExpression,
    NodeKind::Synchronized,
    NodeKind::WhileLoop,
];

/// Node kinds that have a value, besides operators, literals and names.
const VALUE_KINDS: [NodeKind; 9] = [
    NodeKind::ArrayAccess,
    NodeKind::ConditionalExpression,
    NodeKind::InstanceOf,
    NodeKind::LogicalComplement,
    NodeKind::MethodInvocation,
    NodeKind::NewClass,
    NodeKind::Parenthesized,
    NodeKind::TypeCast,
    NodeKind::UnaryMinus,
];

/// A file with its compiler facts.
#[derive(Clone, Copy)]
pub struct Code<'a> {
    /// Facts about the whole version.
    pub facts: &'a SemanticModel,
    /// Syntax tree of the file.
    pub tree: &'a AttributedTree,
    /// Text of the file.
    pub text: &'a str,
}

impl<'a> Code<'a> {
    /// Creates the view of a file; `None` if there are no facts about the file, or it is not UTF-8.
    pub fn new(facts: &'a SemanticModel, path: &RepoPath, content: &'a [u8]) -> Option<Self> {
        let (tree, text) = (facts.tree(path)?, std::str::from_utf8(content).ok()?);
        Some(Self { facts, tree, text })
    }

    /// Returns a node of the tree.
    pub fn node(&self, id: NodeIndex) -> &'a AttributedNode {
        &self.tree.nodes[id]
    }

    /// Returns the kind of a node.
    pub fn kind(&self, id: NodeIndex) -> NodeKind {
        self.node(id).kind
    }

    /// Returns true if a node has a kind.
    pub fn has_kind(&self, id: NodeIndex, kind: NodeKind) -> bool {
        self.kind(id) == kind
    }

    /// Returns all nodes of a kind, in source order.
    pub fn nodes_of_kind(&self, kind: NodeKind) -> impl Iterator<Item = NodeIndex> + use<'a> {
        self.nodes_within(0, kind)
    }

    /// Returns the nodes of a kind in a subtree, in source order.
    pub fn nodes_within(
        &self,
        root: NodeIndex,
        kind: NodeKind,
    ) -> impl Iterator<Item = NodeIndex> + use<'a> {
        let nodes = &self.tree.nodes;
        let end = nodes.get(root).map_or(root, |node| node.subtree_end);
        (root..end).filter(move |id| nodes[*id].kind == kind)
    }

    /// Returns the byte range of a node.
    pub fn bytes(&self, id: NodeIndex) -> Range<usize> {
        self.node(id).bytes.clone()
    }

    /// Returns the source text of a node.
    pub fn source_text(&self, id: NodeIndex) -> &'a str {
        self.text.get(self.bytes(id)).unwrap_or_default()
    }

    /// Returns the role of a node in its parent.
    pub fn role(&self, id: NodeIndex) -> NodeRole {
        self.node(id).role
    }

    /// Returns the parent of a node.
    pub fn parent(&self, id: NodeIndex) -> NodeIndex {
        self.node(id).parent
    }

    /// Returns the child with a role.
    pub fn child(&self, id: NodeIndex, role: NodeRole) -> Option<NodeIndex> {
        self.tree.child(id, role)
    }

    /// Returns the children of a node, in source order.
    pub fn children(&self, id: NodeIndex) -> Vec<NodeIndex> {
        self.tree.children(id).collect()
    }

    /// Returns the symbol that a node declares or refers to.
    pub fn symbol(&self, id: NodeIndex) -> Option<&'a Symbol> {
        self.node(id).symbol.map(|symbol| self.facts.symbol(symbol))
    }

    /// Returns the type of an expression without type arguments; empty if unknown.
    pub fn type_of(&self, id: NodeIndex) -> &'a str {
        self.facts.text(self.node(id).ty.erased)
    }

    /// Returns the type of an argument's parameter, without type arguments; empty if it is not an argument.
    pub fn parameter_type_of(&self, id: NodeIndex) -> &'a str {
        self.facts.text(self.node(id).parameter_type.erased)
    }

    /// Returns the required type at a value: that of the parameter, of the assignment or comparison, or of the method's
    /// result; otherwise its own type.
    pub fn required_type(&self, id: NodeIndex) -> &'a str {
        let parent = self.parent(id);
        let symbol_type = |id: NodeIndex| self.symbol(id).map(|one| self.facts.text(one.ty.erased));
        let required = match self.kind(parent) {
            NodeKind::Variable => symbol_type(parent),
            NodeKind::Return => self.enclosing_method(id).and_then(symbol_type),
            NodeKind::Assignment => {
                self.child(parent, NodeRole::Target).map(|target| self.type_of(target))
            }
            NodeKind::EqualTo | NodeKind::NotEqualTo => {
                let operands = self.children(parent).into_iter();
                operands.filter(|side| *side != id).map(|side| self.type_of(side)).next()
            }
            _ => Some(self.parameter_type_of(id)),
        };
        required.filter(|required| !required.is_empty()).unwrap_or_else(|| self.type_of(id))
    }

    /// Returns the line on which a node starts, from 1.
    pub fn line(&self, id: NodeIndex) -> u32 {
        let before = self.text.get(..self.bytes(id).start).unwrap_or_default();
        u32::try_from(before.matches('\n').count()).map_or(u32::MAX, |lines| lines + 1)
    }

    /// Returns the indentation of the line on which a node starts.
    pub fn indent(&self, id: NodeIndex) -> &'a str {
        let start = self.bytes(id).start;
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let rest = &self.text[line_start..];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// Returns the line terminator of the file: that of its first line.
    pub fn line_end(&self) -> &'static str {
        let first = self.text.find('\n').map_or("", |end| &self.text[..end]);
        if first.ends_with('\r') { "\r\n" } else { "\n" }
    }

    /// Returns the node and its ancestors, innermost first.
    pub fn self_and_ancestors(&self, id: NodeIndex) -> impl Iterator<Item = NodeIndex> + use<'a> {
        let tree = self.tree;
        std::iter::once(id).chain(tree.ancestors(id).collect::<Vec<_>>())
    }

    /// Returns true for a statement that is not a block.
    pub fn is_statement(&self, id: NodeIndex) -> bool {
        if !self.kind(id).is_statement() {
            return false;
        }
        let parent = self.parent(id);
        match self.kind(parent) {
            NodeKind::Block | NodeKind::Case | NodeKind::LabeledStatement => true,
            NodeKind::If => matches!(self.role(id), NodeRole::Then | NodeRole::Else),
            kind => kind.is_loop() && self.role(id) == NodeRole::Body,
        }
    }

    /// Returns true if the node is in a statement list, so that code can be inserted before it.
    pub fn is_in_statement_list(&self, id: NodeIndex) -> bool {
        self.is_statement(id)
            && matches!(self.kind(self.parent(id)), NodeKind::Block | NodeKind::Case)
            && !self.is_arrow_body(id)
    }

    /// Returns true if the node is the single statement after an arrow of a switch.
    pub fn is_arrow_body(&self, id: NodeIndex) -> bool {
        let before = self.text.get(..self.bytes(id).start).unwrap_or_default();
        self.has_kind(self.parent(id), NodeKind::Case) && before.trim_end().ends_with("->")
    }

    /// Returns true if the node is a label of a switch branch.
    pub fn is_switch_label(&self, id: NodeIndex) -> bool {
        let before = self.text.get(..self.bytes(id).start).unwrap_or_default();
        matches!(self.kind(self.parent(id)), NodeKind::Case | NodeKind::ConstantCaseLabel)
            && !before.trim_end().ends_with("->")
            && !self.is_statement(id)
    }

    /// Returns the offset after the opening brace of a type's body.
    pub fn type_body_start(&self, id: NodeIndex) -> Option<usize> {
        let is_head = |child: &NodeIndex| {
            matches!(
                self.role(*child),
                NodeRole::Modifiers
                    | NodeRole::TypeParameter
                    | NodeRole::Extends
                    | NodeRole::Implements
                    | NodeRole::Permits
            )
        };
        let heads =
            self.children(id).into_iter().filter(is_head).map(|head_end| self.bytes(head_end).end);
        let head_end = heads.chain(self.node(id).name).chain([self.bytes(id).start]).max()?;
        let brace = self.text.get(head_end..self.bytes(id).end)?.find('{')?;
        Some(head_end + brace + 1)
    }

    /// Returns the variables that the file assigns, increments or decrements.
    pub fn assigned_variables(&self) -> HashSet<SymbolId> {
        let target = |id: NodeIndex| match self.kind(id) {
            kind if kind.is_assignment() => self.child(id, NodeRole::Target),
            kind if kind.is_step() => self.children(id).first().copied(),
            _ => None,
        };
        let targets = (0..self.tree.nodes.len()).filter_map(target);
        targets.filter_map(|id| self.node(id).symbol).collect()
    }

    /// Returns all statements of the file except blocks.
    pub fn statements(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        (0..self.tree.nodes.len()).filter(|id| self.is_statement(*id))
    }

    /// Returns true for a field with an initialiser.
    pub fn is_initialised_field(&self, id: NodeIndex) -> bool {
        self.has_kind(id, NodeKind::Variable)
            && self.role(id) == NodeRole::Member
            && self.child(id, NodeRole::Value).is_some()
    }

    /// Returns the method or constructor that contains a node.
    pub fn enclosing_method(&self, id: NodeIndex) -> Option<NodeIndex> {
        self.self_and_ancestors(id).find(|node| self.has_kind(*node, NodeKind::Method))
    }

    /// Returns the type declaration that contains a node.
    pub fn enclosing_type(&self, id: NodeIndex) -> Option<NodeIndex> {
        self.self_and_ancestors(id).skip(1).find(|node| self.is_type_declaration(*node))
    }

    /// Returns true for a type declaration.
    pub fn is_type_declaration(&self, id: NodeIndex) -> bool {
        self.kind(id).is_type_declaration()
    }

    /// Returns the byte range of a statement, with its whole lines if no other code is on them.
    pub fn whole_line_range(&self, id: NodeIndex) -> Range<usize> {
        let bytes = self.bytes(id);
        let before = &self.text[..bytes.start];
        let start = before.len() - self.indent(id).len();
        let is_alone = before.trim_end_matches([' ', '\t']).ends_with('\n') && start < bytes.start;
        let rest = &self.text[bytes.end..];
        match rest.find('\n').filter(|at| is_alone && rest[..*at].trim().is_empty()) {
            Some(at) => start..bytes.end + at + 1,
            None => bytes,
        }
    }

    /// Returns true for `if (…) throw …` without anything else.
    pub fn is_guard(&self, id: NodeIndex) -> bool {
        let Some(then) = self.child(id, NodeRole::Then).filter(|_| self.has_kind(id, NodeKind::If))
        else {
            return false;
        };
        let body =
            if self.has_kind(then, NodeKind::Block) { self.children(then) } else { vec![then] };
        let is_throw = matches!(&body[..], [only] if self.has_kind(*only, NodeKind::Throw));
        is_throw && self.child(id, NodeRole::Else).is_none()
    }

    /// Returns true for loops of every kind.
    pub fn is_loop(&self, id: NodeIndex) -> bool {
        self.kind(id).is_loop()
    }

    /// Returns the source text of a binary operator; `None` for anything else.
    pub fn binary_operator(&self, id: NodeIndex) -> Option<&'static str> {
        self.kind(id).binary_operator()
    }

    /// Returns a binary operator's operands, and the byte range of the operator.
    pub fn binary_operands(&self, id: NodeIndex) -> Option<(NodeIndex, Range<usize>, NodeIndex)> {
        let operator = self.binary_operator(id)?;
        let [left, right] = self.children(id)[..] else { return None };
        let (from, to) = (self.bytes(left).end, self.bytes(right).start);
        let operator_start = from + self.text.get(from..to)?.find(operator)?;
        Some((left, operator_start..operator_start + operator.len(), right))
    }

    /// Returns true if the node has a value that another expression can replace. Types, method names, assignment
    /// targets and statement expressions do not.
    pub fn is_replaceable_value(&self, id: NodeIndex) -> bool {
        let role = self.role(id);
        let is_excluded = matches!(
            role,
            NodeRole::Callee | NodeRole::Type | NodeRole::TypeArgument | NodeRole::Target
        );
        let is_statement_expression = self.has_kind(self.parent(id), NodeKind::ExpressionStatement);
        if is_excluded
            || is_statement_expression
            || self.type_of(id).is_empty()
            || self.is_increment_operand(id)
        {
            return false;
        }
        let kind = self.kind(id);
        match kind {
            NodeKind::Identifier | NodeKind::MemberSelect => {
                self.symbol(id).is_some_and(|symbol| {
                    matches!(
                        symbol.kind,
                        SymbolKind::Local | SymbolKind::Field | SymbolKind::EnumConstant
                    )
                })
            }
            _ => {
                VALUE_KINDS.contains(&kind) || kind.is_literal() || kind.binary_operator().is_some()
            }
        }
    }

    /// Returns true for the operand of `++` or `--`.
    fn is_increment_operand(&self, id: NodeIndex) -> bool {
        self.kind(self.parent(id)).is_step()
    }

    /// Returns the nodes of the statement itself, without those of nested statements, and of classes and lambdas with
    /// blocks.
    pub fn own_nodes(&self, statement: NodeIndex) -> Vec<NodeIndex> {
        let (mut own, mut next) = (Vec::new(), statement + 1);
        while next < self.node(statement).subtree_end {
            let is_nested = self.is_statement(next)
                || self.has_kind(next, NodeKind::Block)
                || self.is_type_declaration(next);
            if is_nested || self.has_kind(next, NodeKind::Catch) {
                next = self.node(next).subtree_end;
            } else {
                own.push(next);
                next += 1;
            }
        }
        own
    }

    /// Returns the expressions of the statement itself, outer ones first.
    pub fn replaceable_values(&self, statement: NodeIndex) -> Vec<NodeIndex> {
        let own = self.own_nodes(statement).into_iter();
        own.filter(|node| self.is_replaceable_value(*node)).collect()
    }

    /// Returns a value with its parentheses, if the new text needs none there.
    pub fn include_parentheses(&self, id: NodeIndex, text: &str) -> NodeIndex {
        let outer = self.parent(id);
        let is_head_syntax = HEADED.contains(&self.kind(self.parent(outer)));
        let before = self.text.get(..self.bytes(outer).start).unwrap_or_default();
        let follows_word = before.ends_with(|c: char| c.is_alphanumeric());
        if self.has_kind(outer, NodeKind::Parenthesized)
            && is_self_contained(text)
            && !is_head_syntax
            && !follows_word
        {
            self.include_parentheses(outer, text)
        } else {
            id
        }
    }

    /// Returns a text that can replace `id`, in parentheses if a neighbouring operator would split it.
    pub fn parenthesise_if_needed(&self, id: NodeIndex, text: &str) -> String {
        let parent = self.parent(id);
        let kind = self.kind(parent);
        // A text that binds tighter than the surrounding operator needs no parentheses.
        let binds_tighter = match self.binary_operator(parent) {
            Some("&&") => !text.contains("||") && !text.contains('?'),
            Some("||") => !text.contains('?'),
            _ => false,
        };
        if binds_tighter && !text.contains(" = ") {
            return text.to_owned();
        }
        let is_right_operand = self.children(parent).last() == Some(&id);
        if self
            .binary_operator(parent)
            .is_some_and(|operator| needs_no_parentheses(text, operator, is_right_operand))
        {
            return text.to_owned();
        }
        let needs_parentheses = self.binary_operator(parent).is_some()
            || matches!(
                kind,
                NodeKind::MemberSelect
                    | NodeKind::TypeCast
                    | NodeKind::InstanceOf
                    | NodeKind::ConditionalExpression
            )
            || matches!(
                kind,
                NodeKind::LogicalComplement
                    | NodeKind::UnaryMinus
                    | NodeKind::UnaryPlus
                    | NodeKind::BitwiseComplement
            )
            || kind == NodeKind::ArrayAccess && self.children(parent).first() == Some(&id);
        if needs_parentheses { parenthesise(text) } else { text.to_owned() }
    }
}

/// Returns a text that no neighbouring operator can split.
pub fn parenthesise(text: &str) -> String {
    if is_self_contained(text) { text.to_owned() } else { format!("({text})") }
}

/// Returns true if no neighbouring operator can split the text.
pub fn is_self_contained(text: &str) -> bool {
    let (mut depth, mut quote, mut previous) = (0_i32, None, b' ');
    for byte in text.bytes() {
        let is_escaped = previous == b'\\';
        previous = if is_escaped { b' ' } else { byte };
        match byte {
            _ if quote == Some(byte) && !is_escaped => quote = None,
            _ if quote.is_some() => {}
            b'"' | b'\'' => quote = Some(byte),
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            byte if depth == 0 && b" !?<>=+-*/%&|^".contains(&byte) => return false,
            _ => {}
        }
    }
    !text.starts_with('(') || text.ends_with(')')
}

#[cfg(test)]
mod tests {
    use super::is_self_contained;

    #[test]
    fn escaped_quotes_do_not_end_literals() {
        for (text, closed) in [
            ("a.b(c + 1)", true),
            ("a + 1", false),
            (r#""a + 1""#, true),
            (r#""\"" + a"#, false),
            (r#""\\" + a"#, false),
            (r#""\\".length()"#, true),
            ("'\\'' + a", false),
        ] {
            assert_eq!(is_self_contained(text), closed, "{text}");
        }
    }
}
