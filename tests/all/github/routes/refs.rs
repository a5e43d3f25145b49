//! Branches and tags.

use super::super::answer::{Answer, Handled};
use super::super::call::Call;
use super::super::render;
use git2::Oid;

fn no_reference() -> Answer {
    Answer::refused(422, "Reference does not exist")
}

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let name = format!("refs/{}", call.segment("ref"));
    let found = call.repo()?.git().refname_to_id(&name).map_err(|_| Answer::not_found())?;
    Ok(Answer::ok(&render::reference(&name, found)))
}

pub(super) fn create(call: &mut Call<'_>) -> Handled {
    let (name, id) = (call.text("ref").unwrap(), object(call)?);
    let git = call.repo()?.git();
    let is_name = name.starts_with("refs/") && name.matches('/').count() >= 2;
    if !is_name || !git2::Reference::is_valid_name(&name) {
        return Err(Answer::refused(422, "Reference name is invalid"));
    }
    if git.refname_to_id(&name).is_ok() {
        return Err(Answer::refused(422, "Reference already exists"));
    }
    git.find_object(id, None).map_err(|_| Answer::refused(422, "Object does not exist"))?;
    // A branch cannot be in a folder that is a branch.
    let taken = |_| Answer::refused(422, "Reference name is not available");
    git.reference(&name, id, false, "").map_err(taken)?;
    Ok(Answer::created(&render::reference(&name, id)))
}

pub(super) fn update(call: &mut Call<'_>) -> Handled {
    let (name, id) = (format!("refs/{}", call.segment("ref")), object(call)?);
    let is_forced = call.body["force"].as_bool().unwrap_or(false);
    let git = call.repo()?.git();
    let at = git.refname_to_id(&name).map_err(|_| no_reference())?;
    git.find_commit(id).map_err(|_| Answer::refused(422, "Object does not exist"))?;
    let is_forward = at == id || git.graph_descendant_of(id, at).unwrap();
    if !is_forward && !is_forced {
        return Err(Answer::refused(422, "Update is not a fast forward"));
    }
    git.reference(&name, id, true, "").unwrap();
    Ok(Answer::ok(&render::reference(&name, id)))
}

pub(super) fn delete(call: &mut Call<'_>) -> Handled {
    let name = format!("refs/{}", call.segment("ref"));
    let git = call.repo()?.git();
    let mut found = git.find_reference(&name).map_err(|_| no_reference())?;
    found.delete().unwrap();
    Ok(Answer::nothing())
}

fn object(call: &Call<'_>) -> Result<Oid, Answer> {
    let text = call.text("sha").unwrap();
    let is_full = text.len() == 40;
    let said = "The sha parameter must be exactly 40 characters and contain only [0-9a-f].";
    let bad = || Answer::refused(422, said);
    Oid::from_str(&text).ok().filter(|_| is_full).ok_or_else(bad)
}
