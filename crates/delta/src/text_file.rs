//! Splits the difference between two versions of a text file into runs of changed lines, and that of a build file into
//! its version declarations and elements.

use super::hunk::{Hunk, HunkId, HunkKind, HunkPosition};
use crate::build_file::divide_build_file;
use crate::delta_builder::DeltaBuilder;
use crate::patch_size::split_words;
use crate::template::variant_template::{
    ALWAYS, Fragment, FragmentRole, JoinMode, PresenceCondition, TokenizedText, VariantTemplate,
};
use crate::text_part::{TextPart, compare_lines};
use mend_model::RepoPath;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Splits two versions of a file into hunks.
pub(super) fn split_text_file(
    path: &RepoPath,
    old: &Arc<[u8]>,
    new: &Arc<[u8]>,
    file: usize,
    builder: &mut DeltaBuilder,
) -> VariantTemplate {
    let parts = divide_build_file(path, old, new, compare_lines(old, new));
    let mut template = VariantTemplate {
        old: TokenizedText::from_text(old, present_ranges(&parts, |part| &part.old)),
        new: TokenizedText::from_text(new, present_ranges(&parts, |part| &part.new)),
        fragments: Vec::new(),
        conditions: vec![PresenceCondition { parent: ALWAYS, hunk: 0, is_enabled: true }],
        list_separators: Vec::new(),
        moved_fragments: Vec::new(),
        renamed_texts: Vec::new(),
        layout_hunk: None,
        join_mode: JoinMode::Lines,
        is_reversed: false,
    };
    let mut parts_of_change: BTreeMap<usize, Vec<&TextPart>> = BTreeMap::new();
    for part in &parts {
        if let Some(change) = part.change {
            parts_of_change.entry(change).or_default().push(part);
        }
    }
    let hunks: BTreeMap<usize, HunkId> = parts_of_change
        .into_iter()
        .map(|(change, changed)| (change, add_hunk(path, [old, new], &changed, file, builder)))
        .collect();
    let (mut old_tokens, mut new_tokens) = (0.., 0..);
    for part in &parts {
        let old_token = (!part.old.is_empty()).then(|| old_tokens.next()).flatten();
        let new_token = (!part.new.is_empty()).then(|| new_tokens.next()).flatten();
        let Some(change) = part.change else {
            template.fragments.push(Fragment {
                old: old_token,
                new: new_token,
                condition: ALWAYS,
                role: FragmentRole::Token,
            });
            continue;
        };
        let hunk = hunks[&change];
        for (is_new, token) in [(false, old_token), (true, new_token)] {
            template.conditions.push(PresenceCondition {
                parent: ALWAYS,
                hunk,
                is_enabled: is_new,
            });
            let condition = template.conditions.len() - 1;
            template.fragments.extend(token.map(|token| Fragment {
                old: (!is_new).then_some(token),
                new: is_new.then_some(token),
                condition,
                role: FragmentRole::Token,
            }));
        }
    }
    template
}

/// Returns the ranges of one version that are not empty.
fn present_ranges(
    parts: &[TextPart],
    version: impl Fn(&TextPart) -> &Range<usize>,
) -> Vec<Range<usize>> {
    parts.iter().map(version).filter(|range| !range.is_empty()).cloned().collect()
}

/// Adds the hunk of the parts that are changed together.
fn add_hunk(
    path: &RepoPath,
    [old, new]: [&[u8]; 2],
    parts: &[&TextPart],
    file: usize,
    builder: &mut DeltaBuilder,
) -> HunkId {
    let old_ranges = || parts.iter().map(|part| part.old.clone());
    let new_ranges = || parts.iter().map(|part| part.new.clone());
    let count = |text: &[u8], ranges: &mut dyn Iterator<Item = Range<usize>>| {
        ranges.map(|range| split_words(&text[range]).len()).sum::<usize>()
    };
    let tokens = count(old, &mut old_ranges()) + count(new, &mut new_ranges());
    let position = builder.next_position();
    builder.add(Hunk {
        kind: HunkKind::Text,
        path: path.clone(),
        node_kind: "lines".to_owned(),
        old_path: None,
        old: enclosing_range(old_ranges()),
        new: enclosing_range(new_ranges()),
        tokens: tokens as u64,
        is_layout: false,
        position: HunkPosition { file, member: position, statement: position },
    })
}

/// Returns the range from the first to the last of the ranges that are not empty.
fn enclosing_range(ranges: impl Iterator<Item = Range<usize>>) -> Option<Range<usize>> {
    let present = ranges.filter(|range| !range.is_empty());
    present.reduce(|first, last| first.start..last.end)
}
