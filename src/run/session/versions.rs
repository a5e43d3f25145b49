//! Resolves revisions and folders to trees.

use mend_git::{Commit, ObjectStore, Repository};
use mend_model::CommitId;
use mend_model::{Problem, Result, TreeId};
use std::path::Path;

/// Version of the project with its trees.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedVersion {
    /// Name in the user's notation.
    pub(crate) label: String,
    /// Commit of the version, or `None` for a folder.
    pub(crate) commit: Option<Commit>,
    /// Tree with the version's own files.
    pub(crate) original_tree: TreeId,
    /// Tree with the test code of bad.
    pub(crate) overlaid_tree: TreeId,
}

/// Ends of a change.
#[derive(Clone, Copy)]
pub(crate) struct VersionPair<'a> {
    pub(crate) base: &'a ResolvedVersion,
    pub(crate) target: &'a ResolvedVersion,
}

impl ResolvedVersion {
    pub(crate) fn from_commit(label: &str, commit: Commit) -> Self {
        let tree = commit.tree.clone();
        Self {
            label: label.to_owned(),
            original_tree: tree.clone(),
            overlaid_tree: tree,
            commit: Some(commit),
        }
    }

    pub(crate) fn commit_id(&self) -> Option<&CommitId> {
        self.commit.as_ref().map(|commit| &commit.id)
    }

    /// Returns the label, or the first digits of a full commit id.
    pub(crate) fn short_label(&self) -> &str {
        match &self.commit {
            Some(commit) if commit.id.0 == self.label => commit.id.short(),
            _ => &self.label,
        }
    }

    /// Converts the version to the form in `result.json`.
    pub(crate) fn to_report(&self) -> mend_report::VersionInfo {
        let revision = self.commit_id().map_or_else(|| self.label.clone(), |id| id.0.clone());
        mend_report::VersionInfo { revision, tree: self.original_tree.0.clone() }
    }
}

/// Resolves a revision, or else a folder with this name.
///
/// # Errors
/// [`Problem::UnknownRevision`] if there is neither; [`Problem::NotARepository`] if it is no folder and there is no
/// repository.
pub(crate) fn resolve_version(
    spec: &str,
    dir: &Path,
    repository: Option<&Repository>,
    store: &ObjectStore,
) -> Result<ResolvedVersion> {
    let folder = dir.join(spec);
    let problem = match repository.map(|repository| repository.resolve(spec)) {
        Some(Ok(commit)) => return Ok(ResolvedVersion::from_commit(spec, commit)),
        Some(Err(problem @ Problem::UnknownRevision { .. })) => problem,
        Some(Err(problem)) => return Err(problem),
        None => Problem::NotARepository(dir.to_owned()),
    };
    if !folder.is_dir() {
        return Err(problem);
    }
    let tree = store.import_folder(&folder)?;
    Ok(ResolvedVersion {
        label: spec.to_owned(),
        commit: None,
        original_tree: tree.clone(),
        overlaid_tree: tree,
    })
}
