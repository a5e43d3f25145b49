//! One file of a delta: its hunks, and its content under any subset of them.

use super::hunk::{Hunk, HunkId, HunkKind, HunkPosition};
use super::java_file;
use super::text_file;
use crate::delta_builder::DeltaBuilder;
use crate::dependencies::name_dependencies::{IndexedFile, IndexedVersion, Version};
use crate::java_file::cross_file_moves::{CrossFileMoves, FileMoves};
use crate::java_granularity::JavaGranularity;
use crate::matching::version_pair::{FileSources, VersionPair};
use crate::patch_size::split_words;
use crate::refactorings::edited_names::NameAlternative;
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
    path_hunk: Option<HunkId>,
    /// Changes the mode.
    mode_hunk: Option<HunkId>,
    content: FileContent,
}

#[derive(Debug)]
enum FileContent {
    /// The bytes are the same.
    Unchanged,
    /// One hunk replaces all bytes.
    Replaced(HunkId),
    /// Several hunks change parts of the content.
    Template(Box<VariantTemplate>),
}

/// Position in one of the versions.
pub(super) struct OriginalPosition {
    pub(super) version: Version,
    pub(super) path: RepoPath,
    pub(super) byte: usize,
}

impl FileDelta {
    /// Returns the original positions of an offset in a variant's file; `None` if this is another file.
    pub(super) fn original_positions(
        &self,
        is_enabled: &dyn Fn(HunkId) -> bool,
        path: &RepoPath,
        byte: usize,
    ) -> Option<Vec<OriginalPosition>> {
        let is_renamed = self.path_hunk.is_some_and(is_enabled);
        let (rendered, version) = match (&self.old, &self.new) {
            (None, Some(new)) => (new, Version::New),
            (Some(_), Some(new)) if is_renamed => (new, Version::Old),
            (Some(old), _) => (old, Version::Old),
            (None, None) => return None,
        };
        if rendered.0 != *path {
            return None;
        }
        let FileContent::Template(merged) = &self.content else {
            return Some(vec![OriginalPosition { version, path: path.clone(), byte }]);
        };
        let OriginalOffsets { old, new, paths } = merged.original_offsets(is_enabled, byte);
        let path_of =
            |side: &'_ Option<(RepoPath, FileState)>| side.as_ref().map(|side| side.0.clone());
        let paths = match paths.cloned() {
            Some((old, new)) => (Some(old), Some(new)),
            None => (path_of(&self.old), path_of(&self.new)),
        };
        let position = |version, path: Option<RepoPath>, start: Option<usize>| {
            Some(OriginalPosition { version, path: path?, byte: start? })
        };
        let both = [position(Version::Old, paths.0, old), position(Version::New, paths.1, new)];
        Some(both.into_iter().flatten().collect())
    }

    /// Adds the alternatives of a name. Returns false if the file is not split at all these tokens.
    pub(super) fn add_name_alternatives(&mut self, alternatives: &[NameAlternative]) -> bool {
        let FileContent::Template(template) = &mut self.content else { return false };
        alternatives.iter().all(|one| {
            let is_old = one.version == Version::Old;
            template.add_renamed_text(is_old, one.token, one.renaming, &one.name)
        })
    }

    /// Returns every token of both versions, with the hunk that it depends on.
    pub(super) fn ranges(&self) -> FileRanges {
        let path = |side: &Option<(RepoPath, FileState)>| side.as_ref().map(|side| side.0.clone());
        let full_range = |side: &Option<(RepoPath, FileState)>| {
            side.as_ref().map(|(_, state)| 0..state.content.len())
        };
        let (old, new) = (full_range(&self.old), full_range(&self.new));
        let ranges = match (&self.content, self.path_hunk) {
            (FileContent::Template(merged), _) => merged.ranges(),
            (FileContent::Unchanged, _) if old.is_some() && new.is_some() => {
                vec![VersionedRange { old, new, hunk: None }]
            }
            (FileContent::Replaced(hunk), _) => VersionedRange::replacement(old, new, *hunk),
            (FileContent::Unchanged, Some(hunk)) => VersionedRange::replacement(old, new, hunk),
            (FileContent::Unchanged, None) => Vec::new(),
        };
        FileRanges { old: path(&self.old), new: path(&self.new), ranges }
    }

    /// Returns the paths of the file in both versions.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.old.iter().chain(&self.new).map(|(path, _)| path)
    }

    pub(super) fn is_java(&self) -> bool {
        self.paths().any(RepoPath::is_java)
    }

    /// Adds the file in a variant to `changes`, unless it equals the old one.
    pub(super) fn render(
        &self,
        is_enabled: &dyn Fn(HunkId) -> bool,
        changes: &mut BTreeMap<RepoPath, Option<FileState>>,
    ) {
        let is_applied = |hunk: Option<HunkId>| hunk.is_some_and(is_enabled);
        match (&self.old, &self.new) {
            (Some((old_path, old)), Some((new_path, new))) => {
                let state = FileState {
                    mode: if is_applied(self.mode_hunk) { new.mode } else { old.mode },
                    content: match &self.content {
                        FileContent::Unchanged => old.content.clone(),
                        FileContent::Replaced(hunk) => {
                            if is_enabled(*hunk) { &new.content } else { &old.content }.clone()
                        }
                        FileContent::Template(merged) => merged.render(is_enabled).into(),
                    },
                };
                let is_renamed = is_applied(self.path_hunk);
                if is_renamed {
                    changes.entry(old_path.clone()).or_insert(None);
                }
                if is_renamed || state != *old {
                    changes
                        .insert(if is_renamed { new_path } else { old_path }.clone(), Some(state));
                }
            }
            (None, Some((path, new))) if is_applied(self.path_hunk) => {
                changes.insert(path.clone(), Some(self.one_sided_state(new, is_enabled)));
            }
            (Some((path, _)), None) if is_applied(self.path_hunk) => {
                changes.entry(path.clone()).or_insert(None);
            }
            (Some((path, old)), None) => {
                let state = self.one_sided_state(old, is_enabled);
                if state != *old {
                    changes.insert(path.clone(), Some(state));
                }
            }
            _ => {}
        }
    }

    /// Returns the content of an added or removed file in a variant.
    fn one_sided_state(&self, state: &FileState, is_enabled: &dyn Fn(HunkId) -> bool) -> FileState {
        match &self.content {
            FileContent::Template(merged) => {
                FileState { mode: state.mode, content: merged.render(is_enabled).into() }
            }
            _ => state.clone(),
        }
    }
}

/// Parses the Java sources of all changed files, where they can be split along their syntax trees.
pub(super) fn parse_sources(changes: &[FileChange], mode: JavaGranularity) -> Vec<FileSources> {
    let parse_file = |path: &RepoPath, state: &FileState| {
        let is_ast = mode == JavaGranularity::Ast && path.is_java() && is_text(state);
        if is_ast { ParsedSource::parse(state.content.clone()) } else { None }
    };
    // A file with only comments has no tokens to attach them to.
    let parse_one_sided = |side: &Option<(RepoPath, FileState)>| {
        let (path, state) = side.as_ref()?;
        parse_file(path, state).filter(|source| !source.tokens().is_empty())
    };
    let sources = changes.iter().enumerate().map(|(file, change)| {
        let (old, new) = match (&change.old, &change.new) {
            (Some((_, old)), Some((_, new))) if old.content == new.content => (None, None),
            (Some((_, old)), Some((path, new))) => {
                parse_file(path, old).zip(parse_file(path, new)).unzip()
            }
            (old, new) => (parse_one_sided(old), parse_one_sided(new)),
        };
        FileSources { file, old, new }
    });
    sources.collect()
}

/// Splits the files of a change, one after the other.
pub(super) struct FileSplitter<'a> {
    mode: JavaGranularity,
    next_file: usize,
    sources: &'a [FileSources],
    pub(super) cross_file_moves: CrossFileMoves,
    pub(super) builder: DeltaBuilder,
    pub(super) indexed_files: Vec<IndexedFile>,
    pub(super) unparsed_paths: Vec<RepoPath>,
}

impl<'a> FileSplitter<'a> {
    pub(super) fn new(
        mode: JavaGranularity,
        changes: &[FileChange],
        sources: &'a [FileSources],
    ) -> Self {
        let mut builder = DeltaBuilder::default();
        Self {
            mode,
            next_file: 0,
            sources,
            cross_file_moves: java_file::find_cross_file_moves(sources, changes, &mut builder),
            builder,
            indexed_files: Vec::new(),
            unparsed_paths: Vec::new(),
        }
    }

    pub(super) fn split_file(&mut self, change: &FileChange) -> FileDelta {
        let file = self.next_file;
        self.next_file += 1;
        let mut delta = FileDelta {
            old: change.old.clone(),
            new: change.new.clone(),
            path_hunk: None,
            mode_hunk: None,
            content: FileContent::Unchanged,
        };
        match (&change.old, &change.new) {
            (Some(old), Some(new)) => self.split_changed(old, new, file, &mut delta),
            (None, Some(new)) => self.split_one_sided(new, file, false, &mut delta),
            (Some(old), None) => self.split_one_sided(old, file, true, &mut delta),
            (None, None) => {}
        }
        delta
    }

    /// Adds an added or removed file.
    fn split_one_sided(
        &mut self,
        (path, state): &(RepoPath, FileState),
        file: usize,
        is_old: bool,
        delta: &mut FileDelta,
    ) {
        let sources = &self.sources[file];
        let source = sources.old.as_ref().or(sources.new.as_ref());
        let tokens = if source.is_some() { 0 } else { split_words(&state.content).len() };
        let description = if is_old { "removed file" } else { "added file" };
        let hunk = self.add_file_hunk(path, description, tokens as u64, file);
        delta.path_hunk = Some(hunk);
        let Some(source) = source else { return };
        let file_moves = FileMoves { moves: &self.cross_file_moves, file, is_reversed: is_old };
        let split = |sink: &mut DeltaBuilder| {
            java_file::split_one_sided_file(path, source, hunk, file_moves, sink)
        };
        let indexed_version = Some(IndexedVersion::new(path, source));
        let (template, indexed_file) = if is_old {
            let (mut template, owners) = self.builder.add_reversed(split);
            template.is_reversed = true;
            (template, IndexedFile::new(indexed_version, None, owners.reversed()))
        } else {
            let (template, owners) = split(&mut self.builder);
            (template, IndexedFile::new(None, indexed_version, owners))
        };
        self.indexed_files.push(indexed_file);
        delta.content = FileContent::Template(Box::new(template));
    }

    fn split_changed(
        &mut self,
        (old_path, old): &(RepoPath, FileState),
        (path, new): &(RepoPath, FileState),
        file: usize,
        delta: &mut FileDelta,
    ) {
        if old_path != path {
            delta.path_hunk = Some(self.add_file_hunk(path, "renamed file", 1, file));
        }
        let is_mode_changed = old.mode != new.mode;
        if old.content != new.content && !(is_text(old) && is_text(new)) {
            let hunk = self.add_file_hunk(path, "content", 1, file);
            // The content and the mode of a link or submodule belong together.
            delta.mode_hunk = is_mode_changed.then_some(hunk);
            delta.content = FileContent::Replaced(hunk);
            return;
        }
        if is_mode_changed {
            delta.mode_hunk = Some(self.add_file_hunk(path, "mode", 1, file));
        }
        if old.content == new.content {
            return;
        }
        let split_content = self.split_content(old_path, old, path, new, file);
        if let (Some(indexed_file), Some(rename), true) =
            (self.indexed_files.last_mut(), delta.path_hunk, split_content.1)
        {
            indexed_file.rename = Some((old_path.clone(), path.clone(), rename));
        }
        delta.content = FileContent::Template(Box::new(split_content.0));
    }

    /// Returns the merged content, and true if the file was split as Java.
    fn split_content(
        &mut self,
        old_path: &RepoPath,
        old: &FileState,
        path: &RepoPath,
        new: &FileState,
        file: usize,
    ) -> (VariantTemplate, bool) {
        let sources = &self.sources[file];
        if let (Some(old), Some(new)) = (&sources.old, &sources.new) {
            let file_moves = FileMoves { moves: &self.cross_file_moves, file, is_reversed: false };
            let (template, owners) = java_file::split_file(
                path,
                VersionPair { old, new },
                file_moves,
                &mut self.builder,
            );
            let versions = (IndexedVersion::new(old_path, old), IndexedVersion::new(path, new));
            self.indexed_files.push(IndexedFile::new(Some(versions.0), Some(versions.1), owners));
            return (template, true);
        }
        if self.mode == JavaGranularity::Ast && path.is_java() {
            self.unparsed_paths.push(path.clone());
        }
        (self.split_text(path, &old.content, &new.content, file), false)
    }

    fn split_text(
        &mut self,
        path: &RepoPath,
        old: &Arc<[u8]>,
        new: &Arc<[u8]>,
        file: usize,
    ) -> VariantTemplate {
        if old <= new {
            return text_file::split_text_file(path, old, new, file, &mut self.builder);
        }
        let mut template = self
            .builder
            .add_reversed(|sink| text_file::split_text_file(path, new, old, file, sink));
        template.is_reversed = true;
        template
    }

    fn add_file_hunk(
        &mut self,
        path: &RepoPath,
        description: &str,
        tokens: u64,
        file: usize,
    ) -> HunkId {
        let position = self.builder.next_position();
        self.builder.add(Hunk {
            kind: HunkKind::File,
            path: path.clone(),
            node_kind: description.to_owned(),
            old_path: None,
            old: None,
            new: None,
            tokens,
            is_layout: false,
            position: HunkPosition { file, member: position, statement: position },
        })
    }
}

/// Returns true for a text file by git's rule: a NUL among the first 8,000 bytes makes a file binary.
fn is_text(state: &FileState) -> bool {
    matches!(state.mode, FileMode::Regular | FileMode::Executable)
        && !state.content.iter().take(8_000).any(|byte| *byte == 0)
}
