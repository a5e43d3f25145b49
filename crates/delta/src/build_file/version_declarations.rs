//! Version declarations in changed lines: lines that differ only in versions are divided into one part for each.

use crate::text_part::{TextPart, line_ranges};
use regex::bytes::Regex;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Version or range of versions: after a key or element that ends with "version", the third part of coordinates, or a
/// word that starts with a digit. Exactly one group matches.
static VERSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let value = r"[\w.+\-${}]+|[\[(][^<>()\[\]]*[)\]\[]";
    let after_key = format!(r#"version["']?\s*[>=:(]\s*["']?({value})"#);
    let coordinates = format!(r"[\w.\-]+:[\w.\-]+:({value})");
    Regex::new(&format!(r"(?i-u){after_key}|{coordinates}|(?:^|[^\w.+\-])(\d[\w.+\-]*)")).ok()
});

/// Line that does not say whose version it declares.
const NAMELESS_LINE: &[u8] = b"<version>\0</version>";

/// Line of a text, with its versions.
struct VersionedLine {
    bytes: Range<usize>,
    versions: Vec<Range<usize>>,
    /// Text with placeholders instead of versions.
    masked: Vec<u8>,
}

/// Divides changed parts into the version declarations that both versions have, and the rest.
pub(super) fn divide(old: &[u8], new: &[u8], parts: Vec<TextPart>) -> Vec<TextPart> {
    let (old_counts, new_counts) = (count_masked_lines(old), count_masked_lines(new));
    let is_unique =
        |masked: &Vec<u8>| old_counts.get(masked) == Some(&1) && new_counts.get(masked) == Some(&1);
    let divide_replaced = |part: TextPart| {
        let is_replaced = part.change.is_some() && !part.old.is_empty() && !part.new.is_empty();
        if is_replaced { divide_part([old, new], &part, &is_unique) } else { vec![part] }
    };
    parts.into_iter().flat_map(divide_replaced).collect()
}

fn divide_part(
    [old, new]: [&[u8]; 2],
    part: &TextPart,
    is_unique: &dyn Fn(&Vec<u8>) -> bool,
) -> Vec<TextPart> {
    let (old_lines, new_lines) = (versioned_lines(old, &part.old), versioned_lines(new, &part.new));
    let have_same_masks =
        old_lines.iter().map(|line| &line.masked).eq(new_lines.iter().map(|line| &line.masked));
    // Other lines do not say which library they belong to, so they pair only if all lines do.
    let is_anchor = |line: &VersionedLine| {
        let is_named = line.masked.trim_ascii() != NAMELESS_LINE;
        have_same_masks || !line.versions.is_empty() && is_named && is_unique(&line.masked)
    };
    let keys = |lines: &[VersionedLine], side: usize| -> Vec<(usize, Vec<u8>)> {
        let key = |(at, line): (usize, &VersionedLine)| {
            // Other lines equal no line of the other side.
            if is_anchor(line) { (0, line.masked.clone()) } else { (2 * at + side, Vec::new()) }
        };
        lines.iter().enumerate().map(key).collect()
    };
    let mut divided = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &keys(&old_lines, 1), &keys(&new_lines, 2)) {
        let DiffOp::Equal { old_index, new_index, len } = op else {
            divided.push(TextPart {
                old: bytes_of(&old_lines, op.old_range(), part.old.end),
                new: bytes_of(&new_lines, op.new_range(), part.new.end),
                change: part.change,
            });
            continue;
        };
        for at in 0..len {
            let pair = [&old_lines[old_index + at], &new_lines[new_index + at]];
            divided.extend(divide_line([old, new], pair, part.change));
        }
    }
    divided
}

/// Divides a line that differs only in versions.
fn divide_line(
    [old, new]: [&[u8]; 2],
    [old_line, new_line]: [&VersionedLine; 2],
    change: Option<usize>,
) -> Vec<TextPart> {
    let mut parts = Vec::new();
    let mut add = |old_bytes: Range<usize>, new_bytes: Range<usize>| {
        let is_changed = old[old_bytes.clone()] != new[new_bytes.clone()];
        if !(old_bytes.is_empty() && new_bytes.is_empty()) {
            let change = change.filter(|_| is_changed);
            parts.push(TextPart { old: old_bytes, new: new_bytes, change });
        }
    };
    let (mut old_start, mut new_start) = (old_line.bytes.start, new_line.bytes.start);
    for (old_version, new_version) in old_line.versions.iter().zip(&new_line.versions) {
        add(old_start..old_version.start, new_start..new_version.start);
        add(old_version.clone(), new_version.clone());
        (old_start, new_start) = (old_version.end, new_version.end);
    }
    add(old_start..old_line.bytes.end, new_start..new_line.bytes.end);
    parts
}

fn bytes_of(lines: &[VersionedLine], some: Range<usize>, end: usize) -> Range<usize> {
    let start_of = |at: usize| lines.get(at).map_or(end, |line| line.bytes.start);
    start_of(some.start)..start_of(some.end)
}

fn versioned_lines(text: &[u8], bytes: &Range<usize>) -> Vec<VersionedLine> {
    let lines = line_ranges(&text[bytes.clone()]).into_iter();
    lines
        .map(|line| VersionedLine::read(text, bytes.start + line.start..bytes.start + line.end))
        .collect()
}

fn count_masked_lines(text: &[u8]) -> HashMap<Vec<u8>, usize> {
    let mut counts = HashMap::new();
    for line in versioned_lines(text, &(0..text.len())) {
        *counts.entry(line.masked).or_default() += 1;
    }
    counts
}

impl VersionedLine {
    fn read(text: &[u8], bytes: Range<usize>) -> Self {
        let line = &text[bytes.clone()];
        let matches = VERSION.iter().flat_map(|regex| regex.captures_iter(line));
        let version = |groups: regex::bytes::Captures<'_>| {
            groups.iter().skip(1).flatten().next().map(|group| group.range())
        };
        let versions: Vec<Range<usize>> = matches.filter_map(version).collect();
        let mut masked = Vec::new();
        let mut start = 0;
        for version in &versions {
            masked.extend_from_slice(&line[start..version.start]);
            masked.push(0);
            start = version.end;
        }
        masked.extend_from_slice(&line[start..]);
        let shift = |range: &Range<usize>| bytes.start + range.start..bytes.start + range.end;
        let versions = versions.iter().map(shift).collect();
        Self { bytes, versions, masked }
    }
}
