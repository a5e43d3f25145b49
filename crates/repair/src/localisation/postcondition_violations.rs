//! Postconditions that failing tests violated, in terms of the statements that may have caused the violation.

use crate::contracts::{Postcondition, RESULT, names};
use mend_java::code::purity::is_pure;
use mend_java::code::scope::visible;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, closed};
use std::collections::HashMap;

/// Maximum length of a returned expression that is repeated in a condition.
const LONGEST: usize = 60;

/// A routine that failing tests saw to break what it promises.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PostconditionViolation {
    /// The number of its file, and its declaration.
    pub(crate) place: (usize, NodeIndex),
    pub(crate) assurance: Postcondition,
    /// Weight of the violation as evidence, from 0 to 1.
    pub(crate) weight: f64,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PostconditionViolations(pub(crate) Vec<PostconditionViolation>);

impl PostconditionViolations {
    /// Returns the suspicion of each routine with a violated postcondition.
    pub(crate) fn weights(&self) -> HashMap<(usize, NodeIndex), f64> {
        let mut all: HashMap<(usize, NodeIndex), f64> = HashMap::new();
        for PostconditionViolation { place, weight, .. } in &self.0 {
            let known = all.entry(*place).or_default();
            *known = known.max(*weight);
        }
        all
    }

    /// Returns the conjuncts of the violated postconditions at the end of a statement's routine that do not use saved
    /// values. The result is called [`RESULT`] in them. Conjuncts with hidden names are left out.
    pub(crate) fn result_conjuncts(
        &self,
        file: usize,
        code: &Code<'_>,
        at: NodeIndex,
    ) -> Vec<&str> {
        let Some(method) = code.method_of(at) else { return Vec::new() };
        let is_parameter = |name: &str| {
            let parameters = code.children(method).into_iter();
            let mut parameters = parameters.filter(|id| code.role(*id) == NodeRole::Parameter);
            parameters
                .any(|id| code.symbol(id).is_some_and(|one| code.facts.text(one.name) == name))
        };
        let known = visible(code, at).into_iter();
        let hidden: Vec<String> = known
            .filter(|one| !one.is_field && !is_parameter(&one.name))
            .map(|one| one.name)
            .collect();
        let is_hidden = |text: &str| {
            let is_one = |name: &str| hidden.iter().any(|hidden| hidden == name);
            names(text).is_none_or(|names| names.into_iter().any(is_one))
        };
        let own = self.0.iter().filter(|one| one.place == (file, method));
        let whole = own.filter(|one| one.assurance.kept.is_empty());
        let mut all: Vec<&str> =
            whole.flat_map(|one| conjuncts(&one.assurance.condition)).collect();
        all.retain(|text| !is_hidden(text));
        all
    }

    /// Returns the violated postconditions as conditions before a statement. The returned expression replaces the
    /// result, if it may be evaluated twice.
    pub(crate) fn conditions_before(
        &self,
        file: usize,
        code: &Code<'_>,
        at: NodeIndex,
    ) -> Vec<String> {
        let all = self.result_conjuncts(file, code, at).into_iter();
        all.filter_map(|text| condition_at_statement(code, at, text)).collect()
    }
}

/// Returns a condition in the terms of a statement.
pub(crate) fn condition_at_statement(
    code: &Code<'_>,
    statement: NodeIndex,
    condition: &str,
) -> Option<String> {
    if !condition.contains(RESULT) {
        return Some(condition.to_owned());
    }
    let value =
        code.child(statement, NodeRole::Value).filter(|_| code.is(statement, NodeKind::Return))?;
    let text = code.written(value);
    let is_short = text.len() <= LONGEST && !text.contains('\n');
    (is_short && is_pure(code, value)).then(|| condition.replace(RESULT, &closed(text)))
}

/// Splits a condition into its conjuncts.
fn conjuncts(condition: &str) -> Vec<&str> {
    let parts: Vec<&str> = condition.split("&&").map(str::trim).collect();
    let is_whole = |part: &&str| {
        let count = |c: char| part.matches(c).count();
        count('(') == count(')') && !part.contains(['"', '?']) && !part.contains("||")
    };
    if parts.iter().all(is_whole) { parts } else { vec![condition] }
}

#[cfg(test)]
mod tests {
    use super::conjuncts;

    #[test]
    fn what_all_has_to_hold_is_told_apart_where_nothing_else_is_in_it() {
        assert_eq!(conjuncts("0 <= a && f(a)&& b"), ["0 <= a", "f(a)", "b"]);
        for whole in ["a && (b || c)", "(a && b)", "a == \"&&\"", "a"] {
            assert_eq!(conjuncts(whole), [whole]);
        }
    }
}
