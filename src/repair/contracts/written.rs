//! Contracts that are written beside a routine: JML comments and Cofoja's annotations, as far as they are expressions
//! of Java.

use super::annotations::annotations;
use crate::facts::NodeIndex;
use crate::repair::code::{Code, closed};
use crate::repair::proposals::negated;

/// What is written that a method demands.
pub(super) fn demands(code: &Code<'_>, method: NodeIndex) -> Vec<String> {
    let mut all = clauses(&comment(before(code, method)), &["requires", "pre"]);
    for (name, inside) in annotations(code, method) {
        if name == "Requires" {
            all.extend(texts(&inside));
        }
    }
    all.iter().filter_map(|clause| java(clause)).collect()
}

/// What stands between the member before and a method.
fn before<'a>(code: &Code<'a>, method: NodeIndex) -> &'a str {
    let (holder, start) = (code.parent(method), code.bytes(method).start);
    let ends = code.children(holder).into_iter().map(|id| code.bytes(id).end);
    let from = ends.filter(|end| *end <= start).max().unwrap_or(code.bytes(holder).start);
    code.text.get(from..start).unwrap_or_default()
}

/// The JML in comments, without what marks it.
fn comment(text: &str) -> String {
    let (mut found, mut is_inside) = (String::new(), false);
    for line in text.lines().map(str::trim) {
        let begins = line.strip_prefix("/*@");
        let said = match line.strip_prefix("//@").or(begins) {
            Some(said) => said,
            None if is_inside => line.trim_start_matches('@'),
            None => continue,
        };
        is_inside = (is_inside || begins.is_some()) && !line.ends_with("*/");
        let said = said.trim_end_matches("*/").trim_end_matches('@');
        found.push_str(said.trim());
        found.push(' ');
    }
    found
}

/// The clauses of a comment that begin with one of some words.
fn clauses(comment: &str, words: &[&str]) -> Vec<String> {
    let said = comment.split(';').map(str::trim);
    let clause = |clause: &str| {
        let (word, rest) = clause.split_once(char::is_whitespace)?;
        words.contains(&word).then(|| rest.trim().to_owned())
    };
    said.filter_map(clause).collect()
}

/// The texts of an annotation's element.
fn texts(inside: &str) -> Vec<String> {
    let pieces: Vec<&str> = inside.split('"').collect();
    pieces.iter().skip(1).step_by(2).map(|text| (*text).to_owned()).collect()
}

/// A clause as Java says it; `None` if Java cannot.
fn java(clause: &str) -> Option<String> {
    if clause.contains('\\') || clause.contains("<==") {
        return None;
    }
    match clause.split_once("==>") {
        None => Some(clause.to_owned()),
        Some((_, then)) if then.contains("==>") => None,
        Some((left, then)) => Some(format!("{} || {}", negated(left.trim()), closed(then.trim()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_read_from_comments_of_both_kinds() {
        let text = "\n  // no\n  //@ requires a > 0;\n  /*@ requires b != null\n    @   && b.size() > a;\n    @ ensures \\result > 0;\n    @*/\n";
        assert_eq!(clauses(&comment(text), &["requires"]), ["a > 0", "b != null && b.size() > a"]);
        assert_eq!(clauses(&comment(text), &["ensures"]), ["\\result > 0"]);
    }

    #[test]
    fn what_java_cannot_say_is_left_out() {
        assert_eq!(java("a > 0 ==> b != null"), Some("a <= 0 || (b != null)".to_owned()));
        assert_eq!(java("(\\forall int i; i > 0)"), None);
    }
}
