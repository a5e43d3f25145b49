//! Candidates that repeat one edit in several similar places.

use super::candidate::{FixOperator, LocatedCandidate};
use crate::localisation::suspect::SuspiciousStatement;
use mend_java::facts::NodeIndex;
use mend_java::{Candidate, Code, Edit};
use mend_model::RepoPath;

/// Number of the best candidates for which similar places are searched.
const MAX_BASE_CANDIDATES: usize = 1500;

/// Maximum number of similar places: more are no coincidence.
const MAX_LOCATIONS: usize = 6;

/// Minimum size of similar code: shorter code resembles anything.
const MIN_CODE_LEN: usize = 4;

/// Factor for the likelihood that several places are faulty.
const MULTI_LOCATION_FACTOR: f64 = 0.6;

/// Adds candidates that repeat the edit of a candidate in all similar places, and in the suspicious ones if those are
/// fewer.
pub(crate) fn add_candidates(
    main: &[(RepoPath, Code<'_>)],
    suspects: &[SuspiciousStatement],
    candidates: &mut Vec<LocatedCandidate>,
) {
    let variants: Vec<LocatedCandidate> = candidates
        .iter()
        .take(MAX_BASE_CANDIDATES)
        .filter_map(|candidate| {
            let file = main.iter().position(|(path, _)| *path == candidate.path)?;
            let suspected = suspects.iter().filter(|one| one.file == file);
            let suspected: Vec<NodeIndex> = suspected.map(|one| one.statement).collect();
            Some(find_variants(&main[file].1, candidate, &suspected))
        })
        .flatten()
        .collect();
    candidates.extend(variants);
}

fn find_variants(
    code: &Code<'_>,
    candidate: &LocatedCandidate,
    suspected_statements: &[NodeIndex],
) -> Vec<LocatedCandidate> {
    let Some(changed_node) = find_changed_node(code, candidate.edits()) else { return Vec::new() };
    let similar_nodes = find_similar_nodes(code, changed_node);
    let is_suspected = |id: &NodeIndex| {
        code.self_and_ancestors(*id).any(|holder| suspected_statements.contains(&holder))
    };
    let suspected_nodes: Vec<NodeIndex> =
        similar_nodes.iter().copied().filter(is_suspected).collect();
    let is_proper_subset = suspected_nodes.len() < similar_nodes.len();
    let location_sets = [Some(similar_nodes), Some(suspected_nodes).filter(|_| is_proper_subset)];
    let location_sets = location_sets.into_iter().flatten();
    location_sets
        .filter_map(|places| apply_at_locations(code, candidate, changed_node, &places))
        .collect()
}

/// Returns the smallest expression or statement that edits change or touch.
fn find_changed_node(code: &Code<'_>, edits: &[Edit]) -> Option<NodeIndex> {
    let from = edits.iter().map(|edit| edit.bytes.0).min()?;
    let to = edits.iter().map(|edit| edit.bytes.1).max()?;
    let nodes = 0..code.tree.nodes.len();
    if from == to {
        let is_adjacent = |id: &NodeIndex| {
            let bytes = code.bytes(*id);
            code.is_statement(*id) && (bytes.start == from || bytes.end == from)
        };
        let adjacent = nodes.clone().find(is_adjacent);
        if adjacent.is_some() {
            return adjacent;
        }
    }
    let covers_edits = |id: &NodeIndex| {
        let bytes = code.bytes(*id);
        bytes.start <= from
            && to <= bytes.end
            && (code.is_replaceable_value(*id) || code.is_statement(*id))
    };
    nodes.filter(covers_edits).min_by_key(|id| code.bytes(*id).len())
}

/// Returns all places with the same structure as one, including itself.
fn find_similar_nodes(code: &Code<'_>, node: NodeIndex) -> Vec<NodeIndex> {
    let (class, written) = (code.enclosing_type(node), code.source_text(node));
    let is_alike = |id: &usize| {
        code.kind(*id) == code.kind(node)
            && code.source_text(*id) == written
            && code.enclosing_type(*id) == class
            && code.role(*id) == code.role(node)
    };
    if written.len() < MIN_CODE_LEN {
        return Vec::new();
    }
    (0..code.tree.nodes.len()).filter(is_alike).collect()
}

/// Applies the edits of one place to all similar places.
fn apply_at_locations(
    code: &Code<'_>,
    candidate: &LocatedCandidate,
    changed_node: NodeIndex,
    locations: &[NodeIndex],
) -> Option<LocatedCandidate> {
    if locations.len() < 2 || locations.len() > MAX_LOCATIONS {
        return None;
    }
    let old = code.bytes(changed_node).start;
    let move_edits = |start: usize| {
        let edits = candidate.edits().iter();
        edits.map(move |edit| {
            let bytes = (start + edit.bytes.0 - old, start + edit.bytes.1 - old);
            Edit { bytes, text: edit.text.clone() }
        })
    };
    let edits = locations.iter().flat_map(|id| move_edits(code.bytes(*id).start)).collect();
    let change = Candidate {
        edits: [(candidate.path.clone(), edits)].into(),
        operator: FixOperator::MultiLocation,
        description: format!("in {} places, {}", locations.len(), candidate.change.description),
        score: candidate.change.score * MULTI_LOCATION_FACTOR,
    };
    Some(LocatedCandidate { change, ..candidate.clone() })
}
