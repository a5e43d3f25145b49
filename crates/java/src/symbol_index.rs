//! Declarations and uses of names in a file, by syntax alone.

use super::grammar::Grammar;
use super::syntax::{NodeId, ParsedSource};
use crate::grammar_ids::{FieldId, NodeKindId};
use std::ops::Range;
use std::sync::LazyLock;

/// A declaration of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Simple name.
    pub name: Vec<u8>,
    /// Token of the name.
    pub token: usize,
    /// Kind of the definition.
    pub kind: DefinitionKind,
    /// Range of tokens in which the simple name refers to this declaration.
    pub scope: Range<usize>,
}

/// Kind of a declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionKind {
    /// A class, interface, enum, record or annotation.
    Type,
    /// A type parameter.
    TypeParameter,
    /// A method with this number of parameters; `None` for a variable number.
    Method(Option<usize>),
    /// A field or an enum constant.
    Field,
    /// A local variable, a parameter or a pattern variable.
    Local,
    /// A single-type or single-static import.
    Import,
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The simple name.
    pub name: Vec<u8>,
    /// Token of the name.
    pub token: usize,
    /// Required kind of the definition.
    pub kind: ReferenceKind,
}

/// Kind of definition that a use requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceKind {
    /// A type, or a type parameter.
    Type,
    /// A type named by an import.
    ImportedType,
    /// A method.
    Method {
        /// Number of arguments; `None` in a method reference.
        arguments: Option<usize>,
        /// True if called on another object than the enclosing one.
        qualified: bool,
    },
    /// A field of another object than the enclosing one.
    FieldAccess,
    /// A local variable, a field of the enclosing object, or a type used as a qualifier.
    SimpleName,
}

/// Declarations and uses of a file, each in the order of the tokens.
#[derive(Clone, Debug, Default)]
pub struct SymbolIndex {
    /// The declarations.
    pub definitions: Vec<Definition>,
    /// The uses.
    pub references: Vec<Reference>,
}

impl SymbolIndex {
    /// Collects the declarations and uses of a file.
    pub fn from_source(source: &ParsedSource) -> Self {
        let mut index = Self::default();
        for id in 0..source.nodes().len() {
            SymbolCollector { source, grammar_ids: GrammarIds::get() }.collect(id, &mut index);
        }
        index
    }
}

struct SymbolCollector<'a> {
    source: &'a ParsedSource,
    grammar_ids: &'static GrammarIds,
}

impl SymbolCollector<'_> {
    fn collect(&self, id: NodeId, index: &mut SymbolIndex) {
        let kind = self.source.node(id).kind;
        let ids = self.grammar_ids;
        if kind == ids.import_declaration {
            self.collect_import(id, index);
        } else if kind == ids.type_identifier {
            self.collect_type_name(id, index);
        } else if kind == ids.scoped_type_identifier {
            index.references.extend(self.create_reference(id, ReferenceKind::Type));
        } else if kind == ids.identifier {
            match self.find_definition(id) {
                Some(definition) => index.definitions.push(definition),
                None => index.references.extend(
                    self.reference_kind(id).and_then(|kind| self.create_reference(id, kind)),
                ),
            }
        }
    }

    fn create_reference(&self, id: NodeId, kind: ReferenceKind) -> Option<Reference> {
        let token = self.source.node(id).tokens.clone().next()?;
        Some(Reference { name: simple_name(self.source.token_text(token)).to_vec(), token, kind })
    }

    fn create_definition(
        &self,
        id: NodeId,
        kind: DefinitionKind,
        scope: NodeId,
    ) -> Option<Definition> {
        let token = self.source.node(id).tokens.clone().next()?;
        let name = simple_name(self.source.token_text(token)).to_vec();
        Some(Definition { name, token, kind, scope: self.source.node(scope).tokens.clone() })
    }

    fn collect_import(&self, id: NodeId, index: &mut SymbolIndex) {
        let kinds: Vec<NodeKindId> =
            self.source.children(id).map(|child| self.source.node(child).kind).collect();
        let path = self.source.children(id).find(|child| {
            let kind = self.source.node(*child).kind;
            kind == self.grammar_ids.scoped_identifier || kind == self.grammar_ids.identifier
        });
        let Some(path) = path.filter(|_| !kinds.contains(&self.grammar_ids.asterisk)) else {
            return;
        };
        index.definitions.extend(self.create_definition(path, DefinitionKind::Import, 0));
        index.references.extend(self.create_reference(path, ReferenceKind::ImportedType));
    }

    fn collect_type_name(&self, id: NodeId, index: &mut SymbolIndex) {
        let parent = self.source.node(id).parent;
        if self.source.node(parent).kind == self.grammar_ids.type_parameter {
            let owner = self.source.ancestors(parent).nth(1).unwrap_or(0);
            index.definitions.extend(self.create_definition(
                id,
                DefinitionKind::TypeParameter,
                owner,
            ));
        } else {
            index.references.extend(self.create_reference(id, ReferenceKind::Type));
        }
    }

    fn find_definition(&self, id: NodeId) -> Option<Definition> {
        let ids = self.grammar_ids;
        let node = self.source.node(id);
        let parent = node.parent;
        let parent_kind = self.source.node(parent).kind;
        let is_name = node.field == ids.name;
        let is_parameter = node.field == ids.parameters || parent_kind == ids.inferred_parameters;
        if is_name && ids.types.contains(&parent_kind) {
            return self.create_definition(id, DefinitionKind::Type, 0);
        }
        if is_name && ids.methods.contains(&parent_kind) {
            return self.create_definition(
                id,
                DefinitionKind::Method(self.parameter_count(parent)),
                self.enclosing_body(parent),
            );
        }
        if is_name && parent_kind == ids.enum_constant {
            return self.create_definition(id, DefinitionKind::Field, self.enclosing_body(parent));
        }
        if is_name && parent_kind == ids.variable_declarator {
            return self.create_variable_definition(id, parent);
        }
        let is_local = (is_name && ids.locals.contains(&parent_kind))
            || (is_parameter && parent_kind != ids.method_invocation)
            || parent_kind == ids.type_pattern
            || parent_kind == ids.record_pattern_component;
        is_local
            .then(|| self.create_definition(id, DefinitionKind::Local, self.local_scope(parent)))?
    }

    fn create_variable_definition(&self, id: NodeId, declarator: NodeId) -> Option<Definition> {
        let declaration = self.source.node(declarator).parent;
        let kind = self.source.node(declaration).kind;
        if kind == self.grammar_ids.field_declaration
            || kind == self.grammar_ids.constant_declaration
        {
            return self.create_definition(
                id,
                DefinitionKind::Field,
                self.enclosing_body(declaration),
            );
        }
        self.create_definition(id, DefinitionKind::Local, self.local_scope(declaration))
    }

    /// Returns the innermost body around a member.
    fn enclosing_body(&self, id: NodeId) -> NodeId {
        self.source.node(id).parent
    }

    /// Returns the innermost construct that ends a local variable's scope.
    fn local_scope(&self, id: NodeId) -> NodeId {
        std::iter::once(id)
            .chain(self.source.ancestors(id))
            .find(|node| self.grammar_ids.scopes.contains(&self.source.node(*node).kind))
            .unwrap_or(0)
    }

    fn parameter_count(&self, method: NodeId) -> Option<usize> {
        let Some(parameters) = self.source.child(method, self.grammar_ids.parameters) else {
            return Some(0);
        };
        let kinds: Vec<NodeKindId> =
            self.source.children(parameters).map(|child| self.source.node(child).kind).collect();
        let is_varargs = kinds.contains(&self.grammar_ids.spread_parameter);
        (!is_varargs).then(|| {
            kinds.iter().filter(|kind| **kind == self.grammar_ids.formal_parameter).count()
        })
    }

    fn reference_kind(&self, id: NodeId) -> Option<ReferenceKind> {
        let ids = self.grammar_ids;
        let node = self.source.node(id);
        let parent = self.source.node(node.parent);
        if parent.kind == ids.method_invocation && node.field == ids.name {
            return Some(ReferenceKind::Method {
                arguments: self.argument_count(node.parent),
                qualified: self.is_qualified(node.parent),
            });
        }
        if parent.kind == ids.field_access && node.field == ids.field {
            let qualified = self.is_qualified(node.parent);
            return Some(if qualified {
                ReferenceKind::FieldAccess
            } else {
                ReferenceKind::SimpleName
            });
        }
        if parent.kind == ids.method_reference && node.tokens.start + 1 == parent.tokens.end {
            return Some(ReferenceKind::Method { arguments: None, qualified: true });
        }
        let is_constructor = node.field == ids.name && ids.constructors.contains(&parent.kind);
        if is_constructor || (node.field == ids.name && ids.annotations.contains(&parent.kind)) {
            return Some(ReferenceKind::Type);
        }
        (!ids.labels.contains(&parent.kind)).then_some(ReferenceKind::SimpleName)
    }

    fn argument_count(&self, call: NodeId) -> Option<usize> {
        let list = self.source.child(call, self.grammar_ids.arguments)?;
        Some(self.source.children(list).filter(|child| self.source.node(*child).is_named).count())
    }

    fn is_qualified(&self, id: NodeId) -> bool {
        let object = self.source.child(id, self.grammar_ids.object);
        object.is_some_and(|object| self.source.node(object).kind != self.grammar_ids.this)
    }
}

/// Returns the component after the last dot, without white space.
fn simple_name(text: &[u8]) -> &[u8] {
    text.rsplit(|byte| *byte == b'.').next().unwrap_or(text).trim_ascii()
}

/// Ids of relevant kinds and fields, looked up once.
struct GrammarIds {
    import_declaration: NodeKindId,
    asterisk: NodeKindId,
    identifier: NodeKindId,
    type_identifier: NodeKindId,
    scoped_identifier: NodeKindId,
    scoped_type_identifier: NodeKindId,
    type_parameter: NodeKindId,
    type_pattern: NodeKindId,
    record_pattern_component: NodeKindId,
    inferred_parameters: NodeKindId,
    formal_parameter: NodeKindId,
    spread_parameter: NodeKindId,
    variable_declarator: NodeKindId,
    field_declaration: NodeKindId,
    constant_declaration: NodeKindId,
    enum_constant: NodeKindId,
    method_invocation: NodeKindId,
    method_reference: NodeKindId,
    field_access: NodeKindId,
    this: NodeKindId,
    types: Vec<NodeKindId>,
    methods: Vec<NodeKindId>,
    constructors: Vec<NodeKindId>,
    annotations: Vec<NodeKindId>,
    locals: Vec<NodeKindId>,
    labels: Vec<NodeKindId>,
    scopes: Vec<NodeKindId>,
    name: FieldId,
    parameters: FieldId,
    arguments: FieldId,
    object: FieldId,
    field: FieldId,
}

impl GrammarIds {
    fn get() -> &'static Self {
        static GRAMMAR_IDS: LazyLock<GrammarIds> = LazyLock::new(GrammarIds::load);
        &GRAMMAR_IDS
    }

    fn load() -> Self {
        let grammar = Grammar::get();
        let kind = |name| grammar.kind_id(name);
        let kinds =
            |names: &str| names.split_whitespace().map(|name| grammar.kind_id(name)).collect();
        Self {
            import_declaration: kind("import_declaration"),
            asterisk: kind("asterisk"),
            identifier: kind("identifier"),
            type_identifier: kind("type_identifier"),
            scoped_identifier: kind("scoped_identifier"),
            scoped_type_identifier: kind("scoped_type_identifier"),
            type_parameter: kind("type_parameter"),
            type_pattern: kind("type_pattern"),
            record_pattern_component: kind("record_pattern_component"),
            inferred_parameters: kind("inferred_parameters"),
            formal_parameter: kind("formal_parameter"),
            spread_parameter: kind("spread_parameter"),
            variable_declarator: kind("variable_declarator"),
            field_declaration: kind("field_declaration"),
            constant_declaration: kind("constant_declaration"),
            enum_constant: kind("enum_constant"),
            method_invocation: kind("method_invocation"),
            method_reference: kind("method_reference"),
            field_access: kind("field_access"),
            this: kind("this"),
            types: kinds(
                "class_declaration interface_declaration enum_declaration record_declaration \
                 annotation_type_declaration",
            ),
            methods: kinds("method_declaration annotation_type_element_declaration"),
            constructors: kinds("constructor_declaration compact_constructor_declaration"),
            annotations: kinds("annotation marker_annotation"),
            locals: kinds(
                "formal_parameter catch_formal_parameter enhanced_for_statement resource \
                 instanceof_expression",
            ),
            labels: kinds(
                "labeled_statement break_statement continue_statement package_declaration \
                 import_declaration",
            ),
            scopes: kinds(
                "block constructor_body switch_block_statement_group switch_rule for_statement \
                 enhanced_for_statement method_declaration constructor_declaration lambda_expression \
                 catch_clause try_with_resources_statement record_declaration",
            ),
            name: grammar.field_id("name"),
            parameters: grammar.field_id("parameters"),
            arguments: grammar.field_id("arguments"),
            object: grammar.field_id("object"),
            field: grammar.field_id("field"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_symbols(text: &str) -> SymbolIndex {
        SymbolIndex::from_source(&ParsedSource::parse(text.as_bytes().into()).unwrap())
    }

    fn definition_names(names: &SymbolIndex) -> Vec<(String, DefinitionKind)> {
        let text = |definition: &Definition| String::from_utf8(definition.name.clone()).unwrap();
        names.definitions.iter().map(|definition| (text(definition), definition.kind)).collect()
    }

    #[test]
    fn all_declaration_kinds_are_found() {
        use DefinitionKind::{Field, Import, Local, Method, Type, TypeParameter};
        let symbol_index = index_symbols(
            "import a.B; import a.c.*; class K<T> { int f; void m(int p, long q) { String s = null;
             for (var e : x) {} try (R r = o()) {} catch (E c) {} g(l -> l); } void v(int... n) {} }
             enum N { ONE }",
        );
        let expected = [
            ("B", Import),
            ("K", Type),
            ("T", TypeParameter),
            ("f", Field),
            ("m", Method(Some(2))),
            ("p", Local),
            ("q", Local),
            ("s", Local),
            ("e", Local),
            ("r", Local),
            ("c", Local),
            ("l", Local),
            ("v", Method(None)),
            ("n", Local),
            ("N", Type),
            ("ONE", Field),
        ];
        let expected: Vec<_> =
            expected.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        assert_eq!(definition_names(&symbol_index), expected);
    }

    #[test]
    fn references_have_required_kind() {
        let symbol_index = index_symbols(
            "class K { void m() { a.b(1, c); this.d = e.f; label: break label; } @G int h; }",
        );
        let text = |used: &Reference| (String::from_utf8(used.name.clone()).unwrap(), used.kind);
        let uses: Vec<_> = symbol_index.references.iter().map(text).collect();
        let expected = [
            ("a", ReferenceKind::SimpleName),
            ("b", ReferenceKind::Method { arguments: Some(2), qualified: true }),
            ("c", ReferenceKind::SimpleName),
            ("d", ReferenceKind::SimpleName),
            ("e", ReferenceKind::SimpleName),
            ("f", ReferenceKind::FieldAccess),
            ("G", ReferenceKind::Type),
        ];
        let expected: Vec<_> =
            expected.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        assert_eq!(uses, expected);
    }

    #[test]
    fn local_scope_is_its_block() {
        let symbol_index = index_symbols("class K { void m() { { int a = 1; } int b = 2; } }");
        let scope = |name: &[u8]| {
            symbol_index
                .definitions
                .iter()
                .find(|definition| definition.name == name)
                .unwrap()
                .scope
                .len()
        };
        assert_eq!(scope(b"a"), 7);
        assert!(scope(b"b") > scope(b"a"));
    }
}
