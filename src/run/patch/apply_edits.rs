//! Applies the edits of candidates to a version.

use mend_git::ObjectStore;
use mend_java::{Edit, apply_edits};
use mend_model::{FileState, RepoPath, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;

/// Applies edits to the files of `base`. Returns `None` if they overlap, change nothing, or a file is missing.
pub(crate) fn write_variant<'a>(
    store: &ObjectStore,
    base: &TreeId,
    edits: impl IntoIterator<Item = (&'a RepoPath, &'a [Edit])>,
) -> Result<Option<TreeId>> {
    let mut by_file: BTreeMap<&RepoPath, Vec<Edit>> = BTreeMap::new();
    for (path, edits) in edits {
        by_file.entry(path).or_default().extend_from_slice(edits);
    }
    let mut changes = BTreeMap::new();
    for (path, edits) in by_file {
        let Some(state) = store.read_file(base, path)? else { return Ok(None) };
        let text = std::str::from_utf8(&state.content).ok();
        let Some(text) = text.and_then(|text| apply_edits(text, &edits)) else { return Ok(None) };
        let state = FileState { mode: state.mode, content: text.into_bytes().into() };
        changes.insert(path.clone(), Some(state));
    }
    let tree = store.write_tree(&TreeEdit { base: base.clone(), changes })?;
    Ok(Some(tree).filter(|tree| tree != base))
}
