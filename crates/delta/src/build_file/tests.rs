use super::*;
use crate::text_part::compare_lines;
use proptest::prelude::*;
use std::collections::BTreeSet;

const POM: &str = "pom.xml";

fn divide(path: &str, old: &str, new: &str) -> Vec<TextPart> {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    divide_build_file(&RepoPath::from(path), old, new, compare_lines(old, new))
}

fn change_numbers(parts: &[TextPart]) -> Vec<usize> {
    parts.iter().filter_map(|part| part.change).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Renders the variant with some of the changes.
fn render(old: &str, new: &str, parts: &[TextPart], is_applied: impl Fn(usize) -> bool) -> String {
    let text = |part: &TextPart| match part.change {
        Some(change) if is_applied(change) => &new[part.new.clone()],
        _ => &old[part.old.clone()],
    };
    parts.iter().map(text).collect()
}

/// Returns the old and the new text of each change.
fn changes(path: &str, old: &str, new: &str) -> Vec<(String, String)> {
    let parts = divide(path, old, new);
    assert_eq!(render(old, new, &parts, |_| false), old);
    assert_eq!(render(old, new, &parts, |_| true), new);
    if path == POM {
        assert_variants_parse(old, new, &parts);
    }
    let of_change = |change: usize| {
        let changed = parts.iter().filter(|part| part.change == Some(change));
        let texts = changed.map(|part| (&old[part.old.clone()], &new[part.new.clone()]));
        let (old, new): (Vec<_>, Vec<_>) = texts.unzip();
        (old.concat().trim().to_owned(), new.concat().trim().to_owned())
    };
    change_numbers(&parts).into_iter().map(of_change).collect()
}

/// Checks that each subset of the changes, or a sample of them, is well-formed XML.
fn assert_variants_parse(old: &str, new: &str, parts: &[TextPart]) {
    let numbers = change_numbers(parts);
    for subset in 0..1_usize << numbers.len().min(8) {
        let text = render(old, new, parts, |change| {
            let at = numbers.iter().position(|number| *number == change).unwrap();
            subset >> (at % 8) & 1 == 1
        });
        let parsed = roxmltree::Document::parse(&text);
        assert!(parsed.is_ok(), "{parsed:?} of\n{text}");
    }
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect()
}

#[test]
fn neighbouring_version_properties_are_changes_of_their_own() {
    let old =
        "<p>\n  <io.version>2.11.0</io.version>\n  <codec.version>1.15</codec.version>\n</p>\n";
    let new =
        "<p>\n  <io.version>2.12.0</io.version>\n  <codec.version>1.16</codec.version>\n</p>\n";
    assert_eq!(changes(POM, old, new), pairs(&[("2.11.0", "2.12.0"), ("1.15", "1.16")]));
}

#[test]
fn version_properties_beside_a_renamed_one_are_changes_of_their_own() {
    let old = "<p>\n<io.version>2</io.version>\n<a>x</a>\n<codec.version>1</codec.version>\n</p>\n";
    let new = "<p>\n<io.version>3</io.version>\n<b>x</b>\n<codec.version>4</codec.version>\n</p>\n";
    let expected = [("2", "3"), ("<a>x</a>", "<b>x</b>"), ("1", "4")];
    assert_eq!(changes(POM, old, new), pairs(&expected));
}

#[test]
fn dependencies_on_one_line_are_changes_of_their_own() {
    let line = |name: &str, version: &str| {
        format!("<d><artifactId>{name}</artifactId><version>{version}</version></d>")
    };
    let file = |io: &str, text: &str| {
        format!("<p>\n{}{}\n{}\n</p>", line("io", io), line("text", text), line("csv", "1.0"))
    };
    let (old, new) = (file("2.0", "Finchley.SR1"), file("2.1", "Finchley.SR2"));
    let expected = [("2.0", "2.1"), ("Finchley.SR1", "Finchley.SR2")];
    assert_eq!(changes(POM, &old, &new), pairs(&expected));
}

#[test]
fn dependency_replaced_by_another_is_one_change() {
    let file = |name: &str, version: &str| {
        format!(
            "<p>\n<d>\n<artifactId>{name}</artifactId>\n<version>{version}</version>\n</d>\n\
             <d>\n<artifactId>other</artifactId>\n<version>1.0</version>\n</d>\n</p>\n"
        )
    };
    assert_eq!(changes(POM, &file("io", "1.0"), &file("nio", "2.0")).len(), 1);
}

#[test]
fn only_dependency_replaced_by_another_is_one_change() {
    let file = |name: &str, version: &str, indent: &str| {
        format!(
            "<p>\n{indent}<d>\n{indent}<artifactId>{name}</artifactId>\n  <version>{version}</version>\n{indent}</d>\n</p>\n"
        )
    };
    assert_eq!(changes(POM, &file("io", "1.0", ""), &file("nio", "2.0", " ")).len(), 1);
}

#[test]
fn version_range_is_one_change() {
    let file = |range: &str| format!("<p>\n<version>{range}</version>\n</p>\n");
    let ranges = ("[1.0,2.0)", "[3.0,4.0)");
    assert_eq!(changes(POM, &file(ranges.0), &file(ranges.1)), pairs(&[ranges]));
}

#[test]
fn parent_element_of_many_lines_is_found_quickly() {
    let lines = "<d/>\n".repeat(3_000);
    let old = format!("<p>\n{lines}</p>\n");
    let new = format!("<p>\n<m>\n{lines}</m>\n</p>\n");
    assert_eq!(divide(POM, &old, &new).iter().filter(|part| part.change == Some(0)).count(), 2);
}

#[test]
fn added_elements_are_changes_of_their_own() {
    let element = |name: &str| format!("<d>\n  <a>{name}</a>\n  <v>1.0</v>\n</d>\n");
    let file = |names: &[&str]| {
        let elements: String = names.iter().map(|name| element(name)).collect();
        format!("<p>\n{elements}</p>\n")
    };
    let added = changes(POM, &file(&["a", "z"]), &file(&["a", "b", "c", "z"]));
    let expected = ["b", "c"].map(|name| (String::new(), element(name).trim().to_owned()));
    assert_eq!(added, expected);
}

#[test]
fn new_parent_element_is_one_change() {
    let old = "<p>\n<ds>\n<d>1</d>\n</ds>\n<x>1.0</x>\n</p>\n";
    let new = "<p>\n<m>\n<ds>\n<d>1</d>\n</ds>\n</m>\n<x>2.0</x>\n</p>\n";
    assert_eq!(changes(POM, old, new), pairs(&[("", "<m>\n</m>"), ("1.0", "2.0")]));
}

#[test]
fn commented_out_element_is_one_change() {
    let old = "<p>\n<a>1</a>\n<b>1.0</b>\n</p>\n";
    let new = "<p>\n<!--\n<a>1</a>\n-->\n<b>2.0</b>\n</p>\n";
    assert_eq!(changes(POM, old, new), pairs(&[("", "<!--\n-->"), ("1.0", "2.0")]));
}

#[test]
fn versions_in_gradle_files_are_changes_of_their_own() {
    let script =
        "dependencies {\n  api 'g:io:1.0'; api 'g:text:Finchley.SR1'\n  api(\"g:csv:1.0\")\n}\n";
    let upgraded =
        "dependencies {\n  api 'g:io:1.1'; api 'g:text:Finchley.SR2'\n  api(\"g:csv:1.2\")\n}\n";
    let expected = [("1.0", "1.1"), ("Finchley.SR1", "Finchley.SR2"), ("1.0", "1.2")];
    assert_eq!(changes("lib/build.gradle", script, upgraded), pairs(&expected));
    let catalogue = "[versions]\nio = \"1.0\"\ntext = { strictly = \"2.0\" }\n";
    let upgraded = "[versions]\nio = \"1.1\"\ntext = { strictly = \"2.1\" }\n";
    let expected = [("1.0", "1.1"), ("2.0", "2.1")];
    assert_eq!(changes("gradle/libs.versions.toml", catalogue, upgraded), pairs(&expected));
    let properties = "ioVersion=1.0\ntextVersion=Ga\n";
    let upgraded = "ioVersion=1.1\ntextVersion=Gb\n";
    assert_eq!(
        changes("gradle.properties", properties, upgraded),
        pairs(&[("1.0", "1.1"), ("Ga", "Gb")])
    );
}

#[test]
fn added_declarations_are_changes_of_their_own_and_blocks_are_not_divided() {
    let path = "build.gradle.kts";
    let added = "api(\"g:io:1.0\")\napi(\"g:text:2.0\")\n";
    assert_eq!(changes(path, "a {\n}\n", &format!("a {{\n{added}}}\n")).len(), 2);
    let block = "tasks.test {\n  useJUnitPlatform()\n}\n";
    assert_eq!(changes(path, "a {\n}\n", &format!("a {{\n}}\n{block}")).len(), 1);
}

#[test]
fn other_files_are_not_divided() {
    assert_eq!(changes("data.csv", "a,1\nb,2\n", "a,3\nb,4\n").len(), 1);
}

/// Elements with one tag per line.
fn xml() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0..4_u32).prop_map(|version| format!("<version>{version}.0</version>\n")),
        (0..3_u32).prop_map(|name| format!("<e{name}/>\n")),
        Just("<!-- <e0> -->\n".to_owned()),
    ];
    let element = leaf.prop_recursive(4, 24, 4, |inner| {
        (0..3_u32, prop::collection::vec(inner, 0..4))
            .prop_map(|(name, children)| format!("<e{name}>\n{}</e{name}>\n", children.concat()))
    });
    prop::collection::vec(element, 0..4).prop_map(|all| format!("<p>\n{}</p>\n", all.concat()))
}

proptest! {
    #[test]
    fn all_variants_of_a_pom_are_well_formed(old in xml(), new in xml()) {
        changes(POM, &old, &new);
    }
}
