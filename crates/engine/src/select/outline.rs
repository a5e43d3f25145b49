//! Outline of a Java file: hashes of its methods and of the code outside them.

use crate::select::declarations::{children, qualified_name, text_of};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use tree_sitter::{Node, Parser};

/// Types and methods of a file, to compare with another outline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline {
    whole: u64,
    /// Hash of the code outside methods.
    rest: u64,
    /// Fully qualified, `$` before nested names; those inside methods count as their part.
    types: BTreeSet<String>,
    /// Hashes by `pkg.Class#method`; overloads share an entry.
    methods: BTreeMap<String, u64>,
}

/// Code that differs between two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedCode {
    /// `pkg.Class#method`.
    pub(crate) methods: BTreeSet<String>,
    /// Types of which anything may differ, those inside them included.
    pub(crate) types: BTreeSet<String>,
}

impl Outline {
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut parser = Parser::new();
        let mut outline = Self { whole: hash(text), ..Self::default() };
        let language = tree_sitter_java_orchard::LANGUAGE.into();
        let Some(tree) =
            parser.set_language(&language).ok().and_then(|()| parser.parse(text, None))
        else {
            return outline;
        };
        let root = tree.root_node();
        let package = children(root).find(|node| node.kind() == "package_declaration");
        let package = package.map_or(String::new(), |node| qualified_name(node, text) + ".");
        let mut cuts =
            MethodHasher { text, methods: BTreeMap::new(), rest: DefaultHasher::new(), at: 0 };
        for node in children(root) {
            outline.add(node, &package, &mut cuts);
        }
        cuts.skip_to(text.len());
        outline.rest = cuts.rest.finish();
        outline.methods =
            cuts.methods.into_iter().map(|(name, hasher)| (name, hasher.finish())).collect();
        outline
    }

    /// Returns true if it is the outline of this text.
    pub(crate) fn is_of(&self, text: &[u8]) -> bool {
        self.whole == hash(text)
    }

    fn add(&mut self, node: Node<'_>, outer: &str, cuts: &mut MethodHasher<'_>) {
        let (Some(name), Some(body)) =
            (node.child_by_field_name("name"), node.child_by_field_name("body"))
        else {
            return;
        };
        if !node.kind().ends_with("_declaration") {
            return;
        }
        let name = format!("{outer}{}", text_of(name, cuts.text));
        self.types.insert(name.clone());
        // The members of an enum stand in a list of their own, after its constants.
        let members = children(body).flat_map(|member| match member.kind() {
            "enum_body_declarations" => children(member).collect(),
            _ => vec![member],
        });
        for member in members {
            match member.kind() {
                "method_declaration" => cuts.method(member, &name, None),
                "constructor_declaration" | "compact_constructor_declaration" => {
                    cuts.method(member, &name, Some("<init>"));
                }
                _ => self.add(member, &format!("{name}$"), cuts),
            }
        }
    }

    /// Returns all types of the file as changed.
    pub(crate) fn all_types(&self) -> ChangedCode {
        ChangedCode { methods: BTreeSet::new(), types: self.types.clone() }
    }

    /// Returns the code that differs between this and another version of the file.
    pub(crate) fn changed(&self, other: &Self) -> ChangedCode {
        if self.whole == other.whole {
            return ChangedCode::default();
        }
        // What a method that came or went replaces may be anywhere in its type.
        if self.rest != other.rest || !self.methods.keys().eq(other.methods.keys()) {
            return self.all_types();
        }
        let differs = |(name, hash): &(&String, &u64)| other.methods.get(*name) != Some(hash);
        let methods = self.methods.iter().filter(differs).map(|(name, _)| name.clone()).collect();
        ChangedCode { methods, types: BTreeSet::new() }
    }
}

/// Hashes of the methods of a text and of the code outside them, computed in one pass.
struct MethodHasher<'a> {
    text: &'a [u8],
    methods: BTreeMap<String, DefaultHasher>,
    rest: DefaultHasher,
    /// End of the hashed part.
    at: usize,
}

impl MethodHasher<'_> {
    fn method(&mut self, node: Node<'_>, class: &str, name: Option<&str>) {
        let written = node.child_by_field_name("name").map(|name| text_of(name, self.text));
        let name = format!("{class}#{}", name.or(written).unwrap_or_default());
        self.skip_to(node.start_byte());
        self.text[node.byte_range()].hash(self.methods.entry(name).or_default());
        self.at = node.end_byte();
    }

    /// Hashes the text up to `end` as code outside methods, without surrounding white space.
    fn skip_to(&mut self, end: usize) {
        self.text[self.at..end].trim_ascii().hash(&mut self.rest);
        self.at = end;
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "package a.b;\nimport x.Y;\nclass C {\n int f = 1;\n C() { f = 2; }\n\
        void m() { new Y() { void inside() {} }; }\n int m(int x) { return x; }\n\
        enum E { ONE; int two() { return 2; } }\n}\ninterface I { default void d() {} }\n";

    /// The difference between two outlines.
    fn changed(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
        assert!(FILE.contains(old), "{old}");
        let other = Outline::parse(FILE.replace(old, new).as_bytes());
        let ChangedCode { methods, types } = Outline::parse(FILE.as_bytes()).changed(&other);
        (methods.into_iter().collect(), types.into_iter().collect())
    }

    #[test]
    fn a_change_inside_a_method_concerns_the_methods_of_its_name() {
        for (old, new, method) in [
            ("f = 2", "f = 3", "a.b.C#<init>"),
            ("inside() {}", "inside() { int x; }", "a.b.C#m"),
            ("return x", "return x + 1", "a.b.C#m"),
            ("return 2", "return 3", "a.b.C$E#two"),
            ("d() {}", "d() { }", "a.b.I#d"),
        ] {
            assert_eq!(changed(old, new), (vec![method.to_owned()], Vec::new()), "{old}");
        }
    }

    #[test]
    fn any_other_change_concerns_the_types_of_the_file() {
        let all = ["a.b.C", "a.b.C$E", "a.b.I"].map(str::to_owned).to_vec();
        for (old, new) in [
            ("int f = 1", "int f = 5"),
            ("import x.Y", "import z.Y"),
            ("ONE;", "ONE, TWO;"),
            ("int f", "void n() {} int f"),
            ("int two() { return 2; }", ""),
        ] {
            assert_eq!(changed(old, new), (Vec::new(), all.clone()), "{old}");
        }
        assert_eq!(changed("f", "f"), (Vec::new(), Vec::new()));
    }
}
