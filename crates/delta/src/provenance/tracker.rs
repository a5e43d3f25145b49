//! Tracker of byte origins through all steps of a history.

use crate::JavaGranularity;
use crate::provenance::inherited_text::{
    ByteOrigin, ByteSource, InheritedText, TextOrigins, path_and_content,
};
use crate::provenance::intermediate_version::{Ancestor, IntermediateVersion, ParentVersion};
use mend_model::{FileChange, RepoPath};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// Fate of a byte of the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteFate {
    Kept,
    /// Removed by this step; `None` if the byte never existed.
    Removed(Option<u32>),
}

/// State of a version: the origins of files that differ from the old version.
#[derive(Clone, Debug, Default)]
struct VersionState {
    files: BTreeMap<RepoPath, TextOrigins>,
    /// Fates of the tracked bytes.
    fates: Vec<ByteFate>,
}

/// Tracks byte origins through all steps.
pub(super) struct ProvenanceTracker<'a> {
    mode: JavaGranularity,
    steps: &'a [IntermediateVersion],
    tracked_bytes: TrackedBytes,
    states: Vec<VersionState>,
}

/// Files of the old version by number, with the tracked bytes.
#[derive(Default)]
struct TrackedBytes {
    files: HashMap<RepoPath, u32>,
    ids_by_position: HashMap<(u32, u32), usize>,
}

/// State of the last version.
pub(super) struct FinalVersion {
    state: VersionState,
}

impl FinalVersion {
    /// Returns the step that removed a tracked byte of the old version.
    pub(super) fn removing_step(&self, place: usize) -> Option<usize> {
        match self.state.fates[place] {
            ByteFate::Removed(step) => step.map(|step| step as usize),
            ByteFate::Kept => None,
        }
    }

    /// Returns the origins of a part of a file; empty if the file equals the old one.
    pub(super) fn origins(
        &self,
        path: &RepoPath,
        range: &Range<usize>,
    ) -> impl Iterator<Item = ByteOrigin> {
        let text = self.state.files.get(path).and_then(|text| text.get(range.clone()));
        text.unwrap_or_default().iter().copied()
    }
}

impl<'a> ProvenanceTracker<'a> {
    pub(super) fn new(mode: JavaGranularity, steps: &'a [IntermediateVersion]) -> Self {
        Self { mode, steps, tracked_bytes: TrackedBytes::default(), states: Vec::new() }
    }

    /// Tracks a byte of the old version and returns its number.
    pub(super) fn track_byte(&mut self, path: &RepoPath, offset: usize) -> usize {
        let next = self.tracked_bytes.ids_by_position.len();
        let file = self.tracked_bytes.file_number(path);
        *self.tracked_bytes.ids_by_position.entry((file, to_u32(offset))).or_insert(next)
    }

    /// Processes all steps.
    pub(super) fn into_final_version(mut self) -> Option<FinalVersion> {
        let last_uses = last_children(self.steps);
        for (number, step) in self.steps.iter().enumerate() {
            let state = self.compute_state(&step.parents, Some(to_u32(number)));
            self.states.push(state);
            (0..number).filter(|one| last_uses[*one] == number).for_each(|used_up| {
                self.states[used_up] = VersionState::default();
            });
        }
        Some(FinalVersion { state: self.states.pop()? })
    }

    fn compute_state(&mut self, parents: &[ParentVersion], step: Option<u32>) -> VersionState {
        let parents: Vec<(VersionState, &[FileChange])> = parents
            .iter()
            .map(|parent| (self.ancestor_state(&parent.ancestor), &parent.changes[..]))
            .collect();
        self.merged_state(&parents, step)
    }

    fn ancestor_state(&mut self, ancestor: &Ancestor) -> VersionState {
        let fates = vec![ByteFate::Kept; self.tracked_bytes.ids_by_position.len()];
        let old = VersionState { files: BTreeMap::new(), fates };
        match ancestor {
            Ancestor::Intermediate(step) => self.states.get(*step).cloned().unwrap_or(old),
            Ancestor::Outside(changes) => self.merged_state(&[(old, changes)], None),
        }
    }

    /// Returns the state of a version from those of its parents; `step` is `None` for a version outside of the history.
    fn merged_state(
        &mut self,
        parents: &[(VersionState, &[FileChange])],
        step: Option<u32>,
    ) -> VersionState {
        let Some((first, changes)) = parents.first() else { return VersionState::default() };
        for (_, changes) in parents {
            self.tracked_bytes.add_files(changes);
        }
        let tracked_bytes = &self.tracked_bytes;
        let inherited = parents.iter().map(|(state, changes)| {
            let text = |path: &RepoPath, len| state.origins_of(path, len, tracked_bytes);
            (state, InheritedText::new(changes, self.mode, step, &text))
        });
        let inherited_texts: Vec<(&VersionState, InheritedText<'_>)> = inherited.collect();
        let mut merged = first.clone();
        let mut is_kept: Vec<bool> =
            first.fates.iter().map(|fate| *fate == ByteFate::Kept).collect();
        for (path, old) in changes.iter().filter_map(|change| path_and_content(change.old.as_ref()))
        {
            let text = first.origins_of(path, old.len(), tracked_bytes);
            tracked_bytes.tracked_in(&text).for_each(|place| is_kept[place] = false);
            merged.files.insert(path.clone(), Rc::from([]));
        }
        for (path, new) in changes.iter().filter_map(|change| path_and_content(change.new.as_ref()))
        {
            let text = merge_origins(path, new.len(), &inherited_texts, step, tracked_bytes);
            tracked_bytes.tracked_in(&text).for_each(|place| is_kept[place] = true);
            merged.files.insert(path.clone(), text);
        }
        let fate_if_removed =
            |place: usize| removed_fate(parents.iter().map(|(state, _)| state.fates[place]), step);
        let fate =
            |place: usize| if is_kept[place] { ByteFate::Kept } else { fate_if_removed(place) };
        merged.fates = (0..is_kept.len()).map(fate).collect();
        merged
    }
}

/// Merges the origins of a file of a merge version: for each byte, the strongest evidence of any parent.
fn merge_origins(
    path: &RepoPath,
    len: usize,
    parents: &[(&VersionState, InheritedText<'_>)],
    step: Option<u32>,
    tracked_bytes: &TrackedBytes,
) -> TextOrigins {
    let own_origin = ByteOrigin {
        source: step.map_or(ByteSource::Outside, ByteSource::Intermediate),
        move_step: None,
    };
    let mut merged: Vec<Option<ByteOrigin>> = vec![None; len];
    for (state, carried) in parents {
        let whole;
        let parent_origins = if let Some(origins) = carried.origins(path) {
            origins
        } else {
            whole = state
                .origins_of(path, len, tracked_bytes)
                .iter()
                .copied()
                .map(Some)
                .collect::<Vec<_>>();
            &whole
        };
        for (byte, parent_origin) in merged.iter_mut().zip(parent_origins) {
            let is_stronger = |parent_origin: &ByteOrigin| {
                byte.is_none_or(|byte| evidence_rank(parent_origin) < evidence_rank(&byte))
            };
            *byte = parent_origin.filter(is_stronger).or(*byte);
        }
    }
    merged.into_iter().map(|origin| origin.unwrap_or(own_origin)).collect()
}

fn evidence_rank(origin: &ByteOrigin) -> usize {
    match origin.source {
        ByteSource::Old(..) => 0,
        ByteSource::Intermediate(_) => 1,
        ByteSource::Outside => 2,
    }
}

/// Returns the fate of a byte that a version lacks, given its fates in the parents.
fn removed_fate(parent_fates: impl Iterator<Item = ByteFate>, step: Option<u32>) -> ByteFate {
    let mut has_existed = false;
    for fate in parent_fates {
        match fate {
            ByteFate::Kept => has_existed = true,
            ByteFate::Removed(Some(step)) => return ByteFate::Removed(Some(step)),
            ByteFate::Removed(None) => {}
        }
    }
    ByteFate::Removed(step.filter(|_| has_existed))
}

impl VersionState {
    /// Returns a file's origins; unchanged code originates in the old version.
    fn origins_of(&self, path: &RepoPath, len: usize, tracked_bytes: &TrackedBytes) -> TextOrigins {
        if let Some(text) = self.files.get(path) {
            return Rc::clone(text);
        }
        let file = tracked_bytes.files.get(path).copied().unwrap_or(u32::MAX);
        let byte = |at| ByteOrigin { source: ByteSource::Old(file, to_u32(at)), move_step: None };
        (0..len).map(byte).collect()
    }
}

impl TrackedBytes {
    fn add_files(&mut self, changes: &[FileChange]) {
        for change in changes {
            let sides =
                [path_and_content(change.old.as_ref()), path_and_content(change.new.as_ref())];
            for (path, _) in sides.into_iter().flatten() {
                self.file_number(path);
            }
        }
    }

    fn file_number(&mut self, path: &RepoPath) -> u32 {
        let next = to_u32(self.files.len());
        *self.files.entry(path.clone()).or_insert(next)
    }

    /// Returns the tracked bytes that a text contains.
    fn tracked_in(&self, text: &[ByteOrigin]) -> impl Iterator<Item = usize> {
        text.iter().filter_map(|origin| match origin.source {
            ByteSource::Old(file, at) => self.ids_by_position.get(&(file, at)).copied(),
            ByteSource::Intermediate(_) | ByteSource::Outside => None,
        })
    }
}

/// Returns the last child of each step; itself if there is none.
fn last_children(steps: &[IntermediateVersion]) -> Vec<usize> {
    let mut last: Vec<usize> = (0..steps.len()).collect();
    for (number, step) in steps.iter().enumerate() {
        for parent in &step.parents {
            if let Ancestor::Intermediate(earlier) = parent.ancestor {
                last[earlier] = number;
            }
        }
    }
    last
}

/// Converts an offset or a step: files and histories have fewer than 2³² bytes and steps.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
