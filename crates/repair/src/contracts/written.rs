//! Written contracts of a routine or a class: JML comments and Cofoja annotations, if they are Java expressions.

use super::annotations::annotations;
use super::jml::java;
use crate::contracts::postconditions::Postcondition;
use mend_java::Code;
use mend_java::facts::NodeIndex;

/// Returns the written preconditions of a method.
pub(super) fn demands(code: &Code<'_>, method: NodeIndex) -> Vec<String> {
    let mut all = clauses(&comment(text_before(code, method)), &["requires", "pre"]);
    all.extend(annotated(code, method, "Requires"));
    all.iter().filter_map(|clause| java(clause)).collect()
}

/// Returns the written postconditions of a method.
pub(super) fn assurances(code: &Code<'_>, method: NodeIndex) -> Vec<Postcondition> {
    let jml = clauses(&comment(text_before(code, method)), &["ensures", "post"]);
    let cofoja = annotated(code, method, "Ensures");
    let jml = jml.iter().filter_map(|clause| Postcondition::of_jml(clause));
    jml.chain(cofoja.iter().filter_map(|clause| Postcondition::of_cofoja(clause))).collect()
}

/// Returns the written invariants of a class.
pub(super) fn invariants(code: &Code<'_>, class: NodeIndex) -> Vec<Postcondition> {
    let ends = [code.bytes(class).end.saturating_sub(1)];
    let starts = code.children(class).into_iter().map(|id| code.bytes(id).start);
    let gaps = starts.chain(ends).map(|at| text_between(code, class, at));
    let jml = gaps.flat_map(|gap| clauses(&comment(gap), &["invariant"])).collect::<Vec<_>>();
    let cofoja = annotated(code, class, "Invariant");
    let all = jml.iter().chain(&cofoja);
    all.filter_map(|clause| Postcondition::of_jml(clause))
        .filter(Postcondition::is_of_state)
        .collect()
}

/// Returns the texts of an annotation of a declaration.
fn annotated(code: &Code<'_>, declaration: NodeIndex, annotation: &str) -> Vec<String> {
    let of = annotations(code, declaration).into_iter().filter(|(name, _)| name == annotation);
    of.flat_map(|(_, inside)| texts(&inside)).collect()
}

/// Returns the text between the previous member and a method.
fn text_before<'a>(code: &Code<'a>, method: NodeIndex) -> &'a str {
    text_between(code, code.parent(method), code.bytes(method).start)
}

/// Returns the text between the previous member of a class and an offset.
fn text_between<'a>(code: &Code<'a>, class: NodeIndex, byte: usize) -> &'a str {
    let ends = code.children(class).into_iter().map(|id| code.bytes(id).end);
    let from = ends.filter(|end| *end <= byte).max().unwrap_or(code.bytes(class).start);
    code.text.get(from..byte).unwrap_or_default()
}

/// Words allowed before the keyword of a clause.
const BEFORE: [&str; 10] = [
    "also",
    "behavior",
    "instance",
    "normal_behavior",
    "private",
    "protected",
    "public",
    "spec_protected",
    "spec_public",
    "static",
];

/// Returns the JML text of comments without its markers.
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

/// Returns the clauses of a comment that begin with one of some words.
fn clauses(comment: &str, words: &[&str]) -> Vec<String> {
    let said = comment.split(';').map(str::trim);
    let clause = |clause: &str| {
        let (mut word, mut rest) = clause.split_once(char::is_whitespace)?;
        while BEFORE.contains(&word) {
            (word, rest) = rest.trim_start().split_once(char::is_whitespace)?;
        }
        words.contains(&word).then(|| rest.trim().to_owned())
    };
    said.filter_map(clause).collect()
}

/// Returns the texts of an annotation's element.
fn texts(inside: &str) -> Vec<String> {
    let pieces: Vec<&str> = inside.split('"').collect();
    pieces.iter().skip(1).step_by(2).map(|text| (*text).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_read_from_comments_of_both_kinds() {
        let text = "\n  // no\n  //@ requires a > 0;\n  /*@ requires b != null\n    @   && b.size() > a;\n    @ ensures \\result > 0;\n    @*/\n";
        assert_eq!(clauses(&comment(text), &["requires"]), ["a > 0", "b != null && b.size() > a"]);
        assert_eq!(clauses(&comment(text), &["ensures"]), ["\\result > 0"]);
        let text = "/*@ public normal_behavior\n @ requires a > 0;\n @*/";
        assert_eq!(clauses(&comment(text), &["requires"]), ["a > 0"]);
    }
}
