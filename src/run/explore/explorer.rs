//! Runs schedules of a tree.

use crate::run::explore::progress::telling;
use crate::run::judge::executor::Bench;
use crate::run::session::Session;
use crate::run::session::versions::Version;
use mend_engine::{ExploreOrder, Explored, Limits, Listener};
use mend_model::schedules::Findings;
use mend_model::{Outcome, Problem, Result, TreeId};
use std::time::Duration;

/// Runs schedules.
#[derive(Clone, Copy)]
pub(crate) struct Explorer<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) bench: &'a Bench,
    pub(crate) bad: &'a Version,
}

/// Result of running schedules.
pub(crate) enum Seen {
    /// What they showed.
    Findings(Box<Findings>),
    /// What the compiler said.
    NotBuilt(String),
    /// Why they mean nothing.
    NotControlled(String),
}

impl Explorer<'_> {
    /// Runs schedules of a tree.
    ///
    /// # Errors
    /// What is wrong with this machine or with us.
    pub(crate) fn seen(&self, tree: &TreeId, order: &ExploreOrder) -> Result<Seen> {
        let mut listener = telling(&*self.session.context.progress, order);
        self.seen_within(tree, order, self.session.subject.timeout, &mut listener)
    }

    /// As [`Explorer::seen`], and starts no more schedules after `limit`; `listener` receives the
    /// progress.
    ///
    /// # Errors
    /// As [`Explorer::seen`].
    pub(crate) fn seen_within(
        &self,
        tree: &TreeId,
        order: &ExploreOrder,
        limit: Option<Duration>,
        listener: &mut Listener<'_>,
    ) -> Result<Seen> {
        self.session.context.interrupt.check()?;
        let limits = Limits { test: limit, ..Limits::default() };
        let explored = self.bench.pool.with(tree, self.bad.commit_id(), |scratch| {
            match self.bench.engine.explore(scratch.path(), &limits, order, listener) {
                // The scratch tree is as good as before.
                Err(Problem::NotControlled { why, .. }) => Ok(Err(why)),
                Err(problem @ Problem::JdkTooOld { .. }) => Ok(Err(problem.to_string())),
                other => other.map(Ok),
            }
        })?;
        let Explored { execution, findings } = match explored {
            Ok(Some(explored)) => explored,
            Ok(None) => return Ok(Seen::NotControlled("no tests are selected".to_owned())),
            Err(why) => return Ok(Seen::NotControlled(why)),
        };
        self.session.ledger.spend(&execution, false)?;
        if let Outcome::NotBuilt { diagnostics } = execution.outcome {
            return Ok(Seen::NotBuilt(diagnostics));
        }
        Ok(match findings {
            Some(findings) if findings.classes > 0 => Seen::Findings(Box::new(findings)),
            Some(findings) => Seen::NotControlled(
                findings
                    .failed
                    .first()
                    .cloned()
                    .unwrap_or_else(|| "no class was loaded".to_owned()),
            ),
            None => Seen::NotControlled("no test ran".to_owned()),
        })
    }
}
