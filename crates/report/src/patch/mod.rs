//! Patches for people: parses unified diffs, aligns lines and highlights changed tokens.

pub(crate) mod format;
pub(crate) mod highlighted_lines;
pub(crate) mod marked_lines;
pub(crate) mod unified_diff;
