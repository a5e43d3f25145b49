//! Size of a patch: number of tokens that a minimal edit script deletes and inserts.

use mend_java::ParsedSource;
use mend_model::{FileChange, FileState, RepoPath};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::sync::Arc;

/// Returns the size of a patch with these changes.
pub fn count_changed_tokens(changes: &[FileChange]) -> usize {
    let content = |side: &Option<(RepoPath, FileState)>| {
        side.as_ref().map(|(_, state)| Arc::clone(&state.content)).unwrap_or_default()
    };
    changes
        .iter()
        .map(|change| {
            let is_java = change.old.iter().chain(&change.new).all(|(path, _)| path.is_java());
            count_patch_tokens(&content(&change.old), &content(&change.new), is_java)
        })
        .sum()
}

/// Counts the tokens deleted and inserted between two versions of a file: Java tokens if both versions parse, words
/// otherwise. Comments and white space are not counted (DDJ, section 5.1).
fn count_patch_tokens(old: &[u8], new: &[u8], is_java: bool) -> usize {
    if is_java
        && let (Some(old), Some(new)) =
            (ParsedSource::parse(old.into()), ParsedSource::parse(new.into()))
    {
        return edit_script_length(&java_tokens(&old), &java_tokens(&new));
    }
    edit_script_length(&split_words(old), &split_words(new))
}

fn java_tokens(source: &ParsedSource) -> Vec<Arc<[u8]>> {
    (0..source.tokens().len()).map(|token| source.token_text(token).into()).collect()
}

/// Splits a text into words at white space.
pub(super) fn split_words(text: &[u8]) -> Vec<Arc<[u8]>> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(Arc::from).collect()
}

fn edit_script_length(old: &[Arc<[u8]>], new: &[Arc<[u8]>]) -> usize {
    let changed = |op: &DiffOp| match op {
        DiffOp::Equal { .. } => 0,
        _ => op.old_range().len() + op.new_range().len(),
    };
    capture_diff_slices(Algorithm::Myers, old, new).iter().map(changed).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_layout_are_not_counted() {
        let old = b"class A { int x = 1; } // old";
        let new = b"class A {\n  int x = 2; /* new */\n}";
        assert_eq!(count_patch_tokens(old, new, true), 2);
    }

    #[test]
    fn non_java_files_are_counted_in_words() {
        assert_eq!(count_patch_tokens(b"a b c\n", b"a c d\n", false), 2);
    }
}
