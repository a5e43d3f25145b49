//! Operations on check runs.

use super::super::answer::{Answer, Handled, paginate};
use super::super::call::Call;
use super::super::commits::resolve;
use super::super::objects::CheckRun;
use super::super::render;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn create(call: &mut Call<'_>) -> Handled {
    let app = call.author()?.app().unwrap();
    let (id, created_at) = (call.state.next_number(), call.state.next_time().to_string());
    let head = call.text("head_sha").unwrap();
    let mut run = CheckRun {
        id,
        name: call.text("name").unwrap(),
        head: head.clone(),
        status: "queued".to_owned(),
        statuses: Vec::new(),
        started_at: None,
        conclusion: None,
        external_id: None,
        details_url: None,
        title: String::new(),
        summary: String::new(),
        annotations: Vec::new(),
        actions: None,
        app,
        created_at,
    };
    apply_changes(&mut run, &call.body)?;
    let repo = call.repo()?;
    let message = format!("No commit found for SHA: {head}");
    resolve(&repo.git(), &head).ok_or_else(|| Answer::error(422, &message))?;
    repo.check_runs.add_unread(id, run.clone());
    Ok(check_run_answer(call, 201, &run))
}

pub(super) fn update(call: &mut Call<'_>) -> Handled {
    let app = call.author()?.app().unwrap();
    let (id, body) = (call.number("check_run_id")?, call.body.clone());
    let runs = &mut call.repo()?.check_runs;
    let mut run = runs.get(id).cloned().ok_or_else(Answer::not_found)?;
    if run.app != app {
        let message =
            "Invalid app_id - check run can only be modified by the GitHub App that created it.";
        return Err(Answer::error(403, message));
    }
    apply_changes(&mut run, &body)?;
    *runs.get_unread_mut(id).unwrap() = run.clone();
    Ok(check_run_answer(call, 200, &run))
}

fn apply_changes(run: &mut CheckRun, body: &Value) -> Result<(), Answer> {
    let text = |from: &Value, name: &str| from.get(name).and_then(Value::as_str).map(str::to_owned);
    let conclusion = text(body, "conclusion");
    let status = text(body, "status");
    if status.as_deref() == Some("completed") && conclusion.is_none() {
        return Err(Answer::error(422, "Invalid request.\n\nMissing conclusion."));
    }
    if conclusion.as_deref() == Some("stale") {
        return Err(Answer::error(422, "Invalid conclusion: only GitHub makes a check run stale"));
    }
    if conclusion.is_some() {
        "completed".clone_into(&mut run.status);
        run.conclusion = conclusion;
    } else if let Some(status) = status {
        run.status = status;
        run.conclusion = None;
    }
    if run.statuses.last() != Some(&run.status) {
        run.statuses.push(run.status.clone());
    }
    if let Some(actions) = body["actions"].as_array() {
        run.actions = actions.iter().map(|action| text(action, "identifier")).collect();
    }
    run.started_at = text(body, "started_at").or_else(|| run.started_at.take());
    run.name = text(body, "name").unwrap_or_else(|| run.name.clone());
    run.external_id = text(body, "external_id").or_else(|| run.external_id.take());
    run.details_url = text(body, "details_url").or_else(|| run.details_url.take());
    if let Some(output) = body.get("output") {
        run.title = text(output, "title").unwrap_or_else(|| run.title.clone());
        run.summary = text(output, "summary").unwrap_or_else(|| run.summary.clone());
        run.annotations.extend(output["annotations"].as_array().cloned().unwrap_or_default());
    }
    Ok(())
}

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let id = call.number("check_run_id")?;
    let run = call.repo()?.check_runs.get(id).cloned().ok_or_else(Answer::not_found)?;
    Ok(check_run_answer(call, 200, &run))
}

pub(super) fn annotations(call: &mut Call<'_>) -> Handled {
    let id = call.number("check_run_id")?;
    let run = call.repo()?.check_runs.get(id).cloned().ok_or_else(Answer::not_found)?;
    Ok(paginate(call, run.annotations, Value::Array))
}

pub(super) fn list(call: &mut Call<'_>) -> Handled {
    let (web, query, text) =
        (call.state.web_url.clone(), call.query.clone(), call.segment("ref").to_owned());
    let repo = call.repo()?;
    let message = format!("No commit found for SHA: {text}");
    let id = resolve(&repo.git(), &text).ok_or_else(|| Answer::error(422, &message))?.to_string();
    let is_wanted = |run: &&CheckRun| {
        run.head == id
            && query.get("check_name").is_none_or(|name| *name == run.name)
            && query.get("status").is_none_or(|status| *status == run.status)
    };
    // By default, GitHub lists only the newest run of each name.
    let wants_all = query.get("filter").is_some_and(|filter| filter == "all");
    let mut seen_names = BTreeSet::new();
    let newest = repo.check_runs.values().rev().filter(is_wanted);
    let newest = newest.filter(|run| seen_names.insert((run.app.0, run.name.clone())) || wants_all);
    let all: Vec<Value> = newest.map(|run| render::check_run(&web, &repo.name, run)).collect();
    let total = all.len();
    Ok(paginate(call, all, |runs| json!({ "total_count": total, "check_runs": runs })))
}

fn check_run_answer(call: &Call<'_>, status: u16, run: &CheckRun) -> Answer {
    let repo = call.repo_name().unwrap();
    Answer::json(status, &render::check_run(&call.state.web_url, &repo, run))
}
