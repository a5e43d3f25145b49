//! Marker of a comment: the matrix job that wrote it, its result, and the failure and branch that it is about.

use super::build_failure::BuildFailure;
use super::digest::{branch_digest, digest};
use super::failure_metadata::FailureMetadata;
use super::marker_fields::MarkerFields;
use mend_github::{Comment, RepoName};
use mend_model::CommitId;
use mend_report::github::GitHubReport;
use std::fmt;

/// Placeholder for the result in a comment that only links to another one.
const NO_RESULT: &str = "-";

/// Placeholder for the result in an outdated comment.
const OUTDATED_RESULT: &str = "outdated";

/// Placeholder for an unknown branch.
const UNKNOWN_BRANCH: &str = "-";

/// Origin of a comment.
pub(super) struct CommentOrigin<'a> {
    /// Repository with the pull request.
    pub(super) repo: &'a RepoName,
    /// Failure that the comment is about.
    pub(super) failure: &'a BuildFailure,
    /// Matrix job, if several publish results for one commit.
    pub(super) matrix_job: Option<&'a str>,
    /// Target branch of the pull request with the comment, if several pull requests were combined.
    pub(super) combined_target: Option<&'a str>,
}

/// Marker of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommentMarker {
    /// Failure that the comment is about.
    pub(super) failure: FailureMetadata,
    job_digest: String,
    result_digest: String,
    /// Digest of the failing branch, or a placeholder.
    branch_digest: String,
    /// Digest of the target branch of the pull request, if several pull requests were combined.
    target_digest: Option<String>,
}

impl CommentMarker {
    /// Start of the marker of every comment.
    pub(super) const PREFIX: &str = "<!-- git-mend comment of=";

    /// Creates the marker for a result. Results with the same commit, culprit and patches are equal.
    pub(super) fn new(origin: &CommentOrigin<'_>, report: &GitHubReport) -> Self {
        let CommentOrigin { repo, failure, matrix_job, combined_target } = origin;
        let head = &failure.head;
        let culprit = report.culprit_commit.as_ref().map_or("", |blame| blame.commit.as_str());
        let sized_patches = report.culprit.iter().chain(report.fix.iter().map(|one| &one.patch));
        let patches: Vec<&str> = sized_patches.map(|part| part.text.as_str()).collect();
        let subject = if patches.is_empty() { report.subject() } else { "" };
        let result = format!("{head}\n{culprit}\n{subject}\n{}", patches.concat());
        let workflow = failure.workflow.as_deref();
        let job = format!("{}\n{}", workflow.unwrap_or_default(), matrix_job.unwrap_or_default());
        // A suspect that was reverted may be innocent.
        let is_culprit = report.is_culprit_confirmed && CommitId::is_full_id(culprit);
        let culprit = is_culprit.then(|| CommitId(culprit.to_owned()));
        Self {
            failure: FailureMetadata::new(head, culprit.as_ref(), workflow),
            job_digest: digest(&job),
            result_digest: digest(&result),
            branch_digest: failure.branch_name(repo).map_or_else(
                || UNKNOWN_BRANCH.to_owned(),
                |(repo, branch)| branch_digest(repo, branch),
            ),
            target_digest: combined_target.map(|target| branch_digest(repo, target)),
        }
    }

    /// Parses the marker of a comment. Returns `None` for other texts and for the marker of another version of
    /// git-mend.
    pub(super) fn parse(body: &str) -> Option<Self> {
        let fields = MarkerFields::parse(body, "comment")?;
        let text = |name| fields.value(name).map(str::to_owned);
        Some(Self {
            failure: FailureMetadata::parse(&fields)?,
            job_digest: text("of")?,
            result_digest: text("found")?,
            branch_digest: text("branch")?,
            target_digest: text("target"),
        })
    }

    /// Returns the start of the marker of this matrix job, for any result.
    pub(super) fn prefix(&self) -> String {
        format!("{}{} ", Self::PREFIX, self.job_digest)
    }

    /// Returns the marker of a comment that links to another one.
    pub(super) fn without_result(&self) -> Self {
        Self { result_digest: NO_RESULT.to_owned(), ..self.clone() }
    }

    /// Returns the marker of the same comment once it is outdated.
    pub(super) fn outdated(&self) -> Self {
        Self { result_digest: OUTDATED_RESULT.to_owned(), ..self.clone() }
    }

    /// Returns true for the marker of an outdated comment.
    pub(super) fn is_outdated(&self) -> bool {
        self.result_digest == OUTDATED_RESULT
    }

    /// Returns true if the failure is one of this branch, perhaps of a fork.
    pub(super) fn is_about_branch(&self, repo: &RepoName, branch: &str) -> bool {
        self.branch_digest == branch_digest(repo, branch)
    }

    /// Returns true if several pull requests were combined: the failing commit is not one of the pull request.
    pub(super) fn is_combined(&self) -> bool {
        self.target_digest.is_some()
    }

    /// Returns true if several pull requests for this branch were combined.
    pub(super) fn is_combined_for(&self, repo: &RepoName, target: &str) -> bool {
        self.target_digest.as_ref().is_some_and(|digest| *digest == branch_digest(repo, target))
    }

    /// Returns a comment with the same result that was created before the comment of this matrix job, if there is one.
    pub(super) fn find_same_result<'a>(&self, all: &'a [Comment]) -> Option<&'a Comment> {
        let start = self.prefix();
        let mut earlier = all.iter().take_while(|comment| !comment.body.starts_with(&start));
        let is_same = |comment: &&Comment| {
            Self::parse(&comment.body).is_some_and(|one| one.result_digest == self.result_digest)
        };
        earlier.find(is_same)
    }
}

impl fmt::Display for CommentMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failure, result_digest, branch_digest, target_digest, .. } = self;
        write!(f, "{}found={result_digest} {failure} branch={branch_digest}", self.prefix())?;
        target_digest.iter().try_for_each(|target| write!(f, " target={target}"))?;
        f.write_str(" -->")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker() -> CommentMarker {
        let [bad, culprit] = ["ab", "cd"].map(|digits| CommitId(digits.repeat(20)));
        let repo: RepoName = "mallory/till".parse().unwrap();
        CommentMarker {
            failure: FailureMetadata::new(&bad, Some(&culprit), Some("a.yml")),
            job_digest: digest("job"),
            result_digest: digest("result"),
            branch_digest: branch_digest(&repo, "topic"),
            target_digest: Some(branch_digest(&repo, "main")),
        }
    }

    #[test]
    fn comment_marker_round_trips() {
        let marker = marker();
        for marker in [CommentMarker { target_digest: None, ..marker.clone() }, marker] {
            assert_eq!(CommentMarker::parse(&format!("{marker}\n**x**")), Some(marker));
        }
    }

    #[test]
    fn outdated_comment_keeps_its_job_and_failure() {
        let outdated = marker().outdated();
        assert!(outdated.is_outdated() && !marker().is_outdated());
        assert!(outdated.to_string().starts_with(&marker().prefix()));
        assert_eq!(outdated.failure, marker().failure);
    }

    #[test]
    fn branch_of_a_fork_is_another_branch() {
        let [own, fork] = ["bakery/till", "mallory/till"].map(|name| name.parse().unwrap());
        assert!(marker().is_about_branch(&fork, "topic"));
        assert!(!marker().is_about_branch(&own, "topic"));
        assert!(!marker().is_about_branch(&fork, "main"));
        assert!(marker().is_combined_for(&fork, "main") && !marker().is_combined_for(&own, "main"));
    }

    #[test]
    fn marker_of_another_version_is_unknown() {
        for body in
            ["<!-- git-mend comment of=ab12 found=cd34 -->\nx", "<!-- git-mend fix a=b -->", ""]
        {
            assert_eq!(CommentMarker::parse(body), None, "{body}");
        }
    }
}
