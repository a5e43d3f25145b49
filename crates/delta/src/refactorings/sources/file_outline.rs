//! Types and members of a file, with the positions of their parts.

use mend_java::{Grammar, NodeId, ParsedSource};
use std::collections::HashMap;
use std::ops::Range;

/// A class, interface, enum, record or annotation.
#[derive(Debug)]
pub(crate) struct TypeDeclaration {
    pub(crate) node: NodeId,
    /// The token that names it.
    pub(crate) name: usize,
    /// The token of its keyword: what is before it are modifiers.
    pub(crate) keyword: usize,
    pub(crate) body: NodeId,
    /// Its places in [`FileOutline::members`].
    pub(crate) members: Vec<usize>,
    /// The tokens that name what it extends and implements.
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
    /// The token that names it.
    pub(crate) name: usize,
}

/// A field, a method or a constructor.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) kind: MemberKind,
    pub(crate) node: NodeId,
    /// The token that names it; of several fields in one declaration the first.
    pub(crate) name: usize,
    /// The first token after its modifiers.
    pub(crate) start: usize,
    /// Its place in [`FileOutline::types`]; `None` in an anonymous class.
    pub(crate) owner: Option<usize>,
    pub(crate) parameters: Vec<Parameter>,
    /// A method's block, or the value of a field that is alone in its declaration.
    pub(crate) body: Option<NodeId>,
}

/// Types and members that a file declares, in source order.
#[derive(Debug, Default)]
pub(crate) struct FileOutline {
    pub(crate) types: Vec<TypeDeclaration>,
    pub(crate) members: Vec<Member>,
    by_node: HashMap<NodeId, usize>,
    types_by_node: HashMap<NodeId, usize>,
}

impl FileOutline {
    pub(crate) fn new(source: &ParsedSource) -> Self {
        let mut outline = Self::default();
        for id in 0..source.nodes().len() {
            match kind(source, id) {
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
        let (Some(name), Some(body)) = (child(source, node, "name"), child(source, node, "body"))
        else {
            return;
        };
        let name = source.node(name).tokens.start;
        let is_interface = kind(source, node) == "interface_declaration";
        self.types_by_node.insert(node, self.types.len());
        self.types.push(TypeDeclaration {
            node,
            name,
            keyword: after_modifiers(source, node),
            body,
            members: Vec::new(),
            supertypes: supertypes(source, node),
            is_interface,
        });
    }

    fn add_member(&mut self, source: &ParsedSource, node: NodeId, member: MemberKind) {
        let declarator = child(source, node, "declarator");
        let Some(name) = child(source, declarator.unwrap_or(node), "name") else { return };
        let is_alone =
            source.children(node).filter(|id| kind(source, *id) == "variable_declarator").count()
                < 2;
        let body = match declarator {
            Some(declarator) if is_alone => child(source, declarator, "value"),
            Some(_) => None,
            None => child(source, node, "body"),
        };
        let owner = self.owner(source, node);
        let at = self.members.len();
        if let Some(owner) = owner {
            self.types[owner].members.push(at);
        }
        self.by_node.insert(node, at);
        self.members.push(Member {
            kind: member,
            node,
            name: source.node(name).tokens.start,
            start: after_modifiers(source, node),
            owner,
            parameters: parameters(source, node),
            body,
        });
    }

    fn owner(&self, source: &ParsedSource, node: NodeId) -> Option<usize> {
        let holder = source.ancestors(node).find(|id| {
            !matches!(
                kind(source, *id),
                "class_body"
                    | "interface_body"
                    | "enum_body"
                    | "enum_body_declarations"
                    | "annotation_type_body"
            )
        })?;
        self.types_by_node.get(&holder).copied()
    }

    /// Returns the innermost member that holds a node.
    pub(crate) fn member_around(&self, source: &ParsedSource, node: NodeId) -> Option<usize> {
        std::iter::once(node)
            .chain(source.ancestors(node))
            .find_map(|id| self.by_node.get(&id).copied())
    }

    /// Returns the innermost type that holds a node.
    pub(crate) fn type_around(&self, source: &ParsedSource, node: NodeId) -> Option<usize> {
        std::iter::once(node)
            .chain(source.ancestors(node))
            .find_map(|id| self.types_by_node.get(&id).copied())
    }
}

/// Returns the grammar's name for a node's kind.
pub(crate) fn kind(source: &ParsedSource, node: NodeId) -> &'static str {
    Grammar::get().name(source.node(node).kind)
}

/// Returns the child in a field, by the field's name.
pub(crate) fn child(source: &ParsedSource, node: NodeId, field: &str) -> Option<NodeId> {
    source.child(node, Grammar::get().field(field))
}

/// Returns the named children of a node.
pub(crate) fn named(source: &ParsedSource, node: NodeId) -> Vec<NodeId> {
    source.children(node).filter(|id| source.node(*id).named).collect()
}

/// Returns the modifiers of a declaration, including annotations.
pub(crate) fn modifiers(source: &ParsedSource, node: NodeId) -> Option<NodeId> {
    source.children(node).find(|id| kind(source, *id) == "modifiers")
}

/// Returns the tokens of the modifiers, including those of annotations.
pub(crate) fn modifier_tokens(source: &ParsedSource, node: NodeId) -> Range<usize> {
    modifiers(source, node).map_or(0..0, |id| source.node(id).tokens.clone())
}

fn after_modifiers(source: &ParsedSource, node: NodeId) -> usize {
    modifiers(source, node).map_or(source.node(node).tokens.start, |id| source.node(id).tokens.end)
}

fn parameters(source: &ParsedSource, node: NodeId) -> Vec<Parameter> {
    let list = child(source, node, "parameters");
    let each = list.into_iter().flat_map(|list| source.children(list));
    each.filter(|id| kind(source, *id) == "formal_parameter")
        .filter_map(|node| {
            let name = child(source, node, "name")?;
            Some(Parameter { node, name: source.node(name).tokens.start })
        })
        .collect()
}

fn supertypes(source: &ParsedSource, node: NodeId) -> Vec<usize> {
    let clauses = source.children(node).filter(|id| {
        matches!(kind(source, *id), "superclass" | "super_interfaces" | "extends_interfaces")
    });
    let mut tokens = Vec::new();
    for clause in clauses {
        let mut id = clause + 1;
        while id < source.node(clause).end {
            match kind(source, id) {
                "type_identifier" | "scoped_type_identifier" => {
                    tokens.push(source.node(id).tokens.start);
                    id = source.node(id).end;
                }
                "type_arguments" => id = source.node(id).end,
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
    fn types_and_members_know_their_parts() {
        let text = "class A<T> extends B<C> implements p.D, E { @X final int f = 1; int a, b;
            A(int p) { } void m(int p, String[] q) { new A() { void inner() { } }; }
            interface I extends J { int z(); } enum N { ONE; void n() { } } }";
        let source = ParsedSource::parse(text.as_bytes().into()).unwrap();
        let outline = FileOutline::new(&source);
        let word = |token: usize| String::from_utf8(source.token(token).to_vec()).unwrap();
        let types: Vec<_> = outline.types.iter().map(|one| word(one.name)).collect();
        assert_eq!(types, ["A", "I", "N"]);
        let supers: Vec<_> = outline.types[0].supertypes.iter().map(|token| word(*token)).collect();
        assert_eq!(supers, ["B", "p.D", "E"]);
        let members: Vec<_> = outline
            .members
            .iter()
            .map(|one| (word(one.name), one.owner, one.parameters.len(), one.body.is_some()))
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
        assert_eq!(word(outline.members[0].start), "int");
    }
}
