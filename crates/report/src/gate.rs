//! Report of a git hook: the tests that a change breaks, and what the check did not cover.

use super::TerminalStyle;
use crate::sanitize::sanitise_line;
use crate::terminal::output_excerpt::format_output_excerpt;
use mend_model::{format_count, list_first};
use serde::Serialize;
use std::fmt::Write as _;

/// Maximum number of names listed; the others are counted.
const MAX_NAMES: usize = 5;

/// Test results for a change that is to be pushed or merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GateReport {
    /// Commit before the change.
    pub good: String,
    /// Commit with the change.
    pub bad: String,
    /// Number of all test classes.
    pub tests: usize,
    /// Number of affected test classes.
    pub affected: usize,
    /// Number of affected test classes that ran.
    pub run: usize,
    /// Tests that fail with the change and did not fail before.
    pub failed: Vec<FailedTest>,
    /// Tests that fail with the change and failed before.
    pub failed_before: Vec<String>,
    /// Affected test classes that did not run within the time limit.
    pub not_run: Vec<String>,
    /// Compiler output, if the change breaks the build.
    pub build_error: Option<String>,
    /// Other gaps in the check, with their reasons.
    pub not_checked: Vec<String>,
    /// Duration of the check.
    pub seconds: f64,
}

/// Test that a change breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedTest {
    /// `pkg.Class#method`.
    pub test: String,
    /// Exception of the failure.
    pub failure: String,
    /// True if the change adds the test.
    pub is_new: bool,
}

impl GateReport {
    /// Returns true if the check found no problem with the change.
    pub fn allows_change(&self) -> bool {
        self.failed.is_empty() && self.build_error.is_none()
    }

    /// Formats the reasons to block the change.
    pub fn format_objections(&self, style: &TerminalStyle) -> String {
        let TerminalStyle { title, error, reset, .. } = style;
        let mut out = String::new();
        if let Some(compiler_output) = &self.build_error {
            let _ =
                writeln!(out, "{error}git-mend:{reset} {title}the change breaks the build{reset}");
            out.push_str(&format_output_excerpt(compiler_output, style));
        }
        if !self.failed.is_empty() {
            let verb = if self.failed.len() == 1 { "fails" } else { "fail" };
            let tests = format_count(self.failed.len(), "test");
            let _ = writeln!(
                out,
                "{error}git-mend:{reset} {title}{tests} {verb} because of this change{reset}"
            );
        }
        for FailedTest { test, failure, is_new } in self.failed.iter().take(MAX_NAMES) {
            let new_test_note = if *is_new { " (a new test)" } else { "" };
            let _ = writeln!(
                out,
                "  {}{new_test_note}: {}",
                sanitise_line(test),
                sanitise_line(failure)
            );
        }
        let hidden = self.failed.len().saturating_sub(MAX_NAMES);
        if hidden > 0 {
            let _ = writeln!(out, "  … {hidden} more");
        }
        out
    }

    /// Formats the gaps in the check, one line each.
    pub fn format_gaps(&self) -> Vec<String> {
        let mut gaps = self.not_checked.clone();
        if !self.not_run.is_empty() {
            gaps.push(format!("{}: the time limit was reached", format_name_list(&self.not_run)));
        }
        gaps.iter().map(|gap| format!("git-mend: Not checked: {gap}")).collect()
    }

    /// Formats the number of tests that ran in one line. Returns `None` if none ran.
    pub fn format_summary(&self) -> Option<String> {
        let classes = match (self.run, self.tests) {
            (0, _) => return None,
            (1, 1) => "1 test class".to_owned(),
            (run, all) => format!("{run} of {all} test classes"),
        };
        let earlier_failures = match &self.failed_before[..] {
            [] => String::new(),
            failed => format!("; failed before too: {}", format_name_list(failed)),
        };
        Some(format!("git-mend: ran {classes} in {:.1} s{earlier_failures}", self.seconds))
    }
}

/// Lists the first names in one line, and counts the others.
pub fn format_name_list(test_names: &[String]) -> String {
    let clean_names: Vec<String> = test_names.iter().map(|name| sanitise_line(name)).collect();
    list_first(&clean_names, MAX_NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned_strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn line_break_in_test_name_is_escaped() {
        let hostile = owned_strings(&["a.BTest#sum[\nerror: all is lost]"]);
        let (not_run, failed_before) = (hostile.clone(), hostile);
        let report =
            GateReport { not_run, failed_before, run: 1, tests: 1, ..GateReport::default() };
        let lines = [report.format_gaps().concat(), report.format_summary().unwrap_or_default()];
        assert!(
            lines.iter().all(|line| !line.contains('\n') && line.contains("\\nerror")),
            "{lines:?}"
        );
    }

    #[test]
    fn objections_name_failed_tests_and_exceptions() {
        let failed =
            [("a.BTest#sum", "AssertionError: expected 3", false), ("a.NewTest#x", "Error", true)];
        let failed = failed.map(|(test, failure, is_new)| FailedTest {
            test: test.to_owned(),
            failure: failure.to_owned(),
            is_new,
        });
        let report = GateReport { failed: failed.to_vec(), ..GateReport::default() };
        assert!(!report.allows_change());
        insta::assert_snapshot!(report.format_objections(&TerminalStyle::plain()), @r"
        git-mend: 2 tests fail because of this change
          a.BTest#sum: AssertionError: expected 3
          a.NewTest#x (a new test): Error
        ");
    }

    #[test]
    fn broken_build_shows_start_of_compiler_output() {
        let compiler_lines = (1..=40).map(|line| format!("src/Till.java:{line}: error\u{1b}[2J"));
        let build_error = Some(compiler_lines.collect::<Vec<_>>().join("\n"));
        let report = GateReport { build_error, ..GateReport::default() };
        assert!(!report.allows_change());
        insta::assert_snapshot!(report.format_objections(&TerminalStyle::plain()), @r"
        git-mend: the change breaks the build
          | src/Till.java:1: error�[2J
          | src/Till.java:2: error�[2J
          | src/Till.java:3: error�[2J
          | src/Till.java:4: error�[2J
          | src/Till.java:5: error�[2J
          | src/Till.java:6: error�[2J
          | src/Till.java:7: error�[2J
          | src/Till.java:8: error�[2J
          | src/Till.java:9: error�[2J
          | src/Till.java:10: error�[2J
          | src/Till.java:11: error�[2J
          | src/Till.java:12: error�[2J
          | src/Till.java:13: error�[2J
          | src/Till.java:14: error�[2J
          | src/Till.java:15: error�[2J
          | … 25 more lines
        ");
    }

    #[test]
    fn each_gap_is_formatted_on_one_line() {
        let report = GateReport {
            tests: 9,
            affected: 7,
            run: 1,
            not_run: owned_strings(&["a.A", "a.B", "a.C", "a.D", "a.E", "a.F"]),
            not_checked: owned_strings(&["anything: no JDK found"]),
            failed_before: owned_strings(&["a.Old#x"]),
            ..GateReport::default()
        };
        assert!(report.allows_change());
        insta::assert_snapshot!(report.format_gaps().join("\n"), @r"
        git-mend: Not checked: anything: no JDK found
        git-mend: Not checked: a.A, a.B, a.C, a.D, a.E and 1 more: the time limit was reached
        ");
        let summary = report.format_summary().unwrap();
        assert_eq!(
            summary,
            "git-mend: ran 1 of 9 test classes in 0.0 s; failed before too: a.Old#x"
        );
        assert_eq!(GateReport::default().format_summary(), None);
    }

    #[test]
    fn report_is_shown_with_and_without_colours() {
        let failed = FailedTest {
            test: "a.BTest#sum".to_owned(),
            failure: "AssertionError: expected 3".to_owned(),
            is_new: false,
        };
        let report = GateReport {
            tests: 9,
            affected: 3,
            run: 2,
            failed: vec![failed],
            failed_before: owned_strings(&["a.Old#x"]),
            not_run: owned_strings(&["a.SlowTest"]),
            seconds: 4.2,
            ..GateReport::default()
        };
        let render_report = |style: &TerminalStyle| {
            let report_lines = report.format_gaps().into_iter().chain(report.format_summary());
            let text = report_lines
                .chain([report.format_objections(style)])
                .collect::<Vec<_>>()
                .join("\n");
            text.replace('\u{1b}', "^")
        };
        insta::assert_snapshot!(render_report(&TerminalStyle::coloured()), @r"
        git-mend: Not checked: a.SlowTest: the time limit was reached
        git-mend: ran 2 of 9 test classes in 4.2 s; failed before too: a.Old#x
        ^[1;31mgit-mend:^[0m ^[1m1 test fails because of this change^[0m
          a.BTest#sum: AssertionError: expected 3
        ");
        assert_eq!(render_report(&TerminalStyle::spoken()), render_report(&TerminalStyle::plain()));
    }
}
