//! Translation of JML clauses to Java expressions.

use mend_java::code::condition::Condition;
use mend_java::parenthesise;

/// Translates a clause into Java; `None` if Java has no equivalent.
pub(super) fn jml_to_java(clause: &str) -> Option<String> {
    if ["\\", "<==", "(*"].iter().any(|sign| clause.contains(sign)) {
        return None;
    }
    match clause.split_once("==>") {
        None => Some(clause.to_owned()),
        Some((left, then)) if then.contains("==>") || !is_balanced(left) => None,
        Some((left, then)) => {
            Some(format!("{} || {}", Condition::parse(left).negation(), parenthesise(then.trim())))
        }
    }
}

/// Returns true if all parentheses are balanced.
fn is_balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

#[cfg(test)]
mod tests {
    use super::jml_to_java;

    #[test]
    fn clauses_without_java_equivalent_are_dropped() {
        assert_eq!(jml_to_java("a > 0 ==> b != null"), Some("a <= 0 || (b != null)".to_owned()));
        for clause in ["(\\forall int i; i > 0)", "(a ==> b) && c", "(* all is well *)"] {
            assert_eq!(jml_to_java(clause), None);
        }
    }
}
