//! The same change in several places that look alike.

use super::candidate::{Candidate, Strategy};
use super::code::Code;
use super::edit::Edit;
use super::suspicion::Suspect;
use crate::facts::NodeIndex;
use crate::model::RepoPath;

/// Of so many candidates, the best, twins are looked for.
const OF: usize = 1500;

/// More places than these are no accident.
const MOST: usize = 6;

/// How much less likely it is that several places are at fault.
const RARITY: f64 = 0.6;

/// Adds candidates that change every look-alike of a place as they change the one; and, where that are fewer, every
/// one that is suspected.
pub(super) fn add(
    main: &[(RepoPath, Code<'_>)],
    suspects: &[Suspect],
    candidates: &mut Vec<Candidate>,
) {
    let found: Vec<Candidate> = candidates
        .iter()
        .take(OF)
        .filter_map(|candidate| {
            let file = main.iter().position(|(path, _)| *path == candidate.path)?;
            let suspected = suspects.iter().filter(|one| one.file == file);
            let suspected: Vec<NodeIndex> = suspected.map(|one| one.statement).collect();
            Some(twins(&main[file].1, candidate, &suspected))
        })
        .flatten()
        .collect();
    candidates.extend(found);
}

fn twins(code: &Code<'_>, candidate: &Candidate, suspected: &[NodeIndex]) -> Vec<Candidate> {
    let all = look_alikes(code, candidate).unwrap_or_default();
    let is_suspected = |id: &NodeIndex| code.around(*id).any(|holder| suspected.contains(&holder));
    let some: Vec<NodeIndex> = all.iter().copied().filter(is_suspected).collect();
    let is_part = some.len() < all.len();
    let lists = [Some(all), Some(some).filter(|_| is_part)];
    lists.into_iter().flatten().filter_map(|places| twin(code, candidate, &places)).collect()
}

/// The places that look as the one that a candidate changes.
fn look_alikes(code: &Code<'_>, candidate: &Candidate) -> Option<Vec<NodeIndex>> {
    let [edit] = &candidate.edits[..] else { return None };
    let (from, to) = edit.bytes;
    let is_place = |id: usize| {
        let bytes = code.bytes(id);
        if from == to {
            bytes.start == from && code.is_statement(id)
        } else {
            bytes == (from..to) && (code.is_value(id) || code.is_statement(id))
        }
    };
    let node = (0..code.tree.nodes.len()).find(|id| is_place(*id))?;
    let (class, written) = (code.class_of(node), code.written(node));
    let is_alike = |id: &usize| {
        code.kind(*id) == code.kind(node)
            && code.written(*id) == written
            && code.class_of(*id) == class
            && code.role(*id) == code.role(node)
    };
    let is_long = written.len() >= 4;
    is_long.then(|| (0..code.tree.nodes.len()).filter(is_alike).collect())
}

fn twin(code: &Code<'_>, candidate: &Candidate, places: &[NodeIndex]) -> Option<Candidate> {
    let [edit] = &candidate.edits[..] else { return None };
    let (from, to) = edit.bytes;
    if places.len() < 2 || places.len() > MOST {
        return None;
    }
    let edits = places.iter().map(|id| {
        let start = code.bytes(*id).start;
        Edit { bytes: (start, start + (to - from)), text: edit.text.clone() }
    });
    Some(Candidate {
        edits: edits.collect(),
        strategy: Strategy::Twins,
        why: format!("in {} places, {}", places.len(), candidate.why),
        score: candidate.score * RARITY,
        ..candidate.clone()
    })
}
