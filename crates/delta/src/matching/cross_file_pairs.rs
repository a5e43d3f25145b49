//! Pairs declarations that moved to another file: equal ones, and similar ones with the same name or body.

use super::moves::{
    MIN_MOVED_TOKENS, MatchedSubtrees, SubtreeKey, body_key, equal_key, signature_key,
};
use super::signature::is_type_declaration;
use crate::matching::alignment::{MIN_STATEMENT_SIMILARITY, MIN_TYPE_SIMILARITY};
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

/// Key of matching declarations, and key by which a declaration counts as kept in its own file.
type MatchKeys = (
    fn(&ParsedSource, NodeId) -> Option<SubtreeKey>,
    fn(&ParsedSource, NodeId) -> Option<SubtreeKey>,
);

/// Pairs declarations of one file of the old version with those of another file of the new one, if the match is unique,
/// the largest first. None of them contains another one.
pub(crate) fn pair_moved_declarations(
    files: &[FileSources],
) -> Vec<(MoveCandidate, MoveCandidate)> {
    let mut pairs: Vec<(MoveCandidate, MoveCandidate)> = Vec::new();
    let key_functions: [MatchKeys; 3] =
        [(equal_key, equal_key), (signature_key, signature_key), (body_key, signature_key)];
    for test in key_functions {
        let [removed, added] =
            [Version::Old, Version::New].map(|version| unmatched_by_key(files, version, test));
        let pair =
            |(key, old): (SubtreeKey, Option<MoveCandidate>)| Some((old?, (*added.get(&key)?)?));
        pairs
            .extend(removed.into_iter().filter_map(pair).filter(|(old, new)| old.file != new.file));
    }
    let tokens = |version, candidate: MoveCandidate| {
        let source = files[candidate.file].source(version);
        source.map_or(0, |source| source.node(candidate.node).tokens.len())
    };
    // The order is the same for swapped versions.
    pairs.sort_by_key(|(old, new)| {
        let size = tokens(Version::Old, *old) + tokens(Version::New, *new);
        (usize::MAX - size, (*old).min(*new), (*old).max(*new))
    });
    pairs.dedup();
    let mut matched_subtrees: HashMap<(Version, usize), MatchedSubtrees> = HashMap::new();
    pairs.retain(|(old, new)| {
        let (Some(from), Some(to)) =
            (files[old.file].source(Version::Old), files[new.file].source(Version::New))
        else {
            return false;
        };
        let candidates = [(Version::Old, old, from), (Version::New, new, to)];
        let is_unmatched = candidates.iter().all(|(version, candidate, source)| {
            let matched_subtrees = matched_subtrees.entry((*version, candidate.file)).or_default();
            !matched_subtrees.overlaps(candidate.node, source.node(candidate.node).subtree_end)
        });
        let is_move = is_unmatched && are_similar(from, old.node, to, new.node);
        for (version, candidate, source) in candidates.iter().filter(|_| is_move) {
            let matched_subtrees = matched_subtrees.entry((*version, candidate.file)).or_default();
            matched_subtrees.add(candidate.node, source.node(candidate.node).subtree_end);
        }
        is_move
    });
    pairs
}

/// Returns the declarations of one version without a counterpart in their own file, by key; `None` for a key of several
/// declarations.
fn unmatched_by_key(
    files: &[FileSources],
    version: Version,
    (key, stay_key): MatchKeys,
) -> HashMap<SubtreeKey, Option<MoveCandidate>> {
    let mut candidates: HashMap<SubtreeKey, Option<MoveCandidate>> = HashMap::new();
    for (file, sources) in files.iter().enumerate() {
        let Some(source) = sources.source(version) else { continue };
        let mut kept_keys: [HashSet<SubtreeKey>; 2] = Default::default();
        if let Some(other) = sources.source(version.opposite()) {
            for id in declarations(other) {
                kept_keys[0].extend(key(other, id));
                kept_keys[1].extend(stay_key(other, id));
            }
        }
        for node in declarations(source) {
            let is_kept = stay_key(source, node).is_some_and(|key| kept_keys[1].contains(&key));
            let key = key(source, node).filter(|key| !is_kept && !kept_keys[0].contains(key));
            if let Some(key) = key.filter(|_| source.node(node).tokens.len() >= MIN_MOVED_TOKENS) {
                let candidate = MoveCandidate { file, node };
                candidates
                    .entry(key)
                    .and_modify(|candidate| *candidate = None)
                    .or_insert(Some(candidate));
            }
        }
    }
    candidates
}

/// Returns true if two declarations are equal, or similar enough to be one edited declaration.
fn are_similar(old: &ParsedSource, old_node: NodeId, new: &ParsedSource, new_node: NodeId) -> bool {
    if old.node(old_node).hash == new.node(new_node).hash {
        return true;
    }
    if old.node(old_node).kind != new.node(new_node).kind {
        return false;
    }
    let (old, new) = (old.subtree(old_node), new.subtree(new_node));
    let min_similarity = if is_type_declaration(old.node(0).kind) {
        MIN_TYPE_SIMILARITY
    } else {
        MIN_STATEMENT_SIMILARITY
    };
    TokenMultisets::new(&old, &new).similarity(0..old.tokens().len(), 0..new.tokens().len())
        >= min_similarity
}

/// Returns types and their members without constructors, which belong to their class.
fn declarations(source: &ParsedSource) -> Vec<NodeId> {
    let grammar = Grammar::get();
    let body_kinds = ["program", "class_body", "interface_body", "enum_body_declarations"];
    let body_kinds = body_kinds.map(|name| grammar.kind_id(name));
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
    let kinds = kinds.map(|name| grammar.kind_id(name));
    let mut declarations_found = Vec::new();
    let mut next = 0;
    while let Some(node) = source.nodes().get(next) {
        let is_declaration = kinds.contains(&node.kind);
        if is_declaration && body_kinds.contains(&source.node(node.parent).kind) {
            declarations_found.push(next);
        }
        // Declarations in a method or value are local.
        let is_leaf_declaration = is_declaration && !is_type_declaration(node.kind);
        next = if is_leaf_declaration { node.subtree_end } else { next + 1 };
    }
    declarations_found
}
