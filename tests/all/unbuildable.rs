//! Ranges of commits most of which cannot be built: what broke the test is named all the same.

use crate::support::{CommandOutput, bisect, commit, git, mend, repository, run_folder, write};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

const TEST: &str = "package shop;\n\npublic class CartTest {\n    \
    public static void main(String[] arguments) {\n        \
    if (new Cart().total(2) >= 24) throw new AssertionError(\"total\");\n    }\n}\n";

const CART: &str = "package shop;\n\npublic class Cart {\n    int total(int pieces) {\n        \
    int sum = pieces * Price.of(pieces);\n        sum += Tax.of(sum);\n        return sum;\n    }\n}\n";

fn constant(class: &str, value: &str) -> String {
    format!(
        "package shop;\n\nclass {class} {{\n    static int of(int n) {{\n        return {value};\n    }}\n}}\n"
    )
}

fn path(class: &str) -> String {
    format!("src/main/java/shop/{class}.java")
}

/// A commit that gives classes another text.
fn change(dir: &Path, message: &str, classes: &[(&str, &str)]) {
    for (class, text) in classes {
        write(dir, &path(class), text);
    }
    commit::<&str>(dir, message, &[]);
}

/// A shop that is well: 2 pieces at 10, and a tax of 0.
fn shop() -> TempDir {
    let dir = repository();
    write(dir.path(), "src/test/java/shop/CartTest.java", TEST);
    let (price, tax) = (constant("Price", "10"), constant("Tax", "0"));
    change(dir.path(), "good", &[("Cart", CART), ("Price", &price), ("Tax", &tax)]);
    git(dir.path(), &["tag", "good"]);
    dir
}

/// Changes something that does not matter.
fn tidy(dir: &Path, number: usize) {
    let class = format!("Tidy{}", number % 2);
    change(dir, &format!("tidy {number}"), &[(&class, &constant(&class, &format!("{number}00")))]);
}

/// Calls a method that is not there.
fn reserve(dir: &Path, statement: &str) {
    let cart =
        CART.replace("        return sum;", &format!("        {statement}\n        return sum;"));
    change(dir, "reserve", &[("Cart", &cart)]);
}

/// Twelve commits: the third one calls a method that only the eleventh brings, so that eight cannot be built.
fn twelve(statement: &str, fifth: (&str, &str), seventh: Option<(&str, &str)>) -> TempDir {
    let shop = shop();
    let dir = shop.path();
    for number in 1..=12 {
        match (number, seventh) {
            (3, _) => reserve(dir, statement),
            (5, _) => change(dir, "fifth", &[(fifth.0, &constant(fifth.0, fifth.1))]),
            (7, Some((class, value))) => {
                change(dir, "seventh", &[(class, &constant(class, value))]);
            }
            (11, _) => change(dir, "stock", &[("Stock", &constant("Stock", "4"))]),
            (number, _) => tidy(dir, number),
        }
    }
    shop
}

fn run(dir: &Path, more: &[&str]) -> CommandOutput {
    let arguments = ["bisect", "--good", "good", "--test", "shop.CartTest"];
    let ran = mend(dir, &[&arguments[..], more].concat());
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    ran
}

fn found(dir: &Path, more: &[&str]) -> Value {
    run(dir, &[&["--format", "json"], more].concat()).json()
}

fn id(dir: &Path, message: &str) -> String {
    git(dir, &["log", "--all", "--format=%H", &format!("--grep=^{message}$")])
}

fn says(result: &Value, words: &str) {
    assert!(result["message"].as_str().unwrap().contains(words), "{}", result["message"]);
}

#[test]
fn a_culprit_among_commits_that_cannot_be_built_is_named_with_its_change() {
    let shop = twelve("Stock.of(pieces);", ("Price", "12"), None);
    let dir = shop.path();
    let ran = run(dir, &[]);
    let short = &id(dir, "fifth")[..10];
    assert!(
        ran.stdout.contains(&format!("Culprit: {short} fifth (first bad commit)\n")),
        "{}",
        ran.stdout
    );
    let words = format!("the culprit comes from {short} fifth, which cannot be built alone");
    assert!(ran.stdout.lines().any(|line| line.ends_with(&words)), "{}", ran.stdout);
    let file = std::fs::read(run_folder(dir).join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(result["culprit_commit"], id(dir, "fifth"));
    assert_eq!(result["suspects"], json!([]));
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["culprit"]["commits"], json!([id(dir, "fifth")]));
    assert_eq!(result["fix"]["tokens"], 2);
}

#[test]
fn a_commit_is_named_although_its_change_needs_a_later_one() {
    let shop = twelve("sum += Stock.of(pieces);", ("Price", "9 + 1"), None);
    let dir = shop.path();
    let result = found(dir, &[]);
    assert_eq!(result["culprit_commit"], id(dir, "reserve"));
    let (own, other) = (&id(dir, "reserve")[..10], &id(dir, "stock")[..10]);
    says(
        &result,
        &format!(
            "the culprit comes from {own} reserve, which cannot be built alone; \
             it needs parts of {other} stock"
        ),
    );
    assert_eq!(result["culprit"]["files"], json!([path("Cart"), path("Stock")]));
}

#[test]
fn two_commits_whose_changes_fail_only_together_are_both_named() {
    let shop = twelve("Stock.of(pieces);", ("Price", "11"), Some(("Tax", "2")));
    let dir = shop.path();
    let ran = run(dir, &[]);
    let file = std::fs::read(run_folder(dir).join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(result["culprit_commit"], Value::Null);
    assert_eq!(result["suspects"], json!([id(dir, "fifth"), id(dir, "seventh")]));
    assert_eq!(result["culprit"]["commits"], result["suspects"]);
    says(&result, "break the test only together");
    let words = "Culprits: 2 commits that break the test only together";
    assert!(ran.stdout.lines().any(|line| line == words), "{}", ran.stdout);
}

#[test]
fn a_culprit_on_a_branch_that_cannot_be_built_before_it_is_merged_is_named() {
    let shop = shop();
    let dir = shop.path();
    git(dir, &["checkout", "-q", "-b", "side"]);
    reserve(dir, "Stock.of(pieces);");
    change(dir, "culprit", &[("Price", &constant("Price", "12"))]);
    tidy(dir, 1);
    git(dir, &["checkout", "-q", "main"]);
    change(dir, "main", &[("Other", &constant("Other", "1"))]);
    git(dir, &["merge", "-q", "--no-commit", "side"]);
    change(dir, "merge", &[("Stock", &constant("Stock", "4"))]);
    tidy(dir, 2);
    let result = found(dir, &[]);
    assert_eq!(result["culprit_commit"], id(dir, "culprit"));
    assert_eq!(result["culprit"]["tokens"], 2);
    // The other parent of the merge passes, so that its change is not taken apart.
    assert!(!result["delta"]["files"].is_null());
    assert_eq!(result["delta"]["files"], 4);
}

#[test]
fn further_culprits_are_named_wherever_they_are() {
    let shop = twelve("Stock.of(pieces);", ("Price", "12"), Some(("Tax", "4")));
    let dir = shop.path();
    change(dir, "later", &[("Cart", &CART.replace("return sum;", "return 24;"))]);
    let result = found(dir, &["--all", "--goal", "culprit"]);
    let by = |patch: &Value| patch["commits"].clone();
    let mut all: Vec<Value> = result["others"].as_array().unwrap().iter().map(by).collect();
    all.push(by(&result["culprit"]));
    for message in ["fifth", "seventh", "later"] {
        assert!(all.contains(&json!([id(dir, message)])), "{message}: {result:#}");
    }
}

#[test]
fn commits_that_are_to_be_skipped_are_said_not_to_have_been_tested() {
    let dir = repository();
    commit(
        dir.path(),
        "one",
        &[("words.txt", "good\n1\n2\n"), ("check.sh", "grep -q good words.txt\n")],
    );
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("words.txt", "bad\n1\n2\n")]);
    commit(dir.path(), "three", &[("words.txt", "bad\n1\n3\n")]);
    let arguments = bisect(&["--good", "release-1", "--skip", "main~1", "--format", "json"]);
    let result = mend(dir.path(), &arguments).json();
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "main~1"]));
    says(&result, "the culprit comes from");
}
