//! What edits make of a version.

use mend_git::Store;
use mend_java::{Edit, edited};
use mend_model::{FileState, RepoPath, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;

/// The tree that edits of files make of `base`; nothing where they overlap, change nothing, or a file is not there.
pub(super) fn variant<'a>(
    store: &Store,
    base: &TreeId,
    edits: impl IntoIterator<Item = (&'a RepoPath, &'a [Edit])>,
) -> Result<Option<TreeId>> {
    let mut by_file: BTreeMap<&RepoPath, Vec<Edit>> = BTreeMap::new();
    for (path, edits) in edits {
        by_file.entry(path).or_default().extend_from_slice(edits);
    }
    let mut changes = BTreeMap::new();
    for (path, edits) in by_file {
        let Some(state) = store.file(base, path)? else { return Ok(None) };
        let text = std::str::from_utf8(&state.content).ok();
        let Some(text) = text.and_then(|text| edited(text, &edits)) else { return Ok(None) };
        let state = FileState { mode: state.mode, content: text.into_bytes().into() };
        changes.insert(path.clone(), Some(state));
    }
    let tree = store.write(&TreeEdit { base: base.clone(), changes })?;
    Ok(Some(tree).filter(|tree| tree != base))
}
