//! Postconditions that failing tests violated, translated to the statements of their routine.

use crate::contracts::{Postcondition, RESULT_PLACEHOLDER, unqualified_names};
use mend_java::code::purity::is_pure;
use mend_java::code::scope::visible;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, parenthesise};
use std::collections::HashMap;

/// Maximum length of a returned expression that is repeated in a condition.
const MAX_REPEATED_LEN: usize = 60;

/// A routine whose postcondition failing tests violated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PostconditionViolation {
    /// Index of the file, and the routine's declaration.
    pub(crate) routine: FileNode,
    pub(crate) postcondition: Postcondition,
    /// Weight of the violation as evidence, from 0 to 1.
    pub(crate) weight: f64,
}

/// Violated postconditions of all routines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PostconditionViolations(pub(crate) Vec<PostconditionViolation>);

impl PostconditionViolations {
    /// Returns the suspicion of each routine with a violated postcondition.
    pub(crate) fn routine_weights(&self) -> HashMap<FileNode, f64> {
        let mut all: HashMap<FileNode, f64> = HashMap::new();
        for PostconditionViolation { routine: place, weight, .. } in &self.0 {
            let routine_weight = all.entry(*place).or_default();
            *routine_weight = routine_weight.max(*weight);
        }
        all
    }

    /// Returns the conjuncts of the violated postconditions at the end of a statement's routine that do not use saved
    /// values. The result is called [`RESULT_PLACEHOLDER`] in them. Conjuncts with hidden names are left out.
    pub(crate) fn result_conjuncts(
        &self,
        file: usize,
        code: &Code<'_>,
        statement: NodeIndex,
    ) -> Vec<&str> {
        let Some(method) = code.enclosing_method(statement) else { return Vec::new() };
        let is_parameter = |name: &str| {
            let parameters = code.children(method).into_iter();
            let mut parameters = parameters.filter(|id| code.role(*id) == NodeRole::Parameter);
            parameters
                .any(|id| code.symbol(id).is_some_and(|one| code.facts.text(one.name) == name))
        };
        let visible_variables = visible(code, statement).into_iter();
        let hidden: Vec<String> = visible_variables
            .filter(|one| !one.is_field && !is_parameter(&one.name))
            .map(|one| one.name)
            .collect();
        let is_hidden = |text: &str| {
            let is_hidden_name = |name: &str| hidden.iter().any(|hidden| hidden == name);
            unqualified_names(text).is_none_or(|names| names.into_iter().any(is_hidden_name))
        };
        let routine_violations = self.0.iter().filter(|one| one.routine == (file, method));
        let without_saved_values =
            routine_violations.filter(|one| one.postcondition.saved_expressions.is_empty());
        let mut all: Vec<&str> =
            without_saved_values.flat_map(|one| conjuncts(&one.postcondition.condition)).collect();
        all.retain(|text| !is_hidden(text));
        all
    }

    /// Returns the violated postconditions as conditions before a statement. The returned expression replaces the
    /// result, if it may be evaluated twice.
    pub(crate) fn conditions_before(
        &self,
        file: usize,
        code: &Code<'_>,
        statement: NodeIndex,
    ) -> Vec<String> {
        let all = self.result_conjuncts(file, code, statement).into_iter();
        all.filter_map(|text| condition_at_statement(code, statement, text)).collect()
    }
}

/// Returns a condition in terms of a statement.
pub(crate) fn condition_at_statement(
    code: &Code<'_>,
    statement: NodeIndex,
    condition: &str,
) -> Option<String> {
    if !condition.contains(RESULT_PLACEHOLDER) {
        return Some(condition.to_owned());
    }
    let value = code
        .child(statement, NodeRole::Value)
        .filter(|_| code.has_kind(statement, NodeKind::Return))?;
    let text = code.source_text(value);
    let is_short = text.len() <= MAX_REPEATED_LEN && !text.contains('\n');
    (is_short && is_pure(code, value))
        .then(|| condition.replace(RESULT_PLACEHOLDER, &parenthesise(text)))
}

/// Splits a condition into its conjuncts.
fn conjuncts(condition: &str) -> Vec<&str> {
    let parts: Vec<&str> = condition.split("&&").map(str::trim).collect();
    let is_complete = |part: &&str| {
        let count = |c: char| part.matches(c).count();
        count('(') == count(')') && !part.contains(['"', '?']) && !part.contains("||")
    };
    if parts.iter().all(is_complete) { parts } else { vec![condition] }
}

#[cfg(test)]
mod tests {
    use super::conjuncts;

    #[test]
    fn only_pure_conjunctions_are_split() {
        assert_eq!(conjuncts("0 <= a && f(a)&& b"), ["0 <= a", "f(a)", "b"]);
        for whole in ["a && (b || c)", "(a && b)", "a == \"&&\"", "a"] {
            assert_eq!(conjuncts(whole), [whole]);
        }
    }
}
