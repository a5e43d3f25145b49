//! Baseline check: good must pass and bad must fail. Determines the symptom and the time limits.

use super::repetition::Repeat;
use crate::run::judge::executor::VariantExecutor;
use crate::run::judge::learned_symptom::LearnedSymptom;
use crate::run::session::request::{OracleRequest, SubjectRequest};
use crate::run::session::run_log::RunLog;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::project_files::ProjectFiles;
use mend_engine::{Execution, Limits, TestTimeouts};
use mend_model::{
    BuildPart, GoodOrBad, MissingRequirements, Outcome, Problem, ProgressEvent, Result, Symptom,
    TestStatus, Verdict,
};
use mend_search::sequential_test::ConfidenceLevel;
use regex::Regex;
use std::collections::BTreeSet;
use std::time::Duration;

/// Time limits of the baseline runs if the user set none.
const FIRST_BUILD_TIMEOUT: Duration = Duration::from_secs(900);
const FIRST_TEST_TIMEOUT: Duration = Duration::from_secs(600);

/// Factor of the time limit of variants over the slowest baseline run, and additional time for a busy machine.
const TIMEOUT_FACTOR: u32 = 4;
const BUILD_ALLOWANCE: Duration = Duration::from_secs(60);
const TEST_ALLOWANCE: Duration = Duration::from_secs(10);

/// Minimum failure rate of bad that the check detects reliably.
const MIN_DETECTED_FAILURE_RATE: f64 = 0.1;

/// Tests the good and the bad version.
pub(crate) struct BaselineCheck<'a> {
    pub(crate) request: &'a SubjectRequest,
    /// Pattern of the failure to reproduce, if the user selected one.
    pub(crate) symptom: Option<&'a Regex>,
    pub(crate) executor: &'a VariantExecutor,
    pub(crate) run_log: &'a RunLog,
    pub(crate) project_files: &'a ProjectFiles,
    /// What the build needs and this machine lacks.
    pub(crate) missing: &'a MissingRequirements,
    /// Tests to ignore, because they already fail in good.
    pub(crate) excluded_tests: BTreeSet<String>,
    /// True if bad may fail by not compiling.
    pub(crate) counts_compile_errors: bool,
}

impl BaselineCheck<'_> {
    /// Returns the limits for first runs.
    pub(crate) fn first_limits(&self) -> Limits {
        let (build, test) = (Some(FIRST_BUILD_TIMEOUT), Some(FIRST_TEST_TIMEOUT));
        self.apply_user_timeout(Limits { build, test, ..Limits::default() })
    }

    /// Runs [`Self::check_good`] if a good version is known. Excludes tests that already fail in good if another test
    /// distinguishes good from bad.
    ///
    /// # Errors
    /// Errors of [`Self::check_good`].
    pub(crate) fn check_good_without_failing_tests(
        self,
        good: Option<&ResolvedVersion>,
        bad: &ResolvedVersion,
    ) -> Result<(Self, Limits)> {
        let Some(good) = good else {
            let limits = self.first_limits();
            return Ok((self, limits));
        };
        let problem = match self.check_good(good, Some(bad)) {
            Ok(limits) => return Ok((self, limits)),
            Err(problem @ Problem::GoodDoesNotPass { .. }) => problem,
            Err(problem) => return Err(problem),
        };
        let excluded = self.already_failing_tests(good, bad)?;
        if excluded.is_empty() {
            return Err(problem);
        }
        let names: Vec<&str> = excluded.iter().map(String::as_str).collect();
        let names = names.join(", ");
        self.run_log.note_unchecked(format!("tests that already fail on good: {names}"))?;
        let baseline = Self { excluded_tests: excluded, ..self };
        let limits = baseline.check_good(good, Some(bad))?;
        Ok((baseline, limits))
    }

    /// Returns the tests that fail in good, if a test that passes in good fails in bad.
    fn already_failing_tests(
        &self,
        good: &ResolvedVersion,
        bad: &ResolvedVersion,
    ) -> Result<BTreeSet<String>> {
        let outcome = |version: &ResolvedVersion| -> Result<Outcome> {
            let head = version.commit_id();
            let cached_execution =
                self.executor.execute(&version.overlaid_tree, head, 0, &self.first_limits())?;
            Ok(cached_execution.execution.outcome)
        };
        let has_failed = |status: &TestStatus| matches!(status, TestStatus::Failed(_));
        let good = outcome(good)?;
        let failed = outcome(bad)?.tests_with_status(has_failed);
        let passed = good.tests_with_status(|status| *status == TestStatus::Passed);
        let has_distinguishing_test = failed.intersection(&passed).next().is_some();
        Ok(if has_distinguishing_test {
            good.tests_with_status(has_failed)
        } else {
            BTreeSet::new()
        })
    }

    /// Checks that good passes and computes the time limits from that run. If the test may be flaky,
    /// [`Self::sample_failure_rates`] checks it instead. If good fails, `bad` is used to detect swapped versions.
    ///
    /// # Errors
    /// [`Problem::GoodDoesNotPass`], [`Problem::GoodTimedOut`], [`Problem::Swapped`], [`Problem::BuildBroken`],
    /// [`Problem::FlakyBaseline`], [`Problem::CommandBroken`].
    pub(crate) fn check_good(
        &self,
        good: &ResolvedVersion,
        bad: Option<&ResolvedVersion>,
    ) -> Result<Limits> {
        let first = self.first_limits();
        let runs = self.run_repeatedly(GoodOrBad::Good, good, &first)?;
        let is_built = !matches!(runs[0].outcome, Outcome::NotBuilt { .. });
        if self.request.repeat == Repeat::Auto && is_built {
            return Ok(self.limits_from_runs(&runs));
        }
        let passed = runs.iter().filter(|run| run.outcome.is_pass()).count();
        if passed == runs.len() {
            return Ok(self.limits_from_runs(&runs));
        }
        if passed > 0 {
            return Err(Problem::FlakyBaseline { side: GoodOrBad::Good, passed, runs: runs.len() });
        }
        if let (Outcome::TimedOut { .. }, Some(limit)) = (&runs[0].outcome, first.test) {
            return Err(Problem::GoodTimedOut {
                revision: good.label.clone(),
                limit: limit + self.build_allowance(&first),
                output: runs[0].outcome.text(),
            });
        }
        let bad_outcome = |bad: &ResolvedVersion| -> Result<Outcome> {
            let (tree, head) = (&bad.overlaid_tree, bad.commit_id());
            Ok(self.executor.execute(tree, head, 0, &first)?.execution.outcome)
        };
        if let Some(problem) = self.build_problem(GoodOrBad::Good, good, &runs[0].outcome) {
            // Tests that compile in no version are no reason to look for another good one.
            if let (Problem::TestsNotCompiled { .. }, Some(bad)) = (&problem, bad)
                && let Some(problem) = self.build_problem(GoodOrBad::Bad, bad, &bad_outcome(bad)?)
            {
                return Err(problem);
            }
            return Err(problem);
        }
        if let Some(bad) = bad
            && bad_outcome(bad)?.is_pass()
        {
            return Err(Problem::Swapped);
        }
        Err(Problem::GoodDoesNotPass {
            revision: good.label.clone(),
            output: runs[0].outcome.text(),
        })
    }

    /// Checks that bad fails each time, and learns the symptom.
    ///
    /// # Errors
    /// [`Problem::BadDoesNotFail`], [`Problem::SymptomMissing`], [`Problem::BuildBroken`],
    /// [`Problem::FlakyBaseline`], [`Problem::CommandBroken`], [`Problem::NoSuchTest`].
    pub(crate) fn check_bad(
        &self,
        bad: &ResolvedVersion,
        limits: &Limits,
    ) -> Result<LearnedSymptom> {
        let runs = match self.request.repeat {
            Repeat::Times(_) => self.run_repeatedly(GoodOrBad::Bad, bad, limits)?,
            Repeat::Auto => self.first_failure(bad, limits)?,
        };
        let passed = runs.iter().filter(|run| run.outcome.is_pass()).count();
        if passed > 0 && passed < runs.len() && self.request.repeat != Repeat::Auto {
            return Err(Problem::FlakyBaseline { side: GoodOrBad::Bad, passed, runs: runs.len() });
        }
        if let Some(problem) = self.build_problem(GoodOrBad::Bad, bad, &runs[0].outcome)
            && !self.is_compile_error(&runs[0].outcome)
        {
            return Err(problem);
        }
        let (0, Some(symptom)) = (passed, self.learn_symptom(&runs)) else {
            return Err(Self::does_not_fail(bad, &runs[0].outcome));
        };
        if runs.iter().all(|run| self.verdict_of_run(&symptom, run) != Verdict::Fail) {
            return Err(Self::does_not_fail(bad, &runs[0].outcome));
        }
        let symptom = LearnedSymptom::new(symptom);
        symptom.note_uncompared_messages(self.run_log)?;
        Ok(symptom)
    }

    /// Returns true if bad fails by not compiling.
    fn is_compile_error(&self, outcome: &Outcome) -> bool {
        self.counts_compile_errors
            && self.symptom.is_none()
            && self.missing.is_empty()
            && Symptom::from_compile_errors(outcome).is_some()
    }

    /// Returns the symptom of the user, or learns it from runs of bad; `None` if the first one is no failure.
    fn learn_symptom(&self, runs: &[Execution]) -> Option<Symptom> {
        if let Some(pattern) = self.symptom {
            return Some(Symptom::Matches(pattern.clone()));
        }
        let is_own = |frame: &_| self.project_files.is_project_frame(frame);
        let (first, reruns) = runs.split_first()?;
        if self.is_compile_error(&first.outcome) {
            return Symptom::from_compile_errors(&first.outcome);
        }
        let mut symptom = Symptom::from_bad_outcome(&first.outcome, &is_own, &|frame| {
            self.project_files.is_declared_in_all_versions(frame)
        })?;
        for run in reruns {
            self.project_files.learn_from_rerun(&mut symptom, &run.outcome);
        }
        Some(symptom)
    }

    /// Returns the problem of a bad that passes, cannot be tested, or fails without the symptom of the user.
    pub(super) fn does_not_fail(bad: &ResolvedVersion, outcome: &Outcome) -> Problem {
        let (revision, output) = (bad.label.clone(), outcome.text());
        let is_failure = match outcome {
            Outcome::Exited { code, .. } => !matches!(code, 0 | 125),
            Outcome::Tests { .. } => !outcome
                .tests_with_status(|status| matches!(status, TestStatus::Failed(_)))
                .is_empty(),
            Outcome::TimedOut { .. } | Outcome::Crashed { .. } => true,
            Outcome::NotBuilt { .. } => false,
        };
        if is_failure {
            return Problem::SymptomMissing { revision, output };
        }
        Problem::BadDoesNotFail { revision, output, has_passed: outcome.is_pass() }
    }

    fn run_repeatedly(
        &self,
        side: GoodOrBad,
        version: &ResolvedVersion,
        limits: &Limits,
    ) -> Result<Vec<Execution>> {
        self.announce(side, version)?;
        let times = match self.request.repeat {
            Repeat::Times(times) => times,
            Repeat::Auto => 1,
        };
        (0..times).map(|repetition| self.run_version(side, version, repetition, limits)).collect()
    }

    /// Returns the first failing run of bad, with the symptom if it is known. Returns all runs if none fails.
    fn first_failure(&self, bad: &ResolvedVersion, limits: &Limits) -> Result<Vec<Execution>> {
        self.announce(GoodOrBad::Bad, bad)?;
        let user_symptom = self.symptom.cloned().map(Symptom::Matches);
        let is_failure = |run: &Execution| match &user_symptom {
            Some(symptom) => self.verdict_of_run(symptom, run) == Verdict::Fail,
            None => !run.outcome.is_pass(),
        };
        let mut runs = Vec::new();
        let max_runs = ConfidenceLevel::default().required_passing_runs(MIN_DETECTED_FAILURE_RATE);
        for number in (0..).take(max_runs) {
            let run = self.run_version(GoodOrBad::Bad, bad, number, limits)?;
            if is_failure(&run) || matches!(run.outcome, Outcome::NotBuilt { .. }) {
                return Ok(vec![run]);
            }
            runs.push(run);
        }
        Ok(runs)
    }

    /// Returns the verdict of a run.
    pub(crate) fn verdict_of_run(&self, symptom: &Symptom, run: &Execution) -> Verdict {
        symptom.judge(&run.outcome, &|frame| self.project_files.is_project_frame(frame))
    }

    pub(crate) fn announce(&self, side: GoodOrBad, version: &ResolvedVersion) -> Result<()> {
        let description = format!("{side} ({})", version.label);
        let if_slow =
            Some("slow because everything is built once before the first test".to_owned());
        self.run_log.emit(ProgressEvent::TrialStarted {
            description,
            remaining: None,
            slow_hint: if_slow,
        })
    }

    /// Runs the tests of a version once.
    pub(crate) fn run_version(
        &self,
        side: GoodOrBad,
        version: &ResolvedVersion,
        repetition: u32,
        limits: &Limits,
    ) -> Result<Execution> {
        let cached_execution = self.executor.execute(
            &version.overlaid_tree,
            version.commit_id(),
            repetition,
            limits,
        )?;
        self.check_testable(side, &cached_execution.execution.outcome)?;
        self.run_log.note_adaptation(&cached_execution.execution.adaptation)?;
        let outcome = cached_execution.execution.outcome.without_tests(&self.excluded_tests);
        Ok(Execution { outcome, ..cached_execution.execution })
    }

    /// Returns an error if the outcome allows no verdict: an unusable command, or no test.
    pub(crate) fn check_testable(&self, side: GoodOrBad, outcome: &Outcome) -> Result<()> {
        match (outcome, &self.request.oracle) {
            (Outcome::Exited { code: code @ 126..=127, output }, _) => {
                Err(Problem::CommandBroken { side, code: *code, output: output.clone() })
            }
            (Outcome::Tests { results }, OracleRequest::Tests(selectors)) if results.is_empty() => {
                let selectors: Vec<String> = selectors.iter().map(ToString::to_string).collect();
                Err(Problem::NoSuchTest { selector: selectors.join(", "), near: Vec::new() })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn build_problem(
        &self,
        side: GoodOrBad,
        version: &ResolvedVersion,
        outcome: &Outcome,
    ) -> Option<Problem> {
        let Outcome::NotBuilt { diagnostics, part } = outcome else { return None };
        let (revision, output) = (version.label.clone(), diagnostics.clone());
        let missing = self.missing.clone();
        if side == GoodOrBad::Good && *part == BuildPart::Tests && missing.is_empty() {
            let selects_methods = self.selects_methods();
            return Some(Problem::TestsNotCompiled { revision, output, selects_methods });
        }
        Some(Problem::BuildBroken { side, revision, output, missing })
    }

    /// Returns true if every selector names a method.
    fn selects_methods(&self) -> bool {
        match &self.request.oracle {
            OracleRequest::Tests(selectors) => selectors.iter().all(|one| one.method.is_some()),
            OracleRequest::Command(_) => false,
        }
    }

    /// Computes the limits of variants from the slowest of some runs.
    pub(crate) fn limits_from_runs(&self, runs: &[Execution]) -> Limits {
        let slowest_duration = |duration_of: &dyn Fn(&Execution) -> Duration| {
            runs.iter().map(duration_of).max().unwrap_or_default()
        };
        let build = slowest_duration(&|run| run.build.unwrap_or_default()) * TIMEOUT_FACTOR
            + BUILD_ALLOWANCE;
        let test = slowest_duration(&|run| run.test) * TIMEOUT_FACTOR + TEST_ALLOWANCE;
        let results = runs.iter().filter_map(|run| match &run.outcome {
            Outcome::Tests { results } => Some(results),
            _ => None,
        });
        let test_timeouts =
            TestTimeouts::from_results(results.flatten(), TIMEOUT_FACTOR, TEST_ALLOWANCE);
        self.apply_user_timeout(Limits {
            build: Some(build),
            test: Some(test),
            per_test: test_timeouts,
        })
    }

    /// Returns the additional time for a command, which also builds.
    fn build_allowance(&self, limits: &Limits) -> Duration {
        let is_command = matches!(self.request.oracle, OracleRequest::Command(_));
        limits.build.filter(|_| is_command).unwrap_or_default()
    }

    /// Returns the limits with the user's time limit, if there is one. The time limit of a command includes the build.
    /// The time limit of tests replaces the limit of each single test.
    fn apply_user_timeout(&self, default_limits: Limits) -> Limits {
        let is_command = matches!(self.request.oracle, OracleRequest::Command(_));
        match self.request.timeout {
            None => default_limits,
            test if is_command => Limits { test, ..Limits::default() },
            test => Limits { test, build: default_limits.build, ..Limits::default() },
        }
    }
}
