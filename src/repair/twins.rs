//! The same change in several places that look alike.

use super::candidate::{Candidate, Strategy};
use super::code::Code;
use super::edit::Edit;
use crate::model::RepoPath;

/// Of so many candidates, the best, twins are looked for.
const OF: usize = 1500;

/// More places than these are no accident.
const MOST: usize = 6;

/// How much less likely it is that several places are at fault.
const RARITY: f64 = 0.6;

/// Adds candidates that change every look-alike of a place as they change the one.
pub(super) fn add(main: &[(RepoPath, Code<'_>)], candidates: &mut Vec<Candidate>) {
    let found: Vec<Candidate> = candidates
        .iter()
        .take(OF)
        .filter_map(|candidate| {
            let (_, code) = main.iter().find(|(path, _)| *path == candidate.path)?;
            twin(code, candidate)
        })
        .collect();
    candidates.extend(found);
}

fn twin(code: &Code<'_>, candidate: &Candidate) -> Option<Candidate> {
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
    let places: Vec<usize> = (0..code.tree.nodes.len()).filter(is_alike).collect();
    if places.len() < 2 || places.len() > MOST || written.len() < 4 {
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
