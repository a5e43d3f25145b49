//! Converts a delta to the units and constraints of a search.

use mend_delta::{Component, Delta, HunkPosition};
use mend_model::Result;
use mend_search::{Constraints, Units};

/// Converts a delta. `first_stage` is a grouping that the search uses before files, if there is one.
pub(crate) fn to_search_units(delta: &Delta, first_stage: Option<Vec<usize>>) -> Result<Units> {
    let components = delta.components();
    let mut required = Vec::new();
    let mut alternatives = Vec::new();
    for (from, to) in delta.component_dependencies() {
        match to[..] {
            [to] => required.push((from, to)),
            _ => alternatives.push((from, to)),
        }
    }
    let weights = components.iter().map(|component| component.tokens.max(1)).collect();
    let stage = |part: &dyn Fn(&HunkPosition) -> usize| group_components(delta, part);
    let stages_by_place =
        [stage(&|place| place.file), stage(&|place| place.member), stage(&|place| place.statement)];
    let stages = first_stage.into_iter().chain(stages_by_place).collect();
    Units::new(weights, stages, Constraints::new(components.len(), &required, &alternatives)?)
}

/// Returns the group of each component: the common place of its hunks, or a separate group if they are in several
/// places.
fn group_components(delta: &Delta, place_of: &dyn Fn(&HunkPosition) -> usize) -> Vec<usize> {
    let places: Vec<usize> = delta.hunks().iter().map(|hunk| place_of(&hunk.position)).collect();
    let first_own_group = places.iter().max().map_or(0, |most| most + 1);
    let group = |(at, component): (usize, &Component)| {
        let mut places_of_hunks = component.hunks.iter().map(|hunk| places[*hunk]);
        let first = places_of_hunks.next().unwrap_or(first_own_group + at);
        if places_of_hunks.all(|place| place == first) { first } else { first_own_group + at }
    };
    delta.components().iter().enumerate().map(group).collect()
}
