//! Operations on reviews, with comments on lines.

use super::super::answer::{Answer, Handled, paginate};
use super::super::call::Call;
use super::super::objects::{Pull, Review};
use super::super::render;
use super::super::repository::Repository;
use git2::{DiffOptions, Oid};
use serde_json::{Value, json};
use std::ops::Range;

pub(super) fn list(call: &mut Call<'_>) -> Handled {
    let (web, pull) = (call.state.web_url.clone(), call.number("pull_number")?);
    let repo = call.repo()?;
    repo.pulls.get(pull).ok_or_else(Answer::not_found)?;
    let all = repo.reviews.values().filter(|review| review.pull == pull);
    let all = all.map(|review| render::review(&web, &repo.name, review)).collect();
    Ok(paginate(call, all, Value::Array))
}

pub(super) fn create(call: &mut Call<'_>) -> Handled {
    let number = call.number("pull_number")?;
    let (id, created_at) = (call.state.next_number(), call.state.next_time().to_string());
    let (author, web) = (call.author()?.login(), call.state.web_url.clone());
    let event = call.text("event").unwrap_or_else(|| "PENDING".to_owned());
    let body = call.text("body").unwrap_or_default();
    let commit = call.text("commit_id");
    let comments = call.body["comments"].as_array().cloned().unwrap_or_default();
    let repo = call.repo()?;
    let pull = repo.pulls.get(number).cloned().ok_or_else(Answer::not_found)?;
    if body.is_empty() && comments.is_empty() {
        return Err(unprocessable("A review needs a body or comments"));
    }
    let commit = commit.unwrap_or_else(|| pull.head.clone());
    for comment in &comments {
        check_comment_lines(repo, &pull, &commit, comment)?;
    }
    let review = Review { id, pull: number, author, body, event, commit, comments, created_at };
    repo.reviews.add_unread(id, review.clone());
    Ok(Answer::ok(&render::review(&web, &repo.name, &review)))
}

fn unprocessable(said: &str) -> Answer {
    Answer::json(422, &json!({ "message": "Unprocessable Entity", "errors": [said] }))
}

/// Checks that the lines of a comment are in one hunk of the pull request.
fn check_comment_lines(
    repo: &Repository,
    pull: &Pull,
    commit: &str,
    comment: &Value,
) -> Result<(), Answer> {
    let path = comment["path"].as_str().unwrap();
    let is_old = comment["side"] == "LEFT";
    let hunks = shown_hunks(repo, pull, commit, path, is_old)?;
    let line =
        comment["line"].as_u64().ok_or_else(|| unprocessable("Line could not be resolved"))?;
    let first = comment["start_line"].as_u64().unwrap_or(line);
    let last_in = |hunk: &&Range<u64>| hunk.contains(&line);
    let hunk =
        hunks.iter().find(last_in).ok_or_else(|| unprocessable("Line could not be resolved"))?;
    if first > line || !hunk.contains(&first) {
        return Err(unprocessable("Start line must precede the end line and be in the same hunk"));
    }
    Ok(())
}

/// Returns the line ranges of a file that a pull request shows on one side, with three lines of context.
fn shown_hunks(
    repo: &Repository,
    pull: &Pull,
    commit: &str,
    path: &str,
    is_old: bool,
) -> Result<Vec<Range<u64>>, Answer> {
    let git = repo.git();
    let id = |text: &str| Oid::from_str(text).map_err(|_| unprocessable("Commit does not exist"));
    let (head, base) = (id(commit)?, id(&pull.base)?);
    let fork = git.merge_base(base, head).map_err(|_| unprocessable("Commit is not part of it"))?;
    let tree = |id: Oid| git.find_commit(id).unwrap().tree().unwrap();
    let mut options = DiffOptions::new();
    options.pathspec(path).disable_pathspec_match(true);
    let diff = git.diff_tree_to_tree(Some(&tree(fork)), Some(&tree(head)), Some(&mut options));
    let diff = diff.unwrap();
    if diff.deltas().len() == 0 {
        return Err(unprocessable("Path could not be resolved"));
    }
    let mut hunks = Vec::new();
    let mut add_hunk = |_: git2::DiffDelta<'_>, hunk: git2::DiffHunk<'_>| {
        let (old, new) = (hunk.old_start(), hunk.new_start());
        let old = old..old + hunk.old_lines();
        let new = new..new + hunk.new_lines();
        let shown = if is_old { old } else { new };
        hunks.push(u64::from(shown.start)..u64::from(shown.end));
        true
    };
    diff.foreach(&mut |_, _| true, None, Some(&mut add_hunk), None).unwrap();
    Ok(hunks)
}
