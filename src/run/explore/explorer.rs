//! Runs schedules of a tree.

use crate::run::explore::progress::telling;
use crate::run::judge::executor::VariantExecutor;
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use mend_engine::{ExplorationResult, ExploreConfig, Limits, ScheduleListener};
use mend_model::schedules::Findings;
use mend_model::{Outcome, Problem, Result, TreeId};
use std::time::Duration;

/// Runs schedules.
#[derive(Clone, Copy)]
pub(crate) struct Explorer<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) bench: &'a VariantExecutor,
    pub(crate) bad: &'a ResolvedVersion,
}

/// Result of running schedules.
pub(crate) enum ExplorationOutcome {
    /// Findings of the schedules.
    Findings(Box<Findings>),
    /// Compile errors.
    NotBuilt(String),
    /// Reason why the scheduler could not control the threads.
    Uncontrolled(String),
}

impl Explorer<'_> {
    /// Runs schedules of a tree.
    ///
    /// # Errors
    /// Problems of this machine and internal faults.
    pub(crate) fn explore(
        &self,
        tree: &TreeId,
        order: &ExploreConfig,
    ) -> Result<ExplorationOutcome> {
        let mut listener = telling(&*self.session.context.progress, order);
        self.seen_within(tree, order, self.session.subject.timeout, &mut listener)
    }

    /// Explores like [`Explorer::explore`], and starts no more schedules after `limit`; `listener` receives the
    /// progress.
    ///
    /// # Errors
    /// Those of [`Explorer::explore`].
    pub(crate) fn seen_within(
        &self,
        tree: &TreeId,
        order: &ExploreConfig,
        limit: Option<Duration>,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<ExplorationOutcome> {
        self.session.context.interrupt.check()?;
        let Some(schedules) = &self.bench.schedules else {
            return Ok(ExplorationOutcome::Uncontrolled("no tests are selected".to_owned()));
        };
        let limits = Limits { test: limit, ..Limits::default() };
        let explored = self.bench.pool.with_checkout(tree, self.bad.commit_id(), |scratch| {
            match schedules.explore(scratch.path(), &limits, order, listener) {
                // The scratch tree is as good as before.
                Err(Problem::UncontrolledThreads { why, .. }) => Ok(Err(why)),
                Err(problem @ Problem::JdkTooOld { .. }) => Ok(Err(problem.to_string())),
                other => other.map(Ok),
            }
        })?;
        let ExplorationResult { execution, findings } = match explored {
            Ok(explored) => explored,
            Err(why) => return Ok(ExplorationOutcome::Uncontrolled(why)),
        };
        self.session.ledger.spend(&execution, false)?;
        if let Outcome::NotBuilt { diagnostics } = execution.outcome {
            return Ok(ExplorationOutcome::NotBuilt(diagnostics));
        }
        Ok(match findings {
            Some(findings) if findings.classes > 0 => {
                ExplorationOutcome::Findings(Box::new(findings))
            }
            Some(findings) => ExplorationOutcome::Uncontrolled(
                findings
                    .failed
                    .first()
                    .cloned()
                    .unwrap_or_else(|| "no class was loaded".to_owned()),
            ),
            None => ExplorationOutcome::Uncontrolled("no test ran".to_owned()),
        })
    }
}
