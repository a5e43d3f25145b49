//! Splits the difference of two versions of a text file into runs of changed lines.

use super::hunk::{Hunk, HunkKind, HunkPosition};
use crate::delta_builder::DeltaBuilder;
use crate::patch_size::split_words;
use crate::template::variant_template::{
    ALWAYS, Fragment, FragmentRole, JoinMode, PresenceCondition, TokenizedText, VariantTemplate,
};
use mend_model::RepoPath;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;
use std::sync::Arc;

/// Takes two versions of a file apart, line by line.
pub(super) fn take_apart(
    path: &RepoPath,
    old: &Arc<[u8]>,
    new: &Arc<[u8]>,
    file: usize,
    sink: &mut DeltaBuilder,
) -> VariantTemplate {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let texts = |text: &'_ Arc<[u8]>, lines: &[Range<usize>]| -> Vec<Vec<u8>> {
        lines.iter().map(|line| text[line.clone()].to_vec()).collect()
    };
    let ops =
        capture_diff_slices(Algorithm::Myers, &texts(old, &old_lines), &texts(new, &new_lines));
    let mut merged = VariantTemplate {
        old: TokenizedText::from_text(old, old_lines),
        new: TokenizedText::from_text(new, new_lines),
        pieces: Vec::new(),
        presences: vec![PresenceCondition { parent: ALWAYS, hunk: 0, on: true }],
        lists: Vec::new(),
        guests: Vec::new(),
        layout: None,
        joint: JoinMode::Lines,
        is_mirrored: false,
    };
    for op in ops {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            merged.pieces.extend((0..len).map(|k| Fragment {
                old: Some(old_index + k),
                new: Some(new_index + k),
                presence: ALWAYS,
                role: FragmentRole::Token,
            }));
        } else {
            changed_lines(path, &op, file, sink, &mut merged);
        }
    }
    merged
}

fn changed_lines(
    path: &RepoPath,
    op: &DiffOp,
    file: usize,
    sink: &mut DeltaBuilder,
    merged: &mut VariantTemplate,
) {
    let (old, new) = (op.old_range(), op.new_range());
    let bytes = |side: &TokenizedText, lines: &Range<usize>| {
        (!lines.is_empty()).then(|| side.tokens[lines.start].start..side.tokens[lines.end - 1].end)
    };
    let (old_bytes, new_bytes) = (bytes(&merged.old, &old), bytes(&merged.new, &new));
    let count = |side: &TokenizedText, bytes: &Option<Range<usize>>| {
        bytes.clone().map_or(0, |bytes| split_words(&side.text[bytes]).len())
    };
    let tokens = count(&merged.old, &old_bytes) + count(&merged.new, &new_bytes);
    let number = sink.next_place();
    let hunk = sink.add(Hunk {
        kind: HunkKind::Text,
        path: path.clone(),
        node: "lines".to_owned(),
        old_path: None,
        old: old_bytes,
        new: new_bytes,
        tokens: tokens as u64,
        is_layout: false,
        place: HunkPosition { file, member: number, statement: number },
    });
    for on in [false, true] {
        merged.presences.push(PresenceCondition { parent: ALWAYS, hunk, on });
        let presence = merged.presences.len() - 1;
        let lines = if on { new.clone() } else { old.clone() };
        merged.pieces.extend(lines.map(|line| Fragment {
            old: (!on).then_some(line),
            new: on.then_some(line),
            presence,
            role: FragmentRole::Token,
        }));
    }
}

/// Returns the lines of a text, each with its line break.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}
