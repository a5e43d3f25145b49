//! Repairs as people read them, the best first.

use super::result::{FixResult, RunResult};
use super::{Palette, patch_view};
use crate::model::counted;
use std::fmt::Write as _;
use std::path::Path;

/// How many changed lines of each repair fit on the screen.
const MOST_LINES: usize = 10;

/// Every repair with its reason, what was tested, and its lines; nothing for a pool, which has a table.
pub(super) fn show(result: &RunResult, folder: &Path, palette: &Palette) -> String {
    let mut out = String::new();
    if !result.patches.is_empty() {
        return out;
    }
    for fix in &result.fixes {
        one(fix, folder, palette, &mut out);
    }
    out
}

fn one(fix: &FixResult, folder: &Path, palette: &Palette, out: &mut String) {
    let Palette { title, dim, reset, .. } = palette;
    let FixResult { rank, why, validated, .. } = fix;
    let size = fix.tokens.map_or(String::new(), |tokens| counted(tokens, "token"));
    let _ = writeln!(out, "\n{title}Repair {rank}{reset} ({size}): {why}");
    let (mended, kept) = (validated.failing_pass, validated.passing_kept);
    let (mended, kept) = (counted(mended, "failing test"), counted(kept, "passing test"));
    let _ = writeln!(out, "  {dim}mends {mended}, keeps {kept}; {}{reset}", fix.strategy);
    let Some(text) = fix.patch.as_ref().and_then(|file| std::fs::read(folder.join(file)).ok())
    else {
        return;
    };
    out.push_str(&patch_view::show(&String::from_utf8_lossy(&text), palette, MOST_LINES));
}
