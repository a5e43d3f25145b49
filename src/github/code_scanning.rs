//! Results of scans, which GitHub shows beside the code.

use super::error::ForgeResult;
use super::repo::Repo;
use crate::git::CommitId;
use http::Method;
use serde::Serialize;

impl Repo {
    /// Uploads SARIF, compressed by gzip and then written in base 64, as GitHub wants it. The same results twice do no
    /// harm, so it is not looked whether they are there.
    ///
    /// # Errors
    /// As GitHub answers; [`super::ForgeError::Forbidden`] where scanning is not switched on.
    pub async fn upload_sarif(
        &self,
        commit: &CommitId,
        reference: &str,
        sarif: &str,
    ) -> ForgeResult<()> {
        #[derive(Serialize)]
        struct Upload<'a> {
            commit_sha: &'a CommitId,
            #[serde(rename = "ref")]
            reference: &'a str,
            sarif: &'a str,
            tool_name: &'a str,
        }
        let upload = Upload { commit_sha: commit, reference, sarif, tool_name: "git-mend" };
        self.client.tell(Method::POST, &self.route("/code-scanning/sarifs"), &upload).await
    }
}
