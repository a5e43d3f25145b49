//! Counts the edits of small fixes, by the kind of the changed statement and by fix operator.
//!
//! A commit counts if it changes tests and one other Java file, there in one place of at most 30 tokens within a
//! statement. Operators are recognised by tokens, so that the counts are approximate.

use crate::change::Change;
use crate::repository::{git, git_text};
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of changed tokens.
const MAX_TOKENS: usize = 30;

/// Kinds of statements, and their grammar rules.
const STATEMENT_KINDS: [(&str, &[&str]); 6] = [
    (
        "condition",
        &[
            "if_statement",
            "while_statement",
            "for_statement",
            "enhanced_for_statement",
            "do_statement",
            "switch_expression",
        ],
    ),
    ("result", &["return_statement", "yield_statement"]),
    ("definition", &["local_variable_declaration"]),
    ("expression", &["expression_statement"]),
    ("exception", &["throw_statement"]),
    ("jump", &["break_statement", "continue_statement"]),
];

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
const OPERATORS: [&str; 14] =
    ["+", "-", "*", "/", "%", "&", "|", "^", "&&", "||", "!", "++", "--", "+="];

/// Prints the numbers of fixes in the histories of checkouts.
pub(crate) fn print_counts(checkouts: &[String]) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for checkout in checkouts {
        for change in small_changes(Path::new(checkout)) {
            let Some(kind) = statement_kind(&change) else { continue };
            let operator = operator_of(&change.old_tokens, &change.new_tokens);
            *counts.entry((kind, operator)).or_default() += 1;
        }
    }
    println!("| statement | operator | fixes |");
    println!("|---|---|--:|");
    for ((kind, operator), count) in &counts {
        println!("| {kind} | {operator} | {count} |");
    }
    println!("\n{} fixes", counts.values().sum::<usize>());
}

fn small_changes(checkout: &Path) -> Vec<Change> {
    let commits = git_text(
        checkout,
        &[
            "log",
            "--no-merges",
            "--since=2015-01-01",
            "--format=@%H",
            "--name-only",
            "--",
            "*.java",
        ],
    );
    let mut changes = Vec::new();
    for commit in commits.split('@').filter(|text| !text.is_empty()) {
        let mut lines = commit.lines().filter(|line| !line.is_empty());
        let id = lines.next().unwrap();
        let (tests, sources): (Vec<&str>, Vec<&str>) =
            lines.partition(|file| file.contains("src/test/"));
        let ([file], false) = (&sources[..], tests.is_empty()) else { continue };
        if !is_small(checkout, id, file) {
            continue;
        }
        let read = |revision: &str| git(checkout, &["show", &format!("{revision}:{file}")]).stdout;
        let change = Change::new(&read(&format!("{id}^")), &read(id));
        changes
            .extend(change.filter(|one| one.old_tokens.len() + one.new_tokens.len() <= MAX_TOKENS));
    }
    changes
}

/// Returns true if a commit modifies few lines of a file.
fn is_small(checkout: &Path, commit: &str, file: &str) -> bool {
    let numbers = git_text(
        checkout,
        &["show", "--numstat", "--format=", "--diff-filter=M", commit, "--", file],
    );
    let mut lines = numbers.split_whitespace().take(2).map(str::parse::<usize>);
    matches!((lines.next(), lines.next()), (Some(Ok(added)), Some(Ok(deleted))) if added + deleted <= 20)
}

fn statement_kind(change: &Change) -> Option<&'static str> {
    let kind_of = |rule: &str| {
        STATEMENT_KINDS.iter().find(|(_, rules)| rules.contains(&rule)).map(|(kind, _)| *kind)
    };
    let node = change.innermost_node(|rule| kind_of(rule).is_some())?;
    kind_of(change.old_source.kind_name(node))
}

/// Returns the fix operator that turns some tokens into others.
fn operator_of(old: &[String], new: &[String]) -> &'static str {
    let inserts_statement = has_any(new, &[";", "{"]);
    let only_inserts = old.is_empty();
    if only_inserts && has_any(new, &["if"]) {
        let leaves = has_any(new, &["return", "throw", "continue", "break"]);
        return check_kind(new, if leaves { "early-exit" } else { "condition" });
    }
    match (old, new) {
        ([], [added]) if is_operator(added) => "operator",
        ([removed], []) if is_operator(removed) => "operator",
        ([removed], [added]) if is_operator(removed) && is_operator(added) => "operator",
        ([], new) if is_delimited(new, &["&&", "||"]) => check_kind(new, "condition"),
        (old, []) if is_delimited(old, &["&&", "||"]) => "condition",
        ([], list) | (list, []) if is_delimited(list, &[","]) => "argument",
        ([], _) if inserts_statement => "donor",
        (old, []) if has_any(old, &[";"]) => "removal",
        ([removed], [added]) if is_name(removed) && is_name(added) => "name",
        (_, new) if has_any(new, &["?", "&&", "||"]) => check_kind(new, "condition"),
        (old, _) if has_any(old, &["&&", "||"]) => "condition",
        _ if inserts_statement => "statements",
        _ => "value",
    }
}

/// Returns the kind of check that tokens contain, or `other` if they check neither null nor a range.
fn check_kind(tokens: &[String], other: &'static str) -> &'static str {
    if has_any(tokens, &["null"]) {
        "null-check"
    } else if has_any(tokens, &["length", "size", "<", "<=", ">", ">=", "isEmpty"]) {
        "range-check"
    } else {
        other
    }
}

fn has_any(tokens: &[String], words: &[&str]) -> bool {
    tokens.iter().any(|token| words.contains(&token.as_str()))
}

/// Returns true if the first or the last token is one of the words.
fn is_delimited(tokens: &[String], words: &[&str]) -> bool {
    let ends = [tokens.first(), tokens.last()];
    ends.iter().flatten().any(|token| words.contains(&token.as_str()))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn is_operator(token: &str) -> bool {
    COMPARISONS.contains(&token) || OPERATORS.contains(&token)
}
