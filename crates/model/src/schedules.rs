//! Findings of an exploration, in the form in which the JVM reports them.

use crate::Secrets;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Findings of many schedules of the same tests.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Findings {
    /// Number of schedules run.
    pub run: usize,
    /// Number of failing schedules.
    pub failing: usize,
    /// Number of schedules that did not finish, because code outside the scheduler blocked them.
    pub inconclusive: usize,
    /// Number of threads that did not end.
    pub left: usize,
    /// True if a recorded schedule could not be replayed to its end.
    pub diverged: bool,
    /// Total duration of the schedules, in milliseconds.
    pub millis: u32,
    /// Number of schedules run and of failing ones, by scheduler.
    pub strategies: BTreeMap<String, [usize; 2]>,
    /// Number of schedules run and of failing ones, by test, for tests with several threads.
    pub multi_threaded_tests: BTreeMap<String, [usize; 2]>,
    /// Exhaustively explored tests: the number of inequivalent schedules, and 1 if timing may allow more.
    pub proved: BTreeMap<String, [usize; 2]>,
    /// By test: number of schedules of depth 2 (one priority change), maximum number of threads, and maximum number of
    /// steps at which several threads were enabled.
    pub depth_two: BTreeMap<String, [usize; 3]>,
    /// Tests that the runner reported in the first schedule.
    pub tests: BTreeSet<String>,
    /// Tests with only one thread.
    pub single_threaded_tests: Vec<String>,
    /// Tests that hang under some schedule.
    pub hanging_tests: Vec<String>,
    /// True if the exploration tries to reproduce one failure.
    #[serde(default)]
    pub has_goal: bool,
    /// Number of schedules that fail in another way than the failure to reproduce.
    #[serde(default)]
    pub other_failures: usize,
    /// First of these failures.
    #[serde(default)]
    pub other_failure: Option<String>,
    /// True if the project asks `JUnit` to run tests at the same time, which exploration does not.
    #[serde(default)]
    pub is_junit_parallel: bool,
    /// Reasons why schedules were blocked.
    pub block_reasons: Vec<String>,
    /// Threads that ran instrumented code although the scheduler does not control them.
    pub uncontrolled_threads: Vec<String>,
    /// Classes that could not be instrumented, with the reason.
    pub uninstrumented_classes: Vec<String>,
    /// Classes of the project that behave as locks.
    #[serde(default)]
    pub lock_classes: BTreeSet<String>,
    /// Methods that access possibly shared variables; lambdas without their numbers.
    pub accessing_methods: BTreeSet<String>,
    /// By test, the outputs of passing schedules and how many printed each.
    pub outputs: BTreeMap<String, BTreeMap<String, usize>>,
    /// Number of instrumented classes.
    pub classes: usize,
    /// Failing schedules, grouped by equal failures.
    pub groups: Vec<FailureGroup>,
    /// A schedule with a data race.
    pub race_example: Option<ScheduleTrace>,
    /// Data races.
    pub races: Vec<DataRace>,
    /// Lock-order cycles.
    pub lock_order_cycles: Vec<LockOrderCycle>,
    /// Schedules with too many locks to find all lock-order cycles.
    pub truncated_cycle_searches: usize,
    /// Patterns that failing schedules show.
    pub patterns: Vec<PatternCount>,
    /// Locks held at accesses to shared variables.
    pub policy: Vec<LocksetStats>,
}

/// Failing schedules with the same failure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FailureGroup {
    /// Number of schedules.
    pub count: usize,
    /// Number of the first one, from 1.
    pub first: usize,
    /// The schedule that is easiest to follow.
    pub example: ScheduleTrace,
}

/// Trace of one schedule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScheduleTrace {
    /// Kind of failure: `test`, `exception`, `deadlock`, `lost_signal`, `livelock`, `exit`, `output`.
    pub kind: String,
    /// The failure message, if the test's runner did not report one.
    pub text: Option<String>,
    /// Thread that failed.
    pub thread: usize,
    /// Threads that were blocked.
    #[serde(default)]
    pub waiting: Vec<usize>,
    /// The result that the test's runner reported.
    pub result: Option<Value>,
    /// The schedule, for a replay.
    pub schedule: Schedule,
    /// Names of the threads.
    pub threads: Vec<String>,
    /// Steps of the threads, in order of execution.
    pub steps: Vec<ScheduleStep>,
    /// Code locations of the steps.
    pub sites: Vec<CodeLocation>,
    /// Call stacks of the steps: locations in the project, innermost first.
    #[serde(default)]
    pub stacks: Vec<Vec<String>>,
    /// Patterns in the schedule.
    pub patterns: Vec<PatternInstance>,
    /// True if the last steps are omitted.
    pub cut_short: bool,
    /// Pairs of steps whose order decides: the schedule passes if they are swapped.
    #[serde(default)]
    pub decisive_pairs: Vec<[usize; 2]>,
    /// Project classes whose objects are acquired and released as locks.
    #[serde(default)]
    pub lock_classes: BTreeSet<String>,
}

impl ScheduleTrace {
    /// Returns true if threads waited for each other, or for a signal that was lost.
    pub fn is_blocked(&self) -> bool {
        ["deadlock", "lost_signal"].contains(&self.kind.as_str())
    }

    /// Returns true if it failed with one of these exceptions.
    pub fn has_exception(&self, exceptions: &[&str]) -> bool {
        let exception = self.result.as_ref().and_then(|result| result["exception"].as_str());
        let mut texts = self.text.as_deref().into_iter().chain(exception);
        texts.any(|text| exceptions.iter().any(|one| text.contains(one)))
    }
}

/// Recorded schedule that can be replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The test, in the form that the runner reads.
    pub test: String,
    /// Scheduler that sampled it.
    pub scheduler: String,
    /// Seed of the scheduler.
    pub seed: i64,
    /// Variables that were known to be shared.
    pub shared: Vec<String>,
    /// Chosen thread at each step at which several were enabled.
    pub choices: Vec<i32>,
}

/// One step of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleStep {
    /// Index of the thread.
    pub thread: usize,
    /// Kind of step: `read`, `write`, `lock` and so on.
    pub what: String,
    /// Index of its code location.
    pub site: usize,
    /// Index of the accessed variable or lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<usize>,
    /// Readable name of the variable or lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Index of the affected thread. For `notifyAll`, -2 minus the number of notified threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<i32>,
    /// Virtual time of the step.
    pub time: u32,
    /// Index of its call stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<usize>,
    /// Locks that the thread holds, in the order of acquisition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<String>,
    /// The value read or written, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Location in the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodeLocation {
    /// Class, with its package.
    pub class: String,
    /// The method.
    pub method: String,
    /// Line; 0 if unknown.
    pub line: u32,
    /// Index among the accesses to the same variable on that line.
    pub turn: u32,
    /// The variable, or the called method.
    pub subject: String,
}

/// A pattern with the steps of a schedule that match it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternInstance {
    /// Unique key of the pattern within the exploration.
    pub key: String,
    /// Indexes of the steps.
    pub steps: Vec<usize>,
}

/// Data race: two accesses to a variable, unordered by happens-before, at least one of them a write.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DataRace {
    /// The variable.
    pub variable: String,
    /// Locations of both accesses.
    pub sites: Vec<CodeLocation>,
    /// Number of schedules in which it occurred.
    pub schedules: usize,
}

/// A lock-order cycle: a deadlock under some schedule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct LockOrderCycle {
    /// Locations at which each lock is acquired while another one is held.
    pub sites: Vec<CodeLocation>,
    /// Number of schedules in which it occurred.
    pub schedules: usize,
}

/// Number of schedules with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PatternCount {
    /// Unique key of the pattern within the exploration.
    pub key: String,
    /// Operations of the steps, such as `RWW`; for two variables, preceded by the thread and variable of each step.
    pub form: String,
    /// Code locations of its steps.
    pub sites: Vec<CodeLocation>,
    /// Number of failing schedules with it.
    pub failing: usize,
    /// Number of passing schedules with it.
    pub passing: usize,
}

/// Lockset statistics of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct LocksetStats {
    /// The variable.
    pub variable: String,
    /// Number of accesses to it, except in constructors.
    pub accesses: usize,
    /// Number of accesses at which each lock was held.
    pub locks: BTreeMap<String, usize>,
}

impl Findings {
    /// Returns true if a schedule failed, or a data race or lock-order cycle was found.
    pub fn is_failing(&self) -> bool {
        self.failing > 0 || !self.races.is_empty() || !self.lock_order_cycles.is_empty()
    }

    /// Returns the number of schedules that a scheduler chose. The first schedule of each test runs without choices and
    /// does not count.
    pub fn sampled_schedules(&self) -> usize {
        let sampling_strategies = self.strategies.iter().filter(|(name, _)| *name != "straight");
        sampling_strategies.map(|(_, [run, _])| run).sum()
    }

    /// Redacts secrets in the messages of failing schedules.
    #[must_use]
    pub fn redact_secrets(mut self, secrets: &Secrets) -> Self {
        self.other_failure.iter_mut().for_each(|text| secrets.redact_in_place(text));
        let examples = self.groups.iter_mut().map(|group| &mut group.example);
        for example in examples.chain(&mut self.race_example) {
            example.text.iter_mut().for_each(|text| secrets.redact_in_place(text));
            let message = example.result.as_mut().and_then(|result| result.get_mut("message"));
            if let Some(Value::String(text)) = message {
                secrets.redact_in_place(text);
            }
            let values = example.steps.iter_mut().filter_map(|step| step.value.as_mut());
            values.for_each(|value| secrets.redact_in_place(value));
        }
        self
    }

    /// Returns the number of sampled schedules of the test with the fewest. Probability bounds for all tests use this
    /// number. Exhaustively explored tests do not count.
    pub fn min_sampled_per_test(&self) -> usize {
        let unproved =
            self.multi_threaded_tests.iter().filter(|(unit, _)| !self.proved.contains_key(*unit));
        unproved.map(|(_, [run, _])| run.saturating_sub(1)).min().unwrap_or(0)
    }

    /// Returns a lower bound on the probability of finding a bug of depth 2 with these schedules: `1 - (1 - 1/nk)^r`
    /// for `r` schedules of `n` threads and `k` steps (Burckhardt and others, ASPLOS 2010, theorem 9).
    #[expect(clippy::cast_precision_loss, reason = "these counts are far below 2^52")]
    pub fn depth_two_detection_probability(&self) -> f64 {
        let unproved = self.depth_two.iter().filter(|(unit, _)| !self.proved.contains_key(*unit));
        let chance = |[run, threads, steps]: [usize; 3]| {
            let miss_probability = 1.0 - 1.0 / (threads * steps).max(1) as f64;
            1.0 - miss_probability.powf(run as f64)
        };
        unproved.map(|(_, counts)| chance(*counts)).fold(1.0, f64::min)
    }

    /// Returns true if each test with several threads was explored exhaustively or sampled at least once.
    pub fn is_each_test_explored(&self) -> bool {
        self.is_exhaustive() || self.min_sampled_per_test() > 0
    }

    /// Returns true if all inequivalent schedules of all tests with several threads were run.
    pub fn is_exhaustive(&self) -> bool {
        !self.multi_threaded_tests.is_empty()
            && self.multi_threaded_tests.keys().all(|unit| self.proved.contains_key(unit))
    }

    /// Returns true if the exploration is exhaustive: the scheduler controlled everything, all
    /// schedules were run, and there is no data race.
    pub fn is_proved(&self) -> bool {
        self.is_exhaustive() && self.is_fully_controlled() && self.races.is_empty()
    }

    /// Returns true if the scheduler controlled everything; otherwise no bound holds.
    pub fn is_fully_controlled(&self) -> bool {
        self.uncontrolled_threads.is_empty() && self.uninstrumented_classes.is_empty()
    }

    /// Merges the findings of different tests.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (name, [run, failing]) in other.strategies {
            let counts = self.strategies.entry(name).or_default();
            *counts = [counts[0] + run, counts[1] + failing];
        }
        self.run += other.run;
        self.failing += other.failing;
        self.inconclusive += other.inconclusive;
        self.left += other.left;
        self.millis += other.millis;
        self.diverged |= other.diverged;
        self.has_goal |= other.has_goal;
        self.other_failures += other.other_failures;
        self.other_failure = self.other_failure.or(other.other_failure);
        self.is_junit_parallel |= other.is_junit_parallel;
        self.classes += other.classes;
        self.multi_threaded_tests.extend(other.multi_threaded_tests);
        self.proved.extend(other.proved);
        self.depth_two.extend(other.depth_two);
        self.tests.extend(other.tests);
        self.single_threaded_tests.extend(other.single_threaded_tests);
        self.hanging_tests.extend(other.hanging_tests);
        self.block_reasons.extend(other.block_reasons);
        self.uncontrolled_threads.extend(other.uncontrolled_threads);
        self.uninstrumented_classes.extend(other.uninstrumented_classes);
        self.lock_classes.extend(other.lock_classes);
        self.accessing_methods.extend(other.accessing_methods);
        self.outputs.extend(other.outputs);
        self.groups.extend(other.groups);
        self.race_example = self.race_example.or(other.race_example);
        self.races.extend(other.races);
        self.lock_order_cycles.extend(other.lock_order_cycles);
        self.truncated_cycle_searches += other.truncated_cycle_searches;
        self.patterns.extend(other.patterns);
        self.policy.extend(other.policy);
        self
    }
}
