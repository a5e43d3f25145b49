//! Pairs declarations that moved to another file: equal ones, and similar ones with the same name or body.

use super::moves::{
    MIN_MOVED_TOKENS, MatchedSubtrees, SubtreeKey, body_key, equal_key, signature_key,
};
use super::signature::{is_type_declaration, name_of_declaration};
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

/// Maximum number of method bodies compared for one name.
const MAX_BODIES_OF_NAME: usize = 8;

/// Pairs method bodies of one file of the old version with those of another file of the new one, if the methods have the
/// same name and the bodies are similar. `moved` are the declarations that move as a whole.
pub(crate) fn pair_moved_bodies(
    files: &[FileSources],
    moved: &[(MoveCandidate, MoveCandidate)],
) -> Vec<(MoveCandidate, MoveCandidate)> {
    let moved_nodes = [
        moved.iter().map(|pair| pair.0).collect::<Vec<_>>(),
        moved.iter().map(|pair| pair.1).collect::<Vec<_>>(),
    ];
    let [removed, added] = [Version::Old, Version::New]
        .map(|version| unmatched_bodies(files, version, &moved_nodes[version as usize]));
    let mut pairs = Vec::new();
    for (name, old_bodies) in removed {
        let Some(new_bodies) = added.get(&name) else { continue };
        if old_bodies.len().max(new_bodies.len()) > MAX_BODIES_OF_NAME {
            continue;
        }
        let in_other_file = |old: MoveCandidate| {
            let others = new_bodies.iter().filter(move |new| new.file != old.file);
            others.map(move |new| (old, *new))
        };
        pairs.extend(old_bodies.iter().copied().flat_map(in_other_file));
    }
    let body = |version, candidate: MoveCandidate| {
        files[candidate.file].source(version).map(|source| (source, candidate.node))
    };
    pairs.retain(|(old, new)| {
        let bodies = body(Version::Old, *old).zip(body(Version::New, *new));
        bodies.is_some_and(|(old, new)| are_similar(old.0, old.1, new.0, new.1))
    });
    // A body with several counterparts is copied or merged rather than moved.
    let count_old = |one: &MoveCandidate| pairs.iter().filter(|(old, _)| old == one).count();
    let count_new = |one: &MoveCandidate| pairs.iter().filter(|(_, new)| new == one).count();
    let is_unique =
        |(old, new): &&(MoveCandidate, MoveCandidate)| count_old(old) == 1 && count_new(new) == 1;
    let mut unique: Vec<_> = pairs.iter().filter(is_unique).copied().collect();
    // The order is the same for swapped versions.
    unique.sort_by_key(|(old, new)| ((*old).min(*new), (*old).max(*new)));
    unique
}

/// Returns the bodies of methods without a similar body in their own file, by name.
fn unmatched_bodies<'a>(
    files: &'a [FileSources],
    version: Version,
    moved: &[MoveCandidate],
) -> HashMap<&'a [u8], Vec<MoveCandidate>> {
    let mut bodies: HashMap<&[u8], Vec<MoveCandidate>> = HashMap::new();
    for (file, sources) in files.iter().enumerate() {
        let Some(source) = sources.source(version) else { continue };
        let other = sources.source(version.opposite());
        let other_methods: Vec<_> = other.into_iter().flat_map(methods).collect();
        let kept_hashes: HashSet<u64> = other
            .into_iter()
            .flat_map(|other| other_methods.iter().map(|(_, body)| other.node(*body).hash))
            .collect();
        for (method, body) in methods(source) {
            let is_moved = moved.iter().any(|one| {
                one.file == file && (one.node..source.node(one.node).subtree_end).contains(&method)
            });
            let Some(name) = name_of_declaration(source, method).filter(|_| !is_moved) else {
                continue;
            };
            let name = source.node_text(name);
            let is_kept = kept_hashes.contains(&source.node(body).hash)
                || other.is_some_and(|other| {
                    other_methods.iter().any(|(twin, twin_body)| {
                        name_of_declaration(other, *twin)
                            .is_some_and(|twin| other.node_text(twin) == name)
                            && are_similar(source, body, other, *twin_body)
                    })
                });
            if !is_kept && source.node(body).tokens.len() >= MIN_MOVED_TOKENS {
                bodies.entry(name).or_default().push(MoveCandidate { file, node: body });
            }
        }
    }
    bodies
}

/// Returns the methods with a body, and their bodies.
fn methods(source: &ParsedSource) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
    let grammar = Grammar::get();
    let (method, body) = (grammar.kind_id("method_declaration"), grammar.field_id("body"));
    let methods = (0..source.nodes().len()).filter(move |id| source.node(*id).kind == method);
    methods.filter_map(move |id| Some((id, source.child(id, body)?)))
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
