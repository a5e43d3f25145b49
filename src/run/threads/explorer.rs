//! Runs schedules of a tree and classifies the outcome.

use crate::run::judge::executor::VariantExecutor;
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use crate::run::threads::progress::schedule_listener;
use mend_engine::{ExplorationResult, ExploreConfig, Limits, ScheduleListener};
use mend_model::schedules::Findings;
use mend_model::{GoodOrBad, MissingRequirements, Outcome, Problem, Result, TreeId};
use std::time::Duration;

/// Explorer of the schedules of trees.
#[derive(Clone, Copy)]
pub(crate) struct Explorer<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) executor: &'a VariantExecutor,
    pub(crate) bad: &'a ResolvedVersion,
}

/// Outcome of an exploration.
pub(crate) enum ExplorationOutcome {
    /// Findings of the schedules.
    Findings(Box<Findings>),
    /// Compile errors.
    NotBuilt(String),
    /// No test ran.
    NotRun,
    /// Reason why the scheduler could not control the threads.
    Uncontrolled(Problem),
}

impl ExplorationOutcome {
    /// Returns the findings, or the problem that prevented the exploration. `missing` is what the build needs and
    /// this machine lacks.
    pub(crate) fn into_findings(
        self,
        revision: &str,
        missing: &MissingRequirements,
    ) -> Result<Findings> {
        match self {
            Self::Findings(findings) => Ok(*findings),
            Self::NotBuilt(output) => Err(Problem::BuildBroken {
                side: GoodOrBad::Bad,
                revision: revision.to_owned(),
                output,
                missing: missing.clone(),
            }),
            Self::NotRun => Err(uncontrolled("no test ran")),
            Self::Uncontrolled(problem) => Err(problem),
        }
    }

    /// Returns the findings, or the reason for their absence.
    pub(crate) fn into_findings_or_reason(self) -> std::result::Result<Findings, String> {
        match self {
            Self::Findings(findings) => Ok(*findings),
            Self::NotBuilt(output) => Err(output),
            Self::NotRun => Err("no test ran".to_owned()),
            Self::Uncontrolled(Problem::UncontrolledThreads { why, .. }) => Err(why),
            Self::Uncontrolled(problem) => Err(problem.to_string()),
        }
    }
}

fn uncontrolled(why: &str) -> Problem {
    Problem::UncontrolledThreads { why: why.to_owned(), output: String::new() }
}

impl Explorer<'_> {
    /// Runs schedules of a tree.
    ///
    /// # Errors
    /// Problems of this machine and internal errors.
    pub(crate) fn explore(
        &self,
        tree: &TreeId,
        order: &ExploreConfig,
    ) -> Result<ExplorationOutcome> {
        let mut listener = schedule_listener(&*self.session.context.progress, order);
        self.explore_within(tree, order, self.session.subject.timeout, &mut listener)
    }

    /// Runs schedules like [`Explorer::explore`], but starts no more schedules after `limit`. `listener` receives the
    /// progress.
    ///
    /// # Errors
    /// Errors of [`Explorer::explore`].
    pub(crate) fn explore_within(
        &self,
        tree: &TreeId,
        order: &ExploreConfig,
        limit: Option<Duration>,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<ExplorationOutcome> {
        self.session.context.interrupt.check()?;
        let Some(schedules) = &self.executor.schedules else {
            return Ok(ExplorationOutcome::Uncontrolled(uncontrolled("no tests are selected")));
        };
        let limits = Limits { test: limit, ..Limits::default() };
        let explored = self.executor.pool.with_checkout(tree, self.bad.commit_id(), |scratch| {
            match schedules.explore(scratch.path(), &limits, order, listener) {
                // These problems leave the scratch tree intact, so it is reused.
                Err(
                    problem @ (Problem::UncontrolledThreads { .. } | Problem::JdkTooOld { .. }),
                ) => Ok(Err(problem)),
                other => other.map(Ok),
            }
        })?;
        let ExplorationResult { execution, findings } = match explored {
            Ok(explored) => explored,
            Err(problem) => return Ok(ExplorationOutcome::Uncontrolled(problem)),
        };
        self.session.run_log.add_execution_cost(&execution, false)?;
        if *tree == self.bad.overlaid_tree {
            self.session.run_log.note_adaptation(&execution.adaptation)?;
        }
        Ok(match (execution.outcome, findings) {
            (Outcome::NotBuilt { diagnostics, .. }, _) => ExplorationOutcome::NotBuilt(diagnostics),
            (_, None) => ExplorationOutcome::NotRun,
            (_, Some(findings)) if findings.classes == 0 => {
                let why = findings.uninstrumented_classes.first();
                let why = why.map_or("no class of the project was loaded", String::as_str);
                ExplorationOutcome::Uncontrolled(uncontrolled(why))
            }
            (_, Some(findings)) => ExplorationOutcome::Findings(Box::new(findings)),
        })
    }
}

/// Returns an error if the scheduler controlled no test, because then a run without failure proves nothing.
pub(crate) fn check_controlled(findings: &Findings, order: &ExploreConfig) -> Result<()> {
    let is_given_up = !findings.hanging_tests.is_empty() || order.replay.is_some();
    let why = if findings.multi_threaded_tests.is_empty()
        && findings.single_threaded_tests.is_empty()
        && order.replay.is_none()
    {
        "no test ran"
    } else if !findings.is_failing() && findings.inconclusive > 0 && is_given_up {
        findings.block_reasons.first().map_or("no schedule finished", String::as_str)
    } else {
        return Ok(());
    };
    Err(uncontrolled(why))
}
