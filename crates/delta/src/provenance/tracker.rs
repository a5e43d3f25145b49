//! From step to step, with the origins of every text that differs from the old version's.

use crate::JavaGranularity;
use crate::provenance::inherited_text::{
    ByteOrigin, ByteSource, InheritedText, TextOrigins, content,
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

/// A version, limited to its differences from the old one.
#[derive(Clone, Debug, Default)]
struct VersionState {
    files: BTreeMap<RepoPath, TextOrigins>,
    /// Fates of the queried places.
    fates: Vec<ByteFate>,
}

/// The way through all steps.
pub(super) struct ProvenanceTracker<'a> {
    mode: JavaGranularity,
    steps: &'a [IntermediateVersion],
    places: TrackedBytes,
    states: Vec<VersionState>,
}

/// Files of the old version by number, with the queried places.
#[derive(Default)]
struct TrackedBytes {
    files: HashMap<RepoPath, u32>,
    asked: HashMap<(u32, u32), usize>,
}

/// The last version.
pub(super) struct FinalVersion {
    state: VersionState,
}

impl FinalVersion {
    /// Returns the step that removed a place of the old version.
    pub(super) fn gone(&self, place: usize) -> Option<usize> {
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
        Self { mode, steps, places: TrackedBytes::default(), states: Vec::new() }
    }

    /// Asks what becomes of a byte of the old version; its number.
    pub(super) fn ask(&mut self, path: &RepoPath, at: usize) -> usize {
        let next = self.places.asked.len();
        let file = self.places.file(path);
        *self.places.asked.entry((file, small(at))).or_insert(next)
    }

    /// Takes all steps.
    pub(super) fn into_end(mut self) -> Option<FinalVersion> {
        let last_uses = last_uses(self.steps);
        for (number, step) in self.steps.iter().enumerate() {
            let state = self.step(&step.parents, Some(small(number)));
            self.states.push(state);
            (0..number).filter(|one| last_uses[*one] == number).for_each(|used_up| {
                self.states[used_up] = VersionState::default();
            });
        }
        Some(FinalVersion { state: self.states.pop()? })
    }

    fn step(&mut self, parents: &[ParentVersion], step: Option<u32>) -> VersionState {
        let parents: Vec<(VersionState, &[FileChange])> = parents
            .iter()
            .map(|parent| (self.ancestor(&parent.ancestor), &parent.changes[..]))
            .collect();
        self.merged_state(&parents, step)
    }

    fn ancestor(&mut self, ancestor: &Ancestor) -> VersionState {
        let fates = vec![ByteFate::Kept; self.places.asked.len()];
        let old = VersionState { files: BTreeMap::new(), fates };
        match ancestor {
            Ancestor::Intermediate(step) => self.states.get(*step).cloned().unwrap_or(old),
            Ancestor::Outside(changes) => self.merged_state(&[(old, changes)], None),
        }
    }

    /// Returns the version that `step` made from others, or that was made outside.
    fn merged_state(
        &mut self,
        parents: &[(VersionState, &[FileChange])],
        step: Option<u32>,
    ) -> VersionState {
        let Some((first, changes)) = parents.first() else { return VersionState::default() };
        for (_, changes) in parents {
            self.places.number_all(changes);
        }
        let places = &self.places;
        let along = parents.iter().map(|(state, changes)| {
            let text = |path: &RepoPath, len| state.text(path, len, places);
            (state, InheritedText::new(changes, self.mode, step, &text))
        });
        let carried: Vec<(&VersionState, InheritedText<'_>)> = along.collect();
        let mut made = first.clone();
        let mut stays: Vec<bool> = first.fates.iter().map(|fate| *fate == ByteFate::Kept).collect();
        for (path, old) in changes.iter().filter_map(|change| content(change.old.as_ref())) {
            let text = first.text(path, old.len(), places);
            places.in_text(&text).for_each(|place| stays[place] = false);
            made.files.insert(path.clone(), Rc::from([]));
        }
        for (path, new) in changes.iter().filter_map(|change| content(change.new.as_ref())) {
            let text = joined(path, new.len(), &carried, step, places);
            places.in_text(&text).for_each(|place| stays[place] = true);
            made.files.insert(path.clone(), text);
        }
        let gone = |place: usize| gone(parents.iter().map(|(state, _)| state.fates[place]), step);
        let fate = |place: usize| if stays[place] { ByteFate::Kept } else { gone(place) };
        made.fates = (0..stays.len()).map(fate).collect();
        made
    }
}

/// Merges the origins of a file of a merge version: for each byte, the strongest evidence of any parent.
fn joined(
    path: &RepoPath,
    len: usize,
    parents: &[(&VersionState, InheritedText<'_>)],
    step: Option<u32>,
    places: &TrackedBytes,
) -> TextOrigins {
    let own = ByteOrigin {
        source: step.map_or(ByteSource::Outside, ByteSource::Intermediate),
        moved: None,
    };
    let mut joined: Vec<Option<ByteOrigin>> = vec![None; len];
    for (state, carried) in parents {
        let whole;
        let known = if let Some(origins) = carried.origins(path) {
            origins
        } else {
            whole = state.text(path, len, places).iter().copied().map(Some).collect::<Vec<_>>();
            &whole
        };
        for (byte, known) in joined.iter_mut().zip(known) {
            let is_surer = |known: &ByteOrigin| byte.is_none_or(|byte| rank(known) < rank(&byte));
            *byte = known.filter(is_surer).or(*byte);
        }
    }
    joined.into_iter().map(|origin| origin.unwrap_or(own)).collect()
}

fn rank(origin: &ByteOrigin) -> usize {
    match origin.source {
        ByteSource::Old(..) => 0,
        ByteSource::Intermediate(_) => 1,
        ByteSource::Outside => 2,
    }
}

/// Returns the fate of a place that a version made by `step` lacks, given its fates in the parents.
fn gone(before: impl Iterator<Item = ByteFate>, step: Option<u32>) -> ByteFate {
    let mut was_there = false;
    for fate in before {
        match fate {
            ByteFate::Kept => was_there = true,
            ByteFate::Removed(Some(step)) => return ByteFate::Removed(Some(step)),
            ByteFate::Removed(None) => {}
        }
    }
    ByteFate::Removed(step.filter(|_| was_there))
}

impl VersionState {
    /// Returns a file's origins; unchanged code originates in the old version.
    fn text(&self, path: &RepoPath, len: usize, places: &TrackedBytes) -> TextOrigins {
        if let Some(text) = self.files.get(path) {
            return Rc::clone(text);
        }
        let file = places.files.get(path).copied().unwrap_or(u32::MAX);
        let byte = |at| ByteOrigin { source: ByteSource::Old(file, small(at)), moved: None };
        (0..len).map(byte).collect()
    }
}

impl TrackedBytes {
    fn number_all(&mut self, changes: &[FileChange]) {
        for change in changes {
            let sides = [content(change.old.as_ref()), content(change.new.as_ref())];
            for (path, _) in sides.into_iter().flatten() {
                self.file(path);
            }
        }
    }

    fn file(&mut self, path: &RepoPath) -> u32 {
        let next = small(self.files.len());
        *self.files.entry(path.clone()).or_insert(next)
    }

    /// Returns the places that a text contains.
    fn in_text(&self, text: &[ByteOrigin]) -> impl Iterator<Item = usize> {
        text.iter().filter_map(|origin| match origin.source {
            ByteSource::Old(file, at) => self.asked.get(&(file, at)).copied(),
            ByteSource::Intermediate(_) | ByteSource::Outside => None,
        })
    }
}

/// Returns the last child of each step; itself if there is none.
fn last_uses(steps: &[IntermediateVersion]) -> Vec<usize> {
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

/// Files and histories have fewer than 2³² bytes and steps.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
