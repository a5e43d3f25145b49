//! Hidden markers in texts on GitHub that identify them later.

use mend_github::{Comment, CommentId};
use mend_model::CommitId;
use mend_report::github::GitHubReport;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Stands for a workflow that is not known.
const NO_WORKFLOW: &str = "-";

/// Stands for a comment that says nothing itself.
const NOTHING: &str = "-";

/// HTML comment at the start of a git-mend text. It consists of ids and digits only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextMarker(String);

impl TextMarker {
    /// Creates the marker of the review that suggests this patch for this commit.
    pub(super) fn suggestion(head: &CommitId, story: &GitHubReport) -> Self {
        let patch = story.mending.as_ref().map_or("", |mending| mending.part.text.as_str());
        Self(format!("suggestion {} {}", head.short(), digest(patch)))
    }

    /// Creates the marker of a fix pull request: the failing version, the culprit, the patch, its commit and the
    /// failing workflow, if known.
    pub(super) fn fix(
        (bad, culprit): (&CommitId, Option<&CommitId>),
        (patch, head): (&str, Option<&CommitId>),
        workflow: Option<&str>,
    ) -> Self {
        let workflow = workflow.map_or_else(|| NO_WORKFLOW.to_owned(), digest);
        let [culprit, head] = [("culprit", culprit), ("head", head)]
            .map(|(name, id)| id.map_or(String::new(), |id| format!(" {name}={id}")));
        Self(format!("fix bad={bad} patch={} workflow={workflow}{culprit}{head}", digest(patch)))
    }

    /// Creates the marker of the reply to a comment.
    pub(crate) fn answer(comment: CommentId) -> Self {
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
    pub(super) fn settle(body: &str) -> [String; 2] {
        let text = Self::unsettled(body);
        [Self::settling(), Self::settled()].map(|marker| format!("{marker}\n{text}"))
    }

    /// Returns the text without the marker of a closing or closed pull request.
    fn unsettled(body: &str) -> &str {
        let markers = [Self::settling(), Self::settled()].map(|marker| marker.to_string());
        let rest = markers.iter().find_map(|marker| body.strip_prefix(marker));
        rest.map_or(body, str::trim_start)
    }

    /// Returns the content of the marker of a fix pull request, or `None` for other pull requests.
    pub(super) fn mended(body: &str) -> Option<FixMetadata> {
        let text = Self::unsettled(body).strip_prefix("<!-- git-mend fix ")?;
        let fields: Vec<&str> = text.split_once(" -->")?.0.split(' ').collect();
        let field = |name: &str| {
            let value = fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
            value.map(str::to_owned)
        };
        let id = |name| field(name).filter(|id| CommitId::is_id(id)).map(CommitId);
        Some(FixMetadata {
            bad: id("bad")?,
            culprit: id("culprit"),
            head: id("head"),
            patch: field("patch")?,
            workflow: field("workflow")?,
        })
    }
}

/// Content of the marker of a fix pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FixMetadata {
    /// The version that fails.
    pub(super) bad: CommitId,
    /// The culprit, if known.
    pub(super) culprit: Option<CommitId>,
    /// The commit that git-mend pushed to its branch, if known.
    pub(super) head: Option<CommitId>,
    patch: String,
    workflow: String,
}

impl FixMetadata {
    /// Returns true if it is for this patch.
    pub(super) fn is_patch(&self, patch: &str) -> bool {
        self.patch == digest(patch)
    }

    /// Returns true if it is for a failure of this workflow, or `None` if the workflow is unknown.
    pub(super) fn is_of(&self, workflow: &str) -> Option<bool> {
        (self.workflow != NO_WORKFLOW).then(|| self.workflow == digest(workflow))
    }
}

/// Marker of a comment: the matrix job and workflow that wrote it, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommentMarker {
    of: String,
    found: String,
}

impl CommentMarker {
    /// Start of the marker of every comment.
    pub(super) const START: &str = "<!-- git-mend comment of=";

    /// Creates the marker for the result of a matrix job on a commit. Results with the same culprit and patches are
    /// equal.
    pub(super) fn new(
        (workflow, leg): (Option<&str>, Option<&str>),
        head: &CommitId,
        story: &GitHubReport,
    ) -> Self {
        let culprit = story.blame.as_ref().map_or("", |blame| blame.commit.as_str());
        let parts = story.culprit.iter().chain(story.mending.iter().map(|one| &one.part));
        let patches: Vec<&str> = parts.map(|part| part.text.as_str()).collect();
        let subject = if patches.is_empty() { story.subject() } else { "" };
        let found = format!("{head}\n{culprit}\n{subject}\n{}", patches.concat());
        let of = format!("{}\n{}", workflow.unwrap_or_default(), leg.unwrap_or_default());
        Self { of: digest(&of), found: digest(&found) }
    }

    /// Returns the start of the marker of this matrix job, for any result.
    pub(super) fn start(&self) -> String {
        format!("{}{} ", Self::START, self.of)
    }

    /// Returns the marker of a comment that links to another one.
    pub(super) fn pointing(&self) -> Self {
        Self { found: NOTHING.to_owned(), ..self.clone() }
    }

    /// Returns an earlier comment with the same result, before the comment of this matrix job if that exists.
    pub(super) fn told_before<'a>(&self, all: &'a [Comment]) -> Option<&'a Comment> {
        let found = format!(" found={} -->", self.found);
        let start = self.start();
        let others = all.iter().take_while(|comment| !comment.body.starts_with(&start));
        let is_same = |comment: &&Comment| {
            comment.body.lines().next().is_some_and(|line| line.ends_with(&found))
        };
        others.into_iter().find(is_same)
    }
}

impl fmt::Display for CommentMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}found={} -->", self.start(), self.found)
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
    fn a_fix_says_which_version_it_mends() {
        let bad = CommitId("ab".repeat(20));
        let culprit = CommitId("cd".repeat(20));
        let head = CommitId("ef".repeat(20));
        let marker = TextMarker::fix((&bad, Some(&culprit)), ("diff", Some(&head)), Some("a.yml"));
        let body = format!("{marker}\n**x**");
        let mended = TextMarker::mended(&body).unwrap();
        assert_eq!((&mended.culprit, &mended.head), (&Some(culprit), &Some(head)));
        let unknown = TextMarker::fix((&bad, None), ("diff", None), None).to_string();
        let unknown = TextMarker::mended(&unknown).unwrap();
        assert_eq!((unknown.culprit, unknown.head), (None, None));
        assert_eq!(unknown.workflow, NO_WORKFLOW);
        assert_eq!(mended.bad, bad);
        assert!(mended.is_patch("diff") && !mended.is_patch("other"));
        assert_eq!((mended.is_of("a.yml"), mended.is_of("b.yml")), (Some(true), Some(false)));
        let [settling, settled] = TextMarker::settle(&body);
        assert!(TextMarker::is_settling(&settling) && !TextMarker::is_settled(&settling));
        assert!(TextMarker::is_settled(&settled) && !TextMarker::is_settled(&body));
        assert_eq!(TextMarker::settle(&settling), [settling.clone(), settled.clone()]);
        for text in [settling, settled] {
            assert_eq!(TextMarker::mended(&text).as_ref(), Some(&mended));
        }
        assert_eq!(TextMarker::mended("text <!-- git-mend fix bad=x -->"), None);
        assert_eq!(
            TextMarker::mended("<!-- git-mend fix bad=../../x patch=a workflow=- -->"),
            None
        );
    }
}
