//! Wildcards in selectors: `*` and `?`.

use regex::Regex;

/// A pattern in which `*` stands for any text and `?` for one character.
#[derive(Clone, Debug)]
pub(crate) struct Wildcard(Option<Regex>);

impl Wildcard {
    pub(crate) fn new(pattern: &str) -> Self {
        let escaped = regex::escape(pattern).replace(r"\*", ".*").replace(r"\?", ".");
        Self(Regex::new(&format!("(?s)^{escaped}$")).ok())
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_star_and_question_mark_are_wildcards() {
        assert!(Wildcard::new("a.*Test").matches("a.b.CTest"));
        assert!(Wildcard::new("a.B?").matches("a.BC"));
        assert!(!Wildcard::new("a.B").matches("aXB"));
        assert!(Wildcard::new("m[0]").matches("m[0]"));
        assert!(!Wildcard::new("b").matches("abc"));
    }
}
