//! Declarations in a Java source file, for the selection of tests.

use crate::Framework;
use mend_java::{NodeId, ParsedSource};

/// Package, imports and types of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JavaSource {
    pub(crate) package: String,
    /// Imports as written, without `static` and `.*`.
    pub(crate) imports: Vec<String>,
    /// Types, outer ones before nested ones.
    pub(crate) types: Vec<JavaType>,
}

/// A class, interface, record or enum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JavaType {
    /// Name without package, with `$` before nested names.
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
    /// Parses a file, which may have syntax errors.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut source = Self::default();
        let Some(parsed) = ParsedSource::parse_with_errors(text.into()) else { return source };
        for node in parsed.named_children(0) {
            match parsed.kind_name(node) {
                "package_declaration" => source.package = qualified_name(&parsed, node),
                "import_declaration" => source.imports.push(qualified_name(&parsed, node)),
                _ => source.add_type(&parsed, node, ""),
            }
        }
        source
    }

    fn add_type(&mut self, parsed: &ParsedSource, node: NodeId, outer: &str) {
        let kind = parsed.kind_name(node);
        let is_interface = kind == "interface_declaration";
        let is_type = is_interface
            || ["class_declaration", "record_declaration", "enum_declaration"].contains(&kind);
        let (Some(name), Some(body)) =
            (parsed.child_by_name(node, "name"), parsed.child_by_name(node, "body"))
        else {
            return;
        };
        if !is_type {
            return;
        }
        let name = format!("{outer}{}", parsed.str_of(name));
        let superclass = find_superclass_node(parsed, node);
        let position = self.types.len();
        self.types.push(JavaType {
            name: name.clone(),
            is_abstract: is_interface || has_modifier(parsed, node, "abstract"),
            superclass: superclass.map(|node| erase_type_arguments(parsed.str_of(node))),
            annotations: annotation_names(parsed, node),
            methods: Vec::new(),
        });
        for member in parsed.named_children(body) {
            if parsed.kind_name(member) == "method_declaration" {
                self.types[position].methods.push(parse_method(parsed, member));
            } else {
                self.add_type(parsed, member, &format!("{name}$"));
            }
        }
    }

    /// Returns the type with a name such as `Outer$Inner`.
    pub(crate) fn find_type(&self, name: &str) -> Option<&JavaType> {
        self.types.iter().find(|java_type| java_type.name == name)
    }

    /// Detects the test framework from imports, qualified superclasses and annotations.
    pub(crate) fn detect_framework(&self) -> Option<Framework> {
        let superclasses = self.types.iter().filter_map(|java_type| java_type.superclass.as_ref());
        let annotations = self
            .types
            .iter()
            .flat_map(|java_type| java_type.methods.iter().flat_map(|method| &method.annotations));
        let type_annotations = self.types.iter().flat_map(|java_type| &java_type.annotations);
        let names: Vec<&String> = self
            .imports
            .iter()
            .chain(superclasses)
            .chain(annotations)
            .chain(type_annotations)
            .collect();
        let has_name_in = |package: &str| {
            let is_in = |rest: &str| rest.is_empty() || rest.starts_with('.');
            names.iter().any(|name| name.strip_prefix(package).is_some_and(is_in))
        };
        if has_name_in("org.junit.jupiter") {
            Some(Framework::JUnitPlatform)
        } else if has_name_in("org.junit") || has_name_in("junit") {
            Some(Framework::JUnit4)
        } else if has_name_in("org.testng") {
            Some(Framework::TestNg)
        } else {
            None
        }
    }
}

impl JavaType {
    /// Returns true if the type or a supertype may contain tests.
    pub(crate) fn can_have_tests(&self) -> bool {
        let is_test =
            |method: &JavaMethod| method.annotations.iter().any(|name| is_test_annotation(name));
        self.superclass.is_some()
            || self.annotations.iter().any(|name| ["RunWith", "Test"].contains(&last_part(name)))
            || self.methods.iter().any(is_test)
    }

    pub(crate) fn has_main_method(&self) -> bool {
        self.methods.iter().any(|method| method.is_main)
    }
}

fn parse_method(parsed: &ParsedSource, node: NodeId) -> JavaMethod {
    let field_text = |name| {
        parsed.child_by_name(node, name).map(|child| parsed.str_of(child)).unwrap_or_default()
    };
    let name = field_text("name");
    let parameters = field_text("parameters");
    let is_main = name == "main"
        && field_text("type") == "void"
        && has_modifier(parsed, node, "public")
        && has_modifier(parsed, node, "static")
        && parameters.contains("String")
        && (parameters.contains('[') || parameters.contains("..."))
        && !parameters.contains(',');
    JavaMethod { name: name.to_owned(), annotations: annotation_names(parsed, node), is_main }
}

/// Returns true if a framework runs methods with this annotation as tests.
pub(crate) fn is_test_annotation(name: &str) -> bool {
    let name = last_part(name);
    let is_around_tests = name.starts_with("Before") || name.starts_with("After");
    name.ends_with("Test") && !is_around_tests
        || ["TestFactory", "TestTemplate", "Theory", "Property"].contains(&name)
}

/// Returns the part of a name behind its last dot.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

fn find_modifiers(parsed: &ParsedSource, node: NodeId) -> Option<NodeId> {
    parsed.named_children(node).find(|child| parsed.kind_name(*child) == "modifiers")
}

/// Returns true if a declaration has a modifier.
pub(crate) fn has_modifier(parsed: &ParsedSource, node: NodeId, modifier: &str) -> bool {
    let mut all = find_modifiers(parsed, node).into_iter().flat_map(|node| parsed.children(node));
    all.any(|child| parsed.str_of(child) == modifier)
}

/// Returns the annotations of a declaration as written, without `@`.
pub(crate) fn annotation_names(parsed: &ParsedSource, node: NodeId) -> Vec<String> {
    let modifier_nodes =
        find_modifiers(parsed, node).into_iter().flat_map(|node| parsed.named_children(node));
    modifier_nodes
        .filter(|child| parsed.kind_name(*child).ends_with("annotation"))
        .filter_map(|annotation| parsed.child_by_name(annotation, "name"))
        .map(|name| parsed.str_of(name).to_owned())
        .collect()
}

/// Returns the qualified name in a package or import declaration.
pub(crate) fn qualified_name(parsed: &ParsedSource, declaration: NodeId) -> String {
    let is_name =
        |node: &NodeId| ["scoped_identifier", "identifier"].contains(&parsed.kind_name(*node));
    let name = parsed.named_children(declaration).find(is_name).map(|node| parsed.str_of(node));
    name.unwrap_or_default().split_whitespace().collect()
}

/// Returns the type that a class extends.
pub(crate) fn find_superclass_node(parsed: &ParsedSource, class: NodeId) -> Option<NodeId> {
    let superclass = parsed.child_by_name(class, "superclass")?;
    parsed.named_children(superclass).next()
}

/// Returns a type as written, without its arguments.
pub(crate) fn erase_type_arguments(name: &str) -> String {
    name.split('<').next().unwrap_or(name).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_jvm_binary_names() {
        let source = JavaSource::parse(
            b"package a.b; import static org.junit.Assert.*; import x.Y;\n\
              public abstract class C extends D<String> { @Test void t() {} class E { interface F {} }\n\
              public static void main(String... args) {} }",
        );
        assert_eq!(source.package, "a.b");
        assert_eq!(source.imports, ["org.junit.Assert", "x.Y"]);
        let names: Vec<_> = source.types.iter().map(|java_type| java_type.name.as_str()).collect();
        assert_eq!(names, ["C", "C$E", "C$E$F"]);
        let class = source.find_type("C").unwrap();
        assert_eq!(
            (class.is_abstract, class.has_main_method(), class.can_have_tests()),
            (true, true, true)
        );
        assert_eq!(class.superclass.as_deref(), Some("D"));
        assert_eq!(class.methods[0].annotations, ["Test"]);
    }

    #[test]
    fn framework_is_detected_from_imports_and_qualified_names() {
        let evidence = |text: &str| JavaSource::parse(text.as_bytes()).detect_framework();
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
