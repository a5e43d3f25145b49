//! Contracts written as JML comments or Cofoja annotations, if their clauses are Java expressions.

use super::annotations::read_annotations;
use super::jml::jml_to_java;
use crate::contracts::postconditions::Postcondition;
use mend_java::Code;
use mend_java::facts::NodeIndex;

/// Returns the written preconditions of a method.
pub(super) fn written_preconditions(code: &Code<'_>, method: NodeIndex) -> Vec<String> {
    let mut all = find_clauses(&jml_text(text_before(code, method)), &["requires", "pre"]);
    all.extend(annotation_texts(code, method, "Requires"));
    all.iter().filter_map(|clause| jml_to_java(clause)).collect()
}

/// Returns the written postconditions of a method.
pub(super) fn written_postconditions(code: &Code<'_>, method: NodeIndex) -> Vec<Postcondition> {
    let jml = find_clauses(&jml_text(text_before(code, method)), &["ensures", "post"]);
    let cofoja = annotation_texts(code, method, "Ensures");
    let jml = jml.iter().filter_map(|clause| Postcondition::from_jml(clause));
    jml.chain(cofoja.iter().filter_map(|clause| Postcondition::from_cofoja(clause))).collect()
}

/// Returns the written invariants of a class.
pub(super) fn written_invariants(code: &Code<'_>, class: NodeIndex) -> Vec<Postcondition> {
    let ends = [code.bytes(class).end.saturating_sub(1)];
    let starts = code.children(class).into_iter().map(|id| code.bytes(id).start);
    let gaps = starts.chain(ends).map(|at| text_after_previous_member(code, class, at));
    let jml = gaps.flat_map(|gap| find_clauses(&jml_text(gap), &["invariant"])).collect::<Vec<_>>();
    let cofoja = annotation_texts(code, class, "Invariant");
    let all = jml.iter().chain(&cofoja);
    all.filter_map(|clause| Postcondition::from_jml(clause))
        .filter(Postcondition::depends_on_state_only)
        .collect()
}

/// Returns the texts of an annotation of a declaration.
fn annotation_texts(code: &Code<'_>, declaration: NodeIndex, annotation: &str) -> Vec<String> {
    let matching =
        read_annotations(code, declaration).into_iter().filter(|(name, _)| name == annotation);
    matching.flat_map(|(_, inside)| string_literals(&inside)).collect()
}

/// Returns the text between the previous member and a method.
pub(super) fn text_before<'a>(code: &Code<'a>, method: NodeIndex) -> &'a str {
    text_after_previous_member(code, code.parent(method), code.bytes(method).start)
}

/// Returns the text between the previous member of a class and an offset.
fn text_after_previous_member<'a>(code: &Code<'a>, class: NodeIndex, offset: usize) -> &'a str {
    let ends = code.children(class).into_iter().map(|id| code.bytes(id).end);
    let from = ends.filter(|end| *end <= offset).max().unwrap_or(code.bytes(class).start);
    code.text.get(from..offset).unwrap_or_default()
}

/// Words allowed before the keyword of a clause.
const CLAUSE_MODIFIERS: [&str; 10] = [
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
fn jml_text(text: &str) -> String {
    let (mut found, mut is_in_comment) = (String::new(), false);
    for line in text.lines().map(str::trim) {
        let begins = line.strip_prefix("/*@");
        let content = match line.strip_prefix("//@").or(begins) {
            Some(content) => content,
            None if is_in_comment => line.trim_start_matches('@'),
            None => continue,
        };
        is_in_comment = (is_in_comment || begins.is_some()) && !line.ends_with("*/");
        let content = content.trim_end_matches("*/").trim_end_matches('@');
        found.push_str(content.trim());
        found.push(' ');
    }
    found
}

/// Returns the clauses of a comment that begin with one of some words.
fn find_clauses(comment: &str, keywords: &[&str]) -> Vec<String> {
    let said = comment.split(';').map(str::trim);
    let clause = |clause: &str| {
        let (mut word, mut rest) = clause.split_once(char::is_whitespace)?;
        while CLAUSE_MODIFIERS.contains(&word) {
            (word, rest) = rest.trim_start().split_once(char::is_whitespace)?;
        }
        keywords.contains(&word).then(|| rest.trim().to_owned())
    };
    said.filter_map(clause).collect()
}

/// Returns the texts of an annotation's element.
fn string_literals(annotation_arguments: &str) -> Vec<String> {
    let pieces: Vec<&str> = annotation_arguments.split('"').collect();
    pieces.iter().skip(1).step_by(2).map(|text| (*text).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_read_from_line_and_block_comments() {
        let text = "\n  // no\n  //@ requires a > 0;\n  /*@ requires b != null\n    @   && b.size() > a;\n    @ ensures \\result > 0;\n    @*/\n";
        assert_eq!(
            find_clauses(&jml_text(text), &["requires"]),
            ["a > 0", "b != null && b.size() > a"]
        );
        assert_eq!(find_clauses(&jml_text(text), &["ensures"]), ["\\result > 0"]);
        let text = "/*@ public normal_behavior\n @ requires a > 0;\n @*/";
        assert_eq!(find_clauses(&jml_text(text), &["requires"]), ["a > 0"]);
    }
}
