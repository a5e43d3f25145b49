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
    let mut lines = numbers.split_whitespace().take(2).map(|number| number.parse::<usize>());
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
    let is_in = |tokens: &[String], words: &[&str]| {
        tokens.iter().any(|token| words.contains(&token.as_str()))
    };
    let joins = |tokens: &[String]| {
        [tokens.first(), tokens.last()]
            .iter()
            .flatten()
            .any(|token| matches!(token.as_str(), "&&" | "||"))
    };
    let separates = |tokens: &[String]| {
        [tokens.first(), tokens.last()].iter().flatten().any(|token| *token == ",")
    };
    let check = |tokens: &[String], other: &'static str| {
        if is_in(tokens, &["null"]) {
            "null-check"
        } else if is_in(tokens, &["length", "size", "<", "<=", ">", ">=", "isEmpty"]) {
            "range-check"
        } else {
            other
        }
    };
    let is_name = |tokens: &[String]| matches!(tokens, [only] if only.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let is_operator = |tokens: &[String]| matches!(tokens, [only] if COMPARISONS.contains(&only.as_str()) || OPERATORS.contains(&only.as_str()));
    let inserts_statement = is_in(new, &[";"]) || is_in(new, &["{"]);
    match (old, new) {
        (old, new)
            if (is_operator(old) || old.is_empty()) && is_operator(new)
                || is_operator(old) && new.is_empty() =>
        {
            "operator"
        }
        ([], new)
            if is_in(new, &["if"]) && is_in(new, &["return", "throw", "continue", "break"]) =>
        {
            check(new, "early-exit")
        }
        ([], new) if is_in(new, &["if"]) => check(new, "condition"),
        ([], new) if joins(new) => check(new, "condition"),
        (old, []) if joins(old) => "condition",
        ([], new) if separates(new) => "argument",
        (old, []) if separates(old) => "argument",
        ([], _) if inserts_statement => "donor",
        (old, []) if is_in(old, &[";"]) => "removal",
        (old, new) if is_name(old) && is_name(new) => "name",
        (_, new) if is_in(new, &["?"]) => check(new, "condition"),
        (_, new) if is_in(new, &["&&", "||"]) => check(new, "condition"),
        (old, _) if is_in(old, &["&&", "||"]) => "condition",
        _ if inserts_statement => "statements",
        _ => "value",
    }
}
