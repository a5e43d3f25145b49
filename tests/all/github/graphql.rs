//! GraphQL: the documents that the program has, and no others.

use super::access::{Need, check};
use super::actor::Actor;
use super::answer::{Answer, Handled};
use super::commits::{self, Entry};
use super::repository::tip;
use super::routes::guard_workflows;
use super::state::State;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use git2::{FileMode, Oid};
use mend_github::AccessLevel;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// A refusal: its type and its words.
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

/// `CreateCommitOnBranchInput`
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

/// The documents of the program, by file.
fn documents() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/github/src");
    let files = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let documents = files.filter(|path| path.extension().is_some_and(|end| end == "graphql"));
    documents.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// Returns true if a document queries the viewer.
pub(super) fn is_viewer(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains("viewer {")
}

/// Answers a document; it is done or refused with 200 all the same.
pub(super) fn handle(state: &mut State, actor: Option<&Actor>, body: &[u8]) -> Handled {
    let Some(actor) = actor else {
        return Err(Answer::refused(401, "This endpoint requires you to be authenticated."));
    };
    let request: Request = understood(state, body)?;
    if !documents().contains(&request.query) {
        let said = "no document of crates/github/src";
        state.wrong.push(format!("GraphQL: {said}:\n{}", request.query));
        return Err(Answer::refused(400, said));
    }
    if is_viewer(body) {
        let id = super::render::id_of(&actor.login());
        return Ok(Answer::ok(&json!({ "data": { "viewer": { "databaseId": id } } })));
    }
    let variables = serde_json::to_vec(&request.variables).unwrap();
    let Variables { input } = understood(state, &variables)?;
    let name = "createCommitOnBranch";
    Ok(Answer::ok(&match commit(state, actor, &input) {
        Ok(id) => json!({ "data": { name: { "commit": { "oid": id.to_string() } } } }),
        Err((kind, message)) => json!({
            "data": { name: null },
            "errors": [{ "type": kind, "path": [name], "message": message }],
        }),
    }))
}

fn understood<T: serde::de::DeserializeOwned>(state: &mut State, body: &[u8]) -> Result<T, Answer> {
    serde_json::from_slice(body).map_err(|error| {
        state.wrong.push(format!("GraphQL: {error}: {}", String::from_utf8_lossy(body)));
        Answer::refused(400, "Problems parsing JSON")
    })
}

fn commit(state: &mut State, actor: &Actor, input: &Input) -> Result<Oid, Refusal> {
    let name = &input.branch.repository_name_with_owner;
    let need = Need::Repo(&["contents"], AccessLevel::Write);
    let forbidden = |answer: &Answer| match answer.status {
        404 => ("NOT_FOUND", format!("Could not resolve to a Repository with the name '{name}'.")),
        _ => ("FORBIDDEN", answer.value()["message"].as_str().unwrap().to_owned()),
    };
    check(state, Some(actor), need, Some(name)).map_err(|answer| forbidden(&answer))?;
    let changes = &input.file_changes;
    let deletions = changes.deletions.iter().map(|one| one.path.as_str());
    let paths = changes.additions.iter().map(|one| one.path.as_str()).chain(deletions);
    guard_workflows(actor, paths).map_err(|answer| forbidden(&answer))?;
    let now = state.now();
    let repo = state.repos.get_mut(name).unwrap();
    let git = repo.git();
    let branch = &input.branch.branch_name;
    let at = tip(&git, branch).ok_or_else(|| ("NOT_FOUND", format!("No such branch {branch}")))?;
    if at.to_string() != input.expected_head_oid {
        let said =
            format!("Expected branch to point to \"{at}\" but it did not. Pull and try again.");
        return Err(("STALE_DATA", said));
    }
    let base = git.find_commit(at).unwrap().tree().unwrap();
    let entries = entries(&git, changes)?;
    let tree = commits::changed(&git, &base, &entries).map_err(|path| {
        let said = "A path was requested for deletion which does not exist as of commit oid";
        ("UNPROCESSABLE", format!("{said} `{at}`: {path}"))
    })?;
    let message = match input.message.body.as_deref() {
        Some(body) if !body.is_empty() => format!("{}\n\n{body}", input.message.headline),
        _ => input.message.headline.clone(),
    };
    let people = (&commits::signature(actor, now), &commits::github(now));
    let made = commits::create_commit(&git, people, &message, tree, &[at]).unwrap();
    git.reference(&format!("refs/heads/{branch}"), made, true, "").unwrap();
    repo.signed.insert(made);
    Ok(made)
}

/// Files that are set become plain files whatever they were: the mutation knows no modes.
fn entries(git: &git2::Repository, changes: &Changes) -> Result<Vec<Entry>, Refusal> {
    let bad = |_| ("UNPROCESSABLE", "contents is not valid Base64".to_owned());
    let mut all = Vec::new();
    for one in &changes.additions {
        let content = git.blob(&BASE64.decode(&one.contents).map_err(bad)?).unwrap();
        all.push(Entry { path: one.path.clone(), becomes: Some((content, FileMode::Blob)) });
    }
    let gone = changes.deletions.iter();
    all.extend(gone.map(|one| Entry { path: one.path.clone(), becomes: None }));
    Ok(all)
}
