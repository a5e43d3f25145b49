//! Hidden markers that identify git-mend's texts on GitHub.

use mend_github::{Comment, CommentId};
use mend_model::CommitId;
use mend_report::github::GitHubReport;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Placeholder for an unknown workflow.
const UNKNOWN_WORKFLOW: &str = "-";

/// Placeholder for the result in a comment that only links to another one.
const NO_RESULT: &str = "-";

/// HTML comment at the start of a git-mend text. It consists of identifiers and digits only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextMarker(String);

impl TextMarker {
    /// Creates the marker of the review that suggests this patch for this commit.
    pub(super) fn suggestion(head: &CommitId, report: &GitHubReport) -> Self {
        let patch = report.fix.as_ref().map_or("", |mending| mending.patch.text.as_str());
        Self(format!("suggestion {} {}", head.short(), digest(patch)))
    }

    /// Creates the marker of a fix pull request: the failing version, the culprit, the patch, its commit and the
    /// failing workflow, if known.
    pub(super) fn fix(
        (bad, culprit): (&CommitId, Option<&CommitId>),
        (patch, head): (&str, Option<&CommitId>),
        workflow: Option<&str>,
    ) -> Self {
        let workflow = workflow.map_or_else(|| UNKNOWN_WORKFLOW.to_owned(), digest);
        let [culprit, head] = [("culprit", culprit), ("head", head)]
            .map(|(name, id)| id.map_or(String::new(), |id| format!(" {name}={id}")));
        Self(format!("fix bad={bad} patch={} workflow={workflow}{culprit}{head}", digest(patch)))
    }

    /// Creates the marker of the reply to a comment.
    pub(crate) fn reply(comment: CommentId) -> Self {
        Self(format!("answer {comment}"))
    }

    /// Creates the marker of the only reply to users without write access.
    pub(crate) fn refusal() -> Self {
        Self("refusal".to_owned())
    }

    /// Creates the marker of the comment on a closed fix pull request.
    pub(super) fn closing() -> Self {
        Self("closing".to_owned())
    }

    /// Creates the marker of a fix pull request that git-mend is closing. If it is still open, closing failed or a user
    /// reopened it at once: then it is closed again.
    fn settling() -> Self {
        Self("settling".to_owned())
    }

    /// Creates the marker of a fix pull request that git-mend closed. It is open only if a user reopened it.
    fn settled() -> Self {
        Self("settled".to_owned())
    }

    /// Returns true for the text of a pull request that git-mend is closing.
    pub(super) fn is_settling(body: &str) -> bool {
        body.starts_with(&Self::settling().to_string())
    }

    /// Returns true for the text of a pull request that git-mend closed.
    pub(super) fn is_settled(body: &str) -> bool {
        body.starts_with(&Self::settled().to_string())
    }

    /// Returns two texts for a fix pull request: one while git-mend closes it, one after.
    pub(super) fn settling_and_settled(body: &str) -> [String; 2] {
        let text = Self::without_closing_marker(body);
        [Self::settling(), Self::settled()].map(|marker| format!("{marker}\n{text}"))
    }

    /// Returns the text without the marker of a closing or closed pull request.
    fn without_closing_marker(body: &str) -> &str {
        let markers = [Self::settling(), Self::settled()].map(|marker| marker.to_string());
        let rest = markers.iter().find_map(|marker| body.strip_prefix(marker));
        rest.map_or(body, str::trim_start)
    }

    /// Returns the content of the marker of a fix pull request, or `None` for other pull requests.
    pub(super) fn parse_fix(body: &str) -> Option<FixMetadata> {
        let text = Self::without_closing_marker(body).strip_prefix("<!-- git-mend fix ")?;
        let fields: Vec<&str> = text.split_once(" -->")?.0.split(' ').collect();
        let field = |name: &str| {
            let value = fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
            value.map(str::to_owned)
        };
        let id = |name| field(name).filter(|id| CommitId::is_full_id(id)).map(CommitId);
        Some(FixMetadata {
            failing_commit: id("bad")?,
            culprit: id("culprit"),
            pushed_head: id("head"),
            patch: field("patch")?,
            workflow: field("workflow")?,
        })
    }
}

/// Content of the marker of a fix pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FixMetadata {
    /// Failing commit.
    pub(super) failing_commit: CommitId,
    /// Culprit, if known.
    pub(super) culprit: Option<CommitId>,
    /// Commit that git-mend pushed to its branch, if known.
    pub(super) pushed_head: Option<CommitId>,
    patch: String,
    workflow: String,
}

impl FixMetadata {
    /// Returns true if the pull request contains this patch.
    pub(super) fn is_patch(&self, patch: &str) -> bool {
        self.patch == digest(patch)
    }

    /// Returns true if the pull request fixes a failure of this workflow, or `None` if the workflow is unknown.
    pub(super) fn is_for_workflow(&self, workflow: &str) -> Option<bool> {
        (self.workflow != UNKNOWN_WORKFLOW).then(|| self.workflow == digest(workflow))
    }
}

/// Marker of a comment: the matrix job and workflow that wrote it, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommentMarker {
    job_digest: String,
    result_digest: String,
}

impl CommentMarker {
    /// Start of the marker of every comment.
    pub(super) const PREFIX: &str = "<!-- git-mend comment of=";

    /// Creates the marker for the result of a matrix job on a commit. Results with the same culprit and patches are
    /// equal.
    pub(super) fn new(
        (workflow, matrix_job): (Option<&str>, Option<&str>),
        head: &CommitId,
        report: &GitHubReport,
    ) -> Self {
        let culprit = report.culprit_commit.as_ref().map_or("", |blame| blame.commit.as_str());
        let sized_patches = report.culprit.iter().chain(report.fix.iter().map(|one| &one.patch));
        let patches: Vec<&str> = sized_patches.map(|part| part.text.as_str()).collect();
        let subject = if patches.is_empty() { report.subject() } else { "" };
        let result = format!("{head}\n{culprit}\n{subject}\n{}", patches.concat());
        let job = format!("{}\n{}", workflow.unwrap_or_default(), matrix_job.unwrap_or_default());
        Self { job_digest: digest(&job), result_digest: digest(&result) }
    }

    /// Returns the start of the marker of this matrix job, for any result.
    pub(super) fn prefix(&self) -> String {
        format!("{}{} ", Self::PREFIX, self.job_digest)
    }

    /// Returns the marker of a comment that links to another one.
    pub(super) fn without_result(&self) -> Self {
        Self { result_digest: NO_RESULT.to_owned(), ..self.clone() }
    }

    /// Returns a comment with the same result that was created before the comment of this matrix job, if there is one.
    pub(super) fn find_same_result<'a>(&self, all: &'a [Comment]) -> Option<&'a Comment> {
        let suffix = format!(" found={} -->", self.result_digest);
        let start = self.prefix();
        let earlier = all.iter().take_while(|comment| !comment.body.starts_with(&start));
        let is_same = |comment: &&Comment| {
            comment.body.lines().next().is_some_and(|line| line.ends_with(&suffix))
        };
        earlier.into_iter().find(is_same)
    }
}

impl fmt::Display for CommentMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}found={} -->", self.prefix(), self.result_digest)
    }
}

impl fmt::Display for TextMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<!-- git-mend {} -->", self.0)
    }
}

/// Returns a short digest that distinguishes texts.
pub(super) fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..6])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fix_marker_round_trips_its_metadata() {
        let bad = CommitId("ab".repeat(20));
        let culprit = CommitId("cd".repeat(20));
        let head = CommitId("ef".repeat(20));
        let marker = TextMarker::fix((&bad, Some(&culprit)), ("diff", Some(&head)), Some("a.yml"));
        let body = format!("{marker}\n**x**");
        let metadata = TextMarker::parse_fix(&body).unwrap();
        assert_eq!((&metadata.culprit, &metadata.pushed_head), (&Some(culprit), &Some(head)));
        let unknown = TextMarker::fix((&bad, None), ("diff", None), None).to_string();
        let unknown = TextMarker::parse_fix(&unknown).unwrap();
        assert_eq!((unknown.culprit, unknown.pushed_head), (None, None));
        assert_eq!(unknown.workflow, UNKNOWN_WORKFLOW);
        assert_eq!(metadata.failing_commit, bad);
        assert!(metadata.is_patch("diff") && !metadata.is_patch("other"));
        assert_eq!(
            (metadata.is_for_workflow("a.yml"), metadata.is_for_workflow("b.yml")),
            (Some(true), Some(false))
        );
        let [settling, settled] = TextMarker::settling_and_settled(&body);
        assert!(TextMarker::is_settling(&settling) && !TextMarker::is_settled(&settling));
        assert!(TextMarker::is_settled(&settled) && !TextMarker::is_settled(&body));
        assert_eq!(
            TextMarker::settling_and_settled(&settling),
            [settling.clone(), settled.clone()]
        );
        for text in [settling, settled] {
            assert_eq!(TextMarker::parse_fix(&text).as_ref(), Some(&metadata));
        }
        assert_eq!(TextMarker::parse_fix("text <!-- git-mend fix bad=x -->"), None);
        assert_eq!(
            TextMarker::parse_fix("<!-- git-mend fix bad=../../x patch=a workflow=- -->"),
            None
        );
    }
}
