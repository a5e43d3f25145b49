//! What the grammar demands of a node's children, read from the grammar itself.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;
use tree_sitter::Language;

use super::syntax::Field;

/// How many children may stand in one place of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Arity {
    /// More than one may.
    pub multiple: bool,
    /// At least one must.
    pub required: bool,
}

/// The grammar's number of a kind of node.
pub type Kind = u16;

#[derive(Default)]
struct Shape {
    children: Option<Arity>,
    fields: HashMap<Field, Arity>,
}

/// The Java grammar: which kinds of node there are and what each demands.
pub struct Grammar {
    language: Language,
    shapes: HashMap<Kind, Shape>,
    body_kinds: Vec<Kind>,
    comment_kinds: Vec<Kind>,
    atomic_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct NodeType {
    r#type: String,
    named: bool,
    #[serde(default)]
    fields: HashMap<String, Arity>,
    children: Option<Arity>,
}

impl Grammar {
    /// The one grammar of the program.
    pub fn get() -> &'static Self {
        static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::load);
        &GRAMMAR
    }

    fn load() -> Self {
        let language: Language = tree_sitter_java_orchard::LANGUAGE.into();
        // The description is compiled into the grammar's crate: unreadable means no shapes, and every
        // change of a node's children is then one hunk. A test holds that it is readable.
        let types: Vec<NodeType> =
            serde_json::from_str(tree_sitter_java_orchard::NODE_TYPES).unwrap_or_default();
        let shapes = types
            .into_iter()
            .filter(|node| node.named)
            .map(|node| {
                let field = |(name, arity): (String, Arity)| {
                    Some((language.field_id_for_name(name)?.get(), arity))
                };
                let shape = Shape {
                    children: node.children,
                    fields: node.fields.into_iter().filter_map(field).collect(),
                };
                (language.id_for_node_kind(&node.r#type, true), shape)
            })
            .collect();
        let kinds = |names: &[&str]| {
            names.iter().map(|name| language.id_for_node_kind(name, true)).collect()
        };
        Self {
            shapes,
            body_kinds: kinds(&[
                "program",
                "class_body",
                "interface_body",
                "annotation_type_body",
                "enum_body_declarations",
                "block",
                "constructor_body",
                "switch_block",
                "switch_block_statement_group",
                "module_body",
            ]),
            comment_kinds: kinds(&["line_comment", "block_comment"]),
            atomic_kinds: kinds(&[
                "string_literal",
                "character_literal",
                "scoped_identifier",
                "scoped_type_identifier",
            ]),
            language,
        }
    }

    /// The grammar as the parser takes it.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// The number of a named kind.
    pub fn kind(&self, name: &str) -> Kind {
        self.language.id_for_node_kind(name, true)
    }

    /// The number of a field.
    pub fn field(&self, name: &str) -> Field {
        self.language.field_id_for_name(name).map_or(0, std::num::NonZero::get)
    }

    /// The name of a kind, as error messages and graphs show it.
    pub fn name(&self, kind: Kind) -> &str {
        self.language.node_kind_for_id(kind).unwrap_or("?")
    }

    /// What a node of `parent` kind demands in `field` (0: of its unnamed children).
    pub fn arity(&self, parent: Kind, field: Field) -> Option<Arity> {
        let shape = self.shapes.get(&parent)?;
        if field == 0 { shape.children } else { shape.fields.get(&field).copied() }
    }

    /// Whether the kind holds statements or members, one after the other, each removable by itself.
    pub fn is_body(&self, kind: Kind) -> bool {
        self.body_kinds.contains(&kind)
    }

    /// Whether the kind is a comment.
    pub fn is_comment(&self, kind: Kind) -> bool {
        self.comment_kinds.contains(&kind)
    }

    /// Whether the kind is one word to a reader, though the grammar takes it apart.
    pub fn is_atomic(&self, kind: Kind) -> bool {
        self.atomic_kinds.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_tells_required_from_optional() {
        let grammar = Grammar::get();
        let if_statement = grammar.kind("if_statement");
        let arity = |field| grammar.arity(if_statement, grammar.field(field)).unwrap();
        assert!(arity("condition").required);
        assert!(!arity("alternative").required);
        assert!(grammar.arity(grammar.kind("block"), 0).unwrap().multiple);
    }

    #[test]
    fn every_kind_named_here_is_one_of_the_grammar() {
        let grammar = Grammar::get();
        for kind in
            grammar.body_kinds.iter().chain(&grammar.comment_kinds).chain(&grammar.atomic_kinds)
        {
            assert_ne!(*kind, 0);
        }
    }
}
