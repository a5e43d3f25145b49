//! What we leave in texts on GitHub, hidden from readers, to find them again.

use crate::git::CommitId;
use crate::github::{Comment, CommentId};
use crate::report::story::Story;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Stands for a workflow that is not known.
const NO_WORKFLOW: &str = "-";

/// Stands for a comment that says nothing itself.
const NOTHING: &str = "-";

/// A comment in HTML with which a text of ours begins. What it says is made of ids and digits alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bot) struct Marker(String);

impl Marker {
    /// Of the review with suggestions for this patch on this commit.
    pub(super) fn suggestion(head: &CommitId, story: &Story) -> Self {
        let patch = story.mending.as_ref().map_or("", |mending| mending.part.text.as_str());
        Self(format!("suggestion {} {}", head.short(), digest(patch)))
    }

    /// Of a fix pull request: which version it mends and what broke that, which patch it is and on which commit, and
    /// which workflow failed, where these are known.
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

    /// Of the answer to a comment.
    pub(in crate::bot) fn answer(comment: CommentId) -> Self {
        Self(format!("answer {comment}"))
    }

    /// Of the one answer to those who may not command.
    pub(in crate::bot) fn refusal() -> Self {
        Self("refusal".to_owned())
    }

    /// Of the comment that says why a fix pull request was closed.
    pub(super) fn closing() -> Self {
        Self("closing".to_owned())
    }

    /// Of a fix pull request that we are closing. If it is still open we were kept from it, or a person opened it again
    /// at once: then it is closed once more.
    fn settling() -> Self {
        Self("settling".to_owned())
    }

    /// Of a fix pull request that we closed ourselves. It is open only if a person opened it again.
    fn settled() -> Self {
        Self("settled".to_owned())
    }

    /// Whether it is the text of one that we are closing.
    pub(super) fn is_settling(body: &str) -> bool {
        body.starts_with(&Self::settling().to_string())
    }

    /// Whether it is the text of one that we closed ourselves.
    pub(super) fn is_settled(body: &str) -> bool {
        body.starts_with(&Self::settled().to_string())
    }

    /// The text of a fix pull request, as that of one that we are closing and as that of one that we closed.
    pub(super) fn settle(body: &str) -> [String; 2] {
        let text = Self::unsettled(body);
        [Self::settling(), Self::settled()].map(|marker| format!("{marker}\n{text}"))
    }

    /// The text without what we put before it as we close one.
    fn unsettled(body: &str) -> &str {
        let markers = [Self::settling(), Self::settled()].map(|marker| marker.to_string());
        let rest = markers.iter().find_map(|marker| body.strip_prefix(marker));
        rest.map_or(body, str::trim_start)
    }

    /// What a pull request with this text mends, or mended, if it is a fix of ours.
    pub(super) fn mended(body: &str) -> Option<Mended> {
        let text = Self::unsettled(body).strip_prefix("<!-- git-mend fix ")?;
        let fields: Vec<&str> = text.split_once(" -->")?.0.split(' ').collect();
        let field = |name: &str| {
            let value = fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
            value.map(str::to_owned)
        };
        let id = |name| field(name).filter(|id| CommitId::is_id(id)).map(CommitId);
        Some(Mended {
            bad: id("bad")?,
            culprit: id("culprit"),
            head: id("head"),
            patch: field("patch")?,
            workflow: field("workflow")?,
        })
    }
}

/// What a fix pull request says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mended {
    /// The version that fails.
    pub(super) bad: CommitId,
    /// What broke it, where that is known.
    pub(super) culprit: Option<CommitId>,
    /// The commit that we put on its branch, where it says so.
    pub(super) head: Option<CommitId>,
    patch: String,
    workflow: String,
}

impl Mended {
    /// Whether it is this patch.
    pub(super) fn is_patch(&self, patch: &str) -> bool {
        self.patch == digest(patch)
    }

    /// Whether it was this workflow that failed, where that is known.
    pub(super) fn is_of(&self, workflow: &str) -> Option<bool> {
        (self.workflow != NO_WORKFLOW).then(|| self.workflow == digest(workflow))
    }
}

/// Of a comment: which leg of which workflow wrote it, and what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommentMarker {
    of: String,
    found: String,
}

impl CommentMarker {
    /// What every comment of ours begins with.
    pub(super) const START: &str = "<!-- git-mend comment of=";

    /// Of what a leg found on a commit: the same culprit with the same patches is the same.
    pub(super) fn new(
        (workflow, leg): (Option<&str>, Option<&str>),
        head: &CommitId,
        story: &Story,
    ) -> Self {
        let culprit = story.blame.as_ref().map_or("", |blame| blame.commit.as_str());
        let parts = story.culprit.iter().chain(story.mending.iter().map(|one| &one.part));
        let patches: Vec<&str> = parts.map(|part| part.text.as_str()).collect();
        let subject = if patches.is_empty() { story.subject() } else { "" };
        let found = format!("{head}\n{culprit}\n{subject}\n{}", patches.concat());
        let of = format!("{}\n{}", workflow.unwrap_or_default(), leg.unwrap_or_default());
        Self { of: digest(&of), found: digest(&found) }
    }

    /// What the comment of this leg begins with, whatever it found.
    pub(super) fn start(&self) -> String {
        format!("{}{} ", Self::START, self.of)
    }

    /// Of a comment that points at another one.
    pub(super) fn pointing(&self) -> Self {
        Self { found: NOTHING.to_owned(), ..self.clone() }
    }

    /// The comment before that of this leg, or any, which tells the same.
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

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<!-- git-mend {} -->", self.0)
    }
}

/// Enough of a text to tell it from others.
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
        let marker = Marker::fix((&bad, Some(&culprit)), ("diff", Some(&head)), Some("a.yml"));
        let body = format!("{marker}\n**x**");
        let mended = Marker::mended(&body).unwrap();
        assert_eq!((&mended.culprit, &mended.head), (&Some(culprit), &Some(head)));
        let unknown = Marker::fix((&bad, None), ("diff", None), None).to_string();
        let unknown = Marker::mended(&unknown).unwrap();
        assert_eq!((unknown.culprit, unknown.head), (None, None));
        assert_eq!(unknown.workflow, NO_WORKFLOW);
        assert_eq!(mended.bad, bad);
        assert!(mended.is_patch("diff") && !mended.is_patch("other"));
        assert_eq!((mended.is_of("a.yml"), mended.is_of("b.yml")), (Some(true), Some(false)));
        let [settling, settled] = Marker::settle(&body);
        assert!(Marker::is_settling(&settling) && !Marker::is_settled(&settling));
        assert!(Marker::is_settled(&settled) && !Marker::is_settled(&body));
        assert_eq!(Marker::settle(&settling), [settling.clone(), settled.clone()]);
        for text in [settling, settled] {
            assert_eq!(Marker::mended(&text).as_ref(), Some(&mended));
        }
        assert_eq!(Marker::mended("text <!-- git-mend fix bad=x -->"), None);
        assert_eq!(Marker::mended("<!-- git-mend fix bad=../../x patch=a workflow=- -->"), None);
    }
}
