//! Time limits of single tests, and their supervision.

use crate::test_execution::runner_report::{TestEvent, parse_test_event};
use mend_model::{TestResult, TestStatus};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval at which the results are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Time limits of tests that passed before. Other tests have no known duration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestTimeouts {
    passing_millis: Arc<BTreeMap<String, u64>>,
    factor: u32,
    allowance: Duration,
}

impl TestTimeouts {
    /// Creates limits: a multiple of the duration of the passing test, plus an allowance for a busy machine.
    pub fn from_results<'a>(
        results: impl IntoIterator<Item = &'a TestResult>,
        factor: u32,
        allowance: Duration,
    ) -> Self {
        let mut millis = BTreeMap::new();
        for result in results.into_iter().filter(|one| one.status == TestStatus::Passed) {
            let slowest: &mut u64 = millis.entry(result.test.clone()).or_default();
            *slowest = result.millis.max(*slowest);
        }
        Self { passing_millis: Arc::new(millis), factor, allowance }
    }

    /// Returns longer limits for a busy machine.
    #[must_use]
    pub(crate) fn extended_for_fresh_jvm(&self, jvm_start: Duration) -> Self {
        Self { factor: self.factor * 2, allowance: self.allowance * 2 + jvm_start, ..self.clone() }
    }

    /// Returns the shortest possible limit; `None` if no test has one.
    pub(crate) fn shortest(&self) -> Option<Duration> {
        (!self.passing_millis.is_empty()).then_some(self.allowance)
    }

    fn limit_for(&self, test: &str) -> Option<Duration> {
        let millis = self.passing_millis.get(test)?;
        Some(Duration::from_millis(*millis) * self.factor + self.allowance)
    }
}

/// Watches running tests and reports when one exceeds its limit.
pub(crate) struct TimeoutMonitor<'a> {
    limits: &'a TestTimeouts,
    /// Result file of the runner.
    results: &'a Path,
    /// Number of bytes read so far.
    read_bytes: u64,
    /// Start times of the tests that have started and not ended.
    open_tests: BTreeMap<String, Instant>,
    last_poll: Instant,
}

impl<'a> TimeoutMonitor<'a> {
    pub(crate) fn new(limits: &'a TestTimeouts, results: &'a Path) -> Self {
        Self {
            limits,
            results,
            read_bytes: 0,
            open_tests: BTreeMap::new(),
            last_poll: Instant::now(),
        }
    }

    /// Returns true if a test exceeds its limit. Calls are cheap: the file is polled at an interval.
    pub(crate) fn has_overdue_test(&mut self) -> bool {
        let now = Instant::now();
        if self.limits.passing_millis.is_empty()
            || now.duration_since(self.last_poll) < POLL_INTERVAL
        {
            return false;
        }
        self.last_poll = now;
        for event in self.read_new_lines().lines().filter_map(parse_test_event) {
            match event {
                TestEvent::Started(test) => drop(self.open_tests.insert(test, now)),
                TestEvent::Finished(test) => drop(self.open_tests.remove(&test)),
            }
        }
        let is_overdue = |(test, since): (&String, &Instant)| {
            self.limits.limit_for(test).is_some_and(|limit| now.duration_since(*since) > limit)
        };
        self.open_tests.iter().any(is_overdue)
    }

    /// Returns the lines that were written since the last poll. An unreadable file counts as not yet written.
    fn read_new_lines(&mut self) -> String {
        let mut bytes = Vec::new();
        let read_result = File::open(self.results).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.read_bytes))?;
            file.read_to_end(&mut bytes)
        });
        let complete_length =
            bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        bytes.truncate(read_result.map_or(0, |_| complete_length));
        self.read_bytes += bytes.len() as u64;
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use std::io::Write as _;

    fn result(test: &str, status: TestStatus, millis: u64) -> TestResult {
        TestResult { millis, ..TestResult::new(test, status) }
    }

    #[test]
    fn limits_are_extended_for_a_fresh_jvm() {
        let second = Duration::from_secs(1);
        let per_test =
            TestTimeouts::from_results(&[result("a", TestStatus::Passed, 500)], 4, second);
        let limits = Limits { build: Some(second), test: Some(second), per_test };
        let extended = limits.extended_for_fresh_jvm();
        assert_eq!((extended.build, extended.test), (Some(second), Some(12 * second)));
        assert_eq!(
            [&limits, &extended].map(|one| one.per_test.limit_for("a")),
            [3, 16].map(|n| Some(n * second))
        );
        assert_eq!(Limits::default().extended_for_fresh_jvm().shortest(), None);
    }

    #[test]
    fn limit_is_derived_from_the_slowest_passing_run() {
        let results = [
            result("a.T#x", TestStatus::Passed, 100),
            result("a.T#x", TestStatus::Passed, 300),
            result("a.T#y", TestStatus::Skipped, 100),
        ];
        let limits = TestTimeouts::from_results(&results, 4, Duration::from_secs(1));
        assert_eq!(limits.limit_for("a.T#x"), Some(Duration::from_millis(2200)));
        assert_eq!(limits.limit_for("a.T#y"), None);
        assert_eq!(limits.shortest(), Some(Duration::from_secs(1)));
        assert_eq!(TestTimeouts::default().shortest(), None);
    }

    #[test]
    fn running_test_is_overdue_after_its_limit() {
        let mut results = tempfile::NamedTempFile::new().unwrap();
        let path = results.path().to_owned();
        let limits = TestTimeouts::from_results(
            &[result("a.T#x", TestStatus::Passed, 0)],
            1,
            Duration::ZERO,
        );
        let mut timeout_monitor = TimeoutMonitor::new(&limits, &path);
        let mut is_overdue_after = |line: &str| {
            results.write_all(line.as_bytes()).unwrap();
            let mut poll = || {
                timeout_monitor.last_poll -= POLL_INTERVAL;
                timeout_monitor.has_overdue_test()
            };
            // A test that has just started has no duration yet.
            poll() || poll()
        };
        assert!(!is_overdue_after("{\"event\":\"opened\",\"test\":\"a.T#other\"}\n"));
        assert!(!is_overdue_after("{\"event\":\"opened\",\"test\":"), "half a line is ignored");
        assert!(is_overdue_after("\"a.T#x\"}\n"));
        let ended = "{\"event\":\"ended\",\"test\":\"a.T#x\",\"status\":\"passed\",\"millis\":3}\n";
        assert!(!is_overdue_after(ended));
    }
}
