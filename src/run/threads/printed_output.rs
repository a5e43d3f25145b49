//! Compares the output of tests in passing schedules without and with a patch.
//!
//! Threads print their lines in any order, so outputs are equal if their sorted lines are equal. A schedule that failed
//! without the patch may print another output when it passes with the patch. So an output counts as lost only if no
//! passing schedule prints the former common output.

use mend_model::truncate;
use std::collections::BTreeMap;

/// Number of passing schedules for each test and each output.
type OutputCounts = BTreeMap<String, BTreeMap<String, usize>>;

/// Minimum number of schedules with the same output for it to count as the usual output.
const MIN_EQUAL_OUTPUTS: usize = 5;
/// Maximum width of a quoted line, in columns.
const MAX_QUOTED_COLUMNS: usize = 60;

/// Common output of all passing schedules, for each test that has one.
pub(super) struct UsualOutput(BTreeMap<String, String>);

impl UsualOutput {
    pub(super) fn from_runs(output_counts: &OutputCounts) -> Self {
        Self(output_counts.iter().filter_map(invariant_output).collect())
    }

    /// Returns true if there is no output to compare.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the difference if no passing schedule of a test prints its usual output.
    pub(super) fn find_lost_output(&self, output_counts: &OutputCounts) -> Option<String> {
        output_counts.iter().find_map(|(test, texts)| {
            let usual = self.0.get(test)?;
            if texts.keys().any(|text| sort_lines(text) == sort_lines(usual)) {
                return None;
            }
            texts.keys().next().map(|new| describe_difference(new, usual))
        })
    }

    /// Returns the difference if a passing schedule of a test does not print its usual output.
    pub(super) fn find_deviating_output(&self, output_counts: &OutputCounts) -> Option<String> {
        output_counts.iter().find_map(|(test, texts)| {
            let usual = self.0.get(test)?;
            let new = texts.keys().find(|text| sort_lines(text) != sort_lines(usual));
            new.map(|new| describe_difference(new, usual))
        })
    }
}

fn describe_difference(new: &str, usual: &str) -> String {
    let line = |one, other| truncate(first_different_line(one, other), MAX_QUOTED_COLUMNS);
    format!("passing runs print `{}` instead of `{}`", line(new, usual), line(usual, new))
}

fn invariant_output(
    (wanted, texts): (&String, &BTreeMap<String, usize>),
) -> Option<(String, String)> {
    let (usual, _) = texts.first_key_value()?;
    let is_same = texts.keys().all(|text| sort_lines(text) == sort_lines(usual));
    (is_same && texts.values().sum::<usize>() >= MIN_EQUAL_OUTPUTS)
        .then(|| (wanted.clone(), usual.clone()))
}

fn sort_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Returns the first line of a text that occurs less often in the other text.
fn first_different_line<'a>(text: &'a str, other: &str) -> &'a str {
    let mut other_lines = sort_lines(other);
    let is_different = |line: &&str| match other_lines.iter().position(|other| other == line) {
        Some(at) => {
            other_lines.remove(at);
            false
        }
        None => true,
    };
    let nothing = if text.is_empty() { "nothing" } else { "nothing more" };
    text.lines().find(is_different).unwrap_or(nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output_counts(all: &[(&str, usize)]) -> OutputCounts {
        let all = all.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
        BTreeMap::from([("a.ATest".to_owned(), all)])
    }

    fn lost_output(before: &[(&str, usize)], after: &[(&str, usize)]) -> Option<String> {
        UsualOutput::from_runs(&output_counts(before)).find_lost_output(&output_counts(after))
    }

    #[test]
    fn lost_invariant_output_is_reported() {
        let outputs = [("begun\n3\n", 9)];
        assert_eq!(lost_output(&outputs, &outputs), None);
        let why = |new: &str| Some(format!("passing runs print `{new}` instead of `3`"));
        assert_eq!(lost_output(&outputs, &[("begun\n2\n", 1)]), why("2"));
        assert_eq!(lost_output(&outputs, &[("begun\n", 1)]), why("nothing more"));
        assert_eq!(lost_output(&[("3\n", 9)], &[("", 1)]), why("nothing"));
    }

    #[test]
    fn line_order_is_ignored() {
        assert_eq!(lost_output(&[("a\nb\n", 3), ("b\na\n", 2)], &[("b\na\n", 1)]), None);
        assert_eq!(lost_output(&[("a\nb\n", 9)], &[("b\na\n", 1)]), None);
        let why = "passing runs print `c` instead of `a`".to_owned();
        assert_eq!(lost_output(&[("a\nb\nb\n", 9)], &[("b\nc\nb\n", 1)]), Some(why));
    }

    #[test]
    fn previously_failing_output_is_tolerated() {
        assert_eq!(lost_output(&[("first\n", 9)], &[("first\n", 1), ("second\n", 8)]), None);
    }

    #[test]
    fn omitted_invariant_line_is_reported() {
        let missed = |after| {
            UsualOutput::from_runs(&output_counts(&[("first\n", 9)]))
                .find_deviating_output(&output_counts(after))
        };
        assert_eq!(missed(&[("first\n", 9)]), None);
        let why = "passing runs print `nothing` instead of `first`".to_owned();
        assert_eq!(missed(&[("", 1), ("first\n", 8)]), Some(why));
    }

    #[test]
    fn output_of_few_or_varying_runs_is_not_compared() {
        for before in [[("1\n", 4), ("2\n", 5)].as_slice(), &[("1\n", 4)], &[]] {
            assert_eq!(lost_output(before, &[("3\n", 1)]), None);
        }
    }

    #[test]
    fn long_quoted_line_is_shortened() {
        let text =
            lost_output(&[("1\n", 9)], &[("x".repeat(4000).as_str(), 1)]).unwrap_or_default();
        assert!(text.len() < 120, "{text}");
    }
}
