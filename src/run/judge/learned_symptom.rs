//! Symptom of a search, refined by further runs of bad.

use crate::run::session::run_log::RunLog;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::project_files::ProjectFiles;
use mend_model::{Outcome, Result, Symptom, Verdict, list_first};
use std::sync::{Mutex, PoisonError, RwLock};

/// Maximum number of reruns of bad.
const MAX_RERUNS: u32 = 3;

/// Maximum number of reruns of bad if its message varies, or only the order of words differs: few runs may be equal by
/// chance.
const MAX_RERUNS_OF_VARYING_MESSAGE: u32 = 6;

/// Maximum number of tests named in a note.
const MAX_NAMED_TESTS: usize = 3;

/// Symptom of a search. What varies in the messages of bad is learnt when it is needed.
pub(crate) struct LearnedSymptom {
    symptom: RwLock<Symptom>,
    reruns: Option<BadReruns>,
}

/// Further runs of bad.
pub(super) struct BadReruns {
    pub(super) bad: ResolvedVersion,
    /// Number of finished reruns.
    pub(super) count: Mutex<u32>,
}

impl LearnedSymptom {
    /// Creates a symptom that learns nothing.
    pub(crate) fn new(symptom: Symptom) -> Self {
        Self { symptom: RwLock::new(symptom), reruns: None }
    }

    /// Returns the same symptom, which learns from further runs of bad.
    pub(crate) fn with_reruns_of(self, bad: &ResolvedVersion) -> Self {
        Self { reruns: Some(BadReruns { bad: bad.clone(), count: Mutex::new(0) }), ..self }
    }

    pub(super) fn reruns(&self) -> Option<&BadReruns> {
        self.reruns.as_ref()
    }

    /// Returns the maximum number of reruns of bad to learn the message of an outcome, as far as earlier runs show it.
    pub(super) fn max_reruns(&self, outcome: &Outcome, project_files: &ProjectFiles) -> u32 {
        let symptom = self.symptom.read().unwrap_or_else(PoisonError::into_inner);
        let may_match = symptom.may_match(outcome, &|frame| project_files.is_project_frame(frame));
        if may_match { MAX_RERUNS_OF_VARYING_MESSAGE } else { MAX_RERUNS }
    }

    /// Returns the symptom as known so far.
    pub(crate) fn current(&self) -> Symptom {
        self.symptom.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the verdict on an outcome.
    pub(crate) fn judge(&self, outcome: &Outcome, project_files: &ProjectFiles) -> Verdict {
        let symptom = self.symptom.read().unwrap_or_else(PoisonError::into_inner);
        symptom.judge(outcome, &|frame| project_files.is_project_frame(frame))
    }

    /// Returns true if the outcome is another failure only because of its message.
    pub(super) fn differs_in_message(
        &self,
        outcome: &Outcome,
        project_files: &ProjectFiles,
    ) -> bool {
        let symptom = self.symptom.read().unwrap_or_else(PoisonError::into_inner);
        symptom.differs_in_message(outcome, &|frame| project_files.is_project_frame(frame))
    }

    /// Learns from another run of bad.
    pub(super) fn learn_from_rerun(&self, bad: &Outcome, project_files: &ProjectFiles) {
        let mut symptom = self.symptom.write().unwrap_or_else(PoisonError::into_inner);
        project_files.learn_from_rerun(&mut symptom, bad);
    }

    /// Masks what differs in messages from another run of bad, without new failures.
    pub(super) fn mask_differences(&self, bad: &Outcome, project_files: &ProjectFiles) {
        let mut symptom = self.symptom.write().unwrap_or_else(PoisonError::into_inner);
        symptom.mask_differences(bad, &|frame| project_files.is_project_frame(frame));
    }

    /// Notes the tests whose messages are not compared.
    pub(crate) fn note_uncompared_messages(&self, run_log: &RunLog) -> Result<()> {
        let symptom = self.current();
        let tests: Vec<String> =
            symptom.tests_without_message().into_iter().map(str::to_owned).collect();
        if tests.is_empty() {
            return Ok(());
        }
        let tests = list_first(&tests, MAX_NAMED_TESTS);
        run_log.note_unchecked(format!(
            "failure messages of {tests}: they differ in each run, so only exception class and project frame are compared"
        ))
    }
}
