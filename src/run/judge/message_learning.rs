//! Further runs of bad, to learn which parts of its failure messages vary.

use crate::run::judge::SymptomOracle;
use crate::run::judge::executor::CachedExecution;
use crate::run::session::run_log::TrialCost;
use crate::run::session::versions::ResolvedVersion;
use mend_model::{Outcome, ProgressEvent, Result};
use std::sync::PoisonError;

/// Number of the quick rerun among the runs of bad. No search repeats a version so often.
const RERUN_NUMBER: u32 = u32::MAX;

impl SymptomOracle<'_> {
    /// Runs bad again if an outcome is another failure only because of its message, until the difference is learnt or
    /// the maximum number of reruns is reached.
    pub(super) fn learn_varying_message(&self, outcome: &Outcome) -> Result<()> {
        let Some(reruns) = self.symptom.reruns() else { return Ok(()) };
        let is_unknown = || self.symptom.differs_in_message(outcome, &self.project_files);
        if !is_unknown() {
            return Ok(());
        }
        // Other threads wait, because the rerun may teach them the same.
        let mut count = reruns.count.lock().unwrap_or_else(PoisonError::into_inner);
        let max_reruns = || self.symptom.max_reruns(outcome, &self.project_files);
        while is_unknown() && *count < max_reruns() {
            self.learn_from_rerun(&reruns.bad, *count)?;
            *count += 1;
        }
        drop(count);
        self.symptom.note_uncompared_messages(&self.run_log)
    }

    fn learn_from_rerun(&self, bad: &ResolvedVersion, number: u32) -> Result<()> {
        let description = format!("{} again, because its message may vary", bad.short_label());
        self.run_log.emit(ProgressEvent::TrialStarted {
            description: description.clone(),
            remaining: None,
            slow_hint: None,
        })?;
        let CachedExecution { execution, is_cached } = self.rerun_bad(bad, number)?;
        let outcome = execution.outcome.clone().without_tests(&self.excluded_tests);
        self.symptom.learn_from_rerun(&outcome, &self.project_files);
        let cost = TrialCost { is_cached, ..TrialCost::from_execution(&execution) };
        let verdict = self.symptom.judge(&outcome, &self.project_files);
        self.run_log.record_trial(&bad.overlaid_tree, description.as_str().into(), verdict, cost)
    }

    /// Runs bad again: first as variants are tested, which shows what varies from run to run, then with clean builds in
    /// fresh JVMs, which show what varies from JVM to JVM, as the order of an immutable set.
    fn rerun_bad(&self, bad: &ResolvedVersion, number: u32) -> Result<CachedExecution> {
        let (tree, head, limits) = (&bad.overlaid_tree, bad.commit_id(), &self.limits);
        if number == 0 {
            return self.executor.execute(tree, head, RERUN_NUMBER, limits);
        }
        let number = number - 1;
        if let Some(execution) = self.executor.cached_clean_execution(tree, number, limits)? {
            return Ok(CachedExecution { execution, is_cached: true });
        }
        let execution = self.executor.clean_execution(tree, head, limits, None, |_| Ok(()))?;
        self.executor.cache_clean_execution(tree, number, limits, &execution)?;
        Ok(CachedExecution { execution, is_cached: false })
    }
}
