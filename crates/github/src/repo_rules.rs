//! Settings of a repository that restrict workflows and branches.

use super::error::ApiResult;
use super::names::encode_segment;
use super::repo::Repo;
use serde::Deserialize;

/// Permissions of the workflows of a repository.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowPermissions {
    /// True if workflows may create and approve pull requests.
    pub can_approve_pull_request_reviews: bool,
}

impl Repo {
    /// Returns the permissions of workflows. Only administrators may read them.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn get_workflow_permissions(&self) -> ApiResult<WorkflowPermissions> {
        self.client.get(&self.api_route("/actions/permissions/workflow")).await
    }

    /// Returns the types of the rules for a branch, which need not exist: `creation`, `required_signatures` …
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_branch_rules(&self, branch: &str) -> ApiResult<Vec<String>> {
        #[derive(Deserialize)]
        struct Rule {
            #[serde(rename = "type")]
            kind: String,
        }
        let route = self.api_route(&format!("/rules/branches/{}", encode_segment(branch)));
        let rules: Vec<Rule> = self.client.list(&route, None, 1).await?;
        Ok(rules.into_iter().map(|rule| rule.kind).collect())
    }
}
