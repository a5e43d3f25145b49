//! Moves between files: types and members that are equal, or have the same name and are similar.

use super::moves::{LEAST_MOVE, MatchedSubtrees, SubtreeKey, body_key, equal_key, signature_key};
use super::signature::is_type;
use crate::matching::alignment::{ALIKE, ALIKE_TYPES};
use crate::matching::token_multisets::TokenMultisets;
use crate::matching::version_pair::{FileSources, Version};
use mend_java::{Grammar, NodeId, ParsedSource};
use std::collections::{HashMap, HashSet};

/// A declaration in one version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MoveCandidate {
    pub(crate) file: usize,
    pub(crate) node: NodeId,
}

/// Key of two declarations that are the same, and key that a declaration shares with one that remains in its file.
type MatchKeys = (
    fn(&ParsedSource, NodeId) -> Option<SubtreeKey>,
    fn(&ParsedSource, NodeId) -> Option<SubtreeKey>,
);

/// Pairs declarations of one file of the old version with those of another file of the new one, if the match is unique,
/// the largest first. None of them contains another one.
pub(crate) fn travels(files: &[FileSources]) -> Vec<(MoveCandidate, MoveCandidate)> {
    let mut pairs: Vec<(MoveCandidate, MoveCandidate)> = Vec::new();
    let tests: [MatchKeys; 3] =
        [(equal_key, equal_key), (signature_key, signature_key), (body_key, signature_key)];
    for test in tests {
        let [gone, come] = [Version::Old, Version::New].map(|version| only(files, version, test));
        let pair =
            |(key, old): (SubtreeKey, Option<MoveCandidate>)| Some((old?, (*come.get(&key)?)?));
        pairs.extend(gone.into_iter().filter_map(pair).filter(|(old, new)| old.file != new.file));
    }
    let tokens = |version, stop: MoveCandidate| {
        let source = files[stop.file].source(version);
        source.map_or(0, |source| source.node(stop.node).tokens.len())
    };
    // The same order for the way back.
    pairs.sort_by_key(|(old, new)| {
        let size = tokens(Version::Old, *old) + tokens(Version::New, *new);
        (usize::MAX - size, (*old).min(*new), (*old).max(*new))
    });
    pairs.dedup();
    let mut taken: HashMap<(Version, usize), MatchedSubtrees> = HashMap::new();
    pairs.retain(|(old, new)| {
        let (Some(from), Some(to)) =
            (files[old.file].source(Version::Old), files[new.file].source(Version::New))
        else {
            return false;
        };
        let stops = [(Version::Old, old, from), (Version::New, new, to)];
        let is_free = stops.iter().all(|(version, stop, source)| {
            let taken = taken.entry((*version, stop.file)).or_default();
            !taken.overlaps(stop.node, source.node(stop.node).end)
        });
        let goes = is_free && are_alike(from, old.node, to, new.node);
        for (version, stop, source) in stops.iter().filter(|_| goes) {
            let taken = taken.entry((*version, stop.file)).or_default();
            taken.add(stop.node, source.node(stop.node).end);
        }
        goes
    });
    pairs
}

/// Returns the declarations of one version without a counterpart in their own file, by key; `None` for a key of several
/// declarations.
fn only(
    files: &[FileSources],
    version: Version,
    (key, stay): MatchKeys,
) -> HashMap<SubtreeKey, Option<MoveCandidate>> {
    let mut stops: HashMap<SubtreeKey, Option<MoveCandidate>> = HashMap::new();
    for (file, sources) in files.iter().enumerate() {
        let Some(source) = sources.source(version) else { continue };
        let mut kept: [HashSet<SubtreeKey>; 2] = Default::default();
        if let Some(other) = sources.source(version.opposite()) {
            for id in declarations(other) {
                kept[0].extend(key(other, id));
                kept[1].extend(stay(other, id));
            }
        }
        for node in declarations(source) {
            let stays = stay(source, node).is_some_and(|key| kept[1].contains(&key));
            let key = key(source, node).filter(|key| !stays && !kept[0].contains(key));
            if let Some(key) = key.filter(|_| source.node(node).tokens.len() >= LEAST_MOVE) {
                let stop = MoveCandidate { file, node };
                stops.entry(key).and_modify(|stop| *stop = None).or_insert(Some(stop));
            }
        }
    }
    stops
}

/// Returns true if two declarations are equal, or similar enough to be one edited declaration.
fn are_alike(old: &ParsedSource, gone: NodeId, new: &ParsedSource, come: NodeId) -> bool {
    if old.node(gone).hash == new.node(come).hash {
        return true;
    }
    if old.node(gone).kind != new.node(come).kind {
        return false;
    }
    let (old, new) = (old.part(gone), new.part(come));
    let least = if is_type(old.node(0).kind) { ALIKE_TYPES } else { ALIKE };
    TokenMultisets::new(&old, &new).similarity(0..old.tokens().len(), 0..new.tokens().len())
        >= least
}

/// Returns types and their members without constructors, which belong to their class.
fn declarations(source: &ParsedSource) -> Vec<NodeId> {
    let grammar = Grammar::get();
    let bodies = ["program", "class_body", "interface_body", "enum_body_declarations"];
    let bodies = bodies.map(|name| grammar.kind(name));
    let kinds = [
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "field_declaration",
        "constant_declaration",
    ];
    let kinds = kinds.map(|name| grammar.kind(name));
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(node) = source.nodes().get(next) {
        let is_declaration = kinds.contains(&node.kind);
        if is_declaration && bodies.contains(&source.node(node.parent).kind) {
            found.push(next);
        }
        // What is declared in a method or a value is local.
        let is_closed = is_declaration && !is_type(node.kind);
        next = if is_closed { node.end } else { next + 1 };
    }
    found
}
