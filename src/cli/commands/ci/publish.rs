//! Command `git mend ci publish`: publishes the run folder of a search on GitHub.

use crate::cli::arguments::{CiPublishArguments, Shared};
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use mend_bot::actions::{CompletedRun, StepOutputs, WorkflowContext, WorkflowEvent};
use mend_bot::{
    BranchTip, BuildFailure, PassingChecks, PublishedRun, Publisher, RepoSettings, SearchClaims,
    SearchIdentity, SettledOutput, settle_branch, settle_merge_group,
};
use mend_github::{ApiError, ApiResult, Repo};
use mend_model::{Exit, Problem, Result};
use mend_report::SavedRun;
use mend_report::github::{
    SearchOutcome, SkippedOutput, closing_line, format_summary, format_workflow_command,
    outdated_line, to_sarif,
};
use std::path::Path;

/// Number of annotations that GitHub shows for one step.
const MAX_ANNOTATIONS: usize = 10;

pub(super) fn run(options: &CiPublishArguments, shared: &Shared) -> Result<Exit> {
    let workflow = WorkflowContext::from_env()?;
    block_on_request(publish(&workflow, options, shared))
}

async fn publish(
    workflow: &WorkflowContext,
    options: &CiPublishArguments,
    shared: &Shared,
) -> Result<Exit> {
    let repo = workflow.repo()?.ok_or_else(|| Problem::Usage {
        message: "there is no token for GitHub".to_owned(),
        remedy: "add `env: GITHUB_TOKEN: ${{ github.token }}` to the step".to_owned(),
    })?;
    if let WorkflowEvent::CompletedWorkflowRun(cause) = &workflow.event
        && cause.has_passed
    {
        return settle_and_report(cause, &repo, workflow).await;
    }
    let folder = options.folder.as_ref().ok_or_else(|| Problem::Usage {
        message: "no run folder given, and this is not a job after a green workflow run".to_owned(),
        remedy: "give the folder that `git mend ci search` wrote".to_owned(),
    })?;
    let run = SavedRun::open(&shared.dir.join(folder))?;
    let build_failure =
        BuildFailure::from_workflow(workflow, &repo, SearchClaims::from_run(&run)?).await;
    let build_failure =
        build_failure.map_err(|error| error.into_problem("reading the failed build"))?;
    let settings = load_settings(workflow, &repo, options).await?;
    if build_failure.workflow.as_deref().is_some_and(|file| settings.ignores(file)) {
        return report_ignored_workflow(workflow);
    }
    let search_id =
        workflow.run_id.map_or(String::new(), |run| format!("{run}/{}", workflow.attempt()));
    let publisher = Publisher {
        repo: &repo,
        failure: &build_failure,
        settings,
        search: SearchIdentity::Named(search_id),
        matrix_job: options.matrix_job.clone(),
    };
    let published = publisher.publish(&run).await;
    match published.map_err(|error| error.into_problem("publishing the result"))? {
        Ok(published) => report_published(&published, workflow, &run, options, &shared.dir)?,
        Err(reason) => report_rejected(&reason, workflow)?,
    }
    Ok(Exit::Found)
}

/// Ends the output that a green run makes obsolete, and reports it.
async fn settle_and_report(
    cause: &CompletedRun,
    repo: &Repo,
    workflow: &WorkflowContext,
) -> Result<Exit> {
    let in_context = |error: ApiError| error.into_problem("ending output about earlier failures");
    let settled = settle_green_run(cause, repo).await.map_err(in_context)?;
    let mut outputs = StepOutputs::default();
    outputs.add_value("status", "none");
    report_settled(&settled, &mut outputs);
    outputs.write(workflow)?;
    settled.into_error().map_or(Ok(Exit::Found), |error| Err(in_context(error)))
}

/// Ends the output about failures that a green run of a branch, perhaps of a fork, or of a merge group shows to be over.
async fn settle_green_run(cause: &CompletedRun, repo: &Repo) -> ApiResult<SettledOutput> {
    let passing = cause.workflow.as_deref().map_or(PassingChecks::Unknown, PassingChecks::Workflow);
    if let Some(queue) = &cause.queue {
        return Ok(settle_merge_group(repo, queue, &cause.head, passing).await);
    }
    let (Some(head_repo), Some(branch)) = (&cause.repo, cause.branch.as_deref()) else {
        return Ok(SettledOutput::default());
    };
    let tip =
        BranchTip { repo: head_repo, branch, commit: &cause.head, passing_checks: Some(passing) };
    settle_branch(repo, tip).await
}

/// Returns the settings of the repository, with the options of this step and the request of the event.
async fn load_settings(
    workflow: &WorkflowContext,
    repo: &Repo,
    options: &CiPublishArguments,
) -> Result<RepoSettings> {
    let fetched = RepoSettings::fetch(repo).await;
    let fetched =
        fetched.map_err(|error| error.into_problem("reading the settings of the repository"))?;
    let mut settings = fetched?;
    settings.allow_tests |= options.allow_tests;
    let wants_fix = matches!(&workflow.event, WorkflowEvent::RepositoryDispatch(fetched) if fetched.wants_fix());
    Ok(if wants_fix { settings.with_fix_enabled() } else { settings })
}

/// Publishes nothing for a workflow in `ignored-workflows`.
fn report_ignored_workflow(workflow: &WorkflowContext) -> Result<Exit> {
    let mut outputs = StepOutputs::default();
    outputs.add_value("status", "none");
    outputs.write(workflow)?;
    Console::print_raw_result(
        "Nothing published: .git-mend.toml lists this workflow in ignored-workflows.\n",
    );
    Ok(Exit::Found)
}

/// Reports why nothing is published. The run is for a different commit, so the summary of this job does not show it.
fn report_rejected(reason: &SkippedOutput, workflow: &WorkflowContext) -> Result<()> {
    let mut outputs = StepOutputs::default();
    outputs.add_value("status", "error");
    outputs.write(workflow)?;
    print_skipped(reason);
    Ok(())
}

/// Reports the pull requests that were closed and the comments that were marked as outdated.
fn report_settled(settled: &SettledOutput, outputs: &mut StepOutputs) {
    for closed in &settled.pulls.changed {
        let number = format!("#{}", closed.pull.number);
        outputs.append_summary(&closing_line(&number, &closed.reason));
        Console::print_raw_result(&closing_line(&closed.pull.html_url, &closed.reason));
    }
    for outdated in &settled.comments.changed {
        let line = outdated_line(&outdated.comment.html_url, &outdated.reason);
        outputs.append_summary(&line);
        Console::print_raw_result(&line);
    }
}

/// Writes the log, the summary, the outputs of the step, and the SARIF file.
fn report_published(
    published: &PublishedRun,
    workflow: &WorkflowContext,
    run: &SavedRun,
    options: &CiPublishArguments,
    dir: &Path,
) -> Result<()> {
    let PublishedRun {
        report: story,
        context: texts,
        annotations: remarks,
        result: outputs_on_github,
    } = published;
    let mut outputs = StepOutputs::default();
    let status = match story.outcome {
        SearchOutcome::Found => "found",
        SearchOutcome::NotFound => "none",
        SearchOutcome::Flaky => "flaky",
        SearchOutcome::Incomplete => "interrupted",
        SearchOutcome::Failed(_) => "error",
    };
    outputs.add_value("status", status);
    outputs.add_value("culprit", story.culprit_commit.as_ref().map_or("", |blame| &blame.commit));
    let patch = story.fix.as_ref().map(|one| run.path().join(&one.patch.file));
    outputs.add_value("patch", patch.unwrap_or_default().to_string_lossy());
    let pull = outputs_on_github.fix_pull.as_ref().map_or("", |pull| &pull.html_url);
    outputs.add_value("pull-request", pull);
    outputs.add_value("report", texts.report_url.as_deref().unwrap_or_default());
    outputs.append_summary(&format_summary(story, texts));
    report_settled(&outputs_on_github.settled, &mut outputs);
    outputs.write(workflow)?;
    for remark in remarks.iter().take(MAX_ANNOTATIONS) {
        Console::print_raw_result(&format!("{}\n", format_workflow_command(remark)));
    }
    if let Some(pull) = &outputs_on_github.fix_pull {
        Console::print_raw_result(&format!("{}\n", pull.html_url));
    }
    for skipped_output in &outputs_on_github.skipped {
        print_skipped(skipped_output);
    }
    let Some(file) = &options.sarif else { return Ok(()) };
    let path = dir.join(file);
    let text = serde_json::to_vec_pretty(&to_sarif(remarks)).map_err(anyhow::Error::new)?;
    std::fs::write(&path, text).map_err(|error| Problem::io(error, &path))
}

fn print_skipped(output: &SkippedOutput) {
    Console::print_raw_message(&format!("skipped: {}\n", to_single_line(&output.to_string())));
}

/// Converts untrusted text to one line for the log, because a separate line could be a workflow command.
fn to_single_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
