//! Java grammar: node kinds, and their allowed children as described by the grammar itself.

use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use tree_sitter::Language;

use crate::grammar_ids::{FieldId, NodeKindId};

/// Number of children allowed in a field or without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Arity {
    /// True if there may be more than one.
    pub multiple: bool,
    /// True if there must be at least one.
    pub required: bool,
}

#[derive(Default)]
struct NodeShape {
    children: Option<Arity>,
    fields: HashMap<FieldId, Arity>,
    /// Kinds accepted in each field (0: without a field).
    accepted_kinds: HashMap<FieldId, HashSet<NodeKindId>>,
}

/// Java grammar with the requirements of its node kinds.
pub struct Grammar {
    language: Language,
    /// Index of kinds: the grammar library would search all names linearly.
    kinds: HashMap<String, NodeKindId>,
    fields: HashMap<String, FieldId>,
    shapes: HashMap<NodeKindId, NodeShape>,
    body_kinds: Vec<NodeKindId>,
    comment_kinds: Vec<NodeKindId>,
    atomic_kinds: Vec<NodeKindId>,
    clause_kinds: Vec<NodeKindId>,
    fixed_length_list_kinds: Vec<NodeKindId>,
}

#[derive(Deserialize)]
struct GrammarNodeType {
    r#type: String,
    named: bool,
    #[serde(default)]
    fields: HashMap<String, ChildSpec>,
    children: Option<ChildSpec>,
    #[serde(default)]
    subtypes: Vec<GrammarTypeName>,
}

/// Number and kinds of children allowed in a field.
#[derive(Deserialize)]
struct ChildSpec {
    #[serde(flatten)]
    arity: Arity,
    types: Vec<GrammarTypeName>,
}

#[derive(Clone, Deserialize)]
struct GrammarTypeName {
    r#type: String,
    named: bool,
}

impl GrammarNodeType {
    fn shape(&self, language: &Language, types: &HashMap<&str, &Self>) -> NodeShape {
        let field = |name: &str| Some(language.field_id_for_name(name)?.get());
        let child_specs =
            self.fields.iter().filter_map(|(name, child_spec)| Some((field(name)?, child_spec)));
        let child_specs: Vec<(FieldId, &ChildSpec)> =
            child_specs.chain(self.children.as_ref().map(|child_spec| (0, child_spec))).collect();
        let accepted_kinds = |child_spec: &ChildSpec| {
            let mut names = HashSet::new();
            child_spec
                .types
                .iter()
                .for_each(|name| collect_concrete_kinds(name, types, &mut names));
            names.into_iter().map(|name| language.id_for_node_kind(&name, true)).collect()
        };
        NodeShape {
            children: self.children.as_ref().map(|child_spec| child_spec.arity),
            fields: child_specs
                .iter()
                .filter(|(field, _)| *field != 0)
                .map(|(field, child_spec)| (*field, child_spec.arity))
                .collect(),
            accepted_kinds: child_specs
                .iter()
                .map(|(field, child_spec)| (*field, accepted_kinds(child_spec)))
                .collect(),
        }
    }
}

/// Collects the name of a concrete kind, or the names of its subtypes.
fn collect_concrete_kinds(
    name: &GrammarTypeName,
    types: &HashMap<&str, &GrammarNodeType>,
    names: &mut HashSet<String>,
) {
    let subtypes = types.get(name.r#type.as_str()).map_or(&[][..], |node| &node.subtypes);
    if subtypes.is_empty() && name.named {
        names.insert(name.r#type.clone());
    }
    for subtype in subtypes {
        collect_concrete_kinds(subtype, types, names);
    }
}

impl Grammar {
    /// Highlighting query of the grammar's authors.
    pub(super) const HIGHLIGHT_QUERY: &str = tree_sitter_java_orchard::HIGHLIGHTS_QUERY;

    /// Returns the grammar, which is loaded once.
    pub fn get() -> &'static Self {
        static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::load);
        &GRAMMAR
    }

    fn load() -> Self {
        let language: Language = tree_sitter_java_orchard::LANGUAGE.into();
        // The description is part of the grammar crate. If it were unreadable, there would be no shapes, and every
        // change of a node's children would be one hunk. A test checks that it is readable.
        let types: Vec<GrammarNodeType> =
            serde_json::from_str(tree_sitter_java_orchard::NODE_TYPES).unwrap_or_default();
        let by_name: HashMap<&str, &GrammarNodeType> = types
            .iter()
            .filter(|node| node.named)
            .map(|node| (node.r#type.as_str(), node))
            .collect();
        let shapes = by_name
            .iter()
            .map(|(name, node)| {
                (language.id_for_node_kind(name, true), node.shape(&language, &by_name))
            })
            .collect();
        let kinds = |names: &[&str]| {
            names.iter().map(|name| language.id_for_node_kind(name, true)).collect()
        };
        Self {
            kinds: map_kind_ids(&language),
            fields: map_field_ids(&language),
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
            clause_kinds: kinds(&["catch_clause", "finally_clause"]),
            fixed_length_list_kinds: kinds(&[
                "argument_list",
                "annotation_argument_list",
                "formal_parameters",
                "record_pattern_body",
                "type_arguments",
            ]),
            language,
        }
    }

    /// Returns the grammar for the parser.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// Returns the number of a named kind.
    pub fn kind_id(&self, name: &str) -> NodeKindId {
        self.kinds.get(name).copied().unwrap_or_default()
    }

    /// Returns the number of a field.
    pub fn field_id(&self, name: &str) -> FieldId {
        self.fields.get(name).copied().unwrap_or_default()
    }

    /// Returns the name of a kind, as shown in error messages and graphs.
    pub fn kind_name(&self, kind: NodeKindId) -> &str {
        self.language.node_kind_for_id(kind).unwrap_or("?")
    }

    /// Returns the arity of `field` in a node of `parent` kind (0: unnamed children).
    pub fn arity(&self, parent: NodeKindId, field: FieldId) -> Option<Arity> {
        let shape = self.shapes.get(&parent)?;
        if field == 0 { shape.children } else { shape.fields.get(&field).copied() }
    }

    /// Returns true if a node of `parent` kind can have a `child` in `field` (0: without a field).
    pub fn accepts(&self, parent: NodeKindId, field: FieldId, child: NodeKindId) -> bool {
        let accepted = self.shapes.get(&parent).and_then(|shape| shape.accepted_kinds.get(&field));
        accepted.is_some_and(|kinds| kinds.contains(&child))
    }

    /// Returns true if the kind is a sequence of statements or members, each of which can be removed alone.
    pub fn is_body(&self, kind: NodeKindId) -> bool {
        self.body_kinds.contains(&kind)
    }

    /// Returns true if the kind is a comment.
    pub fn is_comment(&self, kind: NodeKindId) -> bool {
        self.comment_kinds.contains(&kind)
    }

    /// Returns true for a kind of clause that may follow a statement's body any number of times.
    pub fn is_clause(&self, kind: NodeKindId) -> bool {
        self.clause_kinds.contains(&kind)
    }

    /// Returns true if the kind is a list whose length is fixed by a declaration elsewhere.
    pub fn is_fixed_length_list(&self, kind: NodeKindId) -> bool {
        self.fixed_length_list_kinds.contains(&kind)
    }

    /// Returns true if the kind is one token for readers, though the grammar splits it.
    pub fn is_atomic(&self, kind: NodeKindId) -> bool {
        self.atomic_kinds.contains(&kind)
    }
}

fn map_kind_ids(language: &Language) -> HashMap<String, NodeKindId> {
    let ids = (0..language.node_kind_count()).filter_map(|id| NodeKindId::try_from(id).ok());
    let names = ids.filter_map(|id| language.node_kind_for_id(id));
    names.map(|name| (name.to_owned(), language.id_for_node_kind(name, true))).collect()
}

fn map_field_ids(language: &Language) -> HashMap<String, FieldId> {
    let ids = (1..=language.field_count()).filter_map(|id| FieldId::try_from(id).ok());
    ids.filter_map(|id| Some((language.field_name_for_id(id)?.to_owned(), id))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_field_ids_match_language() {
        let grammar = Grammar::get();
        for name in ["identifier", "block", "expression", "no_such_kind"] {
            assert_eq!(grammar.kind_id(name), grammar.language().id_for_node_kind(name, true));
        }
        for name in ["name", "body", "no_such_field"] {
            let expected = grammar.language().field_id_for_name(name);
            assert_eq!(grammar.field_id(name), expected.map_or(0, std::num::NonZero::get));
        }
    }

    #[test]
    fn required_children_are_recognised() {
        let grammar = Grammar::get();
        let if_statement = grammar.kind_id("if_statement");
        let arity = |field| grammar.arity(if_statement, grammar.field_id(field)).unwrap();
        assert!(arity("condition").required);
        assert!(!arity("alternative").required);
        assert!(grammar.arity(grammar.kind_id("block"), 0).unwrap().multiple);
    }

    #[test]
    fn accepted_children_are_recognised() {
        let grammar = Grammar::get();
        let accepts = |parent, field, child| {
            grammar.accepts(
                grammar.kind_id(parent),
                grammar.field_id(field),
                grammar.kind_id(child),
            )
        };
        assert!(accepts("if_statement", "alternative", "while_statement"));
        assert!(accepts("block", "", "if_statement"));
        assert!(!accepts("block", "", "identifier"));
        assert!(accepts("method_invocation", "object", "method_invocation"));
        assert!(!accepts("method_invocation", "object", "binary_expression"));
    }

    #[test]
    fn listed_kinds_exist_in_grammar() {
        let grammar = Grammar::get();
        let lists = [
            &grammar.body_kinds,
            &grammar.comment_kinds,
            &grammar.atomic_kinds,
            &grammar.clause_kinds,
            &grammar.fixed_length_list_kinds,
        ];
        assert!(lists.into_iter().flatten().all(|kind| *kind != 0));
    }
}
