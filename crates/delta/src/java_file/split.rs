//! The hunks of one file: of two versions of it, or of the only one.

use super::layout::differs_in_layout;
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
use std::collections::HashMap;

/// Takes two versions of a file, or of a part of one, apart. The way from the one version to the other is that
/// from the other to the one, turned round.
pub(crate) fn take_apart(
    path: &RepoPath,
    sides: VersionPair<'_>,
    away: FileMoves<'_>,
    sink: &mut DeltaBuilder,
) -> (VariantTemplate, TokenOwners) {
    let VersionPair { old, new } = sides;
    if old.text() <= new.text() {
        return take_apart_one_way(path, sides, away, sink);
    }
    let back = VersionPair { old: new, new: old };
    let away = FileMoves { is_mirrored: true, ..away };
    let (mut merged, owners) = sink.mirrored(|sink| take_apart_one_way(path, back, away, sink));
    merged.is_mirrored = true;
    (merged, owners.mirrored())
}

fn take_apart_one_way(
    path: &RepoPath,
    sides: VersionPair<'_>,
    away: FileMoves<'_>,
    sink: &mut DeltaBuilder,
) -> (VariantTemplate, TokenOwners) {
    let plan = EditScript::compute(sides, away.nodes());
    let place =
        HunkPosition { file: away.file, member: sink.next_place(), statement: sink.next_place() };
    let out = FragmentBuilder::new(path, sides, sink);
    let mut walk = Merger { plan: &plan, out, templates: HashMap::new(), away };
    walk.pair(0, 0, MergeContext { presence: ALWAYS, place });
    let (mut merged, owners) = walk.out.merged();
    if differs_in_layout(&merged, &owners) {
        merged.layout = Some(sink.add(Hunk {
            kind: HunkKind::Relabel,
            path: path.clone(),
            node: "layout".to_owned(),
            old_path: None,
            old: None,
            new: None,
            tokens: 0,
            is_layout: true,
            place,
        }));
    }
    (merged, owners)
}

/// Takes a file that comes apart; one that goes is its mirror. Without `hunk` there is no file.
pub(crate) fn take_one_apart(
    path: &RepoPath,
    source: &ParsedSource,
    hunk: HunkId,
    away: FileMoves<'_>,
    sink: &mut DeltaBuilder,
) -> (VariantTemplate, TokenOwners) {
    let nothing = ParsedSource::empty();
    let sides = VersionPair { old: &nothing, new: source };
    let plan = EditScript::default();
    let place = sink.hunks[hunk].place;
    let out = FragmentBuilder::new(path, sides, sink);
    let mut walk = Merger { plan: &plan, out, templates: HashMap::new(), away };
    walk.file(path, hunk, MergeContext { presence: ALWAYS, place });
    walk.out.merged()
}
