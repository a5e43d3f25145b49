//! Command `git mend setup github`: prints, writes or proposes the workflow files of a repository.

use crate::cli::arguments::{Format, SetupGithubArguments, Shared};
use crate::cli::github_connection::GithubConnection;
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use mend_bot::actions::is_in_standard_report_folder;
use mend_bot::setup::{
    ActionReference, SetupPullError, WorkflowFile, WorkflowPlan, find_build_command,
    open_setup_pull,
};
use mend_engine::{Environment, find_report_folders};
use mend_git::Repository;
use mend_model::{Exit, Problem, Result};
use mend_report::github::{printed_setup_steps, written_setup_steps};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Branch if the clone neither knows the default branch of its remote nor has a current branch.
const USUAL_BRANCH: &str = "main";

pub(super) fn run(
    options: &SetupGithubArguments,
    shared: &Shared,
    console: &Console,
) -> Result<Exit> {
    let repository = Repository::open(&shared.dir)?;
    let root = repository.work_tree().unwrap_or(&shared.dir).to_owned();
    let is_placeholder_enough = !options.apply && !options.pull_request;
    let action = match &options.action {
        Some(action) => action.clone(),
        None if is_placeholder_enough => ActionReference::placeholder(),
        None => {
            return Err(Problem::Usage {
                message: "the workflows need the address of the Action".to_owned(),
                remedy: "add --action OWNER/git-mend@COMMIT, with the full hash of a commit"
                    .to_owned(),
            });
        }
    };
    let build_command = find_build_command(&root)?;
    let report_folders = further_report_folders(&root);
    let plan =
        |default_branch| WorkflowPlan { build_command, default_branch, action, report_folders };
    if options.pull_request {
        return propose(options, plan, shared);
    }
    let known_branch = repository.remote_default_branch("origin")?;
    let default_branch = known_branch.unwrap_or_else(|| guess_default_branch(&root, console));
    let files = plan(default_branch).files();
    if options.apply {
        write_files(&root, &files)?;
        report(&files, &SetupAction::Written, shared)?;
        console.print_message(written_setup_steps());
    } else {
        report(&files, &SetupAction::Printed, shared)?;
        console.print_message(printed_setup_steps());
    }
    Ok(Exit::Found)
}

/// Action of the command on the files.
enum SetupAction {
    Printed,
    Written,
    /// Proposed in the pull request with this address.
    Proposed(String),
}

/// JSON object for the result.
#[derive(Serialize)]
struct SetupJson<'a> {
    schema: &'static str,
    action: &'static str,
    pull_request: Option<&'a str>,
    files: Vec<FileJson>,
}

/// JSON object for a workflow file.
#[derive(Serialize)]
struct FileJson {
    path: &'static str,
    content: String,
}

impl SetupAction {
    fn name(&self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Written => "written",
            Self::Proposed(_) => "proposed",
        }
    }

    fn pull_request(&self) -> Option<&str> {
        match self {
            Self::Proposed(url) => Some(url),
            Self::Printed | Self::Written => None,
        }
    }

    /// Returns the result for people: the files, their paths, or the address of the pull request.
    fn to_text(&self, files: &[WorkflowFile]) -> String {
        match self {
            Self::Printed => {
                let texts = files.iter().map(|file| format!("# {}\n{}", file.path, file.content));
                texts.collect::<Vec<_>>().join("\n")
            }
            Self::Written => files.iter().flat_map(|file| [file.path, "\n"]).collect(),
            Self::Proposed(url) => format!("{url}\n"),
        }
    }
}

/// Prints the result.
fn report(files: &[WorkflowFile], action: &SetupAction, shared: &Shared) -> Result<()> {
    if shared.format != Format::Json {
        Console::print_raw_result(&action.to_text(files));
        return Ok(());
    }
    let file = |file: &WorkflowFile| FileJson { path: file.path, content: file.content.clone() };
    Console::print_json_result(&SetupJson {
        schema: "git-mend/setup/1",
        action: action.name(),
        pull_request: action.pull_request(),
        files: files.iter().map(file).collect(),
    })
}

/// Returns the folders of test reports in the build files that the search does not read by default.
fn further_report_folders(root: &Path) -> Vec<PathBuf> {
    let mut folders = find_report_folders(root, &Environment::from_process());
    folders.retain(|folder| !is_in_standard_report_folder(folder));
    folders
}

/// Returns the current branch of the work tree as the default branch, and says that it is a guess.
fn guess_default_branch(root: &Path, console: &Console) -> String {
    let git = std::process::Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["symbolic-ref", "--quiet", "--short", "HEAD"])
        .output();
    let branch = git.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let branch = branch.ok().filter(|name| !name.is_empty());
    let branch = branch.unwrap_or_else(|| USUAL_BRANCH.to_owned());
    console.print_message(&format!(
        "note: the files assume that the default branch is {branch}; \
         to find it, run `git remote set-head origin --auto`"
    ));
    branch
}

fn propose(
    options: &SetupGithubArguments,
    plan: impl FnOnce(String) -> WorkflowPlan,
    shared: &Shared,
) -> Result<Exit> {
    let connection = GithubConnection::find(options.repo.as_ref(), &shared.dir)?;
    let (pull, files) = block_on_request(async {
        let repo = connection.repo()?;
        let info = repo.get_info().await;
        let default_branch =
            info.map_err(|error| error.into_problem("reading the repository"))?.default_branch;
        let plan = plan(default_branch);
        let pull = open_setup_pull(&repo, &plan).await.map_err(setup_pull_problem)?;
        Ok((pull, plan.files()))
    })?;
    report(&files, &SetupAction::Proposed(pull.html_url), shared)?;
    Ok(Exit::Found)
}

fn setup_pull_problem(error: SetupPullError) -> Problem {
    match error {
        SetupPullError::FileExists { .. } => existing_file_problem(error.to_string()),
        SetupPullError::CommitForbidden(message) => Problem::GitHubError {
            message: format!("the token may not add workflow files: {message}"),
            remedy: "give the token write access to Contents and Workflows (classic: \
                     `gh auth refresh --scopes workflow`), or use --apply"
                .to_owned(),
        },
        SetupPullError::GitHub(error) => error.into_problem("opening a pull request"),
    }
}

fn existing_file_problem(message: String) -> Problem {
    Problem::Usage {
        message,
        remedy: "edit that file by hand, with the output of `git mend setup github`".to_owned(),
    }
}

/// Writes the files into the work tree. Replaces no file.
fn write_files(root: &Path, files: &[WorkflowFile]) -> Result<()> {
    if let Some(existing) = files.iter().find(|file| root.join(file.path).exists()) {
        return Err(existing_file_problem(format!("{} exists", existing.path)));
    }
    for file in files {
        let path = root.join(file.path);
        let folder_created = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        folder_created
            .and_then(|()| std::fs::write(&path, &file.content))
            .map_err(|error| Problem::io(error, &path))?;
    }
    Ok(())
}
