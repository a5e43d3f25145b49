//! Finds declarations that moved to another file, and their hunks.

use crate::delta_builder::DeltaBuilder;
use crate::hunk::{DependencyRule, Hunk, HunkDependency, HunkId, HunkKind, HunkPosition};
use crate::java_file::cross_file_moves::{
    CrossFileMove, CrossFileMoves, EditedMove, FileMoves, MoveEdit,
};
use crate::java_file::fragment_builder::TokenOwners;
use crate::java_file::split::take_apart;
use crate::matching::cross_file_pairs::{MoveCandidate, travels};
use crate::matching::version_pair::{FileSources, Version, VersionPair};
use mend_java::{Grammar, NodeId, ParsedSource, SyntaxNode};
use mend_model::{FileChange, RepoPath};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Finds what moved to another file, and the hunks inside each of it.
pub(crate) fn find_travels(
    files: &[FileSources],
    changes: &[FileChange],
    sink: &mut DeltaBuilder,
) -> CrossFileMoves {
    let mut found = CrossFileMoves::default();
    for (old, new) in travels(files) {
        let from = files[old.file].source(Version::Old).map(|source| source.part(old.node));
        let to = files[new.file].source(Version::New).map(|source| source.part(new.node));
        let (Some(from), Some(to)) = (from, to) else { continue };
        let (Some((path, _)), Some((new_path, _))) =
            (&changes[old.file].old, &changes[new.file].new)
        else {
            continue;
        };
        let sides = VersionPair { old: &from, new: &to };
        let paths = (path.clone(), new_path.clone());
        let start = |version, MoveCandidate { file, node }: MoveCandidate| {
            files[file].source(version).map_or(0, |source| source.node(node).tokens.start)
        };
        let starts = (start(Version::Old, old), start(Version::New, new));
        for (version, MoveCandidate { file, node }) in [(Version::Old, old), (Version::New, new)] {
            found.by_file.entry((version, file)).or_default().insert(node, found.list.len());
        }
        found.list.push(CrossFileMove::new(sides, starts, paths, new.file, sink));
    }
    found
}

/// Couples what changes on the way with the move: the heads of declarations, which others see, change with
/// it; a name that only the new version has is known in the new place, and one that only the old version has
/// in the old place. Anything else is taken to mean the same in either.
fn couple(travel: HunkId, sides: VersionPair<'_>, owners: &TokenOwners, sink: &mut DeltaBuilder) {
    let names = [names(sides.old), names(sides.new)];
    let mut needs: BTreeSet<HunkDependency> = BTreeSet::new();
    for (version, owners) in [(Version::Old, &owners.old), (Version::New, &owners.new)] {
        let source = sides.source(version);
        let known: HashSet<&NameUse<'_>> = names[version.opposite() as usize].values().collect();
        for (token, owner) in owners.iter().enumerate() {
            let Some(owner) = *owner else { continue };
            let is_head = !is_inside(source, token);
            let name = names[version as usize].get(&token);
            let is_strange = name.is_some_and(|name| !known.contains(name));
            if is_head || (is_strange && version == Version::New) {
                needs.insert(HunkDependency {
                    from: owner,
                    to: vec![travel],
                    rule: DependencyRule::Definition,
                });
            }
            if is_head || (is_strange && version == Version::Old) {
                needs.insert(HunkDependency {
                    from: travel,
                    to: vec![owner],
                    rule: DependencyRule::Use,
                });
            }
        }
    }
    sink.couplings.extend(needs);
}

/// A name, with whether it is selected from something and whether it is called.
type NameUse<'a> = (&'a [u8], bool, bool);

/// Returns the names among the tokens of a source.
fn names(source: &ParsedSource) -> HashMap<usize, NameUse<'_>> {
    let grammar = Grammar::get();
    let kinds = ["identifier", "type_identifier"].map(|name| grammar.kind(name));
    let text = |token: Option<usize>| {
        token.filter(|token| *token < source.tokens().len()).map(|token| source.token(token))
    };
    let nodes = source.nodes().iter().filter(|node| kinds.contains(&node.kind));
    let name = |node: &SyntaxNode| {
        let token = node.tokens.start;
        let is_selected = matches!(text(token.checked_sub(1)), Some(b"." | b"::"));
        let is_called = text(Some(token + 1)) == Some(b"(");
        (token, (source.token(token), is_selected, is_called))
    };
    nodes.map(name).collect()
}

/// Returns true if a token of a declaration is in its body or value.
fn is_inside(source: &ParsedSource, token: usize) -> bool {
    let grammar = Grammar::get();
    let fields = [grammar.field("body"), grammar.field("value")];
    let holds = |id: &NodeId| source.node(*id).tokens.contains(&token);
    let part = |id: NodeId| source.children(id).find(holds);
    let declarator = grammar.field("declarator");
    let inner = part(0).and_then(|id| {
        let node = source.node(id);
        if node.field == declarator { part(id) } else { Some(id) }
    });
    inner.is_some_and(|id| fields.contains(&source.node(id).field))
}

impl CrossFileMove {
    /// Splits the difference of two declarations that start at these tokens of the two files; `file` is the
    /// destination.
    fn new(
        sides: VersionPair<'_>,
        starts: (usize, usize),
        paths: (RepoPath, RepoPath),
        file: usize,
        sink: &mut DeltaBuilder,
    ) -> Self {
        let place = HunkPosition { file, member: sink.next_place(), statement: sink.next_place() };
        let hunk = sink.add(Hunk {
            kind: HunkKind::Move,
            path: paths.1.clone(),
            node: Grammar::get().name(sides.new.node(0).kind).to_owned(),
            old_path: Some(paths.0.clone()),
            old: Some(sides.old.byte_range(0)),
            new: Some(sides.new.byte_range(0)),
            tokens: 0,
            is_layout: false,
            place,
        });
        if sides.are_equal(0, 0) {
            return Self { hunk, change: None };
        }
        let first = sink.hunks.len();
        let nothing = CrossFileMoves::default();
        let here = FileMoves { travels: &nothing, file, is_mirrored: false };
        let (merged, owners) = take_apart(&paths.1, sides, here, sink);
        for inner in &mut sink.hunks[first..] {
            inner.old_path = inner.old.is_some().then(|| paths.0.clone());
        }
        couple(hunk, sides, &owners, sink);
        let inner = first..sink.hunks.len();
        let TokenOwners { old, new, kept: twins, .. } = owners;
        let kept = twins.into_iter().enumerate();
        let kept = kept.filter_map(|(old, new)| Some((starts.0 + old, starts.1 + new?))).collect();
        let owners = [old, new].map(|of| of.into_iter().map(|own| own.unwrap_or(hunk)).collect());
        let count = |owners: &Vec<HunkId>| owners.iter().filter(|owner| **owner == hunk).count();
        sink.hunks[hunk].tokens = owners.iter().map(count).sum::<usize>() as u64;
        let passage = EditedMove { hunk, paths: Arc::new(paths), inner, kept };
        Self { hunk, change: Some(MoveEdit { merged: Arc::new(merged), owners, passage }) }
    }
}
