//! What we leave in texts on GitHub, hidden from readers, to find them again.

use crate::git::CommitId;
use crate::report::story::Story;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A comment in HTML with which a text of ours begins. What it says is made of ids and digits alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker(String);

impl Marker {
    /// Of the one comment under a pull request.
    pub(super) fn comment() -> Self {
        Self("comment".to_owned())
    }

    /// Of the review with suggestions for this patch on this commit.
    pub(super) fn suggestion(head: &CommitId, story: &Story) -> Self {
        let patch = story.mending.as_ref().map_or("", |mending| mending.part.text.as_str());
        Self(format!("suggestion {} {}", head.short(), digest(patch)))
    }

    /// Of a fix pull request: which version it mends.
    pub(super) fn fix(bad: &CommitId) -> Self {
        Self(format!("fix bad={bad}"))
    }

    /// The version that a pull request with this text mends, if it is a fix of ours.
    pub(super) fn mended(body: &str) -> Option<CommitId> {
        let rest = body.strip_prefix("<!-- git-mend fix bad=")?;
        let id = rest.split_once(" -->")?.0;
        super::is_id(id).then(|| CommitId(id.to_owned()))
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
        let body = format!("{}\n**x**", Marker::fix(&bad));
        assert_eq!(Marker::mended(&body), Some(bad));
        assert_eq!(Marker::mended("text <!-- git-mend fix bad=x -->"), None);
        assert_eq!(Marker::mended("<!-- git-mend fix bad=../../x -->"), None);
    }
}
