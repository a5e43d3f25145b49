//! Baseline of bad before any patch is tried: the tests that fail, pass, or are flaky.

use super::repetition::{Repeat, Repetition};
use crate::run::judge::Judge;
use crate::run::judge::baseline_check::Baseline;
use crate::run::judge::executor::Bench;
use crate::run::session::request::SubjectRequest;
use crate::run::session::run_log::Ledger;
use crate::run::session::versions::Version;
use crate::run::subject::project_files::OwnCode;
use mend_engine::{Limits, TestLimits, TestOrder};
use mend_git::Store;
use mend_model::{Demands, Event, Outcome, Problem, Result, Side, Symptom, TestResult};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The version that patches are to fix.
pub(crate) struct Premise<'a> {
    pub(crate) request: &'a SubjectRequest,
    pub(crate) ledger: &'a Arc<Ledger>,
    pub(crate) bad: &'a Version,
    pub(crate) missing: &'a [String],
    /// Whether a patch that fixes only some of the failing tests counts.
    pub(crate) or_some: bool,
}

/// Factor and allowance for the time limit of candidates, relative to the tests that finished: many
/// candidates hang, and stopping a slow one by mistake costs little.
const CANDIDATE_SLACK: u32 = 4;
const CANDIDATE_ALLOWANCE: Duration = Duration::from_secs(1);

/// What each of many tests is given more, as what holds up the machine may fall into any of them.
const CANDIDATE_TEST_ALLOWANCE: Duration = Duration::from_secs(3);

/// Time limit for tests with a patch if the time without one is unknown, because they may hang.
const LONGEST: Duration = Duration::from_secs(120);

impl Before {
    /// Limits for candidates, which are made by the hundred; one that was asked for stays.
    pub(crate) fn limits_for_many(&self, asked: Option<Duration>) -> Limits {
        let Outcome::Tests { results } = &self.outcome else { return self.limits.clone() };
        let ended = results.iter().filter(|result| !is_given_up(result));
        let took = Duration::from_millis(ended.map(|result| result.millis).sum());
        let each = match asked {
            Some(_) => TestLimits::default(),
            None => TestLimits::beyond(results, CANDIDATE_SLACK, CANDIDATE_TEST_ALLOWANCE),
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

    /// The same, with tests that hang again with probes: later runs do not wait for them.
    #[must_use]
    pub(crate) fn endless(self, tests: BTreeSet<String>) -> Self {
        Self { endless: tests, ..self }
    }
}

/// Whether a framework's own time limit ended a test.
fn is_given_up(result: &TestResult) -> bool {
    result.failure().is_some_and(|failure| {
        let message = failure.message.as_deref().unwrap_or_default();
        failure.exception.contains("Timeout")
            || failure.exception.contains("TimedOut")
            || message.contains("timed out after")
    })
}

/// What is seen without any patch.
pub(crate) struct Before {
    pub(crate) outcome: Outcome,
    pub(crate) limits: Limits,
    own_code: OwnCode,
    demands: Demands,
    /// Tests that hung more than once.
    endless: BTreeSet<String>,
}

/// How the tests are run once more.
struct Again {
    order: TestOrder,
    /// How those end that are not.
    known: Vec<TestResult>,
}

impl Premise<'_> {
    /// Tests the version as it is.
    ///
    /// # Errors
    /// [`Problem::BadDoesNotFail`], [`Problem::BuildBroken`], [`Problem::NoSuchTest`].
    pub(crate) fn before(&self, bench: &Bench, store: &Arc<Store>) -> Result<Before> {
        self.ledger.tell(Event::Stage("running the tests without a patch".to_owned()))?;
        let own_code = OwnCode::of(store, &[&self.bad.tree])?;
        let (outcome, limits) = self.first_run(bench, &own_code)?;
        let demands = Demands::learn(&outcome).ok_or_else(|| Problem::BadDoesNotFail {
            revision: self.bad.label.clone(),
            output: outcome.text(),
        })?;
        let is_own = |frame: &_| own_code.is_own(frame);
        let symptom = Symptom::learn(&outcome, &is_own, &|_| true).map(|one| one.describe());
        // What a bisection before has found out says more.
        self.ledger.update(|result| result.symptom = result.symptom.take().or(symptom))?;
        Ok(Before { outcome, limits, own_code, demands, endless: BTreeSet::new() })
    }

    /// Learns what patches must do, and gives what judges them.
    ///
    /// # Errors
    /// [`Problem::FlakyBaseline`].
    pub(crate) fn judge(&self, bench: Bench, before: Before) -> Result<(Judge, Demands)> {
        let Before { outcome, limits, own_code, demands, endless } = before;
        let (bench, demands) = if let Outcome::Tests { results } = &outcome {
            let known = results.iter().filter(|result| endless.contains(&result.test)).cloned();
            let again = Again { order: TestOrder::learnt(results), known: known.collect() };
            self.once_more(bench, again, demands, &limits)?
        } else {
            let what = "the tests hang without a patch, so it is unknown which of them pass; with a patch \
                        all must pass";
            self.ledger.note(what.to_owned())?;
            (bench.reordered(TestOrder::default().failing_fast()), demands)
        };
        let judge = Judge {
            bench,
            ledger: Arc::clone(self.ledger),
            own_code,
            excluded: BTreeSet::new(),
            symptom: Symptom::Demands(demands.clone()),
            limits,
            repetition: self.repetition(),
        };
        Ok((judge, demands))
    }

    /// How often each patch is tested.
    fn repetition(&self) -> Repetition {
        Repetition::Times(match self.request.repeat {
            Repeat::Times(times) => times,
            Repeat::Auto => 1,
        })
    }

    /// What judges patches with which every test must pass.
    pub(crate) fn judge_of_all(&self, bench: Bench, store: &Arc<Store>) -> Result<Judge> {
        Ok(Judge {
            bench,
            ledger: Arc::clone(self.ledger),
            own_code: OwnCode::of(store, &[&self.bad.tree])?,
            excluded: BTreeSet::new(),
            symptom: Symptom::Demands(Demands::default()),
            limits: Limits { test: self.request.timeout.or(Some(LONGEST)), ..Limits::default() },
            repetition: self.repetition(),
        })
    }

    /// What comes out in the usual order, and the limits that hold from then on.
    fn first_run(&self, bench: &Bench, own_code: &OwnCode) -> Result<(Outcome, Limits)> {
        let baseline = Baseline {
            request: self.request,
            symptom: None,
            bench,
            ledger: self.ledger,
            own_code,
            missing: self.missing,
            excluded: BTreeSet::new(),
        };
        baseline.announce(Side::Bad, self.bad)?;
        let first = baseline.first_limits();
        let run = baseline.run(Side::Bad, self.bad, 0, &first)?;
        if let Some(problem) = baseline.broken(Side::Bad, self.bad, &run.outcome) {
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
        bench: Bench,
        Again { order, known }: Again,
        demands: Demands,
        limits: &Limits,
    ) -> Result<(Bench, Demands)> {
        let head = self.bad.commit_id();
        let without = known.iter().map(|result| result.test.clone()).collect();
        let bench = bench.reordered(order.clone().without(&without));
        let again = bench.execution(&self.bad.tree, head, 0, limits)?.execution.outcome;
        let Outcome::Tests { mut results } = again else {
            let what = "the tests hang in another order, so all of them run for each patch";
            self.ledger.note(what.to_owned())?;
            return Ok((bench.reordered(TestOrder::default()), demands));
        };
        results.extend(known);
        let demands = demands.but_for_unstable(&results);
        if demands.mended().is_empty() {
            return Err(Problem::FlakyBaseline { side: Side::Bad, passed: 1, runs: 2 });
        }
        let Some(names) = demands.unstable() else {
            let order = self.covering(&bench, order, limits)?;
            let is_for_some = self.or_some && demands.mended().len() > 1;
            return Ok(if is_for_some {
                (bench.reordered(order.mending_some()), demands.or_some())
            } else {
                (bench.reordered(order.failing_fast()), demands)
            });
        };
        self.ledger.note(format!("flaky tests, ignored: {names}"))?;
        Ok((bench.reordered(order), demands))
    }

    /// Returns the same order with tests that execute the patched code first, if coverage is
    /// available.
    fn covering(&self, bench: &Bench, order: TestOrder, limits: &Limits) -> Result<TestOrder> {
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
