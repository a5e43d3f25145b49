//! Operations on git objects: blobs, trees and commits.

use super::super::actor::{Actor, has_permission};
use super::super::answer::{Answer, Handled};
use super::super::call::Call;
use super::super::commits::{self, Entry};
use super::super::render;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use git2::{FileMode, ObjectType, Oid, Repository, Tree};
use mend_github::AccessLevel;
use serde_json::{Value, json};

pub(super) fn get_tree(call: &mut Call<'_>) -> Handled {
    let text = call.segment("tree_sha").to_owned();
    let is_recursive = call.query.contains_key("recursive");
    let git = call.repo()?.git();
    let object = git.revparse_single(&text).map_err(|_| Answer::not_found())?;
    let tree = object.peel_to_tree().map_err(|_| Answer::not_found())?;
    let entries = list_tree(&git, &tree, "", is_recursive);
    let sha = tree.id().to_string();
    Ok(Answer::ok(&json!({ "sha": sha, "tree": entries, "truncated": false })))
}

fn list_tree(git: &Repository, tree: &Tree<'_>, under: &str, is_recursive: bool) -> Vec<Value> {
    let mut all = Vec::new();
    for entry in tree {
        let path = format!("{under}{}", entry.name().unwrap());
        let kind = entry.kind().unwrap();
        let mode = format!("{:06o}", entry.filemode());
        let sha = entry.id().to_string();
        all.push(json!({ "path": path, "mode": mode, "type": kind.str(), "sha": sha }));
        if is_recursive && kind == ObjectType::Tree {
            let inner = git.find_tree(entry.id()).unwrap();
            all.extend(list_tree(git, &inner, &format!("{path}/"), true));
        }
    }
    all
}

pub(super) fn get_blob(call: &mut Call<'_>) -> Handled {
    let id = Oid::from_str(call.segment("file_sha")).map_err(|_| Answer::not_found())?;
    let git = call.repo()?.git();
    let blob = git.find_blob(id).map_err(|_| Answer::not_found())?;
    let text = BASE64.encode(blob.content());
    // GitHub wraps the lines.
    let lines: Vec<&str> = (0..text.len()).step_by(60).map(|at| wrapped_line(&text, at)).collect();
    let (content, size) = (lines.concat(), blob.content().len());
    let sha = id.to_string();
    Ok(Answer::ok(&json!({ "content": content, "encoding": "base64", "sha": sha, "size": size })))
}

fn wrapped_line(text: &str, at: usize) -> &str {
    &text[at..text.len().min(at + 60)]
}

pub(super) fn create_blob(call: &mut Call<'_>) -> Handled {
    let text = call.text("content").unwrap();
    let content = match call.text("encoding").as_deref() {
        Some("base64") => {
            BASE64.decode(text).map_err(|_| unprocessable("content is not valid Base64"))?
        }
        _ => text.into_bytes(),
    };
    let id = call.repo()?.git().blob(&content).unwrap().to_string();
    Ok(Answer::created(&json!({ "sha": id, "url": format!("{}/{id}", call.address) })))
}

pub(super) fn create_tree(call: &mut Call<'_>) -> Handled {
    let requested_entries = call.body["tree"].as_array().unwrap().clone();
    let author = call.author()?;
    let base = call.text("base_tree").map(|text| Oid::from_str(&text));
    let git = call.repo()?.git();
    let base = match base {
        Some(id) => id.and_then(|id| git.find_object(id, None)?.peel_to_tree()),
        None => git.treebuilder(None).and_then(|empty| git.find_tree(empty.write()?)),
    };
    let base = base.map_err(|_| unprocessable("base_tree is not a tree"))?;
    let entries: Result<Vec<Entry>, Answer> =
        requested_entries.iter().map(|one| parse_entry(&git, one)).collect();
    let entries = entries?;
    guard_workflows(&author, entries.iter().map(|entry| entry.path.as_str()))?;
    let tree_id = commits::write_tree(&git, &base, &entries)
        .map_err(|_| unprocessable("GitRPC::BadObjectState"))?;
    let tree = git.find_tree(tree_id).unwrap();
    let (sha, tree) = (tree_id.to_string(), list_tree(&git, &tree, "", false));
    Ok(Answer::created(&json!({ "sha": sha, "tree": tree, "truncated": false })))
}

/// Rejects changes of workflow files by Apps without the permission for workflows.
pub(crate) fn guard_workflows<'a>(
    actor: &Actor,
    mut paths: impl Iterator<Item = &'a str>,
) -> Result<(), Answer> {
    let permissions = match actor {
        Actor::Actions { permissions, .. } | Actor::Installation { permissions, .. } => permissions,
        Actor::User(_) | Actor::App(_) => return Ok(()),
    };
    let is_forbidden = paths.any(|path| path.starts_with(".github/workflows/"))
        && !has_permission(permissions, "workflows", AccessLevel::Write);
    let message = "Resource not accessible by integration";
    if is_forbidden { Err(Answer::error(403, message)) } else { Ok(()) }
}

fn parse_entry(git: &Repository, given: &Value) -> Result<Entry, Answer> {
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let path = text("path").ok_or_else(|| unprocessable("tree.path is missing"))?.to_owned();
    let mode = match text("mode") {
        Some("100755") => FileMode::BlobExecutable,
        Some("120000") => FileMode::Link,
        Some("160000") => FileMode::Commit,
        Some("040000") => FileMode::Tree,
        _ => FileMode::Blob,
    };
    let content = match (text("sha"), text("content")) {
        (Some(_), Some(_)) => {
            return Err(unprocessable("tree.sha and tree.content are both given"));
        }
        (Some(sha), None) => {
            Some(Oid::from_str(sha).map_err(|_| unprocessable("tree.sha is not a sha"))?)
        }
        (None, Some(content)) => Some(git.blob(content.as_bytes()).unwrap()),
        (None, None) => None,
    };
    let exists =
        content.is_none_or(|id| mode == FileMode::Commit || git.find_object(id, None).is_ok());
    if !exists {
        return Err(unprocessable("tree.sha is not an object of the repository"));
    }
    Ok(Entry { path, new_content: content.map(|id| (id, mode)) })
}

pub(super) fn create_commit(call: &mut Call<'_>) -> Handled {
    let (actor, now) = (call.author()?, call.state.next_time());
    let message = call.text("message").unwrap();
    let id = |value: &Value| {
        Oid::from_str(value.as_str().unwrap()).map_err(|_| unprocessable("not a sha"))
    };
    let tree = id(&call.body["tree"])?;
    let parents = call.body["parents"].as_array().cloned().unwrap_or_default();
    let parents: Result<Vec<Oid>, Answer> = parents.iter().map(id).collect();
    let signature = |name: &str| {
        let person = call.body.get(name)?;
        let text = |field: &str| person[field].as_str().unwrap();
        let time = git2::Time::new(now.as_second(), 0);
        Some(git2::Signature::new(text("name"), text("email"), &time).unwrap())
    };
    let is_own = signature("author").is_none() && signature("committer").is_none();
    let author = signature("author").unwrap_or_else(|| commits::signature(&actor, now));
    let committer = signature("committer").unwrap_or_else(|| author.clone());
    let web = call.state.web_url.clone();
    let repo = call.repo()?;
    let commit_id =
        commits::create_commit(&repo.git(), (&author, &committer), &message, tree, &parents?)?;
    // GitHub signs commits of bots with their own author.
    if actor.is_bot() && is_own {
        repo.signed_commits.insert(commit_id);
    }
    let rendered = render::commit(&web, repo, commit_id)?;
    let mut answer = rendered["commit"].clone();
    answer["sha"] = json!(commit_id.to_string());
    answer["parents"] = rendered["parents"].clone();
    answer["html_url"] = rendered["html_url"].clone();
    Ok(Answer::created(&answer))
}

fn unprocessable(said: &str) -> Answer {
    Answer::error(422, said)
}
