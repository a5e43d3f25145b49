//! Operations on workflow runs.

use super::super::answer::{Answer, Handled, paginate};
use super::super::call::Call;
use super::super::objects::WorkflowRun;
use super::super::render;
use serde_json::{Value, json};

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let (web, id) = (call.state.web_url.clone(), call.number("run_id")?);
    let has_pulls = has_pulls(call);
    let repo = call.repo()?;
    let run = repo.workflow_runs.get(&id).ok_or_else(Answer::not_found)?;
    Ok(Answer::ok(&render::workflow_run(&web, &repo.name, id, run, has_pulls)))
}

fn has_pulls(call: &Call<'_>) -> bool {
    call.query.get("exclude_pull_requests").is_none_or(|is_so| is_so == "false")
}

pub(super) fn list(call: &mut Call<'_>) -> Handled {
    let (web, query, workflow) =
        (call.state.web_url.clone(), call.query.clone(), call.segment("workflow_id").to_owned());
    let is_wanted = |run: &WorkflowRun| {
        let matches_filter =
            |name: &str, is: Option<&str>| query.get(name).is_none_or(|x| is == Some(x));
        let is_workflow =
            run.workflow.to_string() == workflow || run.path.ends_with(&format!("/{workflow}"));
        // The parameter `status` filters by the status or the conclusion of a run.
        let status = matches_filter("status", Some(&run.status))
            || matches_filter("status", run.conclusion.as_deref());
        is_workflow
            && status
            && matches_filter("branch", run.branch.as_deref())
            && matches_filter("event", Some(&run.event))
            && matches_filter("head_sha", Some(&run.head))
    };
    let has_pulls = has_pulls(call);
    let repo = call.repo()?;
    let expected = repo.workflow_runs.iter().rev().filter(|(_, run)| is_wanted(run));
    let all: Vec<Value> = expected
        .map(|(id, run)| render::workflow_run(&web, &repo.name, *id, run, has_pulls))
        .collect();
    let total = all.len();
    Ok(paginate(call, all, |runs| json!({ "total_count": total, "workflow_runs": runs })))
}

/// Returns the runs of all workflows. Ignores the requested time, because all runs are newer.
pub(super) fn list_all(call: &mut Call<'_>) -> Handled {
    let (web, event) = (call.state.web_url.clone(), call.query.get("event").cloned());
    let has_pulls = has_pulls(call);
    let repo = call.repo()?;
    let is_wanted = |run: &WorkflowRun| event.as_ref().is_none_or(|event| *event == run.event);
    let expected = repo.workflow_runs.iter().rev().filter(|(_, run)| is_wanted(run));
    let all: Vec<Value> = expected
        .map(|(id, run)| render::workflow_run(&web, &repo.name, *id, run, has_pulls))
        .collect();
    let total = all.len();
    Ok(paginate(call, all, |runs| json!({ "total_count": total, "workflow_runs": runs })))
}
