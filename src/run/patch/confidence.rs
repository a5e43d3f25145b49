//! Confidence in a fix, from its evidence. The rule comes from the fixes of the programs in `fixtures/contracts/open`.

use mend_model::format_count;
use mend_report::{Confidence, FixEvidence, FixResult, REGRESSION_TECHNIQUE};
use std::collections::BTreeSet;

/// Number of schedules without a failure that give high confidence.
const MANY_SCHEDULES: usize = 300;

/// Minimum number of compared generated tests that call what the fix changes, for high confidence.
const MIN_COMPARED_TESTS: usize = 10;

/// Maximum share of generated tests with another result, in percent, for high confidence.
const MAX_DIFFERENT_PERCENT: usize = 30;

/// Maximum size of a fix with high confidence, in tokens. Larger ones passed the tests by chance more often.
const MAX_TOKENS: usize = 15;

/// Operators that insert copies of code, which pass the tests by chance more often.
const COPYING_OPERATORS: [&str; 3] = ["donor", "assignment", "multi-location"];

/// Reason for low confidence in a fix that has a better rival.
const BETTER_FIX_REASON: &str = "a better fix passes the tests too";

/// Other plausible fixes of the same tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rivals {
    /// There are none, or they rank lower.
    None,
    /// There are some without a rank, such as other patches of a pool.
    Unranked,
    /// One ranks higher.
    Better,
}

/// Returns ranked fixes with their confidence.
pub(crate) fn rate_ranked_fixes(fixes: &[FixResult]) -> Vec<FixResult> {
    let failing_tests = |fix: &FixResult| -> BTreeSet<String> {
        fix.validated.still_failing.iter().cloned().collect()
    };
    let rate = |(at, fix): (usize, &FixResult)| {
        let still_failing = failing_tests(fix);
        let is_better = |one: &FixResult| {
            // A revert ranks by size, so it says nothing about a repair.
            one.technique != REGRESSION_TECHNIQUE
                && one.validated.overfitting_signs.is_empty()
                && failing_tests(one).is_subset(&still_failing)
        };
        let has_better = fixes[..at].iter().any(is_better);
        rate_fix(fix, if has_better { Rivals::Better } else { Rivals::None })
    };
    fixes.iter().enumerate().map(rate).collect()
}

/// Returns a fix with its confidence.
pub(crate) fn rate_fix(fix: &FixResult, rivals: Rivals) -> FixResult {
    let (confidence, reason) = rate(fix, rivals);
    FixResult { confidence: Some(confidence), confidence_reason: Some(reason), ..fix.clone() }
}

fn rate(fix: &FixResult, rivals: Rivals) -> (Confidence, String) {
    let FixEvidence {
        failing_pass, still_failing, overfitting_signs, schedules, exhaustive, ..
    } = &fix.validated;
    let rated = |confidence, reason: &str| (confidence, reason.to_owned());
    if let Some(sign) = overfitting_signs.first() {
        return (Confidence::Low, format!("it {sign}"));
    }
    if still_failing.len() > *failing_pass {
        return rated(Confidence::Low, "most of the failing tests still fail");
    }
    if !still_failing.is_empty() {
        return match rivals {
            Rivals::Better => rated(Confidence::Low, BETTER_FIX_REASON),
            Rivals::None | Rivals::Unranked => rated(Confidence::Medium, "some tests still fail"),
        };
    }
    if fix.technique == REGRESSION_TECHNIQUE {
        return rated(Confidence::High, "it restores code that passed the test");
    }
    match schedules {
        _ if *exhaustive => return rated(Confidence::High, "exhaustive: no schedule fails"),
        Some(count) if *count >= MANY_SCHEDULES => {
            return rated(Confidence::High, "no failure in hundreds of schedules");
        }
        Some(_) => return rated(Confidence::Medium, "no failure in the explored schedules"),
        None => {}
    }
    match rivals {
        Rivals::Better => return rated(Confidence::Low, BETTER_FIX_REASON),
        Rivals::Unranked => return rated(Confidence::Medium, "several patches pass the tests"),
        Rivals::None => {}
    }
    rate_by_generated_tests(fix)
}

fn rate_by_generated_tests(fix: &FixResult) -> (Confidence, String) {
    let FixEvidence { generated, generated_different: different, generated_reaching, .. } =
        &fix.validated;
    let Some(same) = generated else {
        return (Confidence::Medium, "only the existing tests support it".to_owned());
    };
    let compared = same + different;
    if fix.validated.unclassified {
        let reason = "not all of its changes were checked for overfitting";
        return (Confidence::Medium, reason.to_owned());
    }
    let tests = format_count(compared, "generated test");
    if let Some(reaching) = generated_reaching.filter(|reaching| *reaching < MIN_COMPARED_TESTS) {
        let reason = match reaching {
            0 => format!("none of {tests} calls what it changes"),
            1 => format!("only 1 of {tests} calls what it changes"),
            more => format!("only {more} of {tests} call what it changes"),
        };
        return (Confidence::Medium, reason);
    }
    let reason = format!("different in {different} of {tests}");
    let is_small = fix.tokens.is_some_and(|tokens| tokens <= MAX_TOKENS);
    let is_high = compared >= MIN_COMPARED_TESTS
        && different * 100 <= compared * MAX_DIFFERENT_PERCENT
        && is_small
        && !COPYING_OPERATORS.contains(&fix.operator.as_str());
    (if is_high { Confidence::High } else { Confidence::Medium }, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(validated: FixEvidence) -> FixResult {
        FixResult {
            rank: 1,
            technique: "contract".to_owned(),
            operator: "operator".to_owned(),
            patch: None,
            tokens: Some(2),
            lines: Some(2),
            files: Vec::new(),
            location: None,
            why: String::new(),
            confidence: None,
            confidence_reason: None,
            validated,
        }
    }

    fn levels(fixes: &[FixResult]) -> Vec<Confidence> {
        rate_ranked_fixes(fixes).into_iter().filter_map(|fix| fix.confidence).collect()
    }

    fn generated(same: usize, different: usize) -> FixEvidence {
        FixEvidence {
            generated: Some(same),
            generated_different: different,
            ..FixEvidence::default()
        }
    }

    fn partial(failing_pass: usize, left: &[&str]) -> FixEvidence {
        let still_failing = left.iter().map(|test| (*test).to_owned()).collect();
        FixEvidence { failing_pass, still_failing, ..generated(50, 0) }
    }

    #[test]
    fn many_clean_schedules_give_high_confidence() {
        let level = |schedules, exhaustive| {
            let schedules = Some(schedules);
            levels(&[fix(FixEvidence { schedules, exhaustive, ..FixEvidence::default() })])[0]
        };
        let expected = [Confidence::High, Confidence::High, Confidence::Medium];
        assert_eq!([level(4, true), level(1000, false), level(4, false)], expected);
    }

    #[test]
    fn generated_tests_raise_the_confidence_in_a_small_fix() {
        let large = FixResult { tokens: Some(40), ..fix(generated(50, 1)) };
        let copy = FixResult { operator: "donor".to_owned(), ..fix(generated(50, 1)) };
        let fixes =
            [fix(generated(50, 1)), fix(generated(5, 0)), fix(generated(50, 50)), large, copy];
        let levels: Vec<_> = fixes.into_iter().map(|one| levels(&[one])[0]).collect();
        let (high, medium) = (Confidence::High, Confidence::Medium);
        assert_eq!(levels, [high, medium, medium, medium, medium]);
    }

    #[test]
    fn generated_tests_that_call_other_code_do_not_raise_the_confidence() {
        let rated = [Some(3), Some(10), None, Some(0)].map(|generated_reaching| {
            rate(&fix(FixEvidence { generated_reaching, ..generated(50, 1) }), Rivals::None)
        });
        let reason = "only 3 of 51 generated tests call what it changes".to_owned();
        assert_eq!(rated[0], (Confidence::Medium, reason));
        assert_eq!([rated[1].0, rated[2].0], [Confidence::High, Confidence::High]);
        assert_eq!(rated[3].1, "none of 51 generated tests calls what it changes");
    }

    #[test]
    fn only_the_best_fix_is_recommended() {
        let bypass = FixEvidence {
            overfitting_signs: vec!["only bypasses a check".to_owned()],
            ..generated(50, 0)
        };
        let fixes = [fix(generated(50, 0)), fix(generated(50, 0)), fix(bypass)];
        assert_eq!(levels(&fixes), [Confidence::High, Confidence::Low, Confidence::Low]);
    }

    #[test]
    fn partial_fix_after_an_overfitting_one_is_recommended() {
        let bypass = FixEvidence {
            overfitting_signs: vec!["only bypasses a check".to_owned()],
            ..generated(50, 0)
        };
        assert_eq!(
            levels(&[fix(bypass), fix(partial(1, &["a.T#one"]))]),
            [Confidence::Low, Confidence::Medium]
        );
    }

    #[test]
    fn best_repair_after_a_revert_is_recommended() {
        let revert =
            FixResult { technique: REGRESSION_TECHNIQUE.to_owned(), ..fix(FixEvidence::default()) };
        let fixes = [revert, fix(generated(50, 0)), fix(generated(50, 0))];
        assert_eq!(levels(&fixes), [Confidence::High, Confidence::High, Confidence::Low]);
    }

    #[test]
    fn fixes_of_different_tests_are_recommended_together() {
        let fixes = ["a.T#one", "a.T#two", "a.T#one"].map(|left| fix(partial(1, &[left])));
        assert_eq!(levels(&fixes), [Confidence::Medium, Confidence::Medium, Confidence::Low]);
    }

    #[test]
    fn fix_that_leaves_most_tests_failing_is_not_recommended() {
        let left = ["a.T#one", "a.T#two"];
        let levels = [1, 2, 3].map(|fixed| levels(&[fix(partial(fixed, &left))])[0]);
        assert_eq!(levels, [Confidence::Low, Confidence::Medium, Confidence::Medium]);
    }
}
