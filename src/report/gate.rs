//! What a git hook answers: which tests a change breaks, and what was not checked.

use super::Style;
use super::evidence::evidence;
use super::harmless::one_line;
use crate::model::{counted, first_of};
use serde::Serialize;
use std::fmt::Write as _;

/// How many names are listed before the rest is counted.
const MOST_NAMES: usize = 5;

/// What is known of a change that is to be pushed or merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GateReport {
    /// What was compared: the commit before, and the one that is to be let through.
    pub good: String,
    /// See above.
    pub bad: String,
    /// How many test classes there are.
    pub tests: usize,
    /// How many of them come upon the change.
    pub covered: usize,
    /// How many of those were run.
    pub run: usize,
    /// Tests that fail, and did not before.
    pub failed: Vec<FailedTest>,
    /// Tests that fail, and did before.
    pub failed_before: Vec<String>,
    /// Test classes that come upon the change, and that no time was left for.
    pub not_run: Vec<String>,
    /// What the compiler says, where it said nothing before.
    pub broken_build: Option<String>,
    /// What else was not checked, and why.
    pub not_checked: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

/// A test that a change breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedTest {
    /// `pkg.Class#method`.
    pub test: String,
    /// What it threw.
    pub what: String,
    /// Whether it comes with the change.
    pub is_new: bool,
}

impl GateReport {
    /// Whether nothing speaks against the change.
    pub fn is_open(&self) -> bool {
        self.failed.is_empty() && self.broken_build.is_none()
    }

    /// What speaks against it.
    pub fn objection(&self, style: &Style) -> String {
        let Style { title, error, reset, .. } = style;
        let mut out = String::new();
        if let Some(said) = &self.broken_build {
            let _ = writeln!(out, "{error}git-mend:{reset} {title}this no longer builds{reset}");
            out.push_str(&evidence(said, style));
        }
        if !self.failed.is_empty() {
            let fail = if self.failed.len() == 1 { "fails" } else { "fail" };
            let tests = counted(self.failed.len(), "test");
            let _ = writeln!(
                out,
                "{error}git-mend:{reset} {title}{tests} {fail} because of this{reset}"
            );
        }
        for FailedTest { test, what, is_new } in self.failed.iter().take(MOST_NAMES) {
            let new = if *is_new { " (a new test)" } else { "" };
            let _ = writeln!(out, "  {}{new}: {}", one_line(test), one_line(what));
        }
        let hidden = self.failed.len().saturating_sub(MOST_NAMES);
        if hidden > 0 {
            let _ = writeln!(out, "  … {hidden} more");
        }
        out
    }

    /// What was not checked, a line each.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = self.not_checked.clone();
        if !self.not_run.is_empty() {
            gaps.push(format!("{}: the time was used up", listed(&self.not_run)));
        }
        gaps.iter().map(|gap| format!("git-mend: not checked: {gap}")).collect()
    }

    /// One line on what was checked, where anything was.
    pub fn summary(&self) -> Option<String> {
        let classes = match (self.run, self.tests) {
            (0, _) => return None,
            (1, 1) => "1 test class".to_owned(),
            (run, all) => format!("{run} of {all} test classes"),
        };
        let before = match &self.failed_before[..] {
            [] => String::new(),
            failed => format!("; no news: {} failed before too", listed(failed)),
        };
        Some(format!("git-mend: ran {classes} in {:.1} s{before}", self.seconds))
    }
}

/// Some names in one line, and how many more there are.
pub fn listed(all: &[String]) -> String {
    let names: Vec<String> = all.iter().map(|name| one_line(name)).collect();
    first_of(&names, MOST_NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_name_with_a_line_break_begins_no_line_that_looks_like_ours() {
        let hostile = owned(&["a.BTest#sum[\nerror: all is lost]"]);
        let (not_run, failed_before) = (hostile.clone(), hostile);
        let report =
            GateReport { not_run, failed_before, run: 1, tests: 1, ..GateReport::default() };
        let told = [report.gaps().concat(), report.summary().unwrap_or_default()];
        assert!(
            told.iter().all(|line| !line.contains('\n') && line.contains("\\nerror")),
            "{told:?}"
        );
    }

    #[test]
    fn what_speaks_against_a_change_names_the_tests_and_what_they_threw() {
        let failed =
            [("a.BTest#sum", "AssertionError: expected 3", false), ("a.NewTest#x", "Error", true)];
        let failed = failed.map(|(test, what, is_new)| FailedTest {
            test: test.to_owned(),
            what: what.to_owned(),
            is_new,
        });
        let report = GateReport { failed: failed.to_vec(), ..GateReport::default() };
        assert!(!report.is_open());
        insta::assert_snapshot!(report.objection(&Style::plain()), @r"
        git-mend: 2 tests fail because of this
          a.BTest#sum: AssertionError: expected 3
          a.NewTest#x (a new test): Error
        ");
    }

    #[test]
    fn a_broken_build_shows_the_beginning_of_what_the_compiler_said() {
        let said = (1..=40).map(|line| format!("src/Till.java:{line}: error\u{1b}[2J"));
        let broken_build = Some(said.collect::<Vec<_>>().join("\n"));
        let report = GateReport { broken_build, ..GateReport::default() };
        assert!(!report.is_open());
        insta::assert_snapshot!(report.objection(&Style::plain()), @r"
        git-mend: this no longer builds
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
    fn what_was_not_checked_is_one_line_each() {
        let report = GateReport {
            tests: 9,
            covered: 7,
            run: 1,
            not_run: owned(&["a.A", "a.B", "a.C", "a.D", "a.E", "a.F"]),
            not_checked: owned(&["anything: no JDK found"]),
            failed_before: owned(&["a.Old#x"]),
            ..GateReport::default()
        };
        assert!(report.is_open());
        insta::assert_snapshot!(report.gaps().join("\n"), @r"
        git-mend: not checked: anything: no JDK found
        git-mend: not checked: a.A, a.B, a.C, a.D, a.E and 1 more: the time was used up
        ");
        let summary = report.summary().unwrap();
        assert_eq!(
            summary,
            "git-mend: ran 1 of 9 test classes in 0.0 s; no news: a.Old#x failed before too"
        );
        assert_eq!(GateReport::default().summary(), None);
    }

    #[test]
    fn a_whole_answer_is_shown_in_colour_and_without() {
        let failed = FailedTest {
            test: "a.BTest#sum".to_owned(),
            what: "AssertionError: expected 3".to_owned(),
            is_new: false,
        };
        let report = GateReport {
            tests: 9,
            covered: 3,
            run: 2,
            failed: vec![failed],
            failed_before: owned(&["a.Old#x"]),
            not_run: owned(&["a.SlowTest"]),
            seconds: 4.2,
            ..GateReport::default()
        };
        let whole = |style: &Style| {
            let parts = report.gaps().into_iter().chain(report.summary());
            let text = parts.chain([report.objection(style)]).collect::<Vec<_>>().join("\n");
            text.replace('\u{1b}', "^")
        };
        insta::assert_snapshot!(whole(&Style::coloured()), @r"
        git-mend: not checked: a.SlowTest: the time was used up
        git-mend: ran 2 of 9 test classes in 4.2 s; no news: a.Old#x failed before too
        ^[1;31mgit-mend:^[0m ^[1m1 test fails because of this^[0m
          a.BTest#sum: AssertionError: expected 3
        ");
        assert_eq!(whole(&Style::spoken()), whole(&Style::plain()));
    }
}
