//! Postconditions of routines: conditions on the result and on the object, which hold at the end.

use super::jml::java;
use crate::contracts::call_translation::renamed;
use mend_java::code::purity::only_asks;
use mend_java::facts::SemanticModel;

/// Placeholder for a routine's result in its postconditions.
pub(crate) const RESULT: &str = "resultOfGitMend";

/// Prefix of the placeholders for values saved at a routine's entry (`\old`); a number follows.
pub(crate) const KEPT: &str = "keptByGitMend";

/// A postcondition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Postcondition {
    /// The source text.
    pub(crate) said: String,
    /// The condition as Java code over parameters, members, [`RESULT`] and saved values ([`KEPT`]).
    pub(crate) condition: String,
    /// The saved expressions, by number.
    pub(crate) kept: Vec<String>,
}

impl Postcondition {
    /// Creates the postcondition of a result annotation. Its text for people calls the result `result`.
    pub(super) fn of_result(condition: String) -> Self {
        let said = condition.replace(RESULT, "result");
        Self { said, condition, kept: Vec::new() }
    }

    /// Translates a clause of JML; `None` if Java has no equivalent.
    pub(super) fn of_jml(clause: &str) -> Option<Self> {
        let (mut text, mut kept) = (clause.replace("\\result", RESULT), Vec::new());
        while let Some(at) = ["\\old(", "\\pre("].iter().find_map(|word| text.find(word)) {
            let start = at + "\\old(".len();
            let end = start + closing(&text[start..])?;
            kept.push(java(text[start..end].trim())?);
            text.replace_range(at..=end, &format!("{KEPT}{}", kept.len() - 1));
        }
        Some(Self { said: clause.to_owned(), condition: java(&text)?, kept })
    }

    /// Translates a clause of Cofoja, which uses names where JML uses symbols.
    pub(super) fn of_cofoja(clause: &str) -> Option<Self> {
        let text = renamed(clause, |name| match name {
            "result" => Some("\\result".to_owned()),
            "old" => Some("\\old".to_owned()),
            name => Some(name.to_owned()),
        })?;
        Some(Self { said: clause.to_owned(), ..Self::of_jml(&text)? })
    }

    /// Returns true if the postcondition depends only on the object's state after the call.
    pub(crate) fn is_of_state(&self) -> bool {
        self.kept.is_empty() && !self.condition.contains(RESULT)
    }

    /// Returns the postcondition with other names; `None` if it may declare names itself.
    pub(super) fn renamed(&self, name: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let kept = self.kept.iter().map(|text| renamed(text, &name)).collect::<Option<_>>()?;
        Some(Self { said: self.said.clone(), condition: renamed(&self.condition, &name)?, kept })
    }

    /// Returns true if evaluation has no side effects, judged by the names of the called methods.
    pub(super) fn only_asks(&self, facts: &SemanticModel) -> bool {
        std::iter::once(&self.condition).chain(&self.kept).all(|text| only_asks(facts, text))
    }
}

/// Returns the offset of the parenthesis that closes the one opened directly before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition_and_saved(assurance: Option<Postcondition>) -> (String, Vec<String>) {
        let Postcondition { condition, kept, .. } = assurance.unwrap();
        (condition, kept)
    }

    #[test]
    fn results_and_what_was_before_have_names_of_their_own() {
        let wanted =
            ("resultOfGitMend == keptByGitMend0 + 1".to_owned(), vec!["size(f(a))".to_owned()]);
        assert_eq!(
            condition_and_saved(Postcondition::of_jml("\\result == \\old(size(f(a))) + 1")),
            wanted
        );
        assert_eq!(
            condition_and_saved(Postcondition::of_cofoja("result == old(size(f(a))) + 1")),
            wanted
        );
        let wanted = ("keptByGitMend0 != keptByGitMend1", ["a", "b.old"].map(str::to_owned));
        let found = condition_and_saved(Postcondition::of_cofoja("old(a) != old(b.old)"));
        assert_eq!((&*found.0, &found.1[..]), (wanted.0, &wanted.1[..]));
    }

    #[test]
    fn what_java_cannot_say_is_no_assurance() {
        for clause in ["\\old(\\old(a)) > 0", "(\\forall int i; i < \\result)", "\\old(a > 0"] {
            assert_eq!(Postcondition::of_jml(clause), None, "{clause}");
        }
    }
}
