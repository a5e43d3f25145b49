//! Operations on branches and tags.

use super::super::answer::{Answer, Handled};
use super::super::call::Call;
use super::super::render;
use git2::Oid;

fn missing_reference() -> Answer {
    Answer::error(422, "Reference does not exist")
}

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let name = format!("refs/{}", call.segment("ref"));
    let id = call.repo()?.git().refname_to_id(&name).map_err(|_| Answer::not_found())?;
    Ok(Answer::ok(&render::reference(&name, id)))
}

pub(super) fn create(call: &mut Call<'_>) -> Handled {
    let (name, id) = (call.text("ref").unwrap(), parse_sha(call)?);
    let git = call.repo()?.git();
    let is_name = name.starts_with("refs/") && name.matches('/').count() >= 2;
    if !is_name || !git2::Reference::is_valid_name(&name) {
        return Err(Answer::error(422, "Reference name is invalid"));
    }
    if git.refname_to_id(&name).is_ok() {
        return Err(Answer::error(422, "Reference already exists"));
    }
    git.find_object(id, None).map_err(|_| Answer::error(422, "Object does not exist"))?;
    // The name of a branch cannot be a prefix folder of another branch.
    let name_unavailable = |_| Answer::error(422, "Reference name is not available");
    git.reference(&name, id, false, "").map_err(name_unavailable)?;
    Ok(Answer::created(&render::reference(&name, id)))
}

pub(super) fn update(call: &mut Call<'_>) -> Handled {
    let (name, id) = (format!("refs/{}", call.segment("ref")), parse_sha(call)?);
    let is_forced = call.body["force"].as_bool().unwrap_or(false);
    let git = call.repo()?.git();
    let current_id = git.refname_to_id(&name).map_err(|_| missing_reference())?;
    git.find_commit(id).map_err(|_| Answer::error(422, "Object does not exist"))?;
    let is_forward = current_id == id || git.graph_descendant_of(id, current_id).unwrap();
    if !is_forward && !is_forced {
        return Err(Answer::error(422, "Update is not a fast forward"));
    }
    git.reference(&name, id, true, "").unwrap();
    Ok(Answer::ok(&render::reference(&name, id)))
}

pub(super) fn delete(call: &mut Call<'_>) -> Handled {
    let name = format!("refs/{}", call.segment("ref"));
    let git = call.repo()?.git();
    let mut reference = git.find_reference(&name).map_err(|_| missing_reference())?;
    reference.delete().unwrap();
    Ok(Answer::no_content())
}

fn parse_sha(call: &Call<'_>) -> Result<Oid, Answer> {
    let text = call.text("sha").unwrap();
    let is_full = text.len() == 40;
    let message = "The sha parameter must be exactly 40 characters and contain only [0-9a-f].";
    let bad = || Answer::error(422, message);
    Oid::from_str(&text).ok().filter(|_| is_full).ok_or_else(bad)
}
