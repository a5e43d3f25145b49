//! Parser of the event that started a workflow. Parses only the fields in use.

use crate::MergeQueueBranch;
use crate::command::CommentCommand;
use crate::dependency_update::is_dependency_update;
use mend_github::{PullNumber, RepoName};
use mend_model::CommitId;
use mend_model::{Problem, Result};
use serde::Deserialize;
use std::io::Read as _;
use std::path::Path;

/// Event that started this workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkflowEvent {
    /// Push, schedule, manual start or any other event: the commit is the runner's own.
    HeadCommit,
    /// A pull request was opened or has a new head commit.
    PullRequest {
        /// Number of the pull request.
        number: PullNumber,
        /// Head commit of the pull request.
        head: CommitId,
        /// Commit of the base branch.
        base: Option<CommitId>,
        /// Repository of the head commit: perhaps a fork, or `None` if it was deleted.
        head_repo: Option<RepoName>,
        /// True if a program proposes it to update dependencies.
        is_dependency_update: bool,
    },
    /// Another workflow completed.
    CompletedWorkflowRun(CompletedRun),
    /// A merge group was created. The commit is the runner's own.
    MergeGroup {
        /// Commit that the merge group is based on.
        base: CommitId,
        /// Branch of the merge queue.
        queue: MergeQueueBranch,
    },
    /// The App requested a search. Only users with write access can request one.
    RepositoryDispatch(DispatchPayload),
}

/// Search request of the App.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DispatchPayload {
    /// Failing commit.
    #[serde(rename = "sha")]
    pub head: CommitId,
    /// Branch of the commit, perhaps of a fork.
    pub branch: String,
    /// Pull request of the commit.
    pub pull: Option<PullNumber>,
    /// Reason: `search`, or the word of the comment command.
    #[serde(default)]
    pub reason: String,
}

impl DispatchPayload {
    /// Returns true if a user requested the fix, which overrides the settings.
    pub fn wants_fix(&self) -> bool {
        CommentCommand::from_word(&self.reason) == Some(CommentCommand::Fix)
    }

    /// Returns true if a user requested a search of dependency updates, or the branch updates dependencies.
    pub(super) fn wants_upgrades(&self) -> bool {
        CommentCommand::from_word(&self.reason) == Some(CommentCommand::Upgrade)
            || is_dependency_update(Some(&self.branch), None)
    }

    /// Returns the merge queue branch that combines the pull requests.
    pub(super) fn queue(&self) -> Option<MergeQueueBranch> {
        MergeQueueBranch::parse(&self.branch).filter(|_| self.pull.is_none())
    }
}

/// Completed workflow run, from its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedRun {
    /// Tested commit.
    pub head: CommitId,
    /// Branch of the commit.
    pub branch: Option<String>,
    /// Repository of the branch: perhaps a fork, or `None` if it was deleted.
    pub repo: Option<RepoName>,
    /// True if the run was for a pull request.
    pub is_for_pull_request: bool,
    /// True if a program started the run to update dependencies.
    pub is_dependency_update: bool,
    /// The merge queue branch of the run.
    pub queue: Option<MergeQueueBranch>,
    /// Path of the workflow file.
    pub workflow: Option<String>,
    /// True if the run passed.
    pub has_passed: bool,
    /// Pull requests of the run according to GitHub; empty for pull requests of forks.
    pub pull_numbers: Vec<PullNumber>,
    /// Address of the run's page.
    pub page_url: String,
}

#[derive(Deserialize)]
struct RawEvent {
    pull_request: Option<RawPull>,
    workflow_run: Option<RawRun>,
    client_payload: Option<DispatchPayload>,
    merge_group: Option<RawGroup>,
}

#[derive(Deserialize)]
struct RawGroup {
    base_sha: CommitId,
    head_ref: String,
}

#[derive(Deserialize)]
struct RawPull {
    number: PullNumber,
    head: RawHead,
    base: Option<RawHead>,
    user: Option<RawUser>,
}

#[derive(Deserialize)]
struct RawUser {
    login: String,
}

#[derive(Deserialize)]
struct RawHead {
    sha: CommitId,
    #[serde(rename = "ref")]
    branch: Option<String>,
    repo: Option<RawRepository>,
}

#[derive(Deserialize)]
struct RawRun {
    head_sha: CommitId,
    head_branch: Option<String>,
    head_repository: Option<RawRepository>,
    event: String,
    /// Account whose push or pull request started the run.
    actor: Option<RawUser>,
    path: Option<String>,
    conclusion: Option<String>,
    #[serde(default)]
    pull_requests: Vec<RawNumber>,
    html_url: String,
}

#[derive(Deserialize)]
struct RawRepository {
    full_name: RepoName,
}

#[derive(Deserialize)]
struct RawNumber {
    number: PullNumber,
}

impl WorkflowEvent {
    /// Reads an event with this name from a file.
    pub(super) fn read_file(name: &str, path: &Path, max_bytes: u64) -> Result<Self> {
        let mut text = Vec::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(max_bytes).read_to_end(&mut text))
            .map_err(|error| Problem::io(error, path))?;
        Self::parse(name, &text).map_err(|why| Problem::Usage {
            message: format!("cannot parse the event of this workflow: {why}"),
            remedy: "do not change GITHUB_EVENT_PATH; the runner sets it".to_owned(),
        })
    }

    fn parse(name: &str, text: &[u8]) -> std::result::Result<Self, String> {
        let parse_raw =
            || serde_json::from_slice::<RawEvent>(text).map_err(|error| error.to_string());
        match name {
            "pull_request" | "pull_request_target" => {
                let pull = parse_raw()?.pull_request.ok_or("it has no pull request")?;
                let author = pull.user.as_ref().map(|user| user.login.as_str());
                let is_dependency_update =
                    is_dependency_update(pull.head.branch.as_deref(), author);
                Ok(Self::PullRequest {
                    number: pull.number,
                    head: pull.head.sha,
                    base: pull.base.map(|base| base.sha),
                    head_repo: pull.head.repo.map(|repo| repo.full_name),
                    is_dependency_update,
                })
            }
            "workflow_run" => {
                let run = parse_raw()?.workflow_run.ok_or("it has no workflow run")?;
                Ok(Self::CompletedWorkflowRun(run.into()))
            }
            "merge_group" => {
                let group = parse_raw()?.merge_group.ok_or("it has no merge group")?;
                let queue = MergeQueueBranch::from_ref(&group.head_ref);
                Ok(Self::MergeGroup { base: group.base_sha, queue })
            }
            "repository_dispatch" => {
                let asked = parse_raw()?.client_payload.ok_or("it has no client_payload")?;
                Ok(Self::RepositoryDispatch(asked))
            }
            _ => Ok(Self::HeadCommit),
        }
    }
}

impl From<RawRun> for CompletedRun {
    fn from(run: RawRun) -> Self {
        let branch = run.head_branch.as_deref().unwrap_or_default();
        let queue = match run.event.as_str() {
            "merge_group" => Some(MergeQueueBranch::from_ref(branch)),
            // Workflows may wait for pushes to the branches of merge queues.
            "push" => MergeQueueBranch::parse(branch),
            _ => None,
        };
        let is_for_pull_request = run.event.starts_with("pull_request");
        // The actor of a run for another event is the user who merged the pull request.
        let actor = run.actor.as_ref().filter(|_| is_for_pull_request);
        let author = actor.map(|user| user.login.as_str());
        let is_dependency_update = is_dependency_update(run.head_branch.as_deref(), author);
        Self {
            head: run.head_sha,
            queue,
            branch: run.head_branch,
            repo: run.head_repository.map(|repo| repo.full_name),
            is_for_pull_request,
            is_dependency_update,
            workflow: run.path.as_deref().map(workflow_file),
            has_passed: run.conclusion.as_deref() == Some("success"),
            pull_numbers: run.pull_requests.into_iter().map(|pull| pull.number).collect(),
            page_url: run.html_url,
        }
    }
}

/// Returns the path of a workflow file without the reference that GitHub may append.
pub(crate) fn workflow_file(path: &str) -> String {
    path.split('@').next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completed_workflow_run_is_parsed() {
        let text = br#"{"workflow_run": {"head_sha": "ab", "head_branch": "main", "event": "pull_request",
            "head_repository": {"full_name": "fork/till"}, "conclusion": "failure", "pull_requests": [],
            "html_url": "https://x", "id": 1}}"#;
        let WorkflowEvent::CompletedWorkflowRun(cause) =
            WorkflowEvent::parse("workflow_run", text).unwrap()
        else {
            panic!()
        };
        assert!(cause.is_for_pull_request && !cause.has_passed);
        assert_eq!(cause.repo, Some("fork/till".parse().unwrap()));
    }

    #[test]
    fn pull_request_event_names_its_head_commit() {
        let text = br#"{"pull_request": {"number": 3, "head": {"sha": "cd", "repo": {"full_name": "fork/till"}},
            "base": {"sha": "ab", "repo": null}}}"#;
        let event = WorkflowEvent::parse("pull_request", text).unwrap();
        let [base, head] = ["ab", "cd"].map(|id| CommitId(id.to_owned()));
        let number = PullNumber(3);
        let (base, head_repo) = (Some(base), Some("fork/till".parse().unwrap()));
        let is_dependency_update = false;
        assert_eq!(
            event,
            WorkflowEvent::PullRequest { number, head, base, head_repo, is_dependency_update }
        );
    }

    #[test]
    fn pull_request_of_an_updating_program_is_known_by_branch_or_author() {
        for (branch, login, expected) in [
            ("renovate/all", "alice", true),
            ("deps", "dependabot[bot]", true),
            ("topic", "alice", false),
        ] {
            let text = format!(
                r#"{{"pull_request": {{"number": 3, "head": {{"sha": "cd", "ref": "{branch}"}},
                "user": {{"login": "{login}"}}}}}}"#
            );
            let event = WorkflowEvent::parse("pull_request", text.as_bytes()).unwrap();
            let WorkflowEvent::PullRequest { is_dependency_update, .. } = event else { panic!() };
            assert_eq!(is_dependency_update, expected, "{text}");
        }
    }

    #[test]
    fn completed_run_of_an_updating_program_is_known_by_branch_or_author() {
        for (event, branch, login, expected) in [
            ("pull_request", "deps", "renovate[bot]", true),
            ("pull_request", "renovate/all", "alice", true),
            ("pull_request", "topic", "alice", false),
            ("push", "main", "renovate[bot]", false),
        ] {
            let text = format!(
                r#"{{"workflow_run": {{"head_sha": "ab", "head_branch": "{branch}", "event": "{event}",
                "actor": {{"login": "{login}"}}, "html_url": "https://x"}}}}"#
            );
            let event = WorkflowEvent::parse("workflow_run", text.as_bytes()).unwrap();
            let WorkflowEvent::CompletedWorkflowRun(cause) = event else { panic!() };
            assert_eq!(cause.is_dependency_update, expected, "{text}");
        }
    }

    #[test]
    fn dispatch_payload_is_parsed() {
        let text = br#"{"action": "git-mend", "client_payload": {"id": "x", "reason": "search", "sha": "ab",
            "branch": "topic", "base": "main", "pull": 3, "run": null}}"#;
        let WorkflowEvent::RepositoryDispatch(asked) =
            WorkflowEvent::parse("repository_dispatch", text).unwrap()
        else {
            panic!()
        };
        assert_eq!((asked.branch.as_str(), asked.pull), ("topic", Some(PullNumber(3))));
        assert!(!asked.wants_upgrades());
        for (reason, branch) in [("upgrade", "topic"), ("search", "dependabot/maven/x-2")] {
            let [reason, branch] = [reason, branch].map(str::to_owned);
            assert!(DispatchPayload { branch, reason, ..asked.clone() }.wants_upgrades());
        }
    }

    #[test]
    fn invalid_event_is_refused() {
        assert!(WorkflowEvent::parse("pull_request", b"{}").is_err());
        assert!(WorkflowEvent::parse("workflow_run", b"[").is_err());
        assert_eq!(WorkflowEvent::parse("schedule", b"").unwrap(), WorkflowEvent::HeadCommit);
    }
}
