//! Clauses of JML as expressions of Java.

use mend_java::closed;
use mend_java::code::condition::Condition;

/// Translates a clause into Java; `None` if Java has no equivalent.
pub(super) fn java(clause: &str) -> Option<String> {
    if ["\\", "<==", "(*"].iter().any(|sign| clause.contains(sign)) {
        return None;
    }
    match clause.split_once("==>") {
        None => Some(clause.to_owned()),
        Some((left, then)) if then.contains("==>") || !is_balanced(left) => None,
        Some((left, then)) => {
            Some(format!("{} || {}", Condition::parse(left).negation(), closed(then.trim())))
        }
    }
}

/// Returns true if all parentheses are balanced.
fn is_balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

#[cfg(test)]
mod tests {
    use super::java;

    #[test]
    fn what_java_cannot_say_is_left_out() {
        assert_eq!(java("a > 0 ==> b != null"), Some("a <= 0 || (b != null)".to_owned()));
        for clause in ["(\\forall int i; i > 0)", "(a ==> b) && c", "(* all is well *)"] {
            assert_eq!(java(clause), None);
        }
    }
}
