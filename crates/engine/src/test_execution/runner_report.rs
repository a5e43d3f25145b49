//! Reading what the Java runners wrote while they ran.

use super::coverage::Covered;
use mend_model::{Failure, Frame, TestResult, TestStatus};
use serde::Deserialize;

/// The results of one runner up to its end, whether it finished or was stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// In the order in which the tests ended.
    pub(crate) results: Vec<TestResult>,
    /// The test that had begun last and not ended.
    pub(crate) running: Option<String>,
    /// Whether every test had its turn.
    pub(crate) is_finished: bool,
    /// Of each class, the methods of the project that its tests entered, where that was asked for.
    pub(crate) covered: Vec<Covered>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
enum Line {
    Opened { test: String },
    Closed { test: String },
    Ended(Ended),
    Covered { class: String, methods: Vec<String> },
    Finished,
}

#[derive(Deserialize)]
struct Ended {
    test: String,
    status: Status,
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
enum Status {
    Passed,
    Skipped,
    Failed,
}

impl From<Ended> for TestResult {
    fn from(ended: Ended) -> Self {
        let status = match ended.status {
            Status::Passed => TestStatus::Passed,
            Status::Skipped => TestStatus::Skipped,
            Status::Failed => TestStatus::Failed(Failure {
                exception: ended.exception,
                message: ended.message,
                frames: ended.frames,
            }),
        };
        Self { test: ended.test, status, millis: ended.millis, printed: ended.printed }
    }
}

impl Told {
    /// Reads a result file. An incomplete last line is ignored.
    pub(crate) fn parse(text: &str) -> Self {
        let mut told = Self::default();
        let mut open: Vec<String> = Vec::new();
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                Line::Opened { test } => open.push(test),
                Line::Closed { test } => open.retain(|name| *name != test),
                Line::Ended(ended) => {
                    open.retain(|name| *name != ended.test);
                    told.results.push(ended.into());
                }
                Line::Covered { class, methods } => told.covered.push((class, methods)),
                Line::Finished => told.is_finished = true,
            }
        }
        told.running = open.pop();
        told
    }
}

/// That a test began, or is over.
pub(crate) enum Step {
    Begun(String),
    Over(String),
}

/// Parses a line that reports the start or end of a test.
pub(crate) fn step(line: &str) -> Option<Step> {
    match serde_json::from_str(line).ok()? {
        Line::Opened { test } => Some(Step::Begun(test)),
        Line::Closed { test } | Line::Ended(Ended { test, .. }) => Some(Step::Over(test)),
        Line::Covered { .. } | Line::Finished => None,
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
            let whole = Told::parse(&text);
            let told = Told::parse(&text[..cut.min(text.len())]);
            prop_assert!(whole.results.starts_with(&told.results));
            prop_assert_eq!(whole.results.len(), 3);
        }
    }

    #[test]
    fn a_line_cut_short_leaves_the_test_running() {
        let told = Told::parse(concat!(
            "{\"event\":\"opened\",\"test\":\"a.B\"}\n",
            "{\"event\":\"opened\",\"test\":\"a.B#c\"}\n",
            "{\"event\":\"ended\",\"test\":\"a.B#c\",\"status\":\"passed\",\"millis\":3}\n",
            "{\"event\":\"opened\",\"test\":\"a.B#d\"}\n",
            "{\"event\":\"ended\",\"test\":\"a.B#d\",\"sta",
        ));
        assert_eq!(told.results.len(), 1);
        assert_eq!(told.running.as_deref(), Some("a.B#d"));
        assert!(!told.is_finished);
    }

    #[test]
    fn what_was_thrown_is_read_with_its_frames() {
        let told = Told::parse(concat!(
            r#"{"event":"ended","test":"a.B#c","status":"failed","millis":0,"exception":"E","#,
            r#""message":"a\"\u0009b","frames":[{"class":"a.B","method":"c","file":"B.java","line":7},"#,
            r#"{"class":"x.Y$Z","method":"<init>","file":null,"line":null}],"printed":"on it"}"#,
            "\n{\"event\":\"covered\",\"class\":\"a.B\",\"methods\":[\"x.Y#m\"]}",
            "\n{\"event\":\"finished\"}\n"
        ));
        assert!(told.is_finished);
        assert_eq!(told.covered, [("a.B".to_owned(), vec!["x.Y#m".to_owned()])]);
        let TestStatus::Failed(failure) = &told.results[0].status else { panic!() };
        assert_eq!(told.results[0].printed, "on it");
        assert_eq!(failure.message.as_deref(), Some("a\"\tb"));
        assert_eq!((failure.frames[0].line, failure.frames[1].line), (Some(7), None));
    }
}
