//! Refactorings and moved code in a delta.

use super::comparison::Finding;
use super::kinds::kind_in_git_mend;
use super::places::{FileLines, Place};
use bstr::ByteSlice as _;
use mend_delta::{Delta, Hunk, HunkKind, RefactoringNote};
use mend_model::{FileChange, FileState, RepoPath};
use std::ops::Range;

/// Delta with the texts of its files.
pub(crate) struct Change<'a> {
    pub(crate) delta: &'a Delta,
    pub(crate) files: &'a [FileChange],
}

impl Change<'_> {
    /// Returns the refactorings, each with its name. Several that are one component have the same place.
    pub(crate) fn findings(&self) -> Vec<(String, Finding)> {
        let components = self.delta.components().iter().enumerate();
        let noted = components.filter_map(|(at, one)| Some((one, self.delta.refactoring_of(at)?)));
        let findings = noted.flat_map(|(component, note)| {
            let mut place = Place::default();
            component.hunks.iter().for_each(|hunk| self.add_lines(*hunk, &mut place));
            names_in(note).into_iter().map(move |name| {
                let description = format!("{}: {}", note.name, note.description);
                let kind = kind_in_git_mend(&name);
                (name, Finding { kind, description, place: place.clone() })
            })
        });
        findings.collect()
    }

    /// Returns the places of code that moves, also to another file.
    pub(crate) fn moved_code(&self) -> Vec<Place> {
        let hunks = self.delta.hunks().iter().enumerate();
        let moves = hunks.filter(|(_, hunk)| hunk.kind == HunkKind::Move);
        let place_of = |(at, _): (usize, &Hunk)| {
            let mut place = Place::default();
            self.add_lines(at, &mut place);
            place
        };
        moves.map(place_of).collect()
    }

    fn add_lines(&self, hunk: usize, place: &mut Place) {
        let hunk = &self.delta.hunks()[hunk];
        let is_file = |path: &RepoPath, side: &Option<(RepoPath, FileState)>| {
            side.as_ref().is_some_and(|(other, _)| other == path)
        };
        let file = self.files.iter().find(|file| file.path() == Some(&hunk.path));
        let old_file = match &hunk.old_path {
            Some(path) => self.files.iter().find(|file| is_file(path, &file.old)),
            None => file,
        };
        let is_whole = hunk.kind == HunkKind::File;
        let old = old_file.and_then(|file| file.old.as_ref());
        place.old.extend(old.and_then(|file| lines_of(file, hunk.old.as_ref(), is_whole)));
        let new = file.and_then(|file| file.new.as_ref());
        place.new.extend(new.and_then(|file| lines_of(file, hunk.new.as_ref(), is_whole)));
    }
}

/// Returns the lines of a range of bytes, or of the whole file.
fn lines_of(
    (path, state): &(RepoPath, FileState),
    range: Option<&Range<usize>>,
    is_whole: bool,
) -> Option<FileLines> {
    let line_at = |byte: usize| 1 + state.content[..byte].find_iter("\n").count();
    let lines = match range {
        _ if is_whole => 1..=line_at(state.content.len()),
        Some(range) => line_at(range.start)..=line_at(range.end.max(range.start + 1) - 1),
        None => return None,
    };
    Some(FileLines { path: path.to_string(), lines })
}

/// Returns the names of the refactorings of a component. The description has the others after semicolons.
fn names_in(note: &RefactoringNote) -> Vec<String> {
    let others = note.description.split("; ").skip(1);
    let others = others.filter_map(|part| part.split_once(": ")).map(|(name, _)| name.to_owned());
    std::iter::once(note.name.to_owned()).chain(others).collect()
}
