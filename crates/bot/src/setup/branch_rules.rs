//! Checks the rules for the branches of fixes.

use super::branch_pattern::matches_branch;
use crate::own_branches::OWN_BRANCH_PREFIX;
use mend_github::{BranchProtectionRule, BranchRule, PatternParameters};
use mend_model::{DoctorFinding, DoctorStatus};
use regex::Regex;

/// Rule that forbids the creation of branches.
const CREATION_RULE: &str = "creation";
/// Rule that forbids changes of branches, for example new commits.
const UPDATE_RULE: &str = "update";
/// Rule for the names of branches.
const NAME_RULE: &str = "branch_name_pattern";

/// Name of a branch of a fix.
const SAMPLE_BRANCH: &str = "git-mend/87914ddf3a-bakery-TillTest-dozen-a1b2c3";

/// Returns the finding about the rules for a branch of a fix. Accounts may be exempt from the rules, which only
/// administrators can see.
pub(super) fn rules_finding(rules: &[BranchRule]) -> DoctorFinding {
    let restricting: Vec<&BranchRule> = rules.iter().filter(|rule| is_restricting(rule)).collect();
    let forbids_creation = restricting.iter().any(|rule| rule.kind == CREATION_RULE);
    let items = restricting.into_iter().map(describe).collect();
    let place = "Settings, Rules, Rulesets";
    restriction_finding("branches", ("rule", "rules"), (items, forbids_creation), place)
}

/// Returns the finding about the classic protection rules for a branch of a fix. Accounts may be exempt from them.
/// GitHub shows no rules, without an error, to a token that may not read the repository's settings.
pub(super) fn protection_finding(rules: &[BranchProtectionRule], is_admin: bool) -> DoctorFinding {
    let applies = |rule: &&BranchProtectionRule| matches_branch(&rule.pattern, SAMPLE_BRANCH);
    let restricted =
        rules.iter().filter(applies).filter_map(|rule| Some((rule, restriction(rule)?)));
    let restricted: Vec<(&BranchProtectionRule, &str)> = restricted.collect();
    if restricted.is_empty() && !is_admin {
        let message = format!(
            "unknown whether classic branch protection forbids {OWN_BRANCH_PREFIX}*: \
             only an administrator's token can read its rules"
        );
        return DoctorFinding::new("protection", DoctorStatus::Note, message)
            .with_help("ask an administrator about Settings, Branches");
    }
    let forbids_creation =
        restricted.iter().any(|(rule, _)| rule.blocks_creations || rule.lock_branch);
    let describe =
        |(rule, what): &(&BranchProtectionRule, &str)| format!("{}: {what}", rule.pattern);
    let items = restricted.iter().map(describe).collect();
    let names = ("classic protection rule", "classic protection rules");
    restriction_finding("protection", names, (items, forbids_creation), "Settings, Branches")
}

/// Returns the restriction of a classic protection rule, in the words of its page.
fn restriction(rule: &BranchProtectionRule) -> Option<&'static str> {
    match rule {
        BranchProtectionRule { lock_branch: true, .. } => Some("lock branch"),
        BranchProtectionRule { blocks_creations: true, .. } => {
            Some("restrict pushes that create matching branches")
        }
        BranchProtectionRule { restricts_pushes: true, .. } => {
            Some("restrict who can push to matching branches")
        }
        _ => None,
    }
}

/// Returns the finding about rules, named in the singular and the plural, with the restricting ones. `place` is the page
/// of the rules.
fn restriction_finding(
    name: &'static str,
    (rule, rules): (&str, &str),
    (restricting, forbids_creation): (Vec<String>, bool),
    place: &str,
) -> DoctorFinding {
    let branches = format!("{OWN_BRANCH_PREFIX}*");
    if restricting.is_empty() {
        let message = format!("no {rule} forbids {branches}");
        return DoctorFinding::new(name, DoctorStatus::Ok, message);
    }
    let (status, message) = if forbids_creation {
        (DoctorStatus::Missing, format!("{rules} forbid branches {branches}"))
    } else {
        (DoctorStatus::Note, format!("{rules} may forbid branches {branches}"))
    };
    DoctorFinding::new(name, status, message)
        .with_items(restricting)
        .with_help(format!("exclude {branches} under {place}"))
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
    // All names match only what the prefix matches.
    let name = if *negate { SAMPLE_BRANCH } else { OWN_BRANCH_PREFIX };
    let matches = match operator.as_str() {
        "starts_with" => name.starts_with(pattern.as_str()),
        "contains" => name.contains(pattern.as_str()),
        "ends_with" => SAMPLE_BRANCH.ends_with(pattern.as_str()),
        "regex" => match Regex::new(pattern) {
            Ok(regex) => regex.is_match(SAMPLE_BRANCH),
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
    fn protection_rule_counts_if_it_matches_and_restricts() {
        let rule = |pattern: &str, [creations, pushes, lock]: [bool; 3]| BranchProtectionRule {
            pattern: pattern.to_owned(),
            blocks_creations: creations,
            restricts_pushes: pushes,
            lock_branch: lock,
        };
        assert!(SAMPLE_BRANCH.starts_with(OWN_BRANCH_PREFIX));
        for (pattern, restrictions, status) in [
            ("**/*", [true, true, false], DoctorStatus::Missing),
            ("git-mend/*", [false, false, true], DoctorStatus::Missing),
            ("git-mend/*", [false, true, false], DoctorStatus::Note),
            ("git-mend/*", [false, false, false], DoctorStatus::Ok),
            ("*", [true, true, true], DoctorStatus::Ok),
        ] {
            let finding = protection_finding(&[rule(pattern, restrictions)], true);
            assert_eq!(finding.status, status, "{pattern} {restrictions:?}");
        }
        let finding = protection_finding(&[rule("**/*", [true, true, false])], false);
        assert_eq!(finding.items, ["**/*: restrict pushes that create matching branches"]);
        let hidden = protection_finding(&[], false);
        assert_eq!(hidden.status, DoctorStatus::Note);
        assert!(hidden.message.starts_with("unknown whether"), "{}", hidden.message);
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
