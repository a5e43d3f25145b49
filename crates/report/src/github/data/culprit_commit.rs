//! Culprit commit, with details from GitHub.

/// Culprit commit, with details from GitHub if they were requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CulpritCommit {
    /// Commit id.
    pub commit: String,
    /// Address of the commit's page.
    pub url: Option<String>,
    /// Name of the author.
    pub author: Option<String>,
    /// Author date, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// First line of the commit message.
    pub summary: Option<String>,
    /// Pull request that contains the commit.
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
