//! Output of tests in passing schedules, without a patch and with it.
//!
//! Threads print their lines in any order, and a schedule that failed without a patch may print what none that passed
//! did: so texts are the same where their lines are, and something else is printed only where no schedule prints what
//! all of them did before.

use mend_model::cut;
use std::collections::BTreeMap;

/// Number of passing schedules for each test and each output.
type OutputCounts = BTreeMap<String, BTreeMap<String, usize>>;

/// Minimum number of schedules that must print the same text for it to count as the usual output.
const ENOUGH: usize = 5;
/// Maximum columns of a quoted line.
const WIDTH: usize = 60;

/// Output of each test whose passing schedules all print the same.
pub(super) struct UsualOutput(BTreeMap<String, String>);

impl UsualOutput {
    pub(super) fn from_runs(printed: &OutputCounts) -> Self {
        Self(printed.iter().filter_map(always).collect())
    }

    /// Returns true if there is no output to compare.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the difference if no passing schedule of a test prints its usual output any more.
    pub(super) fn lost_in(&self, printed: &OutputCounts) -> Option<String> {
        printed.iter().find_map(|(wanted, texts)| {
            let usual = self.0.get(wanted)?;
            if texts.keys().any(|text| sorted(text) == sorted(usual)) {
                return None;
            }
            texts.keys().next().map(|new| describe_difference(new, usual))
        })
    }

    /// Returns the difference if some passing schedule of a test does not print its usual output.
    pub(super) fn missed_in(&self, printed: &OutputCounts) -> Option<String> {
        printed.iter().find_map(|(wanted, texts)| {
            let usual = self.0.get(wanted)?;
            let new = texts.keys().find(|text| sorted(text) != sorted(usual));
            new.map(|new| describe_difference(new, usual))
        })
    }
}

fn describe_difference(new: &str, usual: &str) -> String {
    let line = |one, other| cut(first_apart(one, other), WIDTH);
    format!("passing runs print `{}` instead of `{}`", line(new, usual), line(usual, new))
}

fn always((wanted, texts): (&String, &BTreeMap<String, usize>)) -> Option<(String, String)> {
    let (usual, _) = texts.first_key_value()?;
    let is_same = texts.keys().all(|text| sorted(text) == sorted(usual));
    (is_same && texts.values().sum::<usize>() >= ENOUGH).then(|| (wanted.clone(), usual.clone()))
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Returns the first line of a text that the other text does not contain, or less often.
fn first_apart<'a>(text: &'a str, other: &str) -> &'a str {
    let mut others = sorted(other);
    let is_apart = |line: &&str| match others.iter().position(|other| other == line) {
        Some(at) => {
            others.remove(at);
            false
        }
        None => true,
    };
    let nothing = if text.is_empty() { "nothing" } else { "nothing more" };
    text.lines().find(is_apart).unwrap_or(nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[(&str, usize)]) -> OutputCounts {
        let all = all.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
        BTreeMap::from([("a.ATest".to_owned(), all)])
    }

    fn lost(before: &[(&str, usize)], after: &[(&str, usize)]) -> Option<String> {
        UsualOutput::from_runs(&texts(before)).lost_in(&texts(after))
    }

    #[test]
    fn what_passing_runs_always_printed_must_be_printed_still() {
        let before = [("begun\n3\n", 9)];
        assert_eq!(lost(&before, &before), None);
        let why = |new: &str| Some(format!("passing runs print `{new}` instead of `3`"));
        assert_eq!(lost(&before, &[("begun\n2\n", 1)]), why("2"));
        assert_eq!(lost(&before, &[("begun\n", 1)]), why("nothing more"));
        assert_eq!(lost(&[("3\n", 9)], &[("", 1)]), why("nothing"));
    }

    #[test]
    fn threads_may_print_their_lines_in_another_order() {
        assert_eq!(lost(&[("a\nb\n", 3), ("b\na\n", 2)], &[("b\na\n", 1)]), None);
        assert_eq!(lost(&[("a\nb\n", 9)], &[("b\na\n", 1)]), None);
        let why = "passing runs print `c` instead of `a`".to_owned();
        assert_eq!(lost(&[("a\nb\nb\n", 9)], &[("b\nc\nb\n", 1)]), Some(why));
    }

    #[test]
    fn a_schedule_that_failed_before_may_print_something_else() {
        assert_eq!(lost(&[("first\n", 9)], &[("first\n", 1), ("second\n", 8)]), None);
    }

    #[test]
    fn what_leaves_something_out_leaves_no_usual_line_out() {
        let missed =
            |after| UsualOutput::from_runs(&texts(&[("first\n", 9)])).missed_in(&texts(after));
        assert_eq!(missed(&[("first\n", 9)]), None);
        let why = "passing runs print `nothing` instead of `first`".to_owned();
        assert_eq!(missed(&[("", 1), ("first\n", 8)]), Some(why));
    }

    #[test]
    fn nothing_is_usual_where_runs_differ_or_are_few() {
        for before in [[("1\n", 4), ("2\n", 5)].as_slice(), &[("1\n", 4)], &[]] {
            assert_eq!(lost(before, &[("3\n", 1)]), None);
        }
    }

    #[test]
    fn a_long_line_is_told_in_short() {
        let text = lost(&[("1\n", 9)], &[("x".repeat(4000).as_str(), 1)]).unwrap_or_default();
        assert!(text.len() < 120, "{text}");
    }
}
