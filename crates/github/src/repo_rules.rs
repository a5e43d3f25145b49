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

/// Classic branch protection rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchProtectionRule {
    /// Number, which is higher for newer rules.
    #[serde(rename = "databaseId")]
    pub number: u64,
    /// Pattern for the names of its branches, in the syntax of Ruby's `File.fnmatch` with `FNM_PATHNAME`.
    pub pattern: String,
    /// True if the restriction of pushes covers the creation of branches.
    pub blocks_creations: bool,
    /// True if only some accounts may push to such branches.
    pub restricts_pushes: bool,
    /// True if such branches are read-only.
    pub lock_branch: bool,
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

    /// Returns the first 100 classic branch protection rules. GitHub returns none to a token that may not
    /// read the repository's settings.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_branch_protection_rules(&self) -> ApiResult<Vec<BranchProtectionRule>> {
        #[derive(Deserialize)]
        struct RulesResponse {
            repository: RepositoryResponse,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct RepositoryResponse {
            branch_protection_rules: RuleNodes,
        }
        #[derive(Deserialize)]
        struct RuleNodes {
            nodes: Vec<BranchProtectionRule>,
        }
        let document = include_str!("branch_protection_rules.graphql");
        let variables =
            serde_json::json!({ "owner": self.name().owner(), "name": self.name().name() });
        let response: RulesResponse = self.client.query(document, &variables).await?;
        Ok(response.repository.branch_protection_rules.nodes)
    }
}
