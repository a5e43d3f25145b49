//! Reader of the results that the Java runners write.

use super::coverage::ClassCoverage;
use mend_model::{Failure, Frame, TestResult, TestStatus};
use serde::Deserialize;

/// The results of one runner up to its end, whether it finished or was stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunnerReport {
    /// Results in the order in which the tests ended.
    pub(crate) results: Vec<TestResult>,
    /// The last test that started and did not end.
    pub(crate) running_test: Option<String>,
    /// True if all tests ran.
    pub(crate) is_finished: bool,
    /// Executed methods of the project by test class, if coverage was requested.
    pub(crate) coverage: Vec<ClassCoverage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
enum RunnerEvent {
    Opened { test: String },
    Closed { test: String },
    Ended(TestEnded),
    Covered { class: String, methods: Vec<String> },
    Finished,
}

#[derive(Deserialize)]
struct TestEnded {
    test: String,
    status: RunnerStatus,
    millis: u64,
    #[serde(default)]
    exception: String,
    message: Option<String>,
    #[serde(default)]
    frames: Vec<Frame>,
    #[serde(default)]
    printed: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RunnerStatus {
    Passed,
    Skipped,
    Failed,
}

impl From<TestEnded> for TestResult {
    fn from(ended: TestEnded) -> Self {
        let status = match ended.status {
            RunnerStatus::Passed => TestStatus::Passed,
            RunnerStatus::Skipped => TestStatus::Skipped,
            RunnerStatus::Failed => TestStatus::Failed(Failure {
                exception: ended.exception,
                message: ended.message,
                frames: ended.frames,
            }),
        };
        Self { test: ended.test, status, millis: ended.millis, printed: ended.printed }
    }
}

impl RunnerReport {
    /// Reads a result file. An incomplete last line is ignored.
    pub(crate) fn parse(text: &str) -> Self {
        let mut report = Self::default();
        let mut open_tests: Vec<String> = Vec::new();
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                RunnerEvent::Opened { test } => open_tests.push(test),
                RunnerEvent::Closed { test } => open_tests.retain(|name| *name != test),
                RunnerEvent::Ended(ended) => {
                    open_tests.retain(|name| *name != ended.test);
                    report.results.push(ended.into());
                }
                RunnerEvent::Covered { class, methods } => report.coverage.push((class, methods)),
                RunnerEvent::Finished => report.is_finished = true,
            }
        }
        report.running_test = open_tests.pop();
        report
    }
}

/// Parses the line that reports the end of a test.
pub(crate) fn parse_test_result(line: &serde_json::Value) -> Option<TestResult> {
    match RunnerEvent::deserialize(line).ok()? {
        RunnerEvent::Ended(ended) => Some(ended.into()),
        _ => None,
    }
}

/// Start or end of a test.
pub(crate) enum TestEvent {
    Started(String),
    Finished(String),
}

/// Parses a line that reports the start or end of a test.
pub(crate) fn parse_test_event(line: &str) -> Option<TestEvent> {
    match serde_json::from_str(line).ok()? {
        RunnerEvent::Opened { test } => Some(TestEvent::Started(test)),
        RunnerEvent::Closed { test } | RunnerEvent::Ended(TestEnded { test, .. }) => {
            Some(TestEvent::Finished(test))
        }
        RunnerEvent::Covered { .. } | RunnerEvent::Finished => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_file_cut_short_tells_a_prefix(cut in 0_usize..400) {
            let ended = |test: &str| {
                format!(
                    "{{\"event\":\"opened\",\"test\":\"{test}\"}}\n{{\"event\":\"ended\",\"test\":\"{test}\",\
                     \"status\":\"passed\",\"millis\":1}}\n"
                )
            };
            let text = ["a.B#c", "a.B#d", "a.B#e"].map(ended).concat();
            let whole = RunnerReport::parse(&text);
            let truncated = RunnerReport::parse(&text[..cut.min(text.len())]);
            prop_assert!(whole.results.starts_with(&truncated.results));
            prop_assert_eq!(whole.results.len(), 3);
        }
    }

    #[test]
    fn truncated_line_leaves_the_test_running() {
        let report = RunnerReport::parse(concat!(
            "{\"event\":\"opened\",\"test\":\"a.B\"}\n",
            "{\"event\":\"opened\",\"test\":\"a.B#c\"}\n",
            "{\"event\":\"ended\",\"test\":\"a.B#c\",\"status\":\"passed\",\"millis\":3}\n",
            "{\"event\":\"opened\",\"test\":\"a.B#d\"}\n",
            "{\"event\":\"ended\",\"test\":\"a.B#d\",\"sta",
        ));
        assert_eq!(report.results.len(), 1);
        assert_eq!(report.running_test.as_deref(), Some("a.B#d"));
        assert!(!report.is_finished);
    }

    #[test]
    fn failure_is_parsed_with_its_frames() {
        let report = RunnerReport::parse(concat!(
            r#"{"event":"ended","test":"a.B#c","status":"failed","millis":0,"exception":"E","#,
            r#""message":"a\"\u0009b","frames":[{"class":"a.B","method":"c","file":"B.java","line":7},"#,
            r#"{"class":"x.Y$Z","method":"<init>","file":null,"line":null}],"printed":"on it"}"#,
            "\n{\"event\":\"covered\",\"class\":\"a.B\",\"methods\":[\"x.Y#m\"]}",
            "\n{\"event\":\"finished\"}\n"
        ));
        assert!(report.is_finished);
        assert_eq!(report.coverage, [("a.B".to_owned(), vec!["x.Y#m".to_owned()])]);
        let TestStatus::Failed(failure) = &report.results[0].status else { panic!() };
        assert_eq!(report.results[0].printed, "on it");
        assert_eq!(failure.message.as_deref(), Some("a\"\tb"));
        assert_eq!((failure.frames[0].line, failure.frames[1].line), (Some(7), None));
    }
}
