//! Declarations of a Java source file, for the selection of tests.

use crate::Framework;
use tree_sitter::{Node, Parser};

/// A source file's imports and types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JavaSource {
    pub(crate) package: String,
    /// Imports as written, without `static` and `.*`.
    pub(crate) imports: Vec<String>,
    /// Outer types before those inside them.
    pub(crate) types: Vec<JavaType>,
}

/// A class, interface, record or enum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JavaType {
    /// Without package, `$` before nested names.
    pub(crate) name: String,
    pub(crate) is_abstract: bool,
    /// Superclass as written, without type arguments.
    pub(crate) superclass: Option<String>,
    /// Annotations as written, without `@`.
    pub(crate) annotations: Vec<String>,
    pub(crate) methods: Vec<JavaMethod>,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JavaMethod {
    pub(crate) name: String,
    pub(crate) annotations: Vec<String>,
    /// True for `public static void main(String[])`, which the JVM can start.
    pub(crate) is_main: bool,
}

impl JavaSource {
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut parser = Parser::new();
        let mut source = Self::default();
        if parser.set_language(&tree_sitter_java_orchard::LANGUAGE.into()).is_err() {
            return source;
        }
        let Some(tree) = parser.parse(text, None) else { return source };
        for node in children(tree.root_node()) {
            match node.kind() {
                "package_declaration" => source.package = qualified_name(node, text),
                "import_declaration" => source.imports.push(qualified_name(node, text)),
                _ => source.add_type(node, "", text),
            }
        }
        source
    }

    fn add_type(&mut self, node: Node<'_>, outer: &str, text: &[u8]) {
        let is_interface = node.kind() == "interface_declaration";
        let is_type = is_interface
            || ["class_declaration", "record_declaration", "enum_declaration"]
                .contains(&node.kind());
        let (Some(name), Some(body)) =
            (node.child_by_field_name("name"), node.child_by_field_name("body"))
        else {
            return;
        };
        if !is_type {
            return;
        }
        let name = format!("{outer}{}", text_of(name, text));
        let superclass = node.child_by_field_name("superclass");
        let superclass = superclass.and_then(|node| children(node).next());
        let position = self.types.len();
        self.types.push(JavaType {
            name: name.clone(),
            is_abstract: is_interface || has_modifier(node, "abstract", text),
            superclass: superclass.map(|node| without_arguments(text_of(node, text))),
            annotations: annotations(node, text),
            methods: Vec::new(),
        });
        for member in children(body) {
            if member.kind() == "method_declaration" {
                self.types[position].methods.push(method(member, text));
            } else {
                self.add_type(member, &format!("{name}$"), text);
            }
        }
    }

    /// The type of a name such as `Outer$Inner`.
    pub(crate) fn named(&self, name: &str) -> Option<&JavaType> {
        self.types.iter().find(|java_type| java_type.name == name)
    }

    /// Detects the test framework from imports, qualified superclasses and annotations.
    pub(crate) fn evidence(&self) -> Option<Framework> {
        let superclasses = self.types.iter().filter_map(|java_type| java_type.superclass.as_ref());
        let annotations = self
            .types
            .iter()
            .flat_map(|java_type| java_type.methods.iter().flat_map(|method| &method.annotations));
        let of_types = self.types.iter().flat_map(|java_type| &java_type.annotations);
        let names: Vec<&String> =
            self.imports.iter().chain(superclasses).chain(annotations).chain(of_types).collect();
        let uses = |package: &str| {
            let is_in = |rest: &str| rest.is_empty() || rest.starts_with('.');
            names.iter().any(|name| name.strip_prefix(package).is_some_and(is_in))
        };
        if uses("org.junit.jupiter") {
            Some(Framework::JUnitPlatform)
        } else if uses("org.junit") || uses("junit") {
            Some(Framework::JUnit4)
        } else if uses("org.testng") {
            Some(Framework::TestNg)
        } else {
            None
        }
    }
}

impl JavaType {
    /// Returns true if the type or a supertype may contain tests.
    pub(crate) fn may_hold_tests(&self) -> bool {
        let simple = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let is_test = |name: &String| {
            let name = simple(name);
            name.ends_with("Test")
                || ["TestFactory", "TestTemplate", "Theory", "Property"].contains(&name.as_str())
        };
        self.superclass.is_some()
            || self.annotations.iter().any(|name| ["RunWith", "Test"].contains(&&*simple(name)))
            || self.methods.iter().any(|method| method.annotations.iter().any(is_test))
    }

    pub(crate) fn has_main(&self) -> bool {
        self.methods.iter().any(|method| method.is_main)
    }
}

fn method(node: Node<'_>, text: &[u8]) -> JavaMethod {
    let field = |name| node.child_by_field_name(name).map(|n| text_of(n, text)).unwrap_or_default();
    let name = field("name");
    let parameters = field("parameters");
    let is_main = name == "main"
        && field("type") == "void"
        && has_modifier(node, "public", text)
        && has_modifier(node, "static", text)
        && parameters.contains("String")
        && (parameters.contains('[') || parameters.contains("..."))
        && !parameters.contains(',');
    JavaMethod { name: name.to_owned(), annotations: annotations(node, text), is_main }
}

pub(crate) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
    (0..count).filter_map(move |index| node.named_child(index))
}

fn modifiers(node: Node<'_>) -> Option<Node<'_>> {
    children(node).find(|child| child.kind() == "modifiers")
}

fn has_modifier(node: Node<'_>, modifier: &str, text: &[u8]) -> bool {
    modifiers(node).is_some_and(|modifiers| {
        let mut cursor = modifiers.walk();
        modifiers.children(&mut cursor).any(|child| text_of(child, text) == modifier)
    })
}

fn annotations(node: Node<'_>, text: &[u8]) -> Vec<String> {
    let found = modifiers(node).into_iter().flat_map(children);
    found
        .filter(|child| child.kind().ends_with("annotation"))
        .filter_map(|annotation| annotation.child_by_field_name("name"))
        .map(|name| text_of(name, text).to_owned())
        .collect()
}

pub(crate) fn qualified_name(declaration: Node<'_>, text: &[u8]) -> String {
    let is_name = |node: &Node<'_>| ["scoped_identifier", "identifier"].contains(&node.kind());
    let name = children(declaration).find(is_name).map(|node| text_of(node, text));
    name.unwrap_or_default().split_whitespace().collect()
}

fn without_arguments(name: &str) -> String {
    name.split('<').next().unwrap_or(name).trim().to_owned()
}

pub(crate) fn text_of<'a>(node: Node<'_>, text: &'a [u8]) -> &'a str {
    node.utf8_text(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_the_jvm_names_them() {
        let source = JavaSource::parse(
            b"package a.b; import static org.junit.Assert.*; import x.Y;\n\
              public abstract class C extends D<String> { @Test void t() {} class E { interface F {} }\n\
              public static void main(String... args) {} }",
        );
        assert_eq!(source.package, "a.b");
        assert_eq!(source.imports, ["org.junit.Assert", "x.Y"]);
        let names: Vec<_> = source.types.iter().map(|java_type| java_type.name.as_str()).collect();
        assert_eq!(names, ["C", "C$E", "C$E$F"]);
        let class = source.named("C").unwrap();
        assert_eq!(
            (class.is_abstract, class.has_main(), class.may_hold_tests()),
            (true, true, true)
        );
        assert_eq!(class.superclass.as_deref(), Some("D"));
        assert_eq!(class.methods[0].annotations, ["Test"]);
    }

    #[test]
    fn the_framework_shows_in_imports_and_full_names() {
        let evidence = |text: &str| JavaSource::parse(text.as_bytes()).evidence();
        assert_eq!(
            evidence("import org.junit.jupiter.api.Test; class A {}"),
            Some(Framework::JUnitPlatform)
        );
        assert_eq!(evidence("import org.junitpioneer.jupiter.Retry; class A {}"), None);
        assert_eq!(
            evidence("class A { @org.junit.Test public void t() {} }"),
            Some(Framework::JUnit4)
        );
        assert_eq!(
            evidence("class A extends junit.framework.TestCase {}"),
            Some(Framework::JUnit4)
        );
        assert_eq!(
            evidence("import org.testng.annotations.*; class A {}"),
            Some(Framework::TestNg)
        );
        assert_eq!(
            evidence("@org.testng.annotations.Test class A { public void t() {} }"),
            Some(Framework::TestNg)
        );
        assert_eq!(evidence("// org.junit.Test\nclass A {}"), None);
    }
}
