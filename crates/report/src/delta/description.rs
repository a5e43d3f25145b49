//! Describes hunks and components in one short line.

use crate::terminal::style::LineMarks;
use bstr::ByteSlice as _;
use mend_delta::{Hunk, HunkKind};
use mend_model::{FileChange, FileState, RepoPath};
use std::collections::HashMap;
use std::ops::Range;

/// Maximum length of a source excerpt, in characters.
const MAX_EXCERPT_CHARS: usize = 48;

/// Old and new content of the files that differ, by path.
pub(super) struct FileTexts<'a> {
    by_path: HashMap<&'a RepoPath, (&'a [u8], &'a [u8])>,
    pub(super) line_marks: LineMarks,
}

impl<'a> FileTexts<'a> {
    pub(super) fn new(changes: &'a [FileChange], marks: LineMarks) -> Self {
        let bytes = |side: &'a Option<(RepoPath, FileState)>| {
            side.as_ref().map_or(&[][..], |(_, state)| &state.content)
        };
        let texts = changes.iter().filter_map(|change| {
            let path = change.new.as_ref().or(change.old.as_ref()).map(|(path, _)| path)?;
            Some((path, (bytes(&change.old), bytes(&change.new))))
        });
        Self { by_path: texts.collect(), line_marks: marks }
    }

    fn old_text(&self, hunk: &Hunk) -> Option<String> {
        let path = hunk.old_path.as_ref().unwrap_or(&hunk.path);
        excerpt(self.by_path.get(path)?.0, hunk.old.as_ref()?)
    }

    fn new_text(&self, hunk: &Hunk) -> Option<String> {
        excerpt(self.by_path.get(&hunk.path)?.1, hunk.new.as_ref()?)
    }

    /// Returns the line of a hunk, counted from 1.
    pub(super) fn find_line(&self, hunk: &Hunk) -> Option<usize> {
        let (old, new) = self.by_path.get(&hunk.path)?;
        let (text, offset) = match (&hunk.old, &hunk.new) {
            (_, Some(range)) => (new, range.start),
            (Some(range), None) => (old, range.start),
            (None, None) => return None,
        };
        Some(1 + text.get(..offset)?.find_iter("\n").count())
    }
}

/// Describes a refactoring, with the arrow of the style between old and new names.
pub(super) fn describe_refactoring(description: &str, marks: LineMarks) -> String {
    description.replace(LineMarks::Signs.arrow(), marks.arrow())
}

/// Describes a component by its largest hunk.
pub(super) fn describe_component(hunks: &[&Hunk], texts: &FileTexts<'_>) -> String {
    let largest = hunks.iter().max_by_key(|hunk| hunk.tokens);
    let first = largest.map_or_else(String::new, |hunk| describe_hunk(hunk, texts));
    match hunks.len() {
        0 | 1 => first,
        2 => format!("{first}, and 1 more change"),
        count => format!("{first}, and {} more changes", count - 1),
    }
}

fn describe_hunk(hunk: &Hunk, texts: &FileTexts<'_>) -> String {
    let node = hunk.node_kind.replace('_', " ");
    match (hunk.kind, texts.old_text(hunk), texts.new_text(hunk)) {
        (HunkKind::File, ..) => node,
        (HunkKind::Relabel | HunkKind::Text, Some(old), Some(new)) => {
            [&*old, texts.line_marks.arrow(), &*new].concat()
        }
        (HunkKind::Move, Some(old), _) => format!("move {node}: {old}"),
        (_, Some(old), None) => format!("delete {node}: {old}"),
        (_, None, Some(new)) => format!("insert {node}: {new}"),
        _ => format!("change {node}"),
    }
}

/// Returns the start of a text range on one line, or `None` if the range is empty.
fn excerpt(text: &[u8], range: &Range<usize>) -> Option<String> {
    let text = String::from_utf8_lossy(text.get(range.clone())?);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).collect();
    if line.is_empty() {
        return None;
    }
    let is_long = line.chars().count() > MAX_EXCERPT_CHARS;
    Some(if is_long {
        line.chars().take(MAX_EXCERPT_CHARS - 1).chain(['…']).collect()
    } else {
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_one_short_line_without_control_characters() {
        let text = b"if (a)\n    {\x1b[31m";
        assert_eq!(excerpt(text, &(0..text.len())).unwrap(), "if (a) {[31m");
        let long = "x".repeat(100);
        assert_eq!(excerpt(long.as_bytes(), &(0..100)).unwrap().chars().count(), MAX_EXCERPT_CHARS);
    }
}
