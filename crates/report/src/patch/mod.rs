//! Patches as they are shown: parsed, aligned and highlighted.

pub(crate) mod format;
pub(crate) mod highlighted_lines;
pub(crate) mod marked_lines;
pub(crate) mod unified_diff;
