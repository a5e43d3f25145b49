//! Splits the difference between two versions of a text file into runs of changed lines.

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

/// Splits two versions of a file into hunks, line by line.
pub(super) fn split_text_file(
    path: &RepoPath,
    old: &Arc<[u8]>,
    new: &Arc<[u8]>,
    file: usize,
    builder: &mut DeltaBuilder,
) -> VariantTemplate {
    let (old_lines, new_lines) = (line_ranges(old), line_ranges(new));
    let texts = |text: &'_ Arc<[u8]>, lines: &[Range<usize>]| -> Vec<Vec<u8>> {
        lines.iter().map(|line| text[line.clone()].to_vec()).collect()
    };
    let ops =
        capture_diff_slices(Algorithm::Myers, &texts(old, &old_lines), &texts(new, &new_lines));
    let mut template = VariantTemplate {
        old: TokenizedText::from_text(old, old_lines),
        new: TokenizedText::from_text(new, new_lines),
        fragments: Vec::new(),
        conditions: vec![PresenceCondition { parent: ALWAYS, hunk: 0, is_enabled: true }],
        list_separators: Vec::new(),
        moved_fragments: Vec::new(),
        layout_hunk: None,
        join_mode: JoinMode::Lines,
        is_reversed: false,
    };
    for op in ops {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            template.fragments.extend((0..len).map(|k| Fragment {
                old: Some(old_index + k),
                new: Some(new_index + k),
                condition: ALWAYS,
                role: FragmentRole::Token,
            }));
        } else {
            add_changed_lines(path, &op, file, builder, &mut template);
        }
    }
    template
}

fn add_changed_lines(
    path: &RepoPath,
    op: &DiffOp,
    file: usize,
    builder: &mut DeltaBuilder,
    template: &mut VariantTemplate,
) {
    let (old, new) = (op.old_range(), op.new_range());
    let bytes = |side: &TokenizedText, lines: &Range<usize>| {
        (!lines.is_empty()).then(|| side.tokens[lines.start].start..side.tokens[lines.end - 1].end)
    };
    let (old_bytes, new_bytes) = (bytes(&template.old, &old), bytes(&template.new, &new));
    let count = |side: &TokenizedText, bytes: &Option<Range<usize>>| {
        bytes.clone().map_or(0, |bytes| split_words(&side.text[bytes]).len())
    };
    let tokens = count(&template.old, &old_bytes) + count(&template.new, &new_bytes);
    let position = builder.next_position();
    let hunk = builder.add(Hunk {
        kind: HunkKind::Text,
        path: path.clone(),
        node_kind: "lines".to_owned(),
        old_path: None,
        old: old_bytes,
        new: new_bytes,
        tokens: tokens as u64,
        is_layout: false,
        position: HunkPosition { file, member: position, statement: position },
    });
    for is_new in [false, true] {
        template.conditions.push(PresenceCondition { parent: ALWAYS, hunk, is_enabled: is_new });
        let condition = template.conditions.len() - 1;
        let lines = if is_new { new.clone() } else { old.clone() };
        template.fragments.extend(lines.map(|line| Fragment {
            old: (!is_new).then_some(line),
            new: is_new.then_some(line),
            condition,
            role: FragmentRole::Token,
        }));
    }
}

/// Returns the lines of a text, each with its line break.
fn line_ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}
