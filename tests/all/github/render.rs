//! Renders objects in GitHub's JSON format.

use super::answer::Answer;
use super::objects::{CheckRun, Comment, FakePullState, Pull, Review, WorkflowRun};
use super::repository::Repository;
use git2::Oid;
use jiff::Timestamp;
use serde_json::{Value, json};

pub(super) fn user(web: &str, login: &str) -> Value {
    let (kind, page) = match login.strip_suffix("[bot]") {
        Some(app) => ("Bot", format!("{web}/apps/{app}")),
        None => ("User", format!("{web}/{login}")),
    };
    json!({
        "login": login, "id": id_of(login), "type": kind, "site_admin": false, "html_url": page,
    })
}

/// Returns a number that is determined by a name.
pub(super) fn id_of(name: &str) -> u64 {
    name.bytes().fold(7, |sum, byte| (sum * 31 + u64::from(byte)) % 100_000_007)
}

/// Returns the address that GitHub uses for commits of users with a private address.
pub(super) fn email(login: &str) -> String {
    format!("{}+{login}@users.noreply.github.com", id_of(login))
}

pub(super) fn repo(web: &str, repo: &Repository) -> Value {
    let (owner, short) = repo.name.split_once('/').unwrap();
    json!({
        "id": id_of(&repo.name), "name": short, "full_name": repo.name, "private": repo.is_private,
        "owner": user(web, owner), "html_url": format!("{web}/{}", repo.name), "fork": false,
        "clone_url": format!("{web}/{}.git", repo.name), "default_branch": repo.default_branch(),
    })
}

/// Returns the part of a repository that other objects contain.
fn brief_repo(web: &str, name: &str) -> Value {
    let (owner, short) = name.split_once('/').unwrap();
    json!({
        "id": id_of(name), "name": short, "full_name": name, "owner": user(web, owner),
        "html_url": format!("{web}/{name}"), "clone_url": format!("{web}/{name}.git"),
    })
}

pub(super) fn pull(web: &str, repo: &str, pull: &Pull) -> Value {
    let state = if pull.state == FakePullState::Open { "open" } else { "closed" };
    let merged_at = (pull.state == FakePullState::Merged).then_some(&pull.created_at);
    let labels = pull.labels.iter().map(|name| json!({ "name": name }));
    let owner = |name: &str| name.split_once('/').unwrap().0.to_owned();
    json!({
        "id": pull.number + 500, "number": pull.number, "state": state, "title": pull.title,
        "body": pull.body, "draft": pull.is_draft, "user": user(web, &pull.author),
        "html_url": format!("{web}/{repo}/pull/{}", pull.number),
        "created_at": pull.created_at, "updated_at": pull.created_at, "merged_at": merged_at,
        "merge_commit_sha": pull.merge_commit,
        "labels": labels.collect::<Vec<_>>(),
        "head": {
            "label": format!("{}:{}", owner(&pull.head_repo), pull.head_branch),
            "ref": pull.head_branch, "sha": pull.head, "repo": brief_repo(web, &pull.head_repo),
        },
        "base": {
            "label": format!("{}:{}", owner(repo), pull.base_branch),
            "ref": pull.base_branch, "sha": pull.base, "repo": brief_repo(web, repo),
        },
    })
}

pub(super) fn comment(web: &str, repo: &str, one: &Comment) -> Value {
    json!({
        "id": one.id, "body": one.body, "user": user(web, &one.author),
        "html_url": format!("{web}/{repo}/pull/{}#issuecomment-{}", one.pull, one.id),
        "issue_url": format!("{web}/api/v3/repos/{repo}/issues/{}", one.pull),
        "created_at": one.created_at, "updated_at": one.updated_at,
    })
}

pub(super) fn check_run(web: &str, repo: &str, run: &CheckRun) -> Value {
    json!({
        "id": run.id, "name": run.name, "head_sha": run.head, "status": run.status,
        "conclusion": run.conclusion, "external_id": run.external_id, "details_url": run.details_url,
        "html_url": format!("{web}/{repo}/runs/{}", run.id), "started_at": run.started_at.as_ref().unwrap_or(&run.created_at),
        "output": {
            "title": run.title, "summary": run.summary, "annotations_count": run.annotations.len(),
        },
        "app": { "id": run.app.0, "slug": run.app.1, "name": run.app.1 },
    })
}

pub(super) fn review(web: &str, repo: &str, review: &Review) -> Value {
    let state = match review.event.as_str() {
        "APPROVE" => "APPROVED",
        "REQUEST_CHANGES" => "CHANGES_REQUESTED",
        _ => "COMMENTED",
    };
    let page = format!("{web}/{repo}/pull/{}#pullrequestreview-{}", review.pull, review.id);
    json!({
        "id": review.id, "body": review.body, "state": state, "commit_id": review.commit,
        "user": user(web, &review.author), "html_url": page, "submitted_at": review.created_at,
    })
}

pub(super) fn workflow_run(
    web: &str,
    repo: &str,
    id: u64,
    run: &WorkflowRun,
    has_pulls: bool,
) -> Value {
    let pulls = run.pulls.iter().filter(|_| has_pulls).map(|number| json!({ "number": number }));
    json!({
        "id": id, "workflow_id": run.workflow, "name": "Tests", "path": run.path,
        "head_sha": run.head, "head_branch": run.branch, "event": run.event,
        "display_title": run.title,
        "status": run.status, "conclusion": run.conclusion, "run_number": id, "run_attempt": 1,
        "html_url": format!("{web}/{repo}/actions/runs/{id}"),
        "repository": brief_repo(web, repo), "pull_requests": pulls.collect::<Vec<_>>(),
        "head_repository": brief_repo(web, run.head_repo.as_deref().unwrap_or(repo)),
    })
}

pub(super) fn commit(web: &str, repo: &Repository, id: Oid) -> Result<Value, Answer> {
    let git = repo.git();
    let message = format!("No commit found for SHA: {id}");
    let commit_object = git.find_commit(id).map_err(|_| Answer::error(422, &message))?;
    let account = |who: &git2::Signature<'_>| account_of(who).map(|login| user(web, &login));
    let page = |id: Oid| format!("{web}/{}/commit/{id}", repo.name);
    let parents =
        commit_object.parent_ids().map(|id| json!({ "sha": id.to_string(), "html_url": page(id) }));
    let is_signed = repo.signed_commits.contains(&id);
    Ok(json!({
        "sha": id.to_string(), "html_url": page(id), "parents": parents.collect::<Vec<_>>(),
        "author": account(&commit_object.author()), "committer": account(&commit_object.committer()),
        "commit": {
            "message": commit_object.message().unwrap(), "tree": { "sha": commit_object.tree_id().to_string() },
            "author": signature(&commit_object.author()), "committer": signature(&commit_object.committer()),
            "verification": {
                "verified": is_signed, "reason": if is_signed { "valid" } else { "unsigned" },
            },
        },
    }))
}

/// Returns the account of a commit's author.
fn account_of(signature: &git2::Signature<'_>) -> Option<String> {
    let email = signature.email().unwrap();
    let name = email.strip_suffix("@users.noreply.github.com")?;
    Some(name.split_once('+').map_or(name, |(_, login)| login).to_owned())
}

pub(super) fn signature(git_signature: &git2::Signature<'_>) -> Value {
    let date = Timestamp::from_second(git_signature.when().seconds()).unwrap();
    json!({ "name": git_signature.name().unwrap(), "email": git_signature.email().unwrap(), "date": date.to_string() })
}

/// Renders a git reference.
pub(super) fn reference(name: &str, id: Oid) -> Value {
    json!({ "ref": name, "object": { "type": "commit", "sha": id.to_string() } })
}
