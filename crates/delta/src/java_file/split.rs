//! The hunks of one file: of two versions of it, or of the only one.

use super::layout::differs_in_layout;
use crate::delta_builder::Sink;
use crate::hunk::{Hunk, HunkId, HunkKind, Place};
use crate::java_file::cross_file_moves::Away;
use crate::java_file::fragment_builder::{Owners, Pieces};
use crate::java_file::merge_state::{Context, Walk};
use crate::matching::edit_script::Plan;
use crate::matching::version_pair::Sides;
use crate::template::variant_template::{ALWAYS, Merged};
use mend_java::Source;
use mend_model::RepoPath;
use std::collections::HashMap;

/// Takes two versions of a file, or of a part of one, apart. The way from the one version to the other is that
/// from the other to the one, turned round.
pub(crate) fn take_apart(
    path: &RepoPath,
    sides: Sides<'_>,
    away: Away<'_>,
    sink: &mut Sink,
) -> (Merged, Owners) {
    let Sides { old, new } = sides;
    if old.text() <= new.text() {
        return take_apart_one_way(path, sides, away, sink);
    }
    let back = Sides { old: new, new: old };
    let away = Away { is_mirrored: true, ..away };
    let (mut merged, owners) = sink.mirrored(|sink| take_apart_one_way(path, back, away, sink));
    merged.is_mirrored = true;
    (merged, owners.mirrored())
}

fn take_apart_one_way(
    path: &RepoPath,
    sides: Sides<'_>,
    away: Away<'_>,
    sink: &mut Sink,
) -> (Merged, Owners) {
    let plan = Plan::of(sides, away.nodes());
    let place = Place { file: away.file, member: sink.next_place(), statement: sink.next_place() };
    let out = Pieces::new(path, sides, sink);
    let mut walk = Walk { plan: &plan, out, templates: HashMap::new(), away };
    walk.pair(0, 0, Context { presence: ALWAYS, place });
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
    source: &Source,
    hunk: HunkId,
    away: Away<'_>,
    sink: &mut Sink,
) -> (Merged, Owners) {
    let nothing = Source::empty();
    let sides = Sides { old: &nothing, new: source };
    let plan = Plan::default();
    let place = sink.hunks[hunk].place;
    let out = Pieces::new(path, sides, sink);
    let mut walk = Walk { plan: &plan, out, templates: HashMap::new(), away };
    walk.file(path, hunk, Context { presence: ALWAYS, place });
    walk.out.merged()
}
