//! Operations on comments of pull requests.

use super::super::answer::{Answer, Handled, paginate};
use super::super::call::Call;
use super::super::objects::Comment;
use super::super::render;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Maximum length of a comment on GitHub, in characters.
const MAX_COMMENT_LENGTH: usize = 65_536;

fn check_length(body: &str) -> Result<(), Answer> {
    let message = format!("body is too long (maximum is {MAX_COMMENT_LENGTH} characters)");
    let error = json!([{ "resource": "IssueComment", "code": "unprocessable", "field": "data",
        "message": message }]);
    if body.chars().count() > MAX_COMMENT_LENGTH {
        Err(Answer::validation_error(&error))
    } else {
        Ok(())
    }
}

pub(super) fn list(call: &mut Call<'_>) -> Handled {
    let (web, pull) = (call.state.web_url.clone(), call.number("issue_number")?);
    let repo = call.repo()?;
    repo.pulls.get(pull).ok_or_else(Answer::not_found)?;
    let all = repo.comments.values().filter(|comment| comment.pull == pull);
    let all = all.map(|comment| render::comment(&web, &repo.name, comment)).collect();
    Ok(paginate(call, all, Value::Array))
}

/// Lists the comments of the repository. Serves only the order that the program uses.
pub(super) fn list_all(call: &mut Call<'_>) -> Handled {
    let web = call.state.web_url.clone();
    let order = ["sort", "direction"].map(|name| call.query.get(name).map(String::as_str));
    assert_eq!(order, [Some("updated"), Some("desc")]);
    let repo = call.repo()?;
    let mut all: Vec<&Comment> = repo.comments.values().collect();
    all.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
    let all = all.into_iter().map(|comment| render::comment(&web, &repo.name, comment)).collect();
    Ok(paginate(call, all, Value::Array))
}

pub(super) fn create(call: &mut Call<'_>) -> Handled {
    let pull = call.number("issue_number")?;
    call.repo()?.pulls.get(pull).ok_or_else(Answer::not_found)?;
    let (id, created_at) = (call.state.next_number(), call.state.next_time().to_string());
    let body = call.text("body").unwrap_or_default();
    check_length(&body)?;
    let comment = Comment {
        id,
        pull,
        author: call.author()?.login(),
        body,
        reactions: BTreeSet::new(),
        updated_at: created_at.clone(),
        created_at,
    };
    call.repo()?.comments.add_unread(id, comment.clone());
    Ok(comment_answer(call, 201, &comment))
}

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let id = call.number("comment_id")?;
    let comment = call.repo()?.comments.get(id).cloned().ok_or_else(Answer::not_found)?;
    Ok(comment_answer(call, 200, &comment))
}

pub(super) fn update(call: &mut Call<'_>) -> Handled {
    let (id, body) = (call.number("comment_id")?, call.text("body").unwrap());
    check_length(&body)?;
    let (author, updated_at) = (call.author()?, call.state.next_time().to_string());
    let comments = &mut call.repo()?.comments;
    let comment = comments.get(id).ok_or_else(Answer::not_found)?;
    if author.is_bot() && comment.author != author.login() {
        return Err(Answer::error(403, "Resource not accessible by integration"));
    }
    let comment = comments.get_unread_mut(id).unwrap();
    (comment.body, comment.updated_at) = (body, updated_at);
    let comment = comment.clone();
    Ok(comment_answer(call, 200, &comment))
}

pub(super) fn react(call: &mut Call<'_>) -> Handled {
    let (id, content) = (call.number("comment_id")?, call.text("content").unwrap());
    let (author, web) = (call.author()?.login(), call.state.web_url.clone());
    let created_at = call.state.next_time().to_string();
    let comment = call.repo()?.comments.get_mut(id).ok_or_else(Answer::not_found)?;
    let is_new = comment.reactions.insert((author.clone(), content.clone()));
    let reaction = json!({ "id": id, "node_id": "x", "user": render::user(&web, &author),
        "content": content, "created_at": created_at });
    Ok(Answer::json(if is_new { 201 } else { 200 }, &reaction))
}

fn comment_answer(call: &Call<'_>, status: u16, comment: &Comment) -> Answer {
    let repo = call.repo_name().unwrap();
    Answer::json(status, &render::comment(&call.state.web_url, &repo, comment))
}
