//! Outline of a file: its types and members, with the positions of their parts.

use mend_java::{Grammar, NodeId, ParsedSource};
use std::collections::HashMap;
use std::ops::Range;

/// A class, interface, enum, record or annotation.
#[derive(Debug)]
pub(crate) struct TypeDeclaration {
    pub(crate) node: NodeId,
    /// Token of its name.
    pub(crate) name: usize,
    /// Token of its keyword, after the modifiers.
    pub(crate) keyword: usize,
    pub(crate) body: NodeId,
    /// Indexes in [`FileOutline::members`].
    pub(crate) members: Vec<usize>,
    /// Tokens of the names of its supertypes.
    pub(crate) supertypes: Vec<usize>,
    pub(crate) is_interface: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MemberKind {
    Field,
    Method,
    Constructor,
}

/// A parameter of a method.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) node: NodeId,
    /// Token of its name.
    pub(crate) name: usize,
}

/// A field, a method or a constructor.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) kind: MemberKind,
    pub(crate) node: NodeId,
    /// Token of its name; for several fields in one declaration, of the first.
    pub(crate) name: usize,
    /// First token after its modifiers.
    pub(crate) start: usize,
    /// Index in [`FileOutline::types`]; `None` in an anonymous class.
    pub(crate) owner: Option<usize>,
    pub(crate) parameters: Vec<Parameter>,
    /// Block of a method, or value of a field with its own declaration.
    pub(crate) body: Option<NodeId>,
}

/// Types and members that a file declares, in source order.
#[derive(Debug, Default)]
pub(crate) struct FileOutline {
    pub(crate) types: Vec<TypeDeclaration>,
    pub(crate) members: Vec<Member>,
    members_by_node: HashMap<NodeId, usize>,
    types_by_node: HashMap<NodeId, usize>,
}

impl FileOutline {
    pub(crate) fn new(source: &ParsedSource) -> Self {
        let mut outline = Self::default();
        for id in 0..source.nodes().len() {
            match kind_name(source, id) {
                "class_declaration"
                | "interface_declaration"
                | "enum_declaration"
                | "record_declaration"
                | "annotation_type_declaration" => outline.add_type(source, id),
                "method_declaration" => outline.add_member(source, id, MemberKind::Method),
                "constructor_declaration" => {
                    outline.add_member(source, id, MemberKind::Constructor);
                }
                "field_declaration" | "constant_declaration" => {
                    outline.add_member(source, id, MemberKind::Field);
                }
                _ => {}
            }
        }
        outline
    }

    fn add_type(&mut self, source: &ParsedSource, node: NodeId) {
        let (Some(name), Some(body)) =
            (child_in_field(source, node, "name"), child_in_field(source, node, "body"))
        else {
            return;
        };
        let name = source.node(name).tokens.start;
        let is_interface = kind_name(source, node) == "interface_declaration";
        self.types_by_node.insert(node, self.types.len());
        self.types.push(TypeDeclaration {
            node,
            name,
            keyword: after_modifiers(source, node),
            body,
            members: Vec::new(),
            supertypes: supertype_tokens(source, node),
            is_interface,
        });
    }

    fn add_member(&mut self, source: &ParsedSource, node: NodeId, member: MemberKind) {
        let declarator = child_in_field(source, node, "declarator");
        let Some(name) = child_in_field(source, declarator.unwrap_or(node), "name") else { return };
        let is_single = source
            .children(node)
            .filter(|id| kind_name(source, *id) == "variable_declarator")
            .count()
            < 2;
        let body = match declarator {
            Some(declarator) if is_single => child_in_field(source, declarator, "value"),
            Some(_) => None,
            None => child_in_field(source, node, "body"),
        };
        let owner = self.enclosing_type_index(source, node);
        let at = self.members.len();
        if let Some(owner) = owner {
            self.types[owner].members.push(at);
        }
        self.members_by_node.insert(node, at);
        self.members.push(Member {
            kind: member,
            node,
            name: source.node(name).tokens.start,
            start: after_modifiers(source, node),
            owner,
            parameters: collect_parameters(source, node),
            body,
        });
    }

    fn enclosing_type_index(&self, source: &ParsedSource, node: NodeId) -> Option<usize> {
        let container = source.ancestors(node).find(|id| {
            !matches!(
                kind_name(source, *id),
                "class_body"
                    | "interface_body"
                    | "enum_body"
                    | "enum_body_declarations"
                    | "annotation_type_body"
            )
        })?;
        self.types_by_node.get(&container).copied()
    }

    /// Returns the innermost member that contains a node.
    pub(crate) fn enclosing_member(&self, source: &ParsedSource, node: NodeId) -> Option<usize> {
        std::iter::once(node)
            .chain(source.ancestors(node))
            .find_map(|id| self.members_by_node.get(&id).copied())
    }

    /// Returns the innermost type that contains a node.
    pub(crate) fn enclosing_type(&self, source: &ParsedSource, node: NodeId) -> Option<usize> {
        std::iter::once(node)
            .chain(source.ancestors(node))
            .find_map(|id| self.types_by_node.get(&id).copied())
    }
}

/// Returns the grammar's name for a node's kind.
pub(crate) fn kind_name(source: &ParsedSource, node: NodeId) -> &'static str {
    Grammar::get().kind_name(source.node(node).kind)
}

/// Returns the child in a field of the grammar, by the field's name.
pub(crate) fn child_in_field(source: &ParsedSource, node: NodeId, field: &str) -> Option<NodeId> {
    source.child(node, Grammar::get().field_id(field))
}

/// Returns the named children of a node.
pub(crate) fn named_children(source: &ParsedSource, node: NodeId) -> Vec<NodeId> {
    source.children(node).filter(|id| source.node(*id).is_named).collect()
}

/// Returns the modifiers of a declaration, including annotations.
pub(crate) fn modifiers(source: &ParsedSource, node: NodeId) -> Option<NodeId> {
    source.children(node).find(|id| kind_name(source, *id) == "modifiers")
}

/// Returns the tokens of the modifiers, including those of annotations.
pub(crate) fn modifier_tokens(source: &ParsedSource, node: NodeId) -> Range<usize> {
    modifiers(source, node).map_or(0..0, |id| source.node(id).tokens.clone())
}

fn after_modifiers(source: &ParsedSource, node: NodeId) -> usize {
    modifiers(source, node).map_or(source.node(node).tokens.start, |id| source.node(id).tokens.end)
}

fn collect_parameters(source: &ParsedSource, node: NodeId) -> Vec<Parameter> {
    let list = child_in_field(source, node, "parameters");
    let each = list.into_iter().flat_map(|list| source.children(list));
    each.filter(|id| kind_name(source, *id) == "formal_parameter")
        .filter_map(|node| {
            let name = child_in_field(source, node, "name")?;
            Some(Parameter { node, name: source.node(name).tokens.start })
        })
        .collect()
}

fn supertype_tokens(source: &ParsedSource, node: NodeId) -> Vec<usize> {
    let clauses = source.children(node).filter(|id| {
        matches!(kind_name(source, *id), "superclass" | "super_interfaces" | "extends_interfaces")
    });
    let mut tokens = Vec::new();
    for clause in clauses {
        let mut id = clause + 1;
        while id < source.node(clause).subtree_end {
            match kind_name(source, id) {
                "type_identifier" | "scoped_type_identifier" => {
                    tokens.push(source.node(id).tokens.start);
                    id = source.node(id).subtree_end;
                }
                "type_arguments" => id = source.node(id).subtree_end,
                _ => id += 1,
            }
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outline_has_types_and_members() {
        let text = "class A<T> extends B<C> implements p.D, E { @X final int f = 1; int a, b;
            A(int p) { } void m(int p, String[] q) { new A() { void inner() { } }; }
            interface I extends J { int z(); } enum N { ONE; void n() { } } }";
        let source = ParsedSource::parse(text.as_bytes().into()).unwrap();
        let outline = FileOutline::new(&source);
        let token_text =
            |token: usize| String::from_utf8(source.token_text(token).to_vec()).unwrap();
        let types: Vec<_> = outline.types.iter().map(|one| token_text(one.name)).collect();
        assert_eq!(types, ["A", "I", "N"]);
        let supers: Vec<_> =
            outline.types[0].supertypes.iter().map(|token| token_text(*token)).collect();
        assert_eq!(supers, ["B", "p.D", "E"]);
        let members: Vec<_> = outline
            .members
            .iter()
            .map(|one| (token_text(one.name), one.owner, one.parameters.len(), one.body.is_some()))
            .collect();
        let expected = [
            ("f", Some(0), 0, true),
            ("a", Some(0), 0, false),
            ("A", Some(0), 1, true),
            ("m", Some(0), 2, true),
            ("inner", None, 0, true),
            ("z", Some(1), 0, false),
            ("n", Some(2), 0, true),
        ];
        let expected: Vec<_> = expected.map(|(name, a, b, c)| (name.to_owned(), a, b, c)).into();
        assert_eq!(members, expected);
        assert_eq!(token_text(outline.members[0].start), "int");
    }
}
