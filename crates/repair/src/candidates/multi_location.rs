//! Candidates that make one edit in several similar places.

use super::candidate::{Candidate, FixOperator};
use crate::localisation::suspect::SuspiciousStatement;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::NodeIndex;
use mend_model::RepoPath;

/// Number of the best candidates for which similar places are searched.
const OF: usize = 1500;

/// More places than these are no accident.
const MOST: usize = 6;

/// Minimum size of similar code: shorter code resembles anything.
const SHORTEST: usize = 4;

/// Factor for the likelihood that several places are faulty.
const RARITY: f64 = 0.6;

/// Adds candidates that change every look-alike of a place as they change the one; and, where that are fewer, every
/// one that is suspected.
pub(crate) fn add(
    main: &[(RepoPath, Code<'_>)],
    suspects: &[SuspiciousStatement],
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
    let Some(changed) = changed(code, &candidate.edits) else { return Vec::new() };
    let all = look_alikes(code, changed);
    let is_suspected =
        |id: &NodeIndex| code.self_and_ancestors(*id).any(|holder| suspected.contains(&holder));
    let some: Vec<NodeIndex> = all.iter().copied().filter(is_suspected).collect();
    let is_part = some.len() < all.len();
    let lists = [Some(all), Some(some).filter(|_| is_part)];
    let lists = lists.into_iter().flatten();
    lists.filter_map(|places| twin(code, candidate, changed, &places)).collect()
}

/// Returns the smallest expression or statement that edits change or touch.
fn changed(code: &Code<'_>, edits: &[Edit]) -> Option<NodeIndex> {
    let from = edits.iter().map(|edit| edit.bytes.0).min()?;
    let to = edits.iter().map(|edit| edit.bytes.1).max()?;
    let nodes = 0..code.tree.nodes.len();
    if from == to {
        let is_beside = |id: &NodeIndex| {
            let bytes = code.bytes(*id);
            code.is_statement(*id) && (bytes.start == from || bytes.end == from)
        };
        let beside = nodes.clone().find(is_beside);
        if beside.is_some() {
            return beside;
        }
    }
    let holds = |id: &NodeIndex| {
        let bytes = code.bytes(*id);
        bytes.start <= from && to <= bytes.end && (code.is_value(*id) || code.is_statement(*id))
    };
    nodes.filter(holds).min_by_key(|id| code.bytes(*id).len())
}

/// Returns all places with the same structure as one, including itself.
fn look_alikes(code: &Code<'_>, node: NodeIndex) -> Vec<NodeIndex> {
    let (class, written) = (code.class_of(node), code.written(node));
    let is_alike = |id: &usize| {
        code.kind(*id) == code.kind(node)
            && code.written(*id) == written
            && code.class_of(*id) == class
            && code.role(*id) == code.role(node)
    };
    if written.len() < SHORTEST {
        return Vec::new();
    }
    (0..code.tree.nodes.len()).filter(is_alike).collect()
}

/// Applies the edits of one place to all similar places.
fn twin(
    code: &Code<'_>,
    candidate: &Candidate,
    changed: NodeIndex,
    places: &[NodeIndex],
) -> Option<Candidate> {
    if places.len() < 2 || places.len() > MOST {
        return None;
    }
    let old = code.bytes(changed).start;
    let moved = |start: usize| {
        let edits = candidate.edits.iter();
        edits.map(move |edit| {
            let bytes = (start + edit.bytes.0 - old, start + edit.bytes.1 - old);
            Edit { bytes, text: edit.text.clone() }
        })
    };
    Some(Candidate {
        edits: places.iter().flat_map(|id| moved(code.bytes(*id).start)).collect(),
        strategy: FixOperator::MultiLocation,
        why: format!("in {} places, {}", places.len(), candidate.why),
        score: candidate.score * RARITY,
        ..candidate.clone()
    })
}
