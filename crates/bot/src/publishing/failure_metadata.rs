//! Failure that a git-mend text on GitHub is about, as the text's marker stores it.

use super::digest::digest;
use super::marker_fields::MarkerFields;
use mend_model::CommitId;
use std::fmt;

/// Placeholder for an unknown workflow.
const UNKNOWN_WORKFLOW: &str = "-";

/// Failure of a commit, with its culprit and its workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FailureMetadata {
    /// Failing commit.
    pub(super) failing_commit: CommitId,
    /// Culprit, if known.
    pub(super) culprit: Option<CommitId>,
    /// Digest of the failing workflow, or a placeholder.
    workflow: String,
}

impl FailureMetadata {
    /// Creates the metadata of a failure.
    pub(super) fn new(
        failing_commit: &CommitId,
        culprit: Option<&CommitId>,
        workflow: Option<&str>,
    ) -> Self {
        let workflow = workflow.map_or_else(|| UNKNOWN_WORKFLOW.to_owned(), digest);
        Self { failing_commit: failing_commit.clone(), culprit: culprit.cloned(), workflow }
    }

    /// Parses the metadata. Returns `None` for the marker of another version of git-mend.
    pub(super) fn parse(fields: &MarkerFields<'_>) -> Option<Self> {
        Some(Self {
            failing_commit: fields.commit("bad")?,
            culprit: fields.commit("culprit"),
            workflow: fields.value("workflow")?.to_owned(),
        })
    }

    /// Returns true if the failure is one of this workflow, or `None` if the workflow is unknown.
    pub(super) fn is_for_workflow(&self, workflow: &str) -> Option<bool> {
        (self.workflow != UNKNOWN_WORKFLOW).then(|| self.workflow == digest(workflow))
    }
}

impl fmt::Display for FailureMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad={} workflow={}", self.failing_commit, self.workflow)?;
        self.culprit.iter().try_for_each(|culprit| write!(f, " culprit={culprit}"))
    }
}
