//! Two versions of a Java file taken apart into hunks along their syntax trees.

mod layout;
mod one_sided;
pub(in crate::delta) mod pieces;
mod runs;
mod walk;

use super::hunk::{Hunk, HunkKind, Place};
use super::matching::plan::Plan;
use super::matching::sides::Sides;
use super::merged::{ALWAYS, Joint, Merged, Side};
use super::sink::Sink;
use crate::java::Source;
use crate::model::RepoPath;
use layout::differs_in_layout;
use pieces::{Owners, Pieces};
use std::collections::HashMap;
use walk::{Context, Walk};

/// Takes two versions of a file apart.
pub(super) fn take_apart(
    path: &RepoPath,
    old: &Source,
    new: &Source,
    file: usize,
    sink: &mut Sink,
) -> (Merged, Owners) {
    let sides = Sides { old, new };
    let plan = Plan::of(sides);
    let place = Place { file, member: sink.next_place(), statement: sink.next_place() };
    let mut walk =
        Walk { plan: &plan, out: Pieces::new(path, sides, sink), templates: HashMap::new() };
    walk.pair(0, 0, Context { presence: ALWAYS, place });
    let Pieces { owners, laid: pieces, presences, lists, .. } = walk.out;
    let side =
        |source: &Source| Side { text: source.text().into(), tokens: source.tokens().to_vec() };
    let mut merged = Merged {
        old: side(old),
        new: side(new),
        pieces,
        presences,
        lists,
        layout: None,
        joint: Joint::Tokens,
        is_mirrored: false,
    };
    if differs_in_layout(&merged, &owners) {
        merged.layout = Some(sink.add(Hunk {
            kind: HunkKind::Relabel,
            path: path.clone(),
            node: "layout".to_owned(),
            old: None,
            new: None,
            tokens: 0,
            is_layout: true,
            place,
        }));
    }
    (merged, owners)
}
