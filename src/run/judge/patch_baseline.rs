//! Baseline check for patches: determines the tests of bad that fail, pass, or are flaky, before any patch is tried.

use super::repetition::{Repeat, Repetition};
use crate::run::judge::SymptomOracle;
use crate::run::judge::baseline_check::BaselineCheck;
use crate::run::judge::executor::VariantExecutor;
use crate::run::judge::learned_symptom::LearnedSymptom;
use crate::run::session::request::SubjectRequest;
use crate::run::session::run_log::{RunLog, SubjectFact};
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::project_files::ProjectFiles;
use mend_engine::{Execution, Limits, TestOrder, TestTimeouts};
use mend_git::ObjectStore;
use mend_model::{
    GoodOrBad, MissingRequirements, Outcome, Problem, ProgressEvent, Result, Symptom,
    TestExpectations, TestResult,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Baseline check of the version that the patches are to fix.
pub(crate) struct PatchBaseline<'a> {
    pub(crate) request: &'a SubjectRequest,
    pub(crate) run_log: &'a Arc<RunLog>,
    pub(crate) bad: &'a ResolvedVersion,
    pub(crate) missing: &'a MissingRequirements,
    /// True if a patch is accepted that fixes only some of the failing tests.
    pub(crate) accepts_partial_fixes: bool,
    /// True if all tests run with each patch, even after one fails.
    pub(crate) runs_all_tests: bool,
}

/// Factor and additional time for the time limit of candidates, relative to the tests that finished. The limits are
/// tight, because many candidates hang and stopping a slow one by mistake costs little.
const CANDIDATE_TIMEOUT_FACTOR: u32 = 4;
const CANDIDATE_TIME_ALLOWANCE: Duration = Duration::from_secs(1);

/// Additional time for each single test, because a delay of the machine may affect any of them.
const SINGLE_TEST_TIME_ALLOWANCE: Duration = Duration::from_secs(3);

/// Time limit of tests with a patch if their time without a patch is unknown.
const DEFAULT_TEST_TIMEOUT: Duration = Duration::from_secs(120);

impl UnpatchedRun {
    /// Returns the limits of candidates, which are tight because there are many. A limit of the user has priority.
    pub(crate) fn candidate_limits(&self, user_timeout: Option<Duration>) -> Limits {
        let Outcome::Tests { results } = &self.outcome else { return self.limits.clone() };
        let finished = results.iter().filter(|result| !is_framework_timeout(result));
        let total_time = Duration::from_millis(finished.map(|result| result.millis).sum());
        let each = match user_timeout {
            Some(_) => TestTimeouts::default(),
            None => TestTimeouts::from_results(
                results,
                CANDIDATE_TIMEOUT_FACTOR,
                SINGLE_TEST_TIME_ALLOWANCE,
            ),
        };
        let test =
            user_timeout.or(Some(total_time * CANDIDATE_TIMEOUT_FACTOR + CANDIDATE_TIME_ALLOWANCE));
        Limits { test, per_test: each, ..self.limits }
    }

    /// Returns the tests that the framework's own timeout ended.
    pub(crate) fn framework_timeouts(&self) -> BTreeSet<String> {
        let Outcome::Tests { results } = &self.outcome else { return BTreeSet::new() };
        let given_up = results.iter().filter(|result| is_framework_timeout(result));
        given_up.map(|result| result.test.clone()).collect()
    }

    /// Excludes tests that also hang with probes, so that later runs do not wait for them.
    #[must_use]
    pub(crate) fn with_hanging_tests(self, tests: BTreeSet<String>) -> Self {
        Self { hanging_tests: tests, ..self }
    }
}

/// Returns true if the framework's own timeout ended a test.
fn is_framework_timeout(result: &TestResult) -> bool {
    result.failure().is_some_and(|failure| {
        let message = failure.message.as_deref().unwrap_or_default();
        failure.exception.contains("Timeout")
            || failure.exception.contains("TimedOut")
            || message.contains("timed out after")
    })
}

/// Results of the tests without a patch.
pub(crate) struct UnpatchedRun {
    pub(crate) outcome: Outcome,
    pub(crate) limits: Limits,
    project_files: ProjectFiles,
    expectations: TestExpectations,
    /// Members of test classes that do not compile without a patch either.
    omissions: BTreeSet<String>,
    /// Tests that hung more than once.
    hanging_tests: BTreeSet<String>,
}

/// Test expectations for patches.
pub(crate) struct LearnedExpectations {
    /// Executor with the test order for patches.
    pub(crate) executor: VariantExecutor,
    pub(crate) expectations: TestExpectations,
}

/// Second run of the tests without a patch.
struct Rerun {
    order: TestOrder,
    /// Results of the tests that the second run skips.
    known_results: Vec<TestResult>,
}

impl PatchBaseline<'_> {
    /// Tests the version without a patch.
    ///
    /// # Errors
    /// [`Problem::BadDoesNotFail`], [`Problem::BuildBroken`], [`Problem::NoSuchTest`].
    pub(crate) fn run_unpatched(
        &self,
        executor: &VariantExecutor,
        store: &Arc<ObjectStore>,
    ) -> Result<UnpatchedRun> {
        self.run_log.emit(ProgressEvent::Stage("running the tests without a patch".to_owned()))?;
        let own_code = ProjectFiles::from_trees(store, &[&self.bad.overlaid_tree])?;
        let (run, limits) = self.first_run(executor, &own_code)?;
        let (outcome, omissions) = (run.outcome, run.adaptation.left_out);
        let expectations =
            TestExpectations::from_baseline(&outcome).ok_or_else(|| Problem::BadDoesNotFail {
                revision: self.bad.label.clone(),
                output: outcome.text(),
                has_passed: outcome.is_pass(),
            })?;
        let is_own = |frame: &_| own_code.is_project_frame(frame);
        let symptom =
            Symptom::from_bad_outcome(&outcome, &is_own, &|_| true).map(|one| one.describe());
        symptom.map_or(Ok(()), |one| self.run_log.record(SubjectFact::Symptom(one)))?;
        Ok(UnpatchedRun {
            outcome,
            limits,
            project_files: own_code,
            expectations,
            omissions,
            hanging_tests: BTreeSet::new(),
        })
    }

    /// Determines the test expectations, and the test order for patches.
    ///
    /// # Errors
    /// [`Problem::FlakyBaseline`].
    pub(crate) fn learn_expectations(
        &self,
        executor: VariantExecutor,
        unpatched_run: &UnpatchedRun,
    ) -> Result<LearnedExpectations> {
        let UnpatchedRun { outcome, limits, expectations, hanging_tests: endless, .. } =
            unpatched_run;
        let expectations = expectations.clone();
        if let Outcome::Tests { results } = outcome {
            let hanging_results =
                results.iter().filter(|result| endless.contains(&result.test)).cloned();
            let rerun = Rerun {
                order: TestOrder::from_results(results),
                known_results: hanging_results.collect(),
            };
            return self.rerun_in_patch_order(executor, rerun, expectations, limits);
        }
        let note = "the tests hang without a patch, so it is unknown which of them pass; with a patch \
                    all must pass";
        self.run_log.note_unchecked(note.to_owned())?;
        let executor = executor.reordered(TestOrder::default().with_fail_fast());
        Ok(LearnedExpectations { executor, expectations })
    }

    /// Creates the oracle for patches.
    pub(crate) fn create_oracle<'b>(
        &self,
        executor: &'b VariantExecutor,
        before: &UnpatchedRun,
        expectations: &TestExpectations,
    ) -> SymptomOracle<'b> {
        SymptomOracle {
            executor,
            run_log: Arc::clone(self.run_log),
            project_files: before.project_files.clone(),
            excluded_tests: BTreeSet::new(),
            symptom: LearnedSymptom::new(Symptom::Expectations(expectations.clone())),
            accepted_omissions: Some(before.omissions.clone()),
            limits: before.limits.clone(),
            repetition: self.repetition(),
        }
    }

    /// Returns the number of runs for each patch.
    fn repetition(&self) -> Repetition {
        Repetition::Times(match self.request.repeat {
            Repeat::Times(times) => times,
            Repeat::Auto => 1,
        })
    }

    /// Creates the oracle for patches that must make every test pass.
    pub(crate) fn create_all_pass_oracle<'b>(
        &self,
        executor: &'b VariantExecutor,
        store: &Arc<ObjectStore>,
    ) -> Result<SymptomOracle<'b>> {
        Ok(SymptomOracle {
            executor,
            run_log: Arc::clone(self.run_log),
            project_files: ProjectFiles::from_trees(store, &[&self.bad.overlaid_tree])?,
            excluded_tests: BTreeSet::new(),
            symptom: LearnedSymptom::new(Symptom::Expectations(TestExpectations::default())),
            accepted_omissions: None,
            limits: Limits {
                test: self.request.timeout.or(Some(DEFAULT_TEST_TIMEOUT)),
                ..Limits::default()
            },
            repetition: self.repetition(),
        })
    }

    /// Runs the tests in the default order, and computes the limits for later runs.
    fn first_run(
        &self,
        executor: &VariantExecutor,
        own_code: &ProjectFiles,
    ) -> Result<(Execution, Limits)> {
        let baseline = BaselineCheck {
            request: self.request,
            symptom: None,
            executor,
            run_log: self.run_log,
            project_files: own_code,
            missing: self.missing,
            excluded_tests: BTreeSet::new(),
            counts_compile_errors: false,
        };
        baseline.announce(GoodOrBad::Bad, self.bad)?;
        let first = baseline.first_limits();
        let run = baseline.run_version(GoodOrBad::Bad, self.bad, 0, &first)?;
        if let Some(problem) = baseline.build_problem(GoodOrBad::Bad, self.bad, &run.outcome) {
            return Err(problem);
        }
        let is_finished = matches!(run.outcome, Outcome::Tests { .. });
        let limits =
            if is_finished { baseline.limits_from_runs(std::slice::from_ref(&run)) } else { first };
        Ok((run, limits))
    }

    /// Runs the tests in the order for patches. Ignores tests whose result depends on the order.
    fn rerun_in_patch_order(
        &self,
        executor: VariantExecutor,
        Rerun { order, known_results: known }: Rerun,
        expectations: TestExpectations,
        limits: &Limits,
    ) -> Result<LearnedExpectations> {
        let head = self.bad.commit_id();
        let without = known.iter().map(|result| result.test.clone()).collect();
        let executor = executor.reordered(order.clone().with_excluded(&without));
        let rerun_outcome =
            executor.execute(&self.bad.overlaid_tree, head, 0, limits)?.execution.outcome;
        let Outcome::Tests { mut results } = rerun_outcome else {
            let note = "the tests hang in another order, so all of them run for each patch";
            self.run_log.note_unchecked(note.to_owned())?;
            let executor = executor.reordered(TestOrder::default());
            return Ok(LearnedExpectations { executor, expectations });
        };
        results.extend(known);
        let expectations = expectations.without_flaky(&results);
        if expectations.failing_tests().is_empty() {
            return Err(Problem::FlakyBaseline { side: GoodOrBad::Bad, passed: 1, runs: 2 });
        }
        let Some(names) = expectations.flaky_test_list() else {
            let order = self.order_by_coverage(&executor, order, limits)?;
            let accepts_partial =
                self.accepts_partial_fixes && expectations.failing_tests().len() > 1;
            let (order, expectations) = if accepts_partial {
                (order.with_fix_impossible_stop(), expectations.requiring_one_fix())
            } else if self.runs_all_tests {
                (order, expectations)
            } else {
                (order.with_fail_fast(), expectations)
            };
            return Ok(LearnedExpectations { executor: executor.reordered(order), expectations });
        };
        self.run_log.note_unchecked(format!("flaky tests, ignored: {names}"))?;
        Ok(LearnedExpectations { executor: executor.reordered(order), expectations })
    }

    /// Returns the order in which tests that execute the patched code come first, if coverage is available.
    fn order_by_coverage(
        &self,
        executor: &VariantExecutor,
        order: TestOrder,
        limits: &Limits,
    ) -> Result<TestOrder> {
        if order.class_count() < 2 {
            return Ok(order);
        }
        let coverage = executor.coverage(&self.bad.overlaid_tree, self.bad.commit_id(), limits)?;
        let Some(coverage) = coverage.filter(|coverage| coverage.method_count() > 0) else {
            let note = "which tests execute the patched code: the fastest tests run first";
            self.run_log.note_unchecked(note.to_owned())?;
            return Ok(order);
        };
        Ok(order.with_coverage(coverage))
    }
}
