//! Handles the GraphQL documents of the program, and rejects all others.

use super::access::{Need, check_permission};
use super::actor::{Access, Actor};
use super::answer::{Answer, Handled};
use super::commits::{self, Entry};
use super::repository::branch_tip;
use super::routes::guard_workflows;
use super::state::State;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use git2::{FileMode, Oid};
use mend_github::AccessLevel;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// Type and message of a GraphQL error.
type Refusal = (&'static str, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    query: String,
    variables: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variables {
    input: Input,
}

/// Input of the mutation: `CreateCommitOnBranchInput`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Input {
    branch: Branch,
    message: Message,
    expected_head_oid: String,
    #[serde(default)]
    file_changes: Changes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Branch {
    repository_name_with_owner: String,
    branch_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    headline: String,
    #[serde(default)]
    body: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changes {
    #[serde(default)]
    additions: Vec<Addition>,
    #[serde(default)]
    deletions: Vec<Deletion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Addition {
    path: String,
    contents: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deletion {
    path: String,
}

/// Returns the GraphQL documents of the program.
fn program_documents() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/github/src");
    let files = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let documents = files.filter(|path| path.extension().is_some_and(|end| end == "graphql"));
    documents.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// Returns true if a document queries the viewer.
pub(super) fn is_viewer_query(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains("viewer {")
}

/// Handles a document. GraphQL errors have the status 200 too.
pub(super) fn handle(state: &mut State, actor: Option<&Actor>, body: &[u8]) -> Handled {
    let Some(actor) = actor else {
        return Err(Answer::error(401, "This endpoint requires you to be authenticated."));
    };
    let request: Request = parse_body(state, body)?;
    if !program_documents().contains(&request.query) {
        let said = "no document of crates/github/src";
        state.errors.push(format!("GraphQL: {said}:\n{}", request.query));
        return Err(Answer::error(400, said));
    }
    if is_viewer_query(body) {
        let id = super::render::id_of(&actor.login());
        return Ok(Answer::ok(&json!({ "data": { "viewer": { "databaseId": id } } })));
    }
    if request.query.contains("branchProtectionRules") {
        return Ok(Answer::ok(&branch_protection_rules(state, actor, &request.variables)));
    }
    let variables = serde_json::to_vec(&request.variables).unwrap();
    let Variables { input } = parse_body(state, &variables)?;
    let name = "createCommitOnBranch";
    Ok(Answer::ok(&match create_commit_on_branch(state, actor, &input) {
        Ok(id) => json!({ "data": { name: { "commit": { "oid": id.to_string() } } } }),
        Err((kind, message)) => json!({
            "data": { name: null },
            "errors": [{ "type": kind, "path": [name], "message": message }],
        }),
    }))
}

/// Returns the classic protection rules. Accounts that are no administrators see none.
fn branch_protection_rules(state: &State, actor: &Actor, variables: &Value) -> Value {
    let [owner, name] = ["owner", "name"].map(|key| variables[key].as_str().unwrap());
    let is_admin = matches!(actor, Actor::User(login) if state.users[login] == Access::Admin);
    let rules = state.repos[&format!("{owner}/{name}")].protected_patterns.iter().enumerate();
    let node = |(number, pattern): (usize, &String)| {
        json!({ "databaseId": number, "pattern": pattern, "blocksCreations": true, "restrictsPushes": true,
            "lockBranch": false })
    };
    let nodes: Vec<Value> = rules.filter(|_| is_admin).map(node).collect();
    json!({ "data": { "repository": { "branchProtectionRules": { "nodes": nodes } } } })
}

fn parse_body<T: serde::de::DeserializeOwned>(state: &mut State, body: &[u8]) -> Result<T, Answer> {
    serde_json::from_slice(body).map_err(|error| {
        state.errors.push(format!("GraphQL: {error}: {}", String::from_utf8_lossy(body)));
        Answer::error(400, "Problems parsing JSON")
    })
}

fn create_commit_on_branch(
    state: &mut State,
    actor: &Actor,
    input: &Input,
) -> Result<Oid, Refusal> {
    let name = &input.branch.repository_name_with_owner;
    let requirement = Need::Repo(&["contents"], AccessLevel::Write);
    let forbidden = |answer: &Answer| match answer.status {
        404 => ("NOT_FOUND", format!("Could not resolve to a Repository with the name '{name}'.")),
        _ => ("FORBIDDEN", answer.json_body()["message"].as_str().unwrap().to_owned()),
    };
    check_permission(state, Some(actor), requirement, Some(name))
        .map_err(|answer| forbidden(&answer))?;
    let changes = &input.file_changes;
    let deletions = changes.deletions.iter().map(|one| one.path.as_str());
    let paths = changes.additions.iter().map(|one| one.path.as_str()).chain(deletions);
    guard_workflows(actor, paths).map_err(|answer| forbidden(&answer))?;
    let now = state.next_time();
    let repo = state.repos.get_mut(name).unwrap();
    let git = repo.git();
    let branch = &input.branch.branch_name;
    let branch_tip = branch_tip(&git, branch)
        .ok_or_else(|| ("NOT_FOUND", format!("No such branch {branch}")))?;
    if branch_tip.to_string() != input.expected_head_oid {
        let said = format!(
            "Expected branch to point to \"{branch_tip}\" but it did not. Pull and try again."
        );
        return Err(("STALE_DATA", said));
    }
    let base = git.find_commit(branch_tip).unwrap().tree().unwrap();
    let entries = entries(&git, changes)?;
    let tree = commits::write_tree(&git, &base, &entries).map_err(|path| {
        let said = "A path was requested for deletion which does not exist as of commit oid";
        ("UNPROCESSABLE", format!("{said} `{branch_tip}`: {path}"))
    })?;
    let message = match input.message.body.as_deref() {
        Some(body) if !body.is_empty() => format!("{}\n\n{body}", input.message.headline),
        _ => input.message.headline.clone(),
    };
    let people = (&commits::signature(actor, now), &commits::github_signature(now));
    let commit_id = commits::create_commit(&git, people, &message, tree, &[branch_tip]).unwrap();
    git.reference(&format!("refs/heads/{branch}"), commit_id, true, "").unwrap();
    repo.signed_commits.insert(commit_id);
    Ok(commit_id)
}

/// Converts file changes to tree entries. The mutation has no file modes, so every written file becomes a regular file.
fn entries(git: &git2::Repository, changes: &Changes) -> Result<Vec<Entry>, Refusal> {
    let invalid_base64 = |_| ("UNPROCESSABLE", "contents is not valid Base64".to_owned());
    let mut all = Vec::new();
    for one in &changes.additions {
        let content = git.blob(&BASE64.decode(&one.contents).map_err(invalid_base64)?).unwrap();
        all.push(Entry { path: one.path.clone(), new_content: Some((content, FileMode::Blob)) });
    }
    let deleted = changes.deletions.iter();
    all.extend(deleted.map(|one| Entry { path: one.path.clone(), new_content: None }));
    Ok(all)
}
