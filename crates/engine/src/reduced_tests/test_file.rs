//! A file of the test tree: its types, and the members that may be left out of it.

use crate::reduced_tests::mentions::Mentions;
use crate::select::declarations::{
    annotation_names, erase_type_arguments, find_superclass_node, has_modifier, is_test_annotation,
    last_part, qualified_name,
};
use mend_java::{NodeId, ParsedSource};
use std::collections::BTreeSet;
use std::ops::Range;

/// Annotations that do not change when a member is used.
const NEUTRAL_ANNOTATIONS: [&str; 3] = ["Deprecated", "SafeVarargs", "SuppressWarnings"];

/// Declarations of types in the grammar.
const TYPE_KINDS: [&str; 5] = [
    "annotation_type_declaration",
    "class_declaration",
    "enum_declaration",
    "interface_declaration",
    "record_declaration",
];

/// A file of the test tree.
#[derive(Debug, Default)]
pub(crate) struct TestFile {
    pub(crate) package: String,
    pub(crate) text: Vec<u8>,
    /// Enclosing declarations come before those inside them.
    pub(crate) declarations: Vec<Declaration>,
}

/// A type, import or member that can be left out as a whole. Code of a type outside such members is part of the type.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) kind: DeclarationKind,
    /// Simple names; several for a field with several variables, none for an import of a whole package.
    pub(crate) names: Vec<String>,
    pub(crate) bytes: Range<usize>,
    /// Index of the enclosing type.
    pub(crate) parent: Option<usize>,
    /// Names that it mentions outside other declarations.
    pub(crate) mentions: Mentions,
}

/// Kind of a declaration.
#[derive(Debug)]
pub(crate) enum DeclarationKind {
    Import,
    Type(TypeHeader),
    /// A method that a framework runs as a test.
    Test,
    /// A method that only code calls. If it is inheritable, code may call it through a supertype.
    Method {
        is_inheritable: bool,
    },
    Field,
}

/// Properties of a type.
#[derive(Debug, Default)]
pub(crate) struct TypeHeader {
    /// Simple names of the superclass and the interfaces.
    pub(crate) supertypes: BTreeSet<String>,
    /// Names of all methods.
    pub(crate) methods: BTreeSet<String>,
}

impl TestFile {
    /// Reads a file, which may have syntax errors.
    pub(crate) fn parse(text: Vec<u8>) -> Self {
        let mut file = Self::default();
        if let Some(parsed) = ParsedSource::parse_with_errors(text.as_slice().into()) {
            file = DeclarationReader { parsed: &parsed, file, nodes: Vec::new() }.read();
        }
        Self { text, ..file }
    }

    /// Returns the header of a declaration that is a type.
    pub(crate) fn type_header(&self, declaration: usize) -> Option<&TypeHeader> {
        match &self.declarations[declaration].kind {
            DeclarationKind::Type(header) => Some(header),
            _ => None,
        }
    }

    /// Returns the types, with their indices.
    pub(crate) fn types(&self) -> impl Iterator<Item = (usize, &TypeHeader)> {
        (0..self.declarations.len()).filter_map(|at| Some((at, self.type_header(at)?)))
    }

    /// Returns the name of a type within the package, with `$` before nested names.
    pub(crate) fn binary_name(&self, declaration: usize) -> String {
        let Declaration { names, parent, .. } = &self.declarations[declaration];
        let name = names.concat();
        parent.map_or(name.clone(), |parent| format!("{}${name}", self.binary_name(parent)))
    }

    /// Returns the full name of a declaration, such as `pkg.Class#member`.
    pub(crate) fn full_name(&self, declaration: usize) -> String {
        let package =
            if self.package.is_empty() { String::new() } else { format!("{}.", self.package) };
        let Declaration { kind, names, parent, .. } = &self.declarations[declaration];
        match (kind, parent) {
            (DeclarationKind::Type(_), _) | (_, None) => package + &self.binary_name(declaration),
            (_, Some(parent)) => {
                format!("{package}{}#{}", self.binary_name(*parent), names.join(", "))
            }
        }
    }

    /// Returns the declarations that contain a byte, outermost first.
    pub(crate) fn declarations_at(&self, byte: usize) -> impl Iterator<Item = usize> {
        let contains = move |at: &usize| self.declarations[*at].bytes.contains(&byte);
        (0..self.declarations.len()).filter(contains)
    }
}

/// Reads the declarations of a parsed file.
struct DeclarationReader<'a> {
    parsed: &'a ParsedSource,
    file: TestFile,
    /// Node of each declaration.
    nodes: Vec<NodeId>,
}

impl DeclarationReader<'_> {
    fn read(mut self) -> TestFile {
        for node in self.parsed.named_children(0) {
            match self.parsed.kind_name(node) {
                "package_declaration" => self.file.package = qualified_name(self.parsed, node),
                "import_declaration" => {
                    let is_whole = self
                        .parsed
                        .named_children(node)
                        .any(|n| self.parsed.kind_name(n) == "asterisk");
                    let name = qualified_name(self.parsed, node);
                    let name = name.rsplit('.').next().filter(|_| !is_whole).map(str::to_owned);
                    self.add(node, None, DeclarationKind::Import, name.into_iter().collect());
                }
                _ => self.add_type(node, None),
            }
        }
        self.add_mentions();
        self.file
    }

    fn add(
        &mut self,
        node: NodeId,
        parent: Option<usize>,
        kind: DeclarationKind,
        names: Vec<String>,
    ) -> usize {
        let (bytes, mentions) = (self.parsed.byte_range(node), Mentions::default());
        self.file.declarations.push(Declaration { kind, names, bytes, parent, mentions });
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn add_type(&mut self, node: NodeId, parent: Option<usize>) {
        let parsed = self.parsed;
        let (Some(name), Some(body)) =
            (parsed.child_by_name(node, "name"), parsed.child_by_name(node, "body"))
        else {
            return;
        };
        if !TYPE_KINDS.contains(&parsed.kind_name(node)) {
            return;
        }
        let members: Vec<NodeId> =
            parsed.named_children(body).flat_map(|member| self.members_in(member)).collect();
        let methods = members.iter().filter(|member| self.is_method(**member));
        let header = TypeHeader {
            supertypes: supertypes(parsed, node),
            methods: methods.map(|member| self.name_of(*member)).collect(),
        };
        let has_supertypes = !header.supertypes.is_empty();
        let are_all_tests =
            annotation_names(parsed, node).iter().any(|name| is_test_annotation(name));
        let name = parsed.str_of(name).to_owned();
        let owner = self.add(node, parent, DeclarationKind::Type(header), vec![name]);
        let framework_hints = FrameworkHints { has_supertypes, are_all_tests };
        for member in members {
            self.add_member(member, owner, framework_hints);
        }
    }

    /// Returns a member, or the members of an enum after its constants.
    fn members_in(&self, member: NodeId) -> Vec<NodeId> {
        match self.parsed.kind_name(member) {
            "enum_body_declarations" => self.parsed.named_children(member).collect(),
            _ => vec![member],
        }
    }

    fn is_method(&self, member: NodeId) -> bool {
        self.parsed.kind_name(member) == "method_declaration"
    }

    fn name_of(&self, member: NodeId) -> String {
        let name = self.parsed.child_by_name(member, "name");
        name.map(|name| self.parsed.str_of(name).to_owned()).unwrap_or_default()
    }

    fn add_member(&mut self, member: NodeId, owner: usize, hints: FrameworkHints) {
        match self.parsed.kind_name(member) {
            "method_declaration" => {
                if let Some(kind) = self.method_kind(member, hints) {
                    let name = self.name_of(member);
                    self.add(member, Some(owner), kind, vec![name]);
                }
            }
            "field_declaration" | "constant_declaration" if !self.is_annotated(member) => {
                let names = self.variable_names(member);
                self.add(member, Some(owner), DeclarationKind::Field, names);
            }
            _ => self.add_type(member, Some(owner)),
        }
    }

    /// Returns the kind of a method; `None` if its type cannot do without it: frameworks call it, or it has no body.
    fn method_kind(&self, method: NodeId, hints: FrameworkHints) -> Option<DeclarationKind> {
        let (parsed, name) = (self.parsed, self.name_of(method));
        let is_static = has_modifier(parsed, method, "static");
        let has_parameters = parsed
            .child_by_name(method, "parameters")
            .is_some_and(|parameters| parsed.named_children(parameters).next().is_some());
        if annotation_names(parsed, method).iter().any(|name| is_test_annotation(name)) {
            return Some(DeclarationKind::Test);
        }
        let is_main = is_static && name == "main";
        if self.is_annotated(method) || is_main || parsed.child_by_name(method, "body").is_none() {
            return None;
        }
        let is_junit_3_test = hints.has_supertypes && name.starts_with("test") && !has_parameters;
        let is_public = has_modifier(parsed, method, "public");
        if !is_static && is_public && (is_junit_3_test || hints.are_all_tests) {
            return Some(DeclarationKind::Test);
        }
        let is_inheritable = !is_static && !has_modifier(parsed, method, "private");
        Some(DeclarationKind::Method { is_inheritable })
    }

    fn is_annotated(&self, member: NodeId) -> bool {
        annotation_names(self.parsed, member)
            .iter()
            .any(|name| !NEUTRAL_ANNOTATIONS.contains(&last_part(name)))
    }

    fn variable_names(&self, field: NodeId) -> Vec<String> {
        let is_variable = |node: &NodeId| self.parsed.kind_name(*node) == "variable_declarator";
        let variables = self.parsed.named_children(field).filter(is_variable);
        variables.map(|variable| self.name_of(variable)).collect()
    }

    /// Adds the names that each declaration mentions.
    fn add_mentions(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for node in 0..self.parsed.nodes().len() {
            let is_closed = |at: &usize| node >= self.parsed.node(self.nodes[*at]).subtree_end;
            while open.last().is_some_and(is_closed) {
                open.pop();
            }
            if self.nodes.get(next) == Some(&node) {
                open.push(next);
                next += 1;
            }
            if let Some(at) = open.last() {
                self.file.declarations[*at].mentions.add_node(self.parsed, node);
            }
        }
    }
}

/// Properties of a type that tell which of its methods are tests.
#[derive(Clone, Copy)]
struct FrameworkHints {
    has_supertypes: bool,
    /// Every public method is a test.
    are_all_tests: bool,
}

fn supertypes(parsed: &ParsedSource, node: NodeId) -> BTreeSet<String> {
    let interfaces = parsed.child_by_name(node, "interfaces");
    let is_extends = |child: &NodeId| parsed.kind_name(*child) == "extends_interfaces";
    let extended = parsed.named_children(node).find(is_extends);
    let lists = interfaces.into_iter().chain(extended);
    let listed = lists.flat_map(|list| parsed.named_children(list));
    let types = listed.flat_map(|types| parsed.named_children(types));
    find_superclass_node(parsed, node)
        .into_iter()
        .chain(types)
        .map(|node| last_part(&erase_type_arguments(parsed.str_of(node))).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> Vec<String> {
        let file = TestFile::parse(text.into());
        let describe = |at: usize| {
            let kind = match &file.declarations[at].kind {
                DeclarationKind::Import => "import",
                DeclarationKind::Type(_) => "type",
                DeclarationKind::Test => "test",
                DeclarationKind::Method { is_inheritable: true } => "inheritable",
                DeclarationKind::Method { .. } => "method",
                DeclarationKind::Field => "field",
            };
            format!("{kind} {}", file.full_name(at))
        };
        (0..file.declarations.len()).map(describe).collect()
    }

    #[test]
    fn only_removable_members_are_declarations() {
        let text = "package p;\nimport a.B;\nimport static a.C.*;\nclass T<X> extends Base<X> implements a.I, J {\n\
            @Rule public Object rule;\n int x, y;\n T() {}\n static { f(); }\n @Before void before() {}\n\
            @Test @Fast void t() {}\n public void testOld() {}\n abstract void none();\n\
            private void a() {}\n void b() {}\n static void c() {}\n enum E { ONE; void d() {} }\n}\n";
        let expected = [
            "import p.B",
            "import p.",
            "type p.T",
            "field p.T#x, y",
            "test p.T#t",
            "test p.T#testOld",
            "method p.T#a",
            "inheritable p.T#b",
            "method p.T#c",
            "type p.T$E",
            "inheritable p.T$E#d",
        ];
        assert_eq!(describe(text), expected);
        let file = TestFile::parse(text.into());
        let header = file.type_header(2).unwrap();
        assert_eq!(header.supertypes.iter().collect::<Vec<_>>(), ["Base", "I", "J"]);
        assert!(header.methods.contains("none") && header.methods.contains("before"));
    }

    #[test]
    fn code_outside_members_belongs_to_the_type() {
        let file = TestFile::parse(
            "class T { int a = one(); T() { two(); } void m() { three(); } }".into(),
        );
        let calls = |at: usize| {
            let mentions = &file.declarations[at].mentions;
            ["one", "two", "three"].map(|name| mentions.has_call(name))
        };
        assert_eq!(calls(0), [false, true, false]);
        assert_eq!((calls(1), calls(2)), ([true, false, false], [false, false, true]));
    }

    #[test]
    fn interfaces_and_class_annotations_count() {
        let text = "@Test public class T { public void a() {} void b() {} }\n\
            interface K extends L<T>, M { void none(); default void some() {} }\n";
        let expected = ["type T", "test T#a", "inheritable T#b", "type K", "inheritable K#some"];
        assert_eq!(describe(text), expected);
        let file = TestFile::parse(text.into());
        let supertypes = &file.type_header(3).unwrap().supertypes;
        assert_eq!(supertypes.iter().collect::<Vec<_>>(), ["L", "M"]);
    }
}
