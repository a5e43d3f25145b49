//! One file of a delta: which hunks it has, and what it becomes under a subset of them.

use super::hunk::{Hunk, HunkId, HunkKind, HunkPosition};
use super::java_file;
use super::text_file;
use crate::delta_builder::DeltaBuilder;
use crate::dependencies::name_dependencies::{IndexedFile, IndexedVersion, Version};
use crate::java_file::cross_file_moves::{CrossFileMoves, FileMoves};
use crate::java_granularity::JavaGranularity;
use crate::matching::version_pair::{FileSources, VersionPair};
use crate::patch_size::split_words;
use crate::template::variant_template::{OriginalOffsets, VariantTemplate};
use crate::template::versioned_range::{FileRanges, VersionedRange};
use mend_java::ParsedSource;
use mend_model::{FileChange, FileMode, FileState, RepoPath};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Hunks and content that one file contributes to a delta.
#[derive(Debug)]
pub(super) struct FileDelta {
    old: Option<(RepoPath, FileState)>,
    new: Option<(RepoPath, FileState)>,
    /// Adds, removes or renames the file.
    place_hunk: Option<HunkId>,
    /// Changes the mode.
    mode_hunk: Option<HunkId>,
    body: FileContent,
}

#[derive(Debug)]
enum FileContent {
    /// The bytes are the same.
    Unchanged,
    /// One hunk exchanges all bytes.
    Replaced(HunkId),
    /// Several hunks change parts.
    Template(Box<VariantTemplate>),
}

/// A place in one of the versions.
pub(super) struct OriginalPosition {
    pub(super) version: Version,
    pub(super) path: RepoPath,
    pub(super) byte: usize,
}

impl FileDelta {
    /// Returns the places that an offset of a variant's file comes from; `None` if this is another file.
    pub(super) fn spots(
        &self,
        is_on: &dyn Fn(HunkId) -> bool,
        path: &RepoPath,
        byte: usize,
    ) -> Option<Vec<OriginalPosition>> {
        let moves = self.place_hunk.is_some_and(is_on);
        let (shown, version) = match (&self.old, &self.new) {
            (None, Some(new)) => (new, Version::New),
            (Some(_), Some(new)) if moves => (new, Version::Old),
            (Some(old), _) => (old, Version::Old),
            (None, None) => return None,
        };
        if shown.0 != *path {
            return None;
        }
        let FileContent::Template(merged) = &self.body else {
            return Some(vec![OriginalPosition { version, path: path.clone(), byte }]);
        };
        let OriginalOffsets { old, new, paths } = merged.starts_at(is_on, byte);
        let of = |side: &'_ Option<(RepoPath, FileState)>| side.as_ref().map(|side| side.0.clone());
        let paths = match paths.cloned() {
            Some((old, new)) => (Some(old), Some(new)),
            None => (of(&self.old), of(&self.new)),
        };
        let spot = |version, path: Option<RepoPath>, start: Option<usize>| {
            Some(OriginalPosition { version, path: path?, byte: start? })
        };
        let both = [spot(Version::Old, paths.0, old), spot(Version::New, paths.1, new)];
        Some(both.into_iter().flatten().collect())
    }

    /// Returns every token of both versions, with the hunk that it depends on.
    pub(super) fn stretches(&self) -> FileRanges {
        let path = |side: &Option<(RepoPath, FileState)>| side.as_ref().map(|side| side.0.clone());
        let all = |side: &Option<(RepoPath, FileState)>| {
            side.as_ref().map(|(_, state)| 0..state.content.len())
        };
        let (old, new) = (all(&self.old), all(&self.new));
        let stretches = match (&self.body, self.place_hunk) {
            (FileContent::Template(merged), _) => merged.stretches(),
            (FileContent::Unchanged, _) if old.is_some() && new.is_some() => {
                vec![VersionedRange { old, new, hunk: None }]
            }
            (FileContent::Replaced(hunk), _) => VersionedRange::exchange(old, new, *hunk),
            (FileContent::Unchanged, Some(hunk)) => VersionedRange::exchange(old, new, hunk),
            (FileContent::Unchanged, None) => Vec::new(),
        };
        FileRanges { old: path(&self.old), new: path(&self.new), stretches }
    }

    pub(super) fn is_java(&self) -> bool {
        self.old.iter().chain(&self.new).any(|(path, _)| path.is_java())
    }

    /// Adds what this file becomes to `changes`, if it is not what the old tree has.
    pub(super) fn render(
        &self,
        is_on: &dyn Fn(HunkId) -> bool,
        changes: &mut BTreeMap<RepoPath, Option<FileState>>,
    ) {
        let on = |hunk: Option<HunkId>| hunk.is_some_and(is_on);
        match (&self.old, &self.new) {
            (Some((old_path, old)), Some((new_path, new))) => {
                let state = FileState {
                    mode: if on(self.mode_hunk) { new.mode } else { old.mode },
                    content: match &self.body {
                        FileContent::Unchanged => old.content.clone(),
                        FileContent::Replaced(hunk) => {
                            if is_on(*hunk) { &new.content } else { &old.content }.clone()
                        }
                        FileContent::Template(merged) => merged.render(is_on).into(),
                    },
                };
                let moves = on(self.place_hunk);
                if moves {
                    changes.entry(old_path.clone()).or_insert(None);
                }
                if moves || state != *old {
                    changes.insert(if moves { new_path } else { old_path }.clone(), Some(state));
                }
            }
            (None, Some((path, new))) if on(self.place_hunk) => {
                changes.insert(path.clone(), Some(self.one_sided(new, is_on)));
            }
            (Some((path, _)), None) if on(self.place_hunk) => {
                changes.entry(path.clone()).or_insert(None);
            }
            (Some((path, old)), None) => {
                let state = self.one_sided(old, is_on);
                if state != *old {
                    changes.insert(path.clone(), Some(state));
                }
            }
            _ => {}
        }
    }

    /// Returns the content of an added or removed file in a variant.
    fn one_sided(&self, state: &FileState, is_on: &dyn Fn(HunkId) -> bool) -> FileState {
        match &self.body {
            FileContent::Template(merged) => {
                FileState { mode: state.mode, content: merged.render(is_on).into() }
            }
            _ => state.clone(),
        }
    }
}

/// Parses the Java sources of all changed files, where they can be split along their syntax trees.
pub(super) fn parse(changes: &[FileChange], mode: JavaGranularity) -> Vec<FileSources> {
    let of = |path: &RepoPath, state: &FileState| {
        let is_ast = mode == JavaGranularity::Ast && path.is_java() && is_text(state);
        if is_ast { ParsedSource::parse(state.content.clone()) } else { None }
    };
    // Nothing holds the comments of a file that has nothing else.
    let alone = |side: &Option<(RepoPath, FileState)>| {
        let (path, state) = side.as_ref()?;
        of(path, state).filter(|source| !source.tokens().is_empty())
    };
    let sources = changes.iter().enumerate().map(|(file, change)| {
        let (old, new) = match (&change.old, &change.new) {
            (Some((_, old)), Some((_, new))) if old.content == new.content => (None, None),
            (Some((_, old)), Some((path, new))) => of(path, old).zip(of(path, new)).unzip(),
            (old, new) => (alone(old), alone(new)),
        };
        FileSources { file, old, new }
    });
    sources.collect()
}

/// Takes files in, one after the other.
pub(super) struct FileSplitter<'a> {
    mode: JavaGranularity,
    files: usize,
    sources: &'a [FileSources],
    pub(super) travels: CrossFileMoves,
    pub(super) sink: DeltaBuilder,
    pub(super) named: Vec<IndexedFile>,
    pub(super) unparsed: Vec<RepoPath>,
}

impl<'a> FileSplitter<'a> {
    pub(super) fn new(
        mode: JavaGranularity,
        changes: &[FileChange],
        sources: &'a [FileSources],
    ) -> Self {
        let mut sink = DeltaBuilder::default();
        Self {
            mode,
            files: 0,
            sources,
            travels: java_file::find_travels(sources, changes, &mut sink),
            sink,
            named: Vec::new(),
            unparsed: Vec::new(),
        }
    }

    pub(super) fn file(&mut self, change: &FileChange) -> FileDelta {
        let file = self.files;
        self.files += 1;
        let mut delta = FileDelta {
            old: change.old.clone(),
            new: change.new.clone(),
            place_hunk: None,
            mode_hunk: None,
            body: FileContent::Unchanged,
        };
        match (&change.old, &change.new) {
            (Some(old), Some(new)) => self.changed(old, new, file, &mut delta),
            (None, Some(new)) => self.one_sided(new, file, false, &mut delta),
            (Some(old), None) => self.one_sided(old, file, true, &mut delta),
            (None, None) => {}
        }
        delta
    }

    /// Adds a file that is added or removed.
    fn one_sided(
        &mut self,
        (path, state): &(RepoPath, FileState),
        file: usize,
        is_old: bool,
        delta: &mut FileDelta,
    ) {
        let sources = &self.sources[file];
        let source = sources.old.as_ref().or(sources.new.as_ref());
        let tokens = if source.is_some() { 0 } else { split_words(&state.content).len() };
        let what = if is_old { "removed file" } else { "added file" };
        let hunk = self.file_hunk(path, what, tokens as u64, file);
        delta.place_hunk = Some(hunk);
        let Some(source) = source else { return };
        let away = FileMoves { travels: &self.travels, file, is_mirrored: is_old };
        let take_apart =
            |sink: &mut DeltaBuilder| java_file::take_one_apart(path, source, hunk, away, sink);
        let side = Some(IndexedVersion::new(path, source));
        let (merged, named) = if is_old {
            let (mut merged, owners) = self.sink.mirrored(take_apart);
            merged.is_mirrored = true;
            (merged, IndexedFile::new(side, None, owners.mirrored()))
        } else {
            let (merged, owners) = take_apart(&mut self.sink);
            (merged, IndexedFile::new(None, side, owners))
        };
        self.named.push(named);
        delta.body = FileContent::Template(Box::new(merged));
    }

    fn changed(
        &mut self,
        (old_path, old): &(RepoPath, FileState),
        (path, new): &(RepoPath, FileState),
        file: usize,
        delta: &mut FileDelta,
    ) {
        if old_path != path {
            delta.place_hunk = Some(self.file_hunk(path, "renamed file", 1, file));
        }
        let changes_mode = old.mode != new.mode;
        if old.content != new.content && !(is_text(old) && is_text(new)) {
            let hunk = self.file_hunk(path, "content", 1, file);
            // The bytes and the mode of a link or submodule only make sense together.
            delta.mode_hunk = changes_mode.then_some(hunk);
            delta.body = FileContent::Replaced(hunk);
            return;
        }
        if changes_mode {
            delta.mode_hunk = Some(self.file_hunk(path, "mode", 1, file));
        }
        if old.content == new.content {
            return;
        }
        let merged = self.content(old_path, old, path, new, file);
        if let (Some(named), Some(rename), true) =
            (self.named.last_mut(), delta.place_hunk, merged.1)
        {
            named.rename = Some((old_path.clone(), path.clone(), rename));
        }
        delta.body = FileContent::Template(Box::new(merged.0));
    }

    /// Returns the merged content, and true if the file was split as Java.
    fn content(
        &mut self,
        old_path: &RepoPath,
        old: &FileState,
        path: &RepoPath,
        new: &FileState,
        file: usize,
    ) -> (VariantTemplate, bool) {
        let sources = &self.sources[file];
        if let (Some(old), Some(new)) = (&sources.old, &sources.new) {
            let away = FileMoves { travels: &self.travels, file, is_mirrored: false };
            let (merged, owners) =
                java_file::take_apart(path, VersionPair { old, new }, away, &mut self.sink);
            let sides = (IndexedVersion::new(old_path, old), IndexedVersion::new(path, new));
            self.named.push(IndexedFile::new(Some(sides.0), Some(sides.1), owners));
            return (merged, true);
        }
        if self.mode == JavaGranularity::Ast && path.is_java() {
            self.unparsed.push(path.clone());
        }
        (self.text(path, &old.content, &new.content, file), false)
    }

    fn text(
        &mut self,
        path: &RepoPath,
        old: &Arc<[u8]>,
        new: &Arc<[u8]>,
        file: usize,
    ) -> VariantTemplate {
        if old <= new {
            return text_file::take_apart(path, old, new, file, &mut self.sink);
        }
        let mut merged =
            self.sink.mirrored(|sink| text_file::take_apart(path, new, old, file, sink));
        merged.is_mirrored = true;
        merged
    }

    fn file_hunk(&mut self, path: &RepoPath, what: &str, tokens: u64, file: usize) -> HunkId {
        let number = self.sink.next_place();
        self.sink.add(Hunk {
            kind: HunkKind::File,
            path: path.clone(),
            node: what.to_owned(),
            old_path: None,
            old: None,
            new: None,
            tokens,
            is_layout: false,
            place: HunkPosition { file, member: number, statement: number },
        })
    }
}

/// Returns true for a text file by git's rule: a NUL among the first 8,000 bytes makes a file binary.
fn is_text(state: &FileState) -> bool {
    matches!(state.mode, FileMode::Regular | FileMode::Executable)
        && !state.content.iter().take(8_000).any(|byte| *byte == 0)
}
