//! Result of testing a variant in warm workers, and its confirmation.

use crate::test_execution::coverage::ClassCoverage;
use crate::{Execution, ExecutionMode};
use mend_model::Outcome;

/// Result of the attempt to test a variant in warm workers.
pub(super) enum WarmResult {
    Tested(Box<WarmExecution>),
    /// The warm compiler does not support the variant, for this reason.
    Unsupported(String),
}

/// Execution of a variant in warm workers.
pub(super) struct WarmExecution {
    pub(super) execution: Execution,
    /// Repetitions in a fresh JVM.
    pub(super) repetitions: Vec<Repetition>,
    /// Restored leftovers of its tests that were not yet confirmed to be harmless.
    pub(super) left: Vec<String>,
    /// Executed methods by test class, if coverage was requested.
    pub(super) covered: Vec<ClassCoverage>,
}

/// Outcomes of the same tests in a warm and in a fresh JVM.
pub(super) struct Repetition {
    pub(super) warm: Outcome,
    pub(super) fresh: Outcome,
}

/// Execution of one batch of tests.
pub(super) struct WarmBatch {
    /// Warm, restarted or fresh JVM.
    pub(super) mode: ExecutionMode,
    pub(super) confirmation: Confirmation,
    /// Restored leftovers that were not yet confirmed to be harmless.
    pub(super) left: Vec<String>,
    /// Note for the user.
    pub(super) note: Option<String>,
    pub(super) covered: Vec<ClassCoverage>,
}

/// Confirmation of the results of a warm JVM.
pub(super) enum Confirmation {
    NotNeeded,
    /// A clean build follows, which decides.
    Pending,
    /// A fresh JVM repeated the tests.
    Done(Repetition),
}

impl WarmBatch {
    /// Creates the result of a batch in a mode that needs no confirmation.
    pub(super) fn undisputed(mode: ExecutionMode) -> Self {
        let (left, note, covered) = (Vec::new(), None, Vec::new());
        Self { mode, confirmation: Confirmation::NotNeeded, left, note, covered }
    }
}

impl WarmExecution {
    /// Creates an execution without tests.
    pub(super) fn without_tests(execution: Execution) -> Self {
        let (repetitions, left, covered) = (Vec::new(), Vec::new(), Vec::new());
        Self { execution, repetitions, left, covered }
    }

    /// Collects the details of all batches into an execution.
    pub(super) fn from_batches(execution: Execution, batches: Vec<WarmBatch>) -> Self {
        let mut whole = Self::without_tests(execution);
        for batch in batches {
            whole.execution.notes.extend(batch.note);
            if let Confirmation::Done(repetition) = batch.confirmation {
                whole.repetitions.push(repetition);
            }
            whole.left.extend(batch.left);
            whole.covered.extend(batch.covered);
        }
        whole
    }
}
