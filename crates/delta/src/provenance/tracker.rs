//! From step to step, with the origins of every text that differs from the old version's.

use crate::JavaMode;
use crate::provenance::inherited_text::{Carried, Origin, Source, Text, content};
use crate::provenance::intermediate_version::{Ancestor, Parent, Step};
use mend_model::{FileChange, RepoPath};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// Fate of a byte of the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Stays,
    /// Removed by this step; `None` if the byte never existed.
    Gone(Option<u32>),
}

/// A version, limited to its differences from the old one.
#[derive(Clone, Debug, Default)]
struct State {
    files: BTreeMap<RepoPath, Text>,
    /// Fates of the queried places.
    fates: Vec<Fate>,
}

/// The way through all steps.
pub(super) struct Walk<'a> {
    mode: JavaMode,
    steps: &'a [Step],
    places: Places,
    states: Vec<State>,
}

/// Files of the old version by number, with the queried places.
#[derive(Default)]
struct Places {
    files: HashMap<RepoPath, u32>,
    asked: HashMap<(u32, u32), usize>,
}

/// The last version.
pub(super) struct End {
    state: State,
}

impl End {
    /// Returns the step that removed a place of the old version.
    pub(super) fn gone(&self, place: usize) -> Option<usize> {
        match self.state.fates[place] {
            Fate::Gone(step) => step.map(|step| step as usize),
            Fate::Stays => None,
        }
    }

    /// Returns the origins of a part of a file; empty if the file equals the old one.
    pub(super) fn origins(
        &self,
        path: &RepoPath,
        range: &Range<usize>,
    ) -> impl Iterator<Item = Origin> {
        let text = self.state.files.get(path).and_then(|text| text.get(range.clone()));
        text.unwrap_or_default().iter().copied()
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(mode: JavaMode, steps: &'a [Step]) -> Self {
        Self { mode, steps, places: Places::default(), states: Vec::new() }
    }

    /// Asks what becomes of a byte of the old version; its number.
    pub(super) fn ask(&mut self, path: &RepoPath, at: usize) -> usize {
        let next = self.places.asked.len();
        let file = self.places.file(path);
        *self.places.asked.entry((file, small(at))).or_insert(next)
    }

    /// Takes all steps.
    pub(super) fn into_end(mut self) -> Option<End> {
        let last_uses = last_uses(self.steps);
        for (number, step) in self.steps.iter().enumerate() {
            let state = self.step(&step.parents, Some(small(number)));
            self.states.push(state);
            (0..number).filter(|one| last_uses[*one] == number).for_each(|used_up| {
                self.states[used_up] = State::default();
            });
        }
        Some(End { state: self.states.pop()? })
    }

    fn step(&mut self, parents: &[Parent], step: Option<u32>) -> State {
        let parents: Vec<(State, &[FileChange])> = parents
            .iter()
            .map(|parent| (self.ancestor(&parent.ancestor), &parent.changes[..]))
            .collect();
        self.made(&parents, step)
    }

    fn ancestor(&mut self, ancestor: &Ancestor) -> State {
        let fates = vec![Fate::Stays; self.places.asked.len()];
        let old = State { files: BTreeMap::new(), fates };
        match ancestor {
            Ancestor::Step(step) => self.states.get(*step).cloned().unwrap_or(old),
            Ancestor::Outside(changes) => self.made(&[(old, changes)], None),
        }
    }

    /// Returns the version that `step` made from others, or that was made outside.
    fn made(&mut self, parents: &[(State, &[FileChange])], step: Option<u32>) -> State {
        let Some((first, changes)) = parents.first() else { return State::default() };
        for (_, changes) in parents {
            self.places.number_all(changes);
        }
        let places = &self.places;
        let along = parents.iter().map(|(state, changes)| {
            let text = |path: &RepoPath, len| state.text(path, len, places);
            (state, Carried::along(changes, self.mode, step, &text))
        });
        let carried: Vec<(&State, Carried<'_>)> = along.collect();
        let mut made = first.clone();
        let mut stays: Vec<bool> = first.fates.iter().map(|fate| *fate == Fate::Stays).collect();
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
        let fate = |place: usize| if stays[place] { Fate::Stays } else { gone(place) };
        made.fates = (0..stays.len()).map(fate).collect();
        made
    }
}

/// Merges the origins of a file of a merge version: for each byte, the strongest evidence of any parent.
fn joined(
    path: &RepoPath,
    len: usize,
    parents: &[(&State, Carried<'_>)],
    step: Option<u32>,
    places: &Places,
) -> Text {
    let own = Origin { source: step.map_or(Source::Outside, Source::Step), moved: None };
    let mut joined: Vec<Option<Origin>> = vec![None; len];
    for (state, carried) in parents {
        let whole;
        let known = if let Some(origins) = carried.origins(path) {
            origins
        } else {
            whole = state.text(path, len, places).iter().copied().map(Some).collect::<Vec<_>>();
            &whole
        };
        for (byte, known) in joined.iter_mut().zip(known) {
            let is_surer = |known: &Origin| byte.is_none_or(|byte| rank(known) < rank(&byte));
            *byte = known.filter(is_surer).or(*byte);
        }
    }
    joined.into_iter().map(|origin| origin.unwrap_or(own)).collect()
}

fn rank(origin: &Origin) -> usize {
    match origin.source {
        Source::Old(..) => 0,
        Source::Step(_) => 1,
        Source::Outside => 2,
    }
}

/// Returns the fate of a place that a version made by `step` lacks, given its fates in the parents.
fn gone(before: impl Iterator<Item = Fate>, step: Option<u32>) -> Fate {
    let mut was_there = false;
    for fate in before {
        match fate {
            Fate::Stays => was_there = true,
            Fate::Gone(Some(step)) => return Fate::Gone(Some(step)),
            Fate::Gone(None) => {}
        }
    }
    Fate::Gone(step.filter(|_| was_there))
}

impl State {
    /// Returns a file's origins; unchanged code originates in the old version.
    fn text(&self, path: &RepoPath, len: usize, places: &Places) -> Text {
        if let Some(text) = self.files.get(path) {
            return Rc::clone(text);
        }
        let file = places.files.get(path).copied().unwrap_or(u32::MAX);
        let byte = |at| Origin { source: Source::Old(file, small(at)), moved: None };
        (0..len).map(byte).collect()
    }
}

impl Places {
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
    fn in_text(&self, text: &[Origin]) -> impl Iterator<Item = usize> {
        text.iter().filter_map(|origin| match origin.source {
            Source::Old(file, at) => self.asked.get(&(file, at)).copied(),
            Source::Step(_) | Source::Outside => None,
        })
    }
}

/// Returns the last child of each step; itself if there is none.
fn last_uses(steps: &[Step]) -> Vec<usize> {
    let mut last: Vec<usize> = (0..steps.len()).collect();
    for (number, step) in steps.iter().enumerate() {
        for parent in &step.parents {
            if let Ancestor::Step(earlier) = parent.ancestor {
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
