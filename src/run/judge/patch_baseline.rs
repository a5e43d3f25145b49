//! Baseline of bad before any patch is tried: the tests that fail, pass, or are flaky.

use super::repetition::{Repeat, Repetition};
use crate::run::judge::SymptomOracle;
use crate::run::judge::baseline_check::BaselineCheck;
use crate::run::judge::executor::VariantExecutor;
use crate::run::session::request::SubjectRequest;
use crate::run::session::run_log::{RunLog, SubjectFact};
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::project_files::ProjectFiles;
use mend_engine::{Limits, TestOrder, TestTimeouts};
use mend_git::ObjectStore;
use mend_model::{
    GoodOrBad, Outcome, Problem, ProgressEvent, Result, Symptom, TestExpectations, TestResult,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The version that patches are to fix.
pub(crate) struct PatchBaseline<'a> {
    pub(crate) request: &'a SubjectRequest,
    pub(crate) ledger: &'a Arc<RunLog>,
    pub(crate) bad: &'a ResolvedVersion,
    pub(crate) missing: &'a [String],
    /// A patch that fixes only some of the failing tests counts.
    pub(crate) or_some: bool,
}

/// Factor and allowance for the time limit of candidates, relative to the tests that finished: many
/// candidates hang, and stopping a slow one by mistake costs little.
const CANDIDATE_SLACK: u32 = 4;
const CANDIDATE_ALLOWANCE: Duration = Duration::from_secs(1);

/// Additional time for each single test, because a delay of the machine may affect any of them.
const CANDIDATE_TEST_ALLOWANCE: Duration = Duration::from_secs(3);

/// Time limit for tests with a patch if the time without one is unknown, because they may hang.
const LONGEST: Duration = Duration::from_secs(120);

impl UnpatchedRun {
    /// Returns the limits of candidates, which are tried in large numbers; a limit of the user has priority.
    pub(crate) fn limits_for_many(&self, asked: Option<Duration>) -> Limits {
        let Outcome::Tests { results } = &self.outcome else { return self.limits.clone() };
        let ended = results.iter().filter(|result| !is_given_up(result));
        let took = Duration::from_millis(ended.map(|result| result.millis).sum());
        let each = match asked {
            Some(_) => TestTimeouts::default(),
            None => TestTimeouts::from_results(results, CANDIDATE_SLACK, CANDIDATE_TEST_ALLOWANCE),
        };
        let test = asked.or(Some(took * CANDIDATE_SLACK + CANDIDATE_ALLOWANCE));
        Limits { test, each, ..self.limits }
    }

    /// The tests that a framework's own time limit ended.
    pub(crate) fn given_up(&self) -> BTreeSet<String> {
        let Outcome::Tests { results } = &self.outcome else { return BTreeSet::new() };
        let given_up = results.iter().filter(|result| is_given_up(result));
        given_up.map(|result| result.test.clone()).collect()
    }

    /// Excludes tests that also hang with probes, so that later runs do not wait for them.
    #[must_use]
    pub(crate) fn endless(self, tests: BTreeSet<String>) -> Self {
        Self { endless: tests, ..self }
    }
}

/// Returns true if the framework's own timeout ended a test.
fn is_given_up(result: &TestResult) -> bool {
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
    own_code: ProjectFiles,
    demands: TestExpectations,
    /// Tests that hung more than once.
    endless: BTreeSet<String>,
}

/// Expectations of the tests for patches.
pub(crate) struct LearnedExpectations {
    /// Executor with the test order for patches.
    pub(crate) bench: VariantExecutor,
    pub(crate) demands: TestExpectations,
}

/// Second run of the tests without a patch.
struct Rerun {
    order: TestOrder,
    /// Results of the tests that are skipped.
    known: Vec<TestResult>,
}

impl PatchBaseline<'_> {
    /// Tests the version as it is.
    ///
    /// # Errors
    /// [`Problem::BadDoesNotFail`], [`Problem::BuildBroken`], [`Problem::NoSuchTest`].
    pub(crate) fn run_unpatched(
        &self,
        bench: &VariantExecutor,
        store: &Arc<ObjectStore>,
    ) -> Result<UnpatchedRun> {
        self.ledger.emit(ProgressEvent::Stage("running the tests without a patch".to_owned()))?;
        let own_code = ProjectFiles::from_trees(store, &[&self.bad.tree])?;
        let (outcome, limits) = self.first_run(bench, &own_code)?;
        let demands = TestExpectations::learn(&outcome).ok_or_else(|| Problem::BadDoesNotFail {
            revision: self.bad.label.clone(),
            output: outcome.text(),
        })?;
        let is_own = |frame: &_| own_code.is_own(frame);
        let symptom = Symptom::learn(&outcome, &is_own, &|_| true).map(|one| one.describe());
        symptom.map_or(Ok(()), |one| self.ledger.record(SubjectFact::Symptom(one)))?;
        Ok(UnpatchedRun { outcome, limits, own_code, demands, endless: BTreeSet::new() })
    }

    /// Learns the expectations of the tests, and the test order for patches.
    ///
    /// # Errors
    /// [`Problem::FlakyBaseline`].
    pub(crate) fn learn_expectations(
        &self,
        bench: VariantExecutor,
        before: &UnpatchedRun,
    ) -> Result<LearnedExpectations> {
        let UnpatchedRun { outcome, limits, demands, endless, .. } = before;
        let demands = demands.clone();
        if let Outcome::Tests { results } = outcome {
            let known = results.iter().filter(|result| endless.contains(&result.test)).cloned();
            let again = Rerun { order: TestOrder::learnt(results), known: known.collect() };
            return self.once_more(bench, again, demands, limits);
        }
        let what = "the tests hang without a patch, so it is unknown which of them pass; with a patch \
                    all must pass";
        self.ledger.note(what.to_owned())?;
        let bench = bench.reordered(TestOrder::default().failing_fast());
        Ok(LearnedExpectations { bench, demands })
    }

    /// Creates the oracle for patches.
    pub(crate) fn judge<'b>(
        &self,
        bench: &'b VariantExecutor,
        before: UnpatchedRun,
        demands: &TestExpectations,
    ) -> SymptomOracle<'b> {
        SymptomOracle {
            bench,
            ledger: Arc::clone(self.ledger),
            own_code: before.own_code,
            excluded: BTreeSet::new(),
            symptom: Symptom::Expectations(demands.clone()),
            limits: before.limits,
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

    /// Creates the oracle for patches with which every test must pass.
    pub(crate) fn judge_of_all<'b>(
        &self,
        bench: &'b VariantExecutor,
        store: &Arc<ObjectStore>,
    ) -> Result<SymptomOracle<'b>> {
        Ok(SymptomOracle {
            bench,
            ledger: Arc::clone(self.ledger),
            own_code: ProjectFiles::from_trees(store, &[&self.bad.tree])?,
            excluded: BTreeSet::new(),
            symptom: Symptom::Expectations(TestExpectations::default()),
            limits: Limits { test: self.request.timeout.or(Some(LONGEST)), ..Limits::default() },
            repetition: self.repetition(),
        })
    }

    /// Runs the tests in the default order, and derives the limits for later runs.
    fn first_run(
        &self,
        bench: &VariantExecutor,
        own_code: &ProjectFiles,
    ) -> Result<(Outcome, Limits)> {
        let baseline = BaselineCheck {
            request: self.request,
            symptom: None,
            bench,
            ledger: self.ledger,
            own_code,
            missing: self.missing,
            excluded: BTreeSet::new(),
        };
        baseline.announce(GoodOrBad::Bad, self.bad)?;
        let first = baseline.first_limits();
        let run = baseline.run(GoodOrBad::Bad, self.bad, 0, &first)?;
        if let Some(problem) = baseline.broken(GoodOrBad::Bad, self.bad, &run.outcome) {
            return Err(problem);
        }
        let is_over = matches!(run.outcome, Outcome::Tests { .. });
        let limits = if is_over { baseline.derived(std::slice::from_ref(&run)) } else { first };
        Ok((run.outcome, limits))
    }

    /// Runs the tests in the order that patches use. Tests whose result depends on the order are
    /// ignored.
    fn once_more(
        &self,
        bench: VariantExecutor,
        Rerun { order, known }: Rerun,
        demands: TestExpectations,
        limits: &Limits,
    ) -> Result<LearnedExpectations> {
        let head = self.bad.commit_id();
        let without = known.iter().map(|result| result.test.clone()).collect();
        let bench = bench.reordered(order.clone().with_excluded(&without));
        let again = bench.execution(&self.bad.tree, head, 0, limits)?.execution.outcome;
        let Outcome::Tests { mut results } = again else {
            let what = "the tests hang in another order, so all of them run for each patch";
            self.ledger.note(what.to_owned())?;
            let bench = bench.reordered(TestOrder::default());
            return Ok(LearnedExpectations { bench, demands });
        };
        results.extend(known);
        let demands = demands.but_for_unstable(&results);
        if demands.mended().is_empty() {
            return Err(Problem::FlakyBaseline { side: GoodOrBad::Bad, passed: 1, runs: 2 });
        }
        let Some(names) = demands.unstable() else {
            let order = self.covering(&bench, order, limits)?;
            let is_for_some = self.or_some && demands.mended().len() > 1;
            let (order, demands) = if is_for_some {
                (order.mending_some(), demands.or_some())
            } else {
                (order.failing_fast(), demands)
            };
            return Ok(LearnedExpectations { bench: bench.reordered(order), demands });
        };
        self.ledger.note(format!("flaky tests, ignored: {names}"))?;
        Ok(LearnedExpectations { bench: bench.reordered(order), demands })
    }

    /// Returns the same order with tests that execute the patched code first, if coverage is
    /// available.
    fn covering(
        &self,
        bench: &VariantExecutor,
        order: TestOrder,
        limits: &Limits,
    ) -> Result<TestOrder> {
        if order.classes() < 2 {
            return Ok(order);
        }
        let coverage = bench.coverage(&self.bad.tree, self.bad.commit_id(), limits)?;
        let Some(coverage) = coverage.filter(|coverage| coverage.methods() > 0) else {
            let what = "which tests execute the patched code: the fastest tests run first";
            self.ledger.note(what.to_owned())?;
            return Ok(order);
        };
        Ok(order.covering(coverage))
    }
}
