//! Checks the rules for the branches of fixes.

use crate::own_branches::OWN_BRANCH_PREFIX;
use mend_github::{BranchRule, PatternParameters};
use mend_model::{DoctorFinding, DoctorStatus};
use regex::Regex;

/// Rule that forbids the creation of branches.
const CREATION_RULE: &str = "creation";
/// Rule that forbids changes of branches, for example new commits.
const UPDATE_RULE: &str = "update";
/// Rule for the names of branches.
const NAME_RULE: &str = "branch_name_pattern";

/// Returns the finding about the rules for a branch of a fix. Accounts may be exempt from the rules, which only
/// administrators can see.
pub(super) fn rules_finding(rules: &[BranchRule]) -> DoctorFinding {
    let branches = format!("{OWN_BRANCH_PREFIX}*");
    let restricting: Vec<&BranchRule> = rules.iter().filter(|rule| is_restricting(rule)).collect();
    if restricting.is_empty() {
        let message = format!("no rule forbids {branches}");
        return DoctorFinding::new("branches", DoctorStatus::Ok, message);
    }
    let (status, message) = if restricting.iter().any(|rule| rule.kind == CREATION_RULE) {
        (DoctorStatus::Missing, format!("rules forbid branches {branches}"))
    } else {
        (DoctorStatus::Note, format!("rules may forbid branches {branches}"))
    };
    DoctorFinding::new("branches", status, message)
        .with_items(restricting.into_iter().map(describe).collect())
        .with_help(format!("exclude {branches} under Settings, Rules, Rulesets"))
}

fn is_restricting(rule: &BranchRule) -> bool {
    match rule.kind.as_str() {
        CREATION_RULE | UPDATE_RULE => true,
        NAME_RULE => rule.parameters.as_ref().is_none_or(|pattern| !allows_own_branches(pattern)),
        _ => false,
    }
}

/// Returns true if a pattern allows the names of all branches of fixes, which differ only after the prefix.
fn allows_own_branches(parameters: &PatternParameters) -> bool {
    let PatternParameters { operator, pattern, negate } = parameters;
    let sample = format!("{OWN_BRANCH_PREFIX}87914ddf3a-bakery-TillTest-dozen-a1b2c3");
    // All names match only what the prefix matches.
    let name = if *negate { sample.as_str() } else { OWN_BRANCH_PREFIX };
    let matches = match operator.as_str() {
        "starts_with" => name.starts_with(pattern.as_str()),
        "contains" => name.contains(pattern.as_str()),
        "ends_with" => sample.ends_with(pattern.as_str()),
        "regex" => match Regex::new(pattern) {
            Ok(regex) => regex.is_match(&sample),
            Err(_) => return false,
        },
        _ => return false,
    };
    matches != *negate
}

fn describe(rule: &BranchRule) -> String {
    match &rule.parameters {
        Some(PatternParameters { operator, pattern, negate }) if rule.kind == NAME_RULE => {
            let not = if *negate { "not " } else { "" };
            format!("{NAME_RULE}: {not}{operator} {pattern}")
        }
        _ => rule.kind.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_rule(operator: &str, pattern: &str, negate: bool) -> BranchRule {
        let (operator, pattern) = (operator.to_owned(), pattern.to_owned());
        let parameters = Some(PatternParameters { operator, pattern, negate });
        BranchRule { kind: NAME_RULE.to_owned(), parameters }
    }

    #[test]
    fn pattern_that_allows_fix_branches_is_no_finding() {
        for (operator, pattern, negate, is_allowed) in [
            ("starts_with", "git-mend/", false, true),
            ("starts_with", "feature/", false, false),
            ("starts_with", "feature/", true, true),
            ("contains", "/", false, true),
            ("contains", "JIRA-", false, false),
            ("ends_with", "-x", false, false),
            ("regex", "^(feature|git-mend)/.+$", false, true),
            ("regex", "^[A-Z]+-[0-9]+", false, false),
            ("regex", "(?=x)", true, false),
            ("unknown", "", true, false),
        ] {
            let finding = rules_finding(&[name_rule(operator, pattern, negate)]);
            let expected = if is_allowed { DoctorStatus::Ok } else { DoctorStatus::Note };
            assert_eq!(finding.status, expected, "{operator} {pattern} {negate}");
        }
    }

    #[test]
    fn only_a_rule_against_creation_is_a_missing_requirement() {
        let rule = |kind: &str| BranchRule { kind: kind.to_owned(), parameters: None };
        let finding = rules_finding(&[rule("update"), name_rule("contains", "JIRA-", false)]);
        assert_eq!(finding.status, DoctorStatus::Note);
        assert_eq!(finding.items, ["update", "branch_name_pattern: contains JIRA-"]);
        let finding = rules_finding(&[rule("update"), rule("creation")]);
        assert_eq!(finding.status, DoctorStatus::Missing);
        assert_eq!(rules_finding(&[rule("required_signatures")]).status, DoctorStatus::Ok);
    }
}
