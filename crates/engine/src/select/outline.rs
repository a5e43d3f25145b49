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
    /// Reads a file, which may have syntax errors.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut outline = Self { whole: hash(text), ..Self::default() };
        let Some(parsed) = ParsedSource::parse_with_errors(text.into()) else { return outline };
        let is_package = |node: &NodeId| parsed.kind_name(*node) == "package_declaration";
        let package = parsed.named_children(0).find(is_package);
        let package = package.map_or(String::new(), |node| qualified_name(&parsed, node) + ".");
        let (methods, rest) = (BTreeMap::new(), DefaultHasher::new());
        let mut cuts = MethodHasher { parsed: &parsed, methods, rest, at: 0 };
        for node in parsed.named_children(0) {
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

    fn add(&mut self, node: NodeId, outer: &str, cuts: &mut MethodHasher<'_>) {
        let parsed = cuts.parsed;
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
        // The members of an enum stand in a list of their own, after its constants.
        let members =
            parsed.named_children(body).flat_map(|member| match parsed.kind_name(member) {
                "enum_body_declarations" => parsed.named_children(member).collect(),
                _ => vec![member],
            });
        for member in members {
            match parsed.kind_name(member) {
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
    parsed: &'a ParsedSource,
    methods: BTreeMap<String, DefaultHasher>,
    rest: DefaultHasher,
    /// End of the hashed part.
    at: usize,
}

impl MethodHasher<'_> {
    fn method(&mut self, node: NodeId, class: &str, name: Option<&str>) {
        let written = self.parsed.child_by_name(node, "name").map(|name| self.parsed.str_of(name));
        let name = format!("{class}#{}", name.or(written).unwrap_or_default());
        let range = self.parsed.byte_range(node);
        self.skip_to(range.start);
        self.parsed.text_of(node).hash(self.methods.entry(name).or_default());
        self.at = range.end;
    }

    /// Hashes the text up to `end` as code outside methods, without surrounding white space.
    fn skip_to(&mut self, end: usize) {
        self.parsed.text()[self.at..end].trim_ascii().hash(&mut self.rest);
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
