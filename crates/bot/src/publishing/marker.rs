//! Hidden markers that identify git-mend's texts on GitHub.

use super::digest::digest;
use super::failure_metadata::FailureMetadata;
use super::marker_fields::MarkerFields;
use mend_github::CommentId;
use mend_model::CommitId;
use mend_report::github::GitHubReport;
use std::fmt;

/// HTML comment at the start of a git-mend text. It consists of identifiers and digits only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextMarker(String);

impl TextMarker {
    /// Creates the marker of the review that suggests this patch for this commit.
    pub(super) fn suggestion(head: &CommitId, report: &GitHubReport) -> Self {
        let patch = report.fix.as_ref().map_or("", |mending| mending.patch.text.as_str());
        Self(format!("suggestion {} {}", head.short(), digest(patch)))
    }

    /// Creates the marker of a fix pull request: the failure, the patch and its commit, if known.
    pub(super) fn fix(failure: &FailureMetadata, patch: &str, head: Option<&CommitId>) -> Self {
        let head = head.map_or(String::new(), |id| format!(" head={id}"));
        Self(format!("fix {failure} patch={}{head}", digest(patch)))
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
        let fields = MarkerFields::parse(Self::without_closing_marker(body), "fix")?;
        Some(FixMetadata {
            failure: FailureMetadata::parse(&fields)?,
            pushed_head: fields.commit("head"),
            patch: fields.value("patch")?.to_owned(),
        })
    }
}

/// Content of the marker of a fix pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FixMetadata {
    /// Failure that the pull request fixes.
    pub(super) failure: FailureMetadata,
    /// Commit that git-mend pushed to its branch, if known.
    pub(super) pushed_head: Option<CommitId>,
    patch: String,
}

impl FixMetadata {
    /// Returns true if the pull request contains this patch.
    pub(super) fn is_patch(&self, patch: &str) -> bool {
        self.patch == digest(patch)
    }
}

impl fmt::Display for TextMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<!-- git-mend {} -->", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fix_marker_round_trips_its_metadata() {
        let bad = CommitId("ab".repeat(20));
        let culprit = CommitId("cd".repeat(20));
        let head = CommitId("ef".repeat(20));
        let failure = FailureMetadata::new(&bad, Some(&culprit), Some("a.yml"));
        let marker = TextMarker::fix(&failure, "diff", Some(&head));
        let body = format!("{marker}\n**x**");
        let metadata = TextMarker::parse_fix(&body).unwrap();
        assert_eq!((&metadata.failure, &metadata.pushed_head), (&failure, &Some(head)));
        let unknown = FailureMetadata::new(&bad, None, None);
        let parsed = TextMarker::parse_fix(&TextMarker::fix(&unknown, "diff", None).to_string());
        let parsed = parsed.unwrap();
        assert_eq!((&parsed.failure, parsed.pushed_head), (&unknown, None));
        assert_eq!(unknown.is_for_workflow("a.yml"), None);
        assert!(metadata.is_patch("diff") && !metadata.is_patch("other"));
        assert_eq!(
            (failure.is_for_workflow("a.yml"), failure.is_for_workflow("b.yml")),
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
