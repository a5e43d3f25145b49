//! Postconditions of routines: conditions on the result and the object at exit.

use super::jml::jml_to_java;
use crate::contracts::call_translation::replace_names;
use mend_java::code::purity::is_pure_text;
use mend_java::facts::SemanticModel;

/// Placeholder for a routine's result in its postconditions.
pub(crate) const RESULT_PLACEHOLDER: &str = "resultOfGitMend";

/// Prefix of the placeholders for values saved at a routine's entry (`\old`); a number follows.
pub(crate) const SAVED_VALUE_PREFIX: &str = "keptByGitMend";

/// A postcondition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Postcondition {
    /// The source text.
    pub(crate) source_text: String,
    /// The condition as Java code over parameters, members, [`RESULT_PLACEHOLDER`] and saved values ([`SAVED_VALUE_PREFIX`]).
    pub(crate) condition: String,
    /// The saved expressions, by number.
    pub(crate) saved_expressions: Vec<String>,
}

impl Postcondition {
    /// Creates the postcondition of a result annotation. Its text for people calls the result `result`.
    pub(super) fn from_result_condition(condition: String) -> Self {
        let said = condition.replace(RESULT_PLACEHOLDER, "result");
        Self { source_text: said, condition, saved_expressions: Vec::new() }
    }

    /// Translates a clause of JML; `None` if Java has no equivalent.
    pub(super) fn from_jml(clause: &str) -> Option<Self> {
        let (mut text, mut kept) = (clause.replace("\\result", RESULT_PLACEHOLDER), Vec::new());
        while let Some(at) = ["\\old(", "\\pre("].iter().find_map(|word| text.find(word)) {
            let start = at + "\\old(".len();
            let end = start + find_closing_parenthesis(&text[start..])?;
            kept.push(jml_to_java(text[start..end].trim())?);
            text.replace_range(at..=end, &format!("{SAVED_VALUE_PREFIX}{}", kept.len() - 1));
        }
        Some(Self {
            source_text: clause.to_owned(),
            condition: jml_to_java(&text)?,
            saved_expressions: kept,
        })
    }

    /// Translates a clause of Cofoja, which uses names where JML uses symbols.
    pub(super) fn from_cofoja(clause: &str) -> Option<Self> {
        let text = replace_names(clause, |name| match name {
            "result" => Some("\\result".to_owned()),
            "old" => Some("\\old".to_owned()),
            name => Some(name.to_owned()),
        })?;
        Some(Self { source_text: clause.to_owned(), ..Self::from_jml(&text)? })
    }

    /// Returns true if the postcondition depends only on the object's state after the call.
    pub(crate) fn depends_on_state_only(&self) -> bool {
        self.saved_expressions.is_empty() && !self.condition.contains(RESULT_PLACEHOLDER)
    }

    /// Returns the postcondition with other names; `None` if it may declare names itself.
    pub(super) fn replace_names(&self, name: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let kept = self
            .saved_expressions
            .iter()
            .map(|text| replace_names(text, &name))
            .collect::<Option<_>>()?;
        Some(Self {
            source_text: self.source_text.clone(),
            condition: replace_names(&self.condition, &name)?,
            saved_expressions: kept,
        })
    }

    /// Returns true if evaluation has no side effects, judged by the names of the called methods.
    pub(super) fn is_pure(&self, facts: &SemanticModel) -> bool {
        std::iter::once(&self.condition)
            .chain(&self.saved_expressions)
            .all(|text| is_pure_text(facts, text))
    }
}

/// Returns the offset of the parenthesis that closes the one opened directly before a text.
fn find_closing_parenthesis(text: &str) -> Option<usize> {
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

    fn condition_and_saved(postcondition: Option<Postcondition>) -> (String, Vec<String>) {
        let Postcondition { condition, saved_expressions: kept, .. } = postcondition.unwrap();
        (condition, kept)
    }

    #[test]
    fn results_and_saved_values_get_placeholders() {
        let wanted =
            ("resultOfGitMend == keptByGitMend0 + 1".to_owned(), vec!["size(f(a))".to_owned()]);
        assert_eq!(
            condition_and_saved(Postcondition::from_jml("\\result == \\old(size(f(a))) + 1")),
            wanted
        );
        assert_eq!(
            condition_and_saved(Postcondition::from_cofoja("result == old(size(f(a))) + 1")),
            wanted
        );
        let wanted = ("keptByGitMend0 != keptByGitMend1", ["a", "b.old"].map(str::to_owned));
        let found = condition_and_saved(Postcondition::from_cofoja("old(a) != old(b.old)"));
        assert_eq!((&*found.0, &found.1[..]), (wanted.0, &wanted.1[..]));
    }

    #[test]
    fn clauses_without_java_equivalent_are_rejected() {
        for clause in ["\\old(\\old(a)) > 0", "(\\forall int i; i < \\result)", "\\old(a > 0"] {
            assert_eq!(Postcondition::from_jml(clause), None, "{clause}");
        }
    }
}
