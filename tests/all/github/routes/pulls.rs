//! Operations on pull requests.

use super::super::actor::Actor;
use super::super::answer::{Answer, Handled, paginate};
use super::super::call::Call;
use super::super::commits::resolve;
use super::super::objects::{FakePullState, Pull};
use super::super::render;
use super::super::repository::{Repository, branch_tip};
use git2::Oid;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn list(call: &mut Call<'_>) -> Handled {
    let query = call.query.clone();
    let is_wanted = |pull: &&Pull| {
        let is_open = pull.state == FakePullState::Open;
        let state = match query.get("state").map_or("open", String::as_str) {
            "open" => is_open,
            "closed" => !is_open,
            _ => true,
        };
        let owner = pull.head_repo.split_once('/').unwrap().0;
        let label = format!("{owner}:{}", pull.head_branch);
        state
            && query.get("head").is_none_or(|head| *head == label)
            && query.get("base").is_none_or(|base| *base == pull.base_branch)
    };
    let web = call.state.web_url.clone();
    let repo = call.repo()?;
    let expected = repo.pulls.values().rev().filter(is_wanted);
    let all = expected.map(|pull| render::pull(&web, &repo.name, pull)).collect();
    Ok(paginate(call, all, Value::Array))
}

pub(super) fn list_for_commit(call: &mut Call<'_>) -> Handled {
    let (web, text) = (call.state.web_url.clone(), call.segment("commit_sha").to_owned());
    let repo = call.repo()?;
    let git = repo.git();
    let message = format!("No commit found for SHA: {text}");
    let id = resolve(&git, &text).ok_or_else(|| Answer::error(422, &message))?;
    let has = |pull: &&Pull| {
        let end = |text: &str| Oid::from_str(text).unwrap();
        let (head, base) = (end(&pull.head), end(&pull.base));
        let has = |end: Oid| end == id || git.graph_descendant_of(end, id).unwrap();
        has(head) && (pull.state == FakePullState::Merged || !has(base))
    };
    let all = repo.pulls.values().filter(has);
    let all = all.map(|pull| render::pull(&web, &repo.name, pull)).collect();
    Ok(paginate(call, all, Value::Array))
}

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let number = call.number("pull_number")?;
    let pull = call.repo()?.pulls.get(number).cloned().ok_or_else(Answer::not_found)?;
    Ok(pull_answer(call, 200, &pull))
}

pub(super) fn create(call: &mut Call<'_>) -> Handled {
    let author = call.author()?;
    let (head, base) = (call.text("head").unwrap(), call.text("base").unwrap());
    let created_at = call.state.next_time().to_string();
    let title = call.text("title").unwrap_or_default();
    let body = call.text("body").unwrap_or_default();
    let is_draft = call.body["draft"].as_bool().unwrap_or(false);
    let repo = call.repo()?;
    if matches!(author, Actor::Actions { .. }) && !repo.allows_pulls_by_actions {
        let message = "GitHub Actions is not permitted to create or approve pull requests.";
        return Err(Answer::error(403, message));
    }
    let own = format!("{}:", repo.owner());
    let branch = head.strip_prefix(&own).unwrap_or(&head).to_owned();
    let (head, base_at) = resolve_endpoints(repo, &branch, &base)?;
    let number = repo.next_pull_number();
    let pull = Pull {
        number,
        author: author.login(),
        title,
        body,
        state: FakePullState::Open,
        is_draft,
        labels: BTreeSet::new(),
        head_repo: repo.name.clone(),
        head_branch: branch,
        head: head.to_string(),
        base_branch: base,
        base: base_at.to_string(),
        merge_commit: None,
        created_at,
    };
    repo.pulls.add_unread(number, pull.clone());
    Ok(pull_answer(call, 201, &pull))
}

/// Returns the head and base commits, if a pull request between them is possible.
fn resolve_endpoints(repo: &Repository, head: &str, base: &str) -> Result<(Oid, Oid), Answer> {
    let git = repo.git();
    let refuse = |error: Value| Answer::validation_error(&json!([error]));
    let missing = |field: &str| {
        refuse(json!({ "resource": "PullRequest", "field": field, "code": "invalid" }))
    };
    let custom = |message: String| {
        refuse(json!({ "resource": "PullRequest", "code": "custom", "message": message }))
    };
    let from = branch_tip(&git, head).ok_or_else(|| missing("head"))?;
    let to = branch_tip(&git, base).ok_or_else(|| missing("base"))?;
    let is_same_pull = |pull: &Pull| {
        pull.state == FakePullState::Open
            && (pull.head_branch.as_str(), pull.base_branch.as_str()) == (head, base)
            && pull.head_repo == repo.name
    };
    if repo.pulls.values().any(is_same_pull) {
        let name = format!("{}:{head}", repo.owner());
        return Err(custom(format!("A pull request already exists for {name}.")));
    }
    if git.merge_base(from, to).is_err() {
        let said = format!("The {base} branch has no history in common with {head}");
        return Err(custom(said));
    }
    if from == to || git.graph_descendant_of(to, from).unwrap() {
        return Err(custom(format!("No commits between {base} and {head}")));
    }
    Ok((from, to))
}

pub(super) fn update(call: &mut Call<'_>) -> Handled {
    let number = call.number("pull_number")?;
    let (title, body) = (call.text("title"), call.text("body"));
    let standing = call.text("state").map(|state| match state.as_str() {
        "open" => FakePullState::Open,
        _ => FakePullState::Closed,
    });
    let pull = call.repo()?.pulls.get_unread_mut(number).ok_or_else(Answer::not_found)?;
    pull.title = title.unwrap_or_else(|| pull.title.clone());
    pull.body = body.unwrap_or_else(|| pull.body.clone());
    if pull.state != FakePullState::Merged {
        pull.state = standing.unwrap_or(pull.state);
    }
    let pull = pull.clone();
    Ok(pull_answer(call, 200, &pull))
}

pub(super) fn add_labels(call: &mut Call<'_>) -> Handled {
    let number = call.number("issue_number")?;
    let labels_json = match &call.body["labels"] {
        Value::Array(labels_json) => labels_json.clone(),
        _ => return Err(Answer::error(422, "labels are missing")),
    };
    let pull = call.repo()?.pulls.get_unread_mut(number).ok_or_else(Answer::not_found)?;
    let name = |label: &Value| label.as_str().or(label["name"].as_str()).map(str::to_owned);
    pull.labels.extend(labels_json.iter().filter_map(name));
    let label = |name: &String| json!({ "name": name, "color": "ededed", "default": false });
    let labels: Vec<Value> = pull.labels.iter().map(label).collect();
    Ok(Answer::ok(&Value::Array(labels)))
}

fn pull_answer(call: &Call<'_>, status: u16, pull: &Pull) -> Answer {
    let repo = call.repo_name().unwrap();
    Answer::json(status, &render::pull(&call.state.web_url, &repo, pull))
}
