//! A delta as the units and constraints of a search.

use mend_delta::{Component, Delta, HunkPosition};
use mend_model::Result;
use mend_search::{Constraints, Units};

/// The delta as the search sees it. `first` is a stage that comes before files, if there is one.
pub(crate) fn units(delta: &Delta, first: Option<Vec<usize>>) -> Result<Units> {
    let components = delta.components();
    let mut needs = Vec::new();
    let mut any_of = Vec::new();
    for (from, to) in delta.component_couplings() {
        match to[..] {
            [to] => needs.push((from, to)),
            _ => any_of.push((from, to)),
        }
    }
    let weights = components.iter().map(|component| component.tokens.max(1)).collect();
    let stage = |part: &dyn Fn(&HunkPosition) -> usize| groups(delta, part);
    let places =
        [stage(&|place| place.file), stage(&|place| place.member), stage(&|place| place.statement)];
    let stages = first.into_iter().chain(places).collect();
    Units::new(weights, stages, Constraints::new(components.len(), &needs, &any_of)?)
}

/// Returns the group of each component: the common place of its hunks, or an own group if they are in several places.
fn groups(delta: &Delta, part: &dyn Fn(&HunkPosition) -> usize) -> Vec<usize> {
    let places: Vec<usize> = delta.hunks().iter().map(|hunk| part(&hunk.place)).collect();
    let beyond = places.iter().max().map_or(0, |most| most + 1);
    let group = |(at, component): (usize, &Component)| {
        let mut own = component.hunks.iter().map(|hunk| places[*hunk]);
        let first = own.next().unwrap_or(beyond + at);
        if own.all(|place| place == first) { first } else { beyond + at }
    };
    delta.components().iter().enumerate().map(group).collect()
}
