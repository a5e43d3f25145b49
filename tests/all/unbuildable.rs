//! Tests of bisections in which most commits do not build.

use crate::support::{
    CommandOutput, bisect_arguments, commit, git, repository, run_folder, run_mend, write,
};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

const CART_TEST: &str = "package shop;\n\npublic class CartTest {\n    \
    public static void main(String[] arguments) {\n        \
    if (new Cart().total(2) >= 24) throw new AssertionError(\"total\");\n    }\n}\n";

const CART_SOURCE: &str = "package shop;\n\npublic class Cart {\n    int total(int pieces) {\n        \
    int sum = pieces * Price.of(pieces);\n        sum += Tax.of(sum);\n        return sum;\n    }\n}\n";

fn constant_class(class: &str, value: &str) -> String {
    format!(
        "package shop;\n\nclass {class} {{\n    static int of(int n) {{\n        return {value};\n    }}\n}}\n"
    )
}

fn class_path(class: &str) -> String {
    format!("src/main/java/shop/{class}.java")
}

/// Commits new constants of classes.
fn commit_classes(dir: &Path, message: &str, classes: &[(&str, &str)]) {
    for (class, text) in classes {
        write(dir, &class_path(class), text);
    }
    commit::<&str>(dir, message, &[]);
}

/// Creates a shop whose test passes: 2 pieces at 10, and a tax of 0.
fn shop_repository() -> TempDir {
    let dir = repository();
    write(dir.path(), "src/test/java/shop/CartTest.java", CART_TEST);
    let (price, tax) = (constant_class("Price", "10"), constant_class("Tax", "0"));
    commit_classes(dir.path(), "good", &[("Cart", CART_SOURCE), ("Price", &price), ("Tax", &tax)]);
    git(dir.path(), &["tag", "good"]);
    dir
}

/// Commits an irrelevant change.
fn commit_harmless_change(dir: &Path, number: usize) {
    let class = format!("Tidy{}", number % 2);
    commit_classes(
        dir,
        &format!("tidy {number}"),
        &[(&class, &constant_class(&class, &format!("{number}00")))],
    );
}

/// Commits a call of an undefined method.
fn commit_unbuildable_call(dir: &Path, statement: &str) {
    let cart = CART_SOURCE
        .replace("        return sum;", &format!("        {statement}\n        return sum;"));
    commit_classes(dir, "reserve", &[("Cart", &cart)]);
}

/// Creates twelve commits. The third one calls a method that only the eleventh one defines, so that eight commits do
/// not build.
fn twelve_commit_repository(
    statement: &str,
    fifth: (&str, &str),
    seventh: Option<(&str, &str)>,
) -> TempDir {
    let shop = shop_repository();
    let dir = shop.path();
    for number in 1..=12 {
        match (number, seventh) {
            (3, _) => commit_unbuildable_call(dir, statement),
            (5, _) => commit_classes(dir, "fifth", &[(fifth.0, &constant_class(fifth.0, fifth.1))]),
            (7, Some((class, value))) => {
                commit_classes(dir, "seventh", &[(class, &constant_class(class, value))]);
            }
            (11, _) => commit_classes(dir, "stock", &[("Stock", &constant_class("Stock", "4"))]),
            (number, _) => commit_harmless_change(dir, number),
        }
    }
    shop
}

fn run_bisect(dir: &Path, more: &[&str]) -> CommandOutput {
    let arguments = ["bisect", "--good", "good", "--test", "shop.CartTest"];
    let output = run_mend(dir, &[&arguments[..], more].concat());
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    output
}

fn bisect_json(dir: &Path, more: &[&str]) -> Value {
    run_bisect(dir, &[&["--format", "json"], more].concat()).json()
}

fn commit_id(dir: &Path, message: &str) -> String {
    git(dir, &["log", "--all", "--format=%H", &format!("--grep=^{message}$")])
}

fn assert_message(result: &Value, words: &str) {
    assert!(result["message"].as_str().unwrap().contains(words), "{}", result["message"]);
}

#[test]
fn culprit_among_unbuildable_commits_is_named() {
    let shop = twelve_commit_repository("Stock.of(pieces);", ("Price", "12"), None);
    let dir = shop.path();
    let output = run_bisect(dir, &[]);
    let short = &commit_id(dir, "fifth")[..10];
    assert!(
        output.stdout.contains(&format!("Culprit: {short} fifth (first bad commit)\n")),
        "{}",
        output.stdout
    );
    let words = format!("the culprit comes from {short} fifth, which cannot be built alone");
    assert!(output.stdout.lines().any(|line| line.ends_with(&words)), "{}", output.stdout);
    let file = std::fs::read(run_folder(dir).join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(result["culprit_commit"], commit_id(dir, "fifth"));
    assert_eq!(result["suspects"], json!([]));
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["culprit"]["commits"], json!([commit_id(dir, "fifth")]));
    assert_eq!(result["fix"]["tokens"], 2);
}

#[test]
fn culprit_that_needs_a_later_commit_is_named() {
    let shop = twelve_commit_repository("sum += Stock.of(pieces);", ("Price", "9 + 1"), None);
    let dir = shop.path();
    let result = bisect_json(dir, &[]);
    assert_eq!(result["culprit_commit"], commit_id(dir, "reserve"));
    let (own, other) = (&commit_id(dir, "reserve")[..10], &commit_id(dir, "stock")[..10]);
    assert_message(
        &result,
        &format!(
            "the culprit comes from {own} reserve, which cannot be built alone; \
             it needs parts of {other} stock"
        ),
    );
    assert_eq!(result["culprit"]["files"], json!([class_path("Cart"), class_path("Stock")]));
}

#[test]
fn jointly_failing_commits_are_both_named() {
    let shop = twelve_commit_repository("Stock.of(pieces);", ("Price", "11"), Some(("Tax", "2")));
    let dir = shop.path();
    let output = run_bisect(dir, &[]);
    let file = std::fs::read(run_folder(dir).join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(result["culprit_commit"], Value::Null);
    assert_eq!(result["suspects"], json!([commit_id(dir, "fifth"), commit_id(dir, "seventh")]));
    assert_eq!(result["culprit"]["commits"], result["suspects"]);
    assert_message(&result, "break the test only together");
    let words = "Culprits: 2 commits that break the test only together";
    assert!(output.stdout.lines().any(|line| line == words), "{}", output.stdout);
}

#[test]
fn culprit_on_unbuildable_branch_is_named() {
    let shop = shop_repository();
    let dir = shop.path();
    git(dir, &["checkout", "-q", "-b", "side"]);
    commit_unbuildable_call(dir, "Stock.of(pieces);");
    commit_classes(dir, "culprit", &[("Price", &constant_class("Price", "12"))]);
    commit_harmless_change(dir, 1);
    git(dir, &["checkout", "-q", "main"]);
    commit_classes(dir, "main", &[("Other", &constant_class("Other", "1"))]);
    git(dir, &["merge", "-q", "--no-commit", "side"]);
    commit_classes(dir, "merge", &[("Stock", &constant_class("Stock", "4"))]);
    commit_harmless_change(dir, 2);
    let result = bisect_json(dir, &[]);
    assert_eq!(result["culprit_commit"], commit_id(dir, "culprit"));
    assert_eq!(result["culprit"]["tokens"], 2);
    // The other parent of the merge passes, so its change is not searched.
    assert!(!result["delta"]["files"].is_null());
    assert_eq!(result["delta"]["files"], 4);
}

#[test]
fn further_culprits_are_named_with_all() {
    let shop = twelve_commit_repository("Stock.of(pieces);", ("Price", "12"), Some(("Tax", "4")));
    let dir = shop.path();
    commit_classes(dir, "later", &[("Cart", &CART_SOURCE.replace("return sum;", "return 24;"))]);
    let result = bisect_json(dir, &["--all", "--goal", "culprit"]);
    let commits_of = |patch: &Value| patch["commits"].clone();
    let mut all: Vec<Value> = result["others"].as_array().unwrap().iter().map(commits_of).collect();
    all.push(commits_of(&result["culprit"]));
    for message in ["fifth", "seventh", "later"] {
        assert!(all.contains(&json!([commit_id(dir, message)])), "{message}: {result:#}");
    }
}

#[test]
fn skipped_commits_are_reported_as_untested() {
    let dir = repository();
    commit(
        dir.path(),
        "one",
        &[("words.txt", "good\n1\n2\n"), ("check.sh", "grep -q good words.txt\n")],
    );
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("words.txt", "bad\n1\n2\n")]);
    commit(dir.path(), "three", &[("words.txt", "bad\n1\n3\n")]);
    let arguments =
        bisect_arguments(&["--good", "release-1", "--skip", "main~1", "--format", "json"]);
    let result = run_mend(dir.path(), &arguments).json();
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "main~1"]));
    assert_message(&result, "the culprit comes from");
}
