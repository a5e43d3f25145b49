//! Operations that read and compare commits.

use super::super::answer::{Answer, Handled, paginate};
use super::super::call::Call;
use super::super::commits::resolve;
use super::super::render;
use git2::{Oid, Repository, Sort};
use serde_json::{Value, json};

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let (web, text) = (call.state.web_url.clone(), call.segment("ref").to_owned());
    let repo = call.repo()?;
    let message = format!("No commit found for SHA: {text}");
    let id = resolve(&repo.git(), &text).ok_or_else(|| Answer::error(422, &message))?;
    Ok(Answer::ok(&render::commit(&web, repo, id)?))
}

pub(super) fn compare(call: &mut Call<'_>) -> Handled {
    let (web, text) = (call.state.web_url.clone(), call.segment("basehead").to_owned());
    let repo = call.repo()?;
    let git = repo.git();
    let resolve_end = |text: &str| resolve(&git, text).ok_or_else(Answer::not_found);
    let (base, head) = text.split_once("...").ok_or_else(Answer::not_found)?;
    let (base, head) = (resolve_end(base)?, resolve_end(head)?);
    let fork = git.merge_base(base, head).map_err(|_| Answer::not_found())?;
    let (ahead, behind) = git.graph_ahead_behind(head, base).unwrap();
    let status = match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let commits: Result<Vec<Value>, Answer> = commits_not_in(&git, base, head)
        .into_iter()
        .map(|id| render::commit(&web, repo, id))
        .collect();
    let (base, fork) = (render::commit(&web, repo, base)?, render::commit(&web, repo, fork)?);
    Ok(paginate(call, commits?, |commits| {
        json!({
            "status": status, "ahead_by": ahead, "behind_by": behind, "total_commits": ahead,
            "base_commit": base, "merge_base_commit": fork, "commits": commits,
        })
    }))
}

/// Returns the commits that are reachable from `head` but not from `base`, oldest first.
fn commits_not_in(git: &Repository, base: Oid, head: Oid) -> Vec<Oid> {
    let mut walk = git.revwalk().unwrap();
    walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE).unwrap();
    walk.push(head).unwrap();
    walk.hide(base).unwrap();
    walk.map(Result::unwrap).collect()
}
