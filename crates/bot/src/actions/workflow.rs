//! The workflow run that this process belongs to, read from the runner's environment variables.

use super::event::{WorkflowEvent, workflow_file};
use crate::MergeQueueBranch;
use crate::dependency_update::is_dependency_update;
use mend_github::{ApiAddress, Client, Credential, Repo, RepoName, RetryPolicy, RunId};
use mend_model::CommitId;
use mend_model::{Problem, Result};
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Maximum size of an event, in bytes. GitHub truncates larger events.
const MAX_EVENT_BYTES: u64 = 25 << 20;

/// Workflow run that this process belongs to.
pub struct WorkflowContext {
    /// Repository of the workflow.
    pub repo_name: RepoName,
    /// Address of the GitHub API.
    pub address: ApiAddress,
    /// Commit that GitHub checks out by default.
    pub sha: CommitId,
    /// Event that started the workflow.
    pub event: WorkflowEvent,
    /// Id of this workflow run.
    pub run_id: Option<RunId>,
    token: Option<SecretString>,
    variables: BTreeMap<String, String>,
}

/// Origin of a searched commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOrigin {
    /// A branch of the repository itself, to which only people with write access push.
    OwnRepository,
    /// A fork, a branch that may combine pull requests of forks, or an unknown place.
    PerhapsFork,
}

/// Commit whose settings apply to a proposed commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsCommit {
    /// Known commit.
    Known(CommitId),
    /// The event does not say.
    Unknown,
}

impl WorkflowContext {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// [`Problem::Usage`] if this process is not a job of a workflow, or if a variable is invalid.
    pub fn from_env() -> Result<Self> {
        let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
        let variables = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        Self::from_variables(variables.collect())
    }

    fn from_variables(mut variables: BTreeMap<String, String>) -> Result<Self> {
        let get =
            |name: &str| variables.get(name).map(String::as_str).filter(|text| !text.is_empty());
        let required = |name: &str| get(name).ok_or_else(|| not_in_job(name));
        let repo_name = required("GITHUB_REPOSITORY")?;
        let repo_name =
            repo_name.parse().map_err(|error| invalid_variable("GITHUB_REPOSITORY", &error))?;
        let address = get("GITHUB_API_URL").unwrap_or("https://api.github.com");
        let address = ApiAddress::parse(address)
            .map_err(|error| invalid_variable("GITHUB_API_URL", &error))?;
        let path = PathBuf::from(required("GITHUB_EVENT_PATH")?);
        let event =
            WorkflowEvent::read_file(required("GITHUB_EVENT_NAME")?, &path, MAX_EVENT_BYTES)?;
        let token = get("GITHUB_TOKEN").or_else(|| get("GH_TOKEN")).map(SecretString::from);
        let run = get("GITHUB_RUN_ID").and_then(|text| text.parse().ok()).map(RunId);
        let sha = CommitId(required("GITHUB_SHA")?.to_owned());
        // Secrets are stored as secrets or dropped.
        variables.retain(|name, _| name.starts_with("GITHUB_") && !name.ends_with("TOKEN"));
        Ok(Self { repo_name, address, sha, event, run_id: run, token, variables })
    }

    /// Creates a client for the repository with the token of the job, inside a Tokio runtime. Returns `None` if the job
    /// has no token.
    ///
    /// # Errors
    /// [`Problem::GitHubError`] if the client cannot be created.
    pub fn repo(&self) -> Result<Option<Repo>> {
        let Some(token) = &self.token else { return Ok(None) };
        let credential = Credential::Token(token.clone());
        let client = Client::new(&self.address, &credential, RetryPolicy::default());
        let client = client.map_err(|error| error.into_problem("connecting to GitHub"))?;
        Ok(Some(Repo::new(client, self.repo_name.clone())))
    }

    /// Returns the target branch of the tested commit: the pushed branch, or the base branch of the pull request.
    pub fn target_branch(&self) -> Option<&str> {
        self.variable("GITHUB_BASE_REF").or_else(|| self.pushed_branch())
    }

    /// Returns the pushed branch, if the event is a push to a branch.
    pub(super) fn pushed_branch(&self) -> Option<&str> {
        let is_branch = self.variable("GITHUB_REF_TYPE") == Some("branch");
        self.variable("GITHUB_REF_NAME").filter(|_| is_branch)
    }

    /// Returns the merge queue branch that combines the pull requests.
    pub(super) fn merge_queue_branch(&self) -> Option<MergeQueueBranch> {
        match &self.event {
            WorkflowEvent::HeadCommit => self.pushed_branch().and_then(MergeQueueBranch::parse),
            WorkflowEvent::PullRequest { .. } => None,
            WorkflowEvent::CompletedWorkflowRun(cause) => cause.queue.clone(),
            WorkflowEvent::MergeGroup { queue, .. } => Some(queue.clone()),
            WorkflowEvent::RepositoryDispatch(asked) => asked.queue(),
        }
    }

    /// Returns the commit whose settings apply: a proposed change must not configure its own search. Returns `None` for
    /// a commit that is already on a branch of the repository and has its own settings.
    pub fn settings_commit(&self) -> Option<SettingsCommit> {
        match &self.event {
            WorkflowEvent::PullRequest { base, .. } => {
                Some(base.clone().map_or(SettingsCommit::Unknown, SettingsCommit::Known))
            }
            WorkflowEvent::MergeGroup { base, .. } => Some(SettingsCommit::Known(base.clone())),
            // The runner's commit is the head of the default branch. The searched commit may be of a fork.
            WorkflowEvent::RepositoryDispatch(_) | WorkflowEvent::CompletedWorkflowRun(_) => {
                Some(SettingsCommit::Known(self.sha.clone()))
            }
            WorkflowEvent::HeadCommit if self.is_pull_ref() => Some(SettingsCommit::Unknown),
            WorkflowEvent::HeadCommit => self.merge_queue_branch().map(|queue| {
                queue
                    .last_entry()
                    .map_or(SettingsCommit::Unknown, |(_, below)| SettingsCommit::Known(below))
            }),
        }
    }

    /// Returns the origin of the searched commit. Any other commit than that of the event counts as one of a fork, and so
    /// does every commit in a workflow that has the permissions of the default branch.
    pub fn commit_origin(&self, searched: &CommitId) -> CommitOrigin {
        let is_own = match &self.event {
            WorkflowEvent::PullRequest { head, head_repo, .. } => {
                self.variable("GITHUB_EVENT_NAME") == Some("pull_request")
                    && self.is_own_repo(head_repo.as_ref())
                    && [head, &self.sha].contains(&searched)
            }
            WorkflowEvent::HeadCommit => {
                !self.is_pull_ref() && self.merge_queue_branch().is_none() && *searched == self.sha
            }
            // The App sends it only for commits of the repository itself.
            WorkflowEvent::RepositoryDispatch(asked) => {
                asked.queue().is_none() && asked.head == *searched
            }
            // A merge queue also tests pull requests of forks.
            WorkflowEvent::MergeGroup { .. } | WorkflowEvent::CompletedWorkflowRun(_) => false,
        };
        if is_own { CommitOrigin::OwnRepository } else { CommitOrigin::PerhapsFork }
    }

    /// Returns true if the commit updates dependencies, or a user requested a search of its updates.
    pub fn wants_upgrades(&self) -> bool {
        match &self.event {
            WorkflowEvent::PullRequest { is_dependency_update, .. } => *is_dependency_update,
            WorkflowEvent::CompletedWorkflowRun(cause) => cause.is_dependency_update,
            WorkflowEvent::RepositoryDispatch(asked) => asked.wants_upgrades(),
            WorkflowEvent::HeadCommit => is_dependency_update(self.pushed_branch(), None),
            WorkflowEvent::MergeGroup { .. } => false,
        }
    }

    /// Returns true if the runner's commit is of a pull request, perhaps of a fork. Events such as `pull_request_review`
    /// have one too.
    fn is_pull_ref(&self) -> bool {
        self.variable("GITHUB_REF").is_some_and(|name| name.starts_with("refs/pull/"))
    }

    fn is_own_repo(&self, repo: Option<&RepoName>) -> bool {
        repo == Some(&self.repo_name)
    }

    /// Returns the path of this workflow's file. Removes the repository and the reference from
    /// `bakery/till/.github/workflows/test.yml@refs/heads/main`.
    pub(super) fn workflow_path(&self) -> Option<String> {
        let file = self.variable("GITHUB_WORKFLOW_REF")?;
        file.strip_prefix(&format!("{}/", self.repo_name)).map(workflow_file)
    }

    /// Returns the attempt number of this run.
    pub fn attempt(&self) -> &str {
        self.variable("GITHUB_RUN_ATTEMPT").unwrap_or("1")
    }

    /// Returns the address of the page of this run.
    pub fn run_page_url(&self) -> Option<String> {
        let run = self.run_id?;
        Some(format!("{}/{}/actions/runs/{run}", self.address.web_url(), self.repo_name))
    }

    /// Returns the output file named by an environment variable, which the runner reads after the step.
    pub(super) fn output_file(&self, variable: &str) -> Option<PathBuf> {
        self.variable(variable).map(PathBuf::from)
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }
}

fn not_in_job(name: &str) -> Problem {
    Problem::Usage {
        message: format!("not a job of GitHub Actions: {name} is not set"),
        remedy: "outside of a job, use `git mend bisect`, then `git mend pr RUN` to open the fix pull request"
            .to_owned(),
    }
}

fn invalid_variable(name: &str, error: &dyn std::fmt::Display) -> Problem {
    Problem::Usage {
        message: format!("cannot parse {name}: {error}"),
        remedy: format!("do not change {name}; the runner sets it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_variables(extra: &[(&str, &str)]) -> (tempfile::TempDir, BTreeMap<String, String>) {
        let dir = tempfile::tempdir().unwrap();
        let event = dir.path().join("event.json");
        std::fs::write(&event, "{}").unwrap();
        let defaults = [
            ("GITHUB_REPOSITORY", "bakery/till"),
            ("GITHUB_EVENT_NAME", "push"),
            ("GITHUB_EVENT_PATH", event.to_str().unwrap()),
            ("GITHUB_SHA", "ab"),
            ("GITHUB_RUN_ID", "7"),
            ("GITHUB_REF_NAME", "main"),
            ("GITHUB_REF_TYPE", "branch"),
        ];
        let entries = defaults.iter().chain(extra);
        let entries =
            entries.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        (dir, entries)
    }

    #[test]
    fn context_is_read_from_runner_variables() {
        let (_dir, all) = sample_variables(&[("GITHUB_BASE_REF", "")]);
        let workflow = WorkflowContext::from_variables(all).unwrap();
        assert_eq!(workflow.target_branch(), Some("main"));
        let page = workflow.run_page_url().unwrap();
        assert_eq!(page, "https://github.com/bakery/till/actions/runs/7");
        assert!(workflow.repo().unwrap().is_none());
    }

    #[test]
    fn tokens_are_not_kept_among_the_variables() {
        let tokens = [("GITHUB_TOKEN", "x"), ("GH_TOKEN", "x"), ("ACTIONS_RUNTIME_TOKEN", "x")];
        let (_dir, all) = sample_variables(&tokens);
        let workflow = WorkflowContext::from_variables(all).unwrap();
        assert!(workflow.token.is_some() && !workflow.variables.values().any(|value| value == "x"));
    }

    #[test]
    fn only_commits_of_the_repository_itself_are_own() {
        let context_of = |event: &str, payload: &str, branch: &str| {
            let name = if branch.ends_with("/merge") { "refs/pull/" } else { "refs/heads/" };
            let reference = format!("{name}{branch}");
            let (dir, mut all) =
                sample_variables(&[("GITHUB_REF_NAME", branch), ("GITHUB_REF", &reference)]);
            std::fs::write(dir.path().join("event.json"), payload).unwrap();
            all.insert("GITHUB_EVENT_NAME".to_owned(), event.to_owned());
            WorkflowContext::from_variables(all).unwrap()
        };
        let origin_of = |event: &str, payload: &str, branch: &str, searched: &str| {
            context_of(event, payload, branch).commit_origin(&CommitId(searched.to_owned()))
        };
        let pull = |repo: &str| {
            format!(
                r#"{{"pull_request": {{"number": 3, "head": {{"sha": "cd", "repo": {repo}}}}}}}"#
            )
        };
        let run = |repo: &str, event: &str, branch: &str| {
            format!(
                r#"{{"workflow_run": {{"head_sha": "ab", "head_branch": "{branch}", "event": "{event}",
                "head_repository": {repo}, "html_url": "https://x"}}}}"#
            )
        };
        let (own, fork) = (r#"{"full_name": "bakery/till"}"#, r#"{"full_name": "fork/till"}"#);
        let queue = "gh-readonly-queue/main/pr-3-0123456789012345678901234567890123456789";
        let group =
            format!(r#"{{"merge_group": {{"base_sha": "ab", "head_ref": "refs/heads/{queue}"}}}}"#);
        for (event, payload, branch) in [
            ("push", "{}".to_owned(), "main"),
            ("schedule", "{}".to_owned(), "main"),
            ("pull_request", pull(own), "3/merge"),
        ] {
            let own = CommitOrigin::OwnRepository;
            assert_eq!(origin_of(event, &payload, branch, "ab"), own, "{payload}");
            let other = origin_of(event, &payload, branch, "ef");
            assert_eq!(other, CommitOrigin::PerhapsFork, "{payload}");
        }
        for (event, payload, branch) in [
            ("pull_request", pull(fork), "3/merge"),
            ("pull_request_target", pull(fork), "main"),
            ("pull_request_target", pull(own), "main"),
            ("pull_request_review", "{}".to_owned(), "3/merge"),
            ("workflow_run", run(own, "push", "topic"), "main"),
            ("pull_request", pull("null"), "3/merge"),
            ("workflow_run", run(fork, "pull_request", "main"), "main"),
            ("workflow_run", run("null", "pull_request", "main"), "main"),
            ("workflow_run", run(own, "merge_group", queue), "main"),
            ("merge_group", group, "main"),
            ("push", "{}".to_owned(), queue),
        ] {
            let origin = origin_of(event, &payload, branch, "ab");
            assert_eq!(origin, CommitOrigin::PerhapsFork, "{event} {payload}");
        }
        let review = context_of("pull_request_review", "{}", "3/merge");
        assert_eq!(review.settings_commit(), Some(SettingsCommit::Unknown));
    }

    #[test]
    fn missing_variables_name_the_other_commands() {
        let problem = WorkflowContext::from_variables(BTreeMap::new()).err().unwrap();
        assert!(problem.to_string().contains("not a job of GitHub Actions"), "{problem}");
        let (_dir, all) = sample_variables(&[("GITHUB_REPOSITORY", "a/../b")]);
        assert!(WorkflowContext::from_variables(all).is_err());
    }
}
