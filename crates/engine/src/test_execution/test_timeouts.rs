//! Time limits of single tests, and their supervision.

use crate::test_execution::runner_report::{TestEvent, step};
use mend_model::{TestResult, TestStatus};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval at which the results are polled.
const PAUSE: Duration = Duration::from_millis(200);

/// Time limit of each test that was seen to pass. The duration of other tests is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestTimeouts {
    millis: Arc<BTreeMap<String, u64>>,
    slack: u32,
    allowance: Duration,
}

impl TestTimeouts {
    /// Multiple of the time that a test took when it passed, plus an allowance for a busy machine.
    pub fn from_results<'a>(
        results: impl IntoIterator<Item = &'a TestResult>,
        slack: u32,
        allowance: Duration,
    ) -> Self {
        let mut millis = BTreeMap::new();
        for result in results.into_iter().filter(|one| one.status == TestStatus::Passed) {
            let slowest: &mut u64 = millis.entry(result.test.clone()).or_default();
            *slowest = result.millis.max(*slowest);
        }
        Self { millis: Arc::new(millis), slack, allowance }
    }

    /// Returns longer limits for a busy machine.
    #[must_use]
    pub(crate) fn patient(&self, more: Duration) -> Self {
        Self { slack: self.slack * 2, allowance: self.allowance * 2 + more, ..self.clone() }
    }

    /// Returns the shortest possible limit; `None` if no test has one.
    pub(crate) fn least(&self) -> Option<Duration> {
        (!self.millis.is_empty()).then_some(self.allowance)
    }

    fn limit_for(&self, test: &str) -> Option<Duration> {
        let millis = self.millis.get(test)?;
        Some(Duration::from_millis(*millis) * self.slack + self.allowance)
    }
}

/// Watches running tests and reports when one exceeds its limit.
pub(crate) struct TimeoutMonitor<'a> {
    limits: &'a TestTimeouts,
    /// The file that the runner writes.
    results: &'a Path,
    /// Number of bytes read so far.
    read: u64,
    /// Start times of the tests that were seen to start and not to end.
    open: BTreeMap<String, Instant>,
    looked: Instant,
}

impl<'a> TimeoutMonitor<'a> {
    pub(crate) fn new(limits: &'a TestTimeouts, results: &'a Path) -> Self {
        Self { limits, results, read: 0, open: BTreeMap::new(), looked: Instant::now() }
    }

    /// Returns true if a test exceeds its limit. Calls are cheap: the file is polled at an interval.
    pub(crate) fn is_one_overdue(&mut self) -> bool {
        let now = Instant::now();
        if self.limits.millis.is_empty() || now.duration_since(self.looked) < PAUSE {
            return false;
        }
        self.looked = now;
        for told in self.news().lines().filter_map(step) {
            match told {
                TestEvent::Started(test) => drop(self.open.insert(test, now)),
                TestEvent::Finished(test) => drop(self.open.remove(&test)),
            }
        }
        let is_overdue = |(test, since): (&String, &Instant)| {
            self.limits.limit_for(test).is_some_and(|limit| now.duration_since(*since) > limit)
        };
        self.open.iter().any(is_overdue)
    }

    /// The lines that were written since the last look. What cannot be read has not been written yet.
    fn news(&mut self) -> String {
        let mut bytes = Vec::new();
        let read = File::open(self.results).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.read))?;
            file.read_to_end(&mut bytes)
        });
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        bytes.truncate(read.map_or(0, |_| whole));
        self.read += bytes.len() as u64;
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
    fn what_a_jvm_that_stays_came_to_an_end_of_has_more_time_in_a_fresh_one() {
        let second = Duration::from_secs(1);
        let each = TestTimeouts::from_results(&[result("a", TestStatus::Passed, 500)], 4, second);
        let limits = Limits { build: Some(second), test: Some(second), each };
        let longer = limits.patient();
        assert_eq!((longer.build, longer.test), (Some(second), Some(12 * second)));
        assert_eq!(
            [&limits, &longer].map(|one| one.each.limit_for("a")),
            [3, 16].map(|n| Some(n * second))
        );
        assert_eq!(Limits::default().patient().least(), None);
    }

    #[test]
    fn a_limit_is_that_of_the_slowest_run_that_passed() {
        let results = [
            result("a.T#x", TestStatus::Passed, 100),
            result("a.T#x", TestStatus::Passed, 300),
            result("a.T#y", TestStatus::Skipped, 100),
        ];
        let limits = TestTimeouts::from_results(&results, 4, Duration::from_secs(1));
        assert_eq!(limits.limit_for("a.T#x"), Some(Duration::from_millis(2200)));
        assert_eq!(limits.limit_for("a.T#y"), None);
        assert_eq!(limits.least(), Some(Duration::from_secs(1)));
        assert_eq!(TestTimeouts::default().least(), None);
    }

    #[test]
    fn a_test_is_overdue_while_it_is_open_and_its_time_is_over() {
        let mut results = tempfile::NamedTempFile::new().unwrap();
        let path = results.path().to_owned();
        let limits = TestTimeouts::from_results(
            &[result("a.T#x", TestStatus::Passed, 0)],
            1,
            Duration::ZERO,
        );
        let mut lookout = TimeoutMonitor::new(&limits, &path);
        let mut is_overdue_after = |line: &str| {
            results.write_all(line.as_bytes()).unwrap();
            let mut look = || {
                lookout.looked -= PAUSE;
                lookout.is_one_overdue()
            };
            // What was seen just now has not taken any time.
            look() || look()
        };
        assert!(!is_overdue_after("{\"event\":\"opened\",\"test\":\"a.T#other\"}\n"));
        assert!(!is_overdue_after("{\"event\":\"opened\",\"test\":"), "half a line is ignored");
        assert!(is_overdue_after("\"a.T#x\"}\n"));
        let ended = "{\"event\":\"ended\",\"test\":\"a.T#x\",\"status\":\"passed\",\"millis\":3}\n";
        assert!(!is_overdue_after(ended));
    }
}
