//! Culprit commit, with details from GitHub.

/// Culprit commit, with details from GitHub if they were requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CulpritCommit {
    /// The commit id.
    pub commit: String,
    /// The address of its page.
    pub url: Option<String>,
    /// The author's name.
    pub author: Option<String>,
    /// The author date, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The first line of its message.
    pub summary: Option<String>,
    /// The pull request that contains it.
    pub pull_number: Option<u64>,
}

impl CulpritCommit {
    /// Creates a culprit commit without details.
    pub(crate) fn without_details(commit: String) -> Self {
        Self { commit, url: None, author: None, date: None, summary: None, pull_number: None }
    }

    /// Returns the first ten digits of the commit id.
    pub fn short_id(&self) -> &str {
        self.commit.get(..10).unwrap_or(&self.commit)
    }
}
