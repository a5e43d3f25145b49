//! Added and removed lines of Gradle scripts, version catalogues and properties files: a declaration per line.

use crate::text_part::{TextPart, line_ranges};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Line that is a whole declaration: a key with a value, or a configuration with coordinates.
static DECLARATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?-u)^\s*(?:[\w."\-]+\s*=\s*\S.*|\w+[ (]\s*["'][\w.\-]+:[\w.\-]+.*)$"#).ok()
});

/// Divides added and removed lines that all are declarations.
pub(super) fn divide(old: &[u8], new: &[u8], parts: Vec<TextPart>) -> Vec<TextPart> {
    let divide_part = |part: TextPart| {
        let (lines, is_added) = match (part.change, part.old.is_empty(), part.new.is_empty()) {
            (Some(_), true, false) => (&new[part.new.clone()], true),
            (Some(_), false, true) => (&old[part.old.clone()], false),
            _ => return vec![part],
        };
        let ranges = line_ranges(lines);
        if !ranges.iter().all(|line| is_declaration(&lines[line.clone()])) {
            return vec![part];
        }
        let to_part = |line: std::ops::Range<usize>| {
            let place = if is_added { &part.new } else { &part.old };
            let line = place.start + line.start..place.start + line.end;
            let (old, new) =
                if is_added { (part.old.clone(), line) } else { (line, part.new.clone()) };
            TextPart { old, new, change: part.change }
        };
        ranges.into_iter().map(to_part).collect()
    };
    parts.into_iter().flat_map(divide_part).collect()
}

/// Returns true if a line is a declaration that neither continues nor opens a block.
fn is_declaration(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let count = |brackets: &[u8]| line.iter().filter(|byte| brackets.contains(byte)).count();
    let is_complete = count(b"([{") == count(b")]}") && !line.ends_with(b"\\");
    let is_multi_line_text = line.windows(3).any(|three| three == b"\"\"\"" || three == b"'''");
    is_complete
        && !is_multi_line_text
        && DECLARATION.as_ref().is_some_and(|regex| regex.is_match(line))
}
