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

/// Rule for a branch.
#[derive(Clone, Debug, Deserialize)]
pub struct BranchRule {
    /// Its type: `creation`, `required_signatures` …
    #[serde(rename = "type")]
    pub kind: String,
    /// Pattern for the name of the branch, if its type has one.
    #[serde(default)]
    pub parameters: Option<PatternParameters>,
}

/// Pattern of a rule.
#[derive(Clone, Debug, Deserialize)]
pub struct PatternParameters {
    /// `starts_with`, `ends_with`, `contains` or `regex`.
    #[serde(default)]
    pub operator: String,
    /// The pattern.
    #[serde(default)]
    pub pattern: String,
    /// True if names must not match.
    #[serde(default)]
    pub negate: bool,
}

impl Repo {
    /// Returns the permissions of workflows. Only administrators may read them.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn get_workflow_permissions(&self) -> ApiResult<WorkflowPermissions> {
        self.client.get(&self.api_route("/actions/permissions/workflow")).await
    }

    /// Returns the rules for a branch, which need not exist.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_branch_rules(&self, branch: &str) -> ApiResult<Vec<BranchRule>> {
        let route = self.api_route(&format!("/rules/branches/{}", encode_segment(branch)));
        self.client.list(&route, None, 1).await
    }
}
