//! Creates the commits that GitHub makes itself.

use super::actor::Actor;
use super::answer::Answer;
use super::render::email;
use git2::build::TreeUpdateBuilder;
use git2::{Commit, FileMode, Oid, Repository, Signature, Time, Tree};
use jiff::Timestamp;
use std::path::Path;

/// Change of one path in a tree.
pub(super) struct Entry {
    pub(super) path: String,
    /// New content and mode, or `None` for a deletion.
    pub(super) new_content: Option<(Oid, FileMode)>,
}

/// Creates a tree with some paths changed. Returns the path of a deletion as the error if the path does not exist.
pub(super) fn write_tree(
    git: &Repository,
    base: &Tree<'_>,
    entries: &[Entry],
) -> Result<Oid, String> {
    let mut update = TreeUpdateBuilder::new();
    for entry in entries {
        if let Some((content, mode)) = entry.new_content {
            update.upsert(entry.path.as_str(), content, mode);
        } else {
            base.get_path(Path::new(&entry.path)).map_err(|_| entry.path.clone())?;
            update.remove(entry.path.as_str());
        }
    }
    update.create_updated(git, base).map_err(|error| error.message().to_owned())
}

/// Returns the signature of the actor as an author.
pub(super) fn signature(actor: &Actor, now: Timestamp) -> Signature<'static> {
    let login = actor.login();
    Signature::new(&login, &email(&login), &Time::new(now.as_second(), 0)).unwrap()
}

/// Returns the signature of GitHub as a committer.
pub(super) fn github_signature(now: Timestamp) -> Signature<'static> {
    Signature::new("GitHub", "noreply@github.com", &Time::new(now.as_second(), 0)).unwrap()
}

/// Creates a commit without a reference to it.
pub(super) fn create_commit(
    git: &Repository,
    (author, committer): (&Signature<'_>, &Signature<'_>),
    message: &str,
    tree: Oid,
    parents: &[Oid],
) -> Result<Oid, Answer> {
    let missing = |_| Answer::error(422, "Tree SHA or parent does not exist");
    let tree = git.find_tree(tree).map_err(missing)?;
    let parents: Result<Vec<Commit<'_>>, _> =
        parents.iter().map(|parent| git.find_commit(*parent)).collect();
    let parents = parents.map_err(missing)?;
    let parents: Vec<&Commit<'_>> = parents.iter().collect();
    Ok(git.commit(None, author, committer, message, &tree, &parents).unwrap())
}

/// Resolves a full commit id, a branch or a tag.
pub(super) fn resolve(git: &Repository, text: &str) -> Option<Oid> {
    let by_id = Oid::from_str(text).ok().filter(|_| text.len() == 40);
    let find_reference = |prefix: &str| git.revparse_single(&format!("{prefix}{text}")).ok();
    let object = match by_id {
        Some(id) => git.find_object(id, None).ok(),
        None => find_reference("refs/heads/").or_else(|| find_reference("refs/tags/")),
    };
    Some(object?.peel_to_commit().ok()?.id())
}
