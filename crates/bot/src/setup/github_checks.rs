//! Checks what git-mend needs on GitHub: access of the token, the settings of Actions, and rules for branches. Changes
//! nothing.

use super::branch_rules::{protection_finding, rules_finding};
use crate::own_branches::OWN_BRANCH_PREFIX;
use mend_github::{ApiError, ApiResult, Repo};
use mend_model::{DoctorFinding, DoctorStatus};

/// Word of a workflow file that uses the Action.
const ACTION_WORD: &str = "/git-mend@";

/// Returns the findings about a repository.
///
/// # Errors
/// GitHub's error, except for a missing permission, which is a finding.
pub async fn check_repository(repo: &Repo) -> ApiResult<Vec<DoctorFinding>> {
    let info = match repo.get_info().await {
        Err(ApiError::NotFound(_)) => return Ok(vec![unknown_repository(repo)]),
        Err(ApiError::Unauthorized) => {
            let finding = DoctorFinding::new("token", DoctorStatus::Missing, "GitHub rejects it");
            return Ok(vec![finding.with_help("run `gh auth login`, or set a valid GITHUB_TOKEN")]);
        }
        info => info?,
    };
    let rules = repo.list_branch_rules(&format!("{OWN_BRANCH_PREFIX}fix")).await;
    let protection = repo.list_branch_protection_rules().await;
    let workflows = workflow_finding(repo, &info.default_branch).await;
    let workflow_permissions = repo.get_workflow_permissions().await;
    let is_admin = workflow_permissions.is_ok();
    Ok(vec![
        access_finding(repo, info.permissions.is_some_and(|access| access.push)),
        pulls_finding(workflow_permissions)?,
        note_if_hidden(rules.map(|rules| rules_finding(&rules)), "branches", || {
            format!("unknown whether rules forbid branches {OWN_BRANCH_PREFIX}*")
        })?,
        note_if_hidden(
            protection.map(|rules| protection_finding(&rules, is_admin)),
            "protection",
            || format!("unknown whether classic branch protection forbids {OWN_BRANCH_PREFIX}*"),
        )?,
        note_if_hidden(workflows, "workflows", || {
            format!("unknown whether a workflow of {} uses the Action", info.default_branch)
        })?,
    ])
}

/// Replaces the error of a token that may not read something by a note.
fn note_if_hidden(
    finding: ApiResult<DoctorFinding>,
    name: &'static str,
    message: impl FnOnce() -> String,
) -> ApiResult<DoctorFinding> {
    match finding {
        Err(error @ (ApiError::Forbidden(_) | ApiError::NotFound(_))) => {
            Ok(DoctorFinding::new(name, DoctorStatus::Note, format!("{}: {error}", message())))
        }
        finding => finding,
    }
}

fn unknown_repository(repo: &Repo) -> DoctorFinding {
    let message = format!("it does not see {}", repo.name());
    DoctorFinding::new("token", DoctorStatus::Missing, message).with_help(
        "give a fine-grained token access to this repository, a classic one the scope `repo`",
    )
}

/// Returns the finding about write access. GitHub returns the access of the account; the token may have less.
fn access_finding(repo: &Repo, may_push: bool) -> DoctorFinding {
    if may_push {
        return DoctorFinding::new(
            "token",
            DoctorStatus::Ok,
            format!("the account may write to {}", repo.name()),
        );
    }
    let message = format!("the account may not write to {}", repo.name());
    DoctorFinding::new("token", DoctorStatus::Missing, message)
        .with_help("`git mend pr` needs \"Read and write\" for Contents and Pull requests")
}

/// Returns the finding about pull requests by workflows. Only administrators may read the setting.
fn pulls_finding(answer: ApiResult<mend_github::WorkflowPermissions>) -> ApiResult<DoctorFinding> {
    let setting =
        "Settings, Actions, General, \"Allow GitHub Actions to create and approve pull requests\"";
    Ok(match answer {
        Ok(allowed) if allowed.can_approve_pull_request_reviews => {
            DoctorFinding::new("actions", DoctorStatus::Ok, "workflows may open pull requests")
        }
        Ok(_) => DoctorFinding::new(
            "actions",
            DoctorStatus::Missing,
            "workflows may not open pull requests",
        )
        .with_help(format!("enable {setting}")),
        Err(ApiError::Forbidden(_) | ApiError::NotFound(_)) => {
            let message = "unknown whether workflows may open pull requests: \
                           only an administrator's token can read this setting";
            DoctorFinding::new("actions", DoctorStatus::Note, message)
                .with_help(format!("ask an administrator about {setting}"))
        }
        Err(error) => return Err(error),
    })
}

/// Returns the finding about workflow files of the default branch that use the Action.
async fn workflow_finding(repo: &Repo, branch: &str) -> ApiResult<DoctorFinding> {
    let mut using = Vec::new();
    if let Some(head) = repo.get_branch_head(branch).await? {
        for (name, entry) in repo.list_folder(&head.0, ".github/workflows").await? {
            let text = repo.read_blob(&entry).await?;
            if String::from_utf8_lossy(&text).contains(ACTION_WORD) {
                using.push(name);
            }
        }
    }
    if using.is_empty() {
        let message = format!("no workflow of {branch} uses the Action");
        return Ok(DoctorFinding::new("workflows", DoctorStatus::Note, message)
            .with_help("git mend setup github"));
    }
    let message = format!("{} on {branch}", using.join(", "));
    Ok(DoctorFinding::new("workflows", DoctorStatus::Ok, message))
}
