//! Splits one Java file into hunks: two versions, or an added or removed file.

use super::layout_change::has_layout_change;
use crate::delta_builder::DeltaBuilder;
use crate::hunk::{Hunk, HunkId, HunkKind, HunkPosition};
use crate::java_file::cross_file_moves::FileMoves;
use crate::java_file::fragment_builder::{FragmentBuilder, TokenOwners};
use crate::java_file::merge_state::{MergeContext, Merger};
use crate::matching::edit_script::EditScript;
use crate::matching::version_pair::VersionPair;
use crate::template::variant_template::{ALWAYS, VariantTemplate};
use mend_java::ParsedSource;
use mend_model::RepoPath;
use std::collections::{BTreeMap, HashMap};

/// Splits two versions of a file, or of a part of one. The result for swapped versions is the mirror image.
pub(crate) fn split_file(
    path: &RepoPath,
    pair: VersionPair<'_>,
    file_moves: FileMoves<'_>,
    builder: &mut DeltaBuilder,
) -> (VariantTemplate, TokenOwners) {
    let VersionPair { old, new } = pair;
    if old.text() <= new.text() {
        return split_in_order(path, pair, file_moves, builder);
    }
    let reversed = VersionPair { old: new, new: old };
    let file_moves = FileMoves { is_reversed: true, ..file_moves };
    let (mut template, owners) =
        builder.add_reversed(|builder| split_in_order(path, reversed, file_moves, builder));
    template.is_reversed = true;
    (template, owners.reversed())
}

fn split_in_order(
    path: &RepoPath,
    pair: VersionPair<'_>,
    file_moves: FileMoves<'_>,
    builder: &mut DeltaBuilder,
) -> (VariantTemplate, TokenOwners) {
    let edit_script = EditScript::compute(pair, file_moves.nodes());
    let position = HunkPosition {
        file: file_moves.file,
        member: builder.next_position(),
        statement: builder.next_position(),
    };
    let fragments = FragmentBuilder::new(path, pair, builder);
    let mut merger = Merger {
        edit_script: &edit_script,
        fragments,
        templates: HashMap::new(),
        file_moves,
        related_moves: BTreeMap::new(),
    };
    merger.merge_pair(0, 0, MergeContext { condition: ALWAYS, position });
    merger.couple_calls_with_moves();
    let (mut template, owners) = merger.fragments.into_template();
    if has_layout_change(&template, &owners) {
        template.layout_hunk = Some(builder.add(Hunk {
            kind: HunkKind::Relabel,
            path: path.clone(),
            node_kind: "layout".to_owned(),
            old_path: None,
            old: None,
            new: None,
            tokens: 0,
            is_layout: true,
            position,
        }));
    }
    (template, owners)
}

/// Splits an added file; a removed one is its mirror image. The hunk `hunk` adds or removes the file.
pub(crate) fn split_one_sided_file(
    path: &RepoPath,
    source: &ParsedSource,
    hunk: HunkId,
    file_moves: FileMoves<'_>,
    builder: &mut DeltaBuilder,
) -> (VariantTemplate, TokenOwners) {
    let empty_source = ParsedSource::empty();
    let pair = VersionPair { old: &empty_source, new: source };
    let edit_script = EditScript::default();
    let position = builder.hunks[hunk].position;
    let fragments = FragmentBuilder::new(path, pair, builder);
    let mut merger = Merger {
        edit_script: &edit_script,
        fragments,
        templates: HashMap::new(),
        file_moves,
        related_moves: BTreeMap::new(),
    };
    merger.merge_one_sided_file(path, hunk, MergeContext { condition: ALWAYS, position });
    merger.fragments.into_template()
}
