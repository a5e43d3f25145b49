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

/// Kind of rules for branches.
struct RuleKind {
    /// Name of the check.
    check: &'static str,
    /// Name of one rule.
    rule: &'static str,
    /// Page with the rules.
    page: &'static str,
}

const RULESETS: RuleKind =
    RuleKind { check: "branches", rule: "rule", page: "Settings, Rules, Rulesets" };
const CLASSIC_RULES: RuleKind =
    RuleKind { check: "protection", rule: "classic protection rule", page: "Settings, Branches" };

impl RuleKind {
    /// Returns the finding about the rules that restrict the branches of fixes.
    fn finding(&self, restricting: Vec<String>, forbids_creation: bool) -> DoctorFinding {
        let branches = format!("{OWN_BRANCH_PREFIX}*");
        if restricting.is_empty() {
            let message = format!("no {} forbids {branches}", self.rule);
            return DoctorFinding::new(self.check, DoctorStatus::Ok, message);
        }
        let (status, verb) = if forbids_creation {
            (DoctorStatus::Missing, "forbid")
        } else {
            (DoctorStatus::Note, "may forbid")
        };
        let message = format!("{}s {verb} branches {branches}", self.rule);
        DoctorFinding::new(self.check, status, message)
            .with_items(restricting)
            .with_help(format!("exclude {branches} under {}", self.page))
    }
}

/// Returns the finding about the rules for a branch of a fix. Accounts may be exempt from the rules, which only
/// administrators can see.
pub(super) fn rules_finding(rules: &[BranchRule]) -> DoctorFinding {
    let restricting: Vec<&BranchRule> = rules.iter().filter(|rule| is_restricting(rule)).collect();
    let forbids_creation = restricting.iter().any(|rule| rule.kind == CREATION_RULE);
    RULESETS.finding(restricting.into_iter().map(describe).collect(), forbids_creation)
}

/// Returns the finding about the classic protection rules for a branch of a fix. Accounts may be exempt from them.
/// GitHub shows no rules, without an error, to a token that may not read the repository's settings.
pub(super) fn protection_finding(rules: &[BranchProtectionRule], is_admin: bool) -> DoctorFinding {
    let applies = |rule: &&BranchProtectionRule| matches_branch(&rule.pattern, SAMPLE_BRANCH);
    // Of several rules with patterns, GitHub applies the oldest.
    let rule = rules.iter().filter(applies).min_by_key(|rule| rule.number);
    if rule.is_none() && !is_admin {
        let message = format!(
            "unknown whether classic branch protection forbids {OWN_BRANCH_PREFIX}*: \
             only an administrator's token can read its rules"
        );
        return DoctorFinding::new(CLASSIC_RULES.check, DoctorStatus::Note, message)
            .with_help("ask an administrator about Settings, Branches");
    }
    let restriction = rule.and_then(|rule| Some((rule, ClassicRestriction::from_rule(rule)?)));
    let forbids_creation =
        restriction.is_some_and(|(_, restriction)| restriction != ClassicRestriction::Push);
    let item = restriction.map(|(rule, what)| format!("{}: {}", rule.pattern, what.name()));
    CLASSIC_RULES.finding(item.into_iter().collect(), forbids_creation)
}

/// Restriction by a classic protection rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClassicRestriction {
    Lock,
    Creation,
    Push,
}

impl ClassicRestriction {
    fn from_rule(rule: &BranchProtectionRule) -> Option<Self> {
        match (rule.lock_branch, rule.restricts_pushes, rule.blocks_creations) {
            (true, ..) => Some(Self::Lock),
            (false, true, true) => Some(Self::Creation),
            (false, true, false) => Some(Self::Push),
            (false, false, _) => None,
        }
    }

    /// Returns the name on the page of the rule.
    fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock branch",
            Self::Creation => "restrict pushes that create matching branches",
            Self::Push => "restrict who can push to matching branches",
        }
    }
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
            number: 2,
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
            ("git-mend/*", [true, false, false], DoctorStatus::Ok),
            ("*", [true, true, true], DoctorStatus::Ok),
        ] {
            let finding = protection_finding(&[rule(pattern, restrictions)], true);
            assert_eq!(finding.status, status, "{pattern} {restrictions:?}");
        }
        let finding = protection_finding(&[rule("**/*", [true, true, false])], false);
        assert_eq!(finding.items, ["**/*: restrict pushes that create matching branches"]);
        let older = BranchProtectionRule { number: 1, ..rule("git-mend/*", [false; 3]) };
        let both = [rule("**/*", [true, true, false]), older];
        assert_eq!(protection_finding(&both, true).status, DoctorStatus::Ok);
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
