//! Finds declarations that moved to another file, and creates their hunks.

use crate::delta_builder::DeltaBuilder;
use crate::hunk::{DependencyRule, Hunk, HunkDependency, HunkId, HunkKind, HunkPosition};
use crate::java_file::cross_file_moves::{
    CrossFileMove, CrossFileMoves, EditedMove, FileMoves, MoveEdit,
};
use crate::java_file::fragment_builder::TokenOwners;
use crate::java_file::split::split_file;
use crate::matching::cross_file_pairs::{
    MoveCandidate, pair_moved_bodies, pair_moved_declarations,
};
use crate::matching::signature::name_of_declaration;
use crate::matching::version_pair::{FileSources, Version, VersionPair};
use mend_java::{Grammar, NodeId, ParsedSource, SyntaxNode};
use mend_model::{FileChange, RepoPath};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Finds the moves between files, and creates the hunks of each.
pub(crate) fn find_cross_file_moves(
    files: &[FileSources],
    changes: &[FileChange],
    builder: &mut DeltaBuilder,
) -> CrossFileMoves {
    let mut moves = CrossFileMoves::default();
    let declarations = pair_moved_declarations(files);
    let bodies = pair_moved_bodies(files, &declarations);
    for (old, new) in declarations.into_iter().chain(bodies) {
        let from = files[old.file].source(Version::Old).map(|source| source.subtree(old.node));
        let to = files[new.file].source(Version::New).map(|source| source.subtree(new.node));
        let (Some(from), Some(to)) = (from, to) else { continue };
        let (Some((path, _)), Some((new_path, _))) =
            (&changes[old.file].old, &changes[new.file].new)
        else {
            continue;
        };
        let pair = VersionPair { old: &from, new: &to };
        let paths = (path.clone(), new_path.clone());
        let start = |version, MoveCandidate { file, node }: MoveCandidate| {
            files[file].source(version).map_or(0, |source| source.node(node).tokens.start)
        };
        let starts = (start(Version::Old, old), start(Version::New, new));
        for (version, MoveCandidate { file, node }) in [(Version::Old, old), (Version::New, new)] {
            moves.moves_by_file.entry((version, file)).or_default().insert(node, moves.moves.len());
        }
        let fields = [(Version::Old, old.file), (Version::New, new.file)].map(|(version, file)| {
            files[file].source(version).map(collect_fields).unwrap_or_default()
        });
        let destination = MoveDestination { starts, paths, file: new.file, fields };
        moves.moves.push(CrossFileMove::new(pair, destination, builder));
    }
    moves
}

/// Old and new position of moved code.
struct MoveDestination {
    /// First token in each of the two files.
    starts: (usize, usize),
    paths: (RepoPath, RepoPath),
    /// Index of the new file.
    file: usize,
    /// Names of the fields that each of the two files declares.
    fields: [HashSet<Vec<u8>>; 2],
}

/// Returns the names of the fields that a file declares.
fn collect_fields(source: &ParsedSource) -> HashSet<Vec<u8>> {
    let field = Grammar::get().kind_id("field_declaration");
    let fields = (0..source.nodes().len()).filter(|id| source.node(*id).kind == field);
    let names = fields.filter_map(|id| name_of_declaration(source, id));
    names.map(|name| source.node_text(name).to_vec()).collect()
}

/// Adds dependencies between a move and its edits. Declaration heads, which other code uses, change with the move.
/// Names that only the new version has need the new file, and those that only the old version has need the old file, unless
/// the other file declares such a field. All other names are assumed to have the same meaning in both files.
fn add_move_dependencies(
    move_hunk: HunkId,
    pair: VersionPair<'_>,
    fields: &[HashSet<Vec<u8>>; 2],
    owners: &TokenOwners,
    builder: &mut DeltaBuilder,
) {
    let names = [collect_names(pair.old), collect_names(pair.new)];
    let mut dependencies: BTreeSet<HunkDependency> = BTreeSet::new();
    for (version, owners) in [(Version::Old, &owners.old), (Version::New, &owners.new)] {
        let source = pair.source(version);
        let twin_names: HashSet<&NameUse<'_>> =
            names[version.opposite() as usize].values().collect();
        for (token, owner) in owners.iter().enumerate() {
            let Some(owner) = *owner else { continue };
            let is_head = !is_in_body_or_value(source, token);
            let name = names[version as usize].get(&token);
            let is_unknown_in_twin = name.is_some_and(|name| {
                let is_field = !name.1 && fields[version.opposite() as usize].contains(name.0);
                !is_field && !twin_names.contains(name)
            });
            if is_head || (is_unknown_in_twin && version == Version::New) {
                dependencies.insert(HunkDependency {
                    from: owner,
                    to: vec![move_hunk],
                    rule: DependencyRule::Definition,
                });
            }
            if is_head || (is_unknown_in_twin && version == Version::Old) {
                dependencies.insert(HunkDependency {
                    from: move_hunk,
                    to: vec![owner],
                    rule: DependencyRule::Use,
                });
            }
        }
    }
    builder.dependencies.extend(dependencies);
}

/// A name, and whether it follows a dot and whether it is called.
type NameUse<'a> = (&'a [u8], bool, bool);

/// Returns the names among the tokens of a source.
fn collect_names(source: &ParsedSource) -> HashMap<usize, NameUse<'_>> {
    let grammar = Grammar::get();
    let kinds = ["identifier", "type_identifier"].map(|name| grammar.kind_id(name));
    let text = |token: Option<usize>| {
        token.filter(|token| *token < source.tokens().len()).map(|token| source.token_text(token))
    };
    let nodes = source.nodes().iter().filter(|node| kinds.contains(&node.kind));
    let name = |node: &SyntaxNode| {
        let token = node.tokens.start;
        let is_selected = matches!(text(token.checked_sub(1)), Some(b"." | b"::"));
        let is_called = text(Some(token + 1)) == Some(b"(");
        (token, (source.token_text(token), is_selected, is_called))
    };
    nodes.map(name).collect()
}

/// Returns true if a token of a declaration is in its body or value, or if all of the source is the body of a method.
fn is_in_body_or_value(source: &ParsedSource, token: usize) -> bool {
    let grammar = Grammar::get();
    if grammar.is_body(source.node(0).kind) {
        return true;
    }
    let fields = [grammar.field_id("body"), grammar.field_id("value")];
    let contains_token = |id: &NodeId| source.node(*id).tokens.contains(&token);
    let child_with_token = |id: NodeId| source.children(id).find(contains_token);
    let declarator = grammar.field_id("declarator");
    let inner = child_with_token(0).and_then(|id| {
        let node = source.node(id);
        if node.field == declarator { child_with_token(id) } else { Some(id) }
    });
    inner.is_some_and(|id| fields.contains(&source.node(id).field))
}

impl CrossFileMove {
    /// Splits the difference of two declarations or bodies.
    fn new(
        pair: VersionPair<'_>,
        MoveDestination { starts, paths, file, fields }: MoveDestination,
        builder: &mut DeltaBuilder,
    ) -> Self {
        let position = HunkPosition {
            file,
            member: builder.next_position(),
            statement: builder.next_position(),
        };
        let hunk = builder.add(Hunk {
            kind: HunkKind::Move,
            path: paths.1.clone(),
            node_kind: Grammar::get().kind_name(pair.new.node(0).kind).to_owned(),
            old_path: Some(paths.0.clone()),
            old: Some(pair.old.byte_range(0)),
            new: Some(pair.new.byte_range(0)),
            tokens: 0,
            is_layout: false,
            position,
        });
        if pair.are_equal(0, 0) {
            return Self { hunk, edit: None };
        }
        let first_hunk = builder.hunks.len();
        let no_moves = CrossFileMoves::default();
        let file_moves = FileMoves { moves: &no_moves, file, is_reversed: false };
        let (template, owners) = split_file(&paths.1, pair, file_moves, builder);
        for inner_hunk in &mut builder.hunks[first_hunk..] {
            inner_hunk.old_path = inner_hunk.old.is_some().then(|| paths.0.clone());
        }
        add_move_dependencies(hunk, pair, &fields, &owners, builder);
        let inner_hunks = first_hunk..builder.hunks.len();
        let TokenOwners { old, new, kept_tokens: twins, .. } = owners;
        let kept_tokens = twins.into_iter().enumerate();
        let kept_tokens =
            kept_tokens.filter_map(|(old, new)| Some((starts.0 + old, starts.1 + new?))).collect();
        let owners = [old, new].map(|of| of.into_iter().map(|own| own.unwrap_or(hunk)).collect());
        let count = |owners: &Vec<HunkId>| owners.iter().filter(|owner| **owner == hunk).count();
        builder.hunks[hunk].tokens = owners.iter().map(count).sum::<usize>() as u64;
        let edited_move = EditedMove { hunk, paths: Arc::new(paths), inner_hunks, kept_tokens };
        Self {
            hunk,
            edit: Some(MoveEdit {
                template: Arc::new(template),
                owners_by_version: owners,
                edited_move,
            }),
        }
    }
}
