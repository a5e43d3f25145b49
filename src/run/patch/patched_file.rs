//! Converts changed files to the edits of a patch.

use mend_delta::line_edits;
use mend_model::{FileChange, FileState, RepoPath};
use mend_repair::PatchedFile;

/// Returns a changed file with the edits of its text. New, deleted and undecodable files have no edits.
pub(crate) fn to_patched_file(change: &FileChange) -> Option<PatchedFile> {
    let text = |side: &Option<(RepoPath, FileState)>| {
        side.as_ref().and_then(|(_, state)| String::from_utf8(state.content.to_vec()).ok())
    };
    let path = change.path()?.clone();
    let (old_text, edits) = match (text(&change.old), text(&change.new)) {
        (Some(old), Some(new)) => {
            let edits = line_edits(&old, &new);
            (old, edits)
        }
        _ => (String::new(), Vec::new()),
    };
    Some(PatchedFile { path, old_text, edits })
}
