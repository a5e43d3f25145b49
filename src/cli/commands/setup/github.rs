//! Command `git mend setup github`: prints, writes or proposes the workflow files of a repository.

use crate::cli::arguments::{Format, SetupGithubArguments, Shared};
use crate::cli::github_connection::GithubConnection;
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use anyhow::Context as _;
use mend_bot::setup::{
    ActionReference, WorkflowFile, WorkflowPlan, find_build_command, open_setup_pull,
};
use mend_git::Repository;
use mend_github::ApiError;
use mend_model::{Exit, Problem, Result};
use mend_report::github::setup_next_steps;
use serde_json::json;
use std::path::Path;

/// Branch if the clone does not know the default branch of its remote.
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
    let plan = WorkflowPlan {
        build_command: find_build_command(&root)?,
        default_branch: repository
            .remote_default_branch("origin")?
            .unwrap_or_else(|| USUAL_BRANCH.to_owned()),
        action,
    };
    if options.pull_request {
        return propose(options, plan, shared);
    }
    if options.apply {
        write_files(&root, &plan.files())?;
    } else {
        print_files(&plan.files(), shared)?;
    }
    console.print_message(setup_next_steps());
    Ok(Exit::Found)
}

fn propose(options: &SetupGithubArguments, plan: WorkflowPlan, shared: &Shared) -> Result<Exit> {
    let connection = GithubConnection::find(options.repo.as_ref(), &shared.dir)?;
    let pull = block_on_request(async {
        let repo = connection.repo()?;
        let info = repo.get_info().await;
        let default_branch =
            info.map_err(|error| error.into_problem("reading the repository"))?.default_branch;
        let plan = WorkflowPlan { default_branch, ..plan };
        open_setup_pull(&repo, &plan).await.map_err(|error| match error {
            ApiError::Conflict(message) => existing_file_problem(message),
            ApiError::Forbidden(_) => Problem::GitHubError {
                message: "the token may not change workflow files".to_owned(),
                remedy: "add the scope `workflow` with `gh auth refresh --scopes workflow`, or use --apply".to_owned(),
            },
            error => error.into_problem("opening a pull request"),
        })
    })?;
    Console::print_raw_result(&format!("{}\n", pull.html_url));
    Ok(Exit::Found)
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
        Console::print_raw_result(&format!("{}\n", file.path));
    }
    Ok(())
}

fn print_files(files: &[WorkflowFile], shared: &Shared) -> Result<()> {
    if shared.format == Format::Json {
        let files: Vec<_> = files
            .iter()
            .map(|file| json!({ "path": file.path, "content": file.content }))
            .collect();
        let report = json!({ "schema": "git-mend/setup/1", "files": files });
        let text = serde_json::to_string_pretty(&report).context("writing JSON")?;
        Console::print_raw_result(&format!("{text}\n"));
        return Ok(());
    }
    let texts = files.iter().map(|file| format!("# {}\n{}", file.path, file.content));
    Console::print_raw_result(&texts.collect::<Vec<_>>().join("\n"));
    Ok(())
}
