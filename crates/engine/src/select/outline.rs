//! Outline of a Java file: hashes of its methods and of the code outside them.

use crate::select::declarations::qualified_name;
use mend_java::{NodeId, ParsedSource};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Types and methods of a file, to compare with another outline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline {
    whole: u64,
    /// Hash of the code outside methods.
    rest: u64,
    /// Fully qualified names with `$` before nested names, without types inside methods.
    types: BTreeSet<String>,
    /// Hashes by `pkg.Class#method`; overloads share an entry.
    methods: BTreeMap<String, u64>,
}

/// Code that differs between two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedCode {
    /// Methods, as `pkg.Class#method`.
    pub(crate) methods: BTreeSet<String>,
    /// Types in which anything may differ, including their nested types.
    pub(crate) types: BTreeSet<String>,
}

impl Outline {
    /// Parses a file, which may have syntax errors.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut outline = Self { whole: hash_text(text), ..Self::default() };
        let Some(parsed) = ParsedSource::parse_with_errors(text.into()) else { return outline };
        let is_package = |node: &NodeId| parsed.kind_name(*node) == "package_declaration";
        let package = parsed.named_children(0).find(is_package);
        let package = package.map_or(String::new(), |node| qualified_name(&parsed, node) + ".");
        let (methods, rest) = (BTreeMap::new(), DefaultHasher::new());
        let mut method_hasher =
            MethodHasher { parsed: &parsed, methods, outside_hasher: rest, hashed_end: 0 };
        for node in parsed.named_children(0) {
            outline.add_type(node, &package, &mut method_hasher);
        }
        method_hasher.hash_outside_until(text.len());
        outline.rest = method_hasher.outside_hasher.finish();
        outline.methods = method_hasher
            .methods
            .into_iter()
            .map(|(name, hasher)| (name, hasher.finish()))
            .collect();
        outline
    }

    /// Returns true if it is the outline of this text.
    pub(crate) fn matches_text(&self, text: &[u8]) -> bool {
        self.whole == hash_text(text)
    }

    fn add_type(&mut self, node: NodeId, outer: &str, method_hasher: &mut MethodHasher<'_>) {
        let parsed = method_hasher.parsed;
        let (Some(name), Some(body)) =
            (parsed.child_by_name(node, "name"), parsed.child_by_name(node, "body"))
        else {
            return;
        };
        if !parsed.kind_name(node).ends_with("_declaration") {
            return;
        }
        let name = format!("{outer}{}", parsed.str_of(name));
        self.types.insert(name.clone());
        // The members of an enum are in a separate list after its constants.
        let members =
            parsed.named_children(body).flat_map(|member| match parsed.kind_name(member) {
                "enum_body_declarations" => parsed.named_children(member).collect(),
                _ => vec![member],
            });
        for member in members {
            match parsed.kind_name(member) {
                "method_declaration" => method_hasher.hash_method(member, &name, None),
                "constructor_declaration" | "compact_constructor_declaration" => {
                    method_hasher.hash_method(member, &name, Some("<init>"));
                }
                _ => self.add_type(member, &format!("{name}$"), method_hasher),
            }
        }
    }

    /// Returns all types of the file as changed.
    pub(crate) fn all_types(&self) -> ChangedCode {
        ChangedCode { methods: BTreeSet::new(), types: self.types.clone() }
    }

    /// Returns the code that differs between this and another version of the file.
    pub(crate) fn diff(&self, other: &Self) -> ChangedCode {
        if self.whole == other.whole {
            return ChangedCode::default();
        }
        // A method that is added or removed may affect any code of its type.
        if self.rest != other.rest || !self.methods.keys().eq(other.methods.keys()) {
            return self.all_types();
        }
        let is_changed = |(name, hash): &(&String, &u64)| other.methods.get(*name) != Some(hash);
        let methods =
            self.methods.iter().filter(is_changed).map(|(name, _)| name.clone()).collect();
        ChangedCode { methods, types: BTreeSet::new() }
    }
}

/// Hashes of the methods of a text and of the code outside them, computed in one pass.
struct MethodHasher<'a> {
    parsed: &'a ParsedSource,
    methods: BTreeMap<String, DefaultHasher>,
    outside_hasher: DefaultHasher,
    /// End of the hashed part.
    hashed_end: usize,
}

impl MethodHasher<'_> {
    fn hash_method(&mut self, node: NodeId, class: &str, name: Option<&str>) {
        let declared_name =
            self.parsed.child_by_name(node, "name").map(|name| self.parsed.str_of(name));
        let name = format!("{class}#{}", name.or(declared_name).unwrap_or_default());
        let range = self.parsed.byte_range(node);
        self.hash_outside_until(range.start);
        self.parsed.node_text(node).hash(self.methods.entry(name).or_default());
        self.hashed_end = range.end;
    }

    /// Hashes the text up to `end` as code outside methods, without surrounding white space.
    fn hash_outside_until(&mut self, end: usize) {
        self.parsed.text()[self.hashed_end..end].trim_ascii().hash(&mut self.outside_hasher);
        self.hashed_end = end;
    }
}

fn hash_text(text: &[u8]) -> u64 {
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

    /// Computes the difference between two outlines.
    fn changed_code(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
        assert!(FILE.contains(old), "{old}");
        let other = Outline::parse(FILE.replace(old, new).as_bytes());
        let ChangedCode { methods, types } = Outline::parse(FILE.as_bytes()).diff(&other);
        (methods.into_iter().collect(), types.into_iter().collect())
    }

    #[test]
    fn change_in_a_body_affects_only_that_method() {
        for (old, new, method) in [
            ("f = 2", "f = 3", "a.b.C#<init>"),
            ("inside() {}", "inside() { int x; }", "a.b.C#m"),
            ("return x", "return x + 1", "a.b.C#m"),
            ("return 2", "return 3", "a.b.C$E#two"),
            ("d() {}", "d() { }", "a.b.I#d"),
        ] {
            assert_eq!(changed_code(old, new), (vec![method.to_owned()], Vec::new()), "{old}");
        }
    }

    #[test]
    fn change_outside_bodies_affects_all_types() {
        let all = ["a.b.C", "a.b.C$E", "a.b.I"].map(str::to_owned).to_vec();
        for (old, new) in [
            ("int f = 1", "int f = 5"),
            ("import x.Y", "import z.Y"),
            ("ONE;", "ONE, TWO;"),
            ("int f", "void n() {} int f"),
            ("int two() { return 2; }", ""),
        ] {
            assert_eq!(changed_code(old, new), (Vec::new(), all.clone()), "{old}");
        }
        assert_eq!(changed_code("f", "f"), (Vec::new(), Vec::new()));
    }
}
