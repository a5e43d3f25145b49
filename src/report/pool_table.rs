//! The patches of a pool as a table.

use super::Style;
use super::result::{FixResult, PooledPatch, RunResult};
use std::fmt::Write as _;

/// So many patches that are not plausible are shown; all of them stand in the result file.
const MOST_ROWS: usize = 40;

/// No reason is longer than this on the screen.
const WIDEST: usize = 100;

/// A table of the patches, the plausible ones first; nothing without a pool.
pub(super) fn show(result: &RunResult, style: &Style) -> String {
    let mut out = String::new();
    if result.patches.is_empty() {
        return out;
    }
    let Style { title, reset, .. } = style;
    let ranked = |patch: &&PooledPatch| {
        let is_it = |fix: &&FixResult| {
            fix.strategy == patch.name || patch.patch.is_some() && fix.patch == patch.patch
        };
        result.fixes.iter().find(is_it).map_or(usize::MAX, |fix| fix.rank)
    };
    let mut rows: Vec<&PooledPatch> = result.patches.iter().collect();
    rows.sort_by_key(ranked);
    let plausible = rows.iter().filter(|patch| patch.verdict == "pass").count();
    let shown = &rows[..rows.len().min(plausible + MOST_ROWS)];
    let width = shown.iter().map(|patch| patch.name.chars().count()).max().unwrap_or(0).max(5);
    let head =
        format!("{:width$}  {:10}  {:>6}  {:>7}  why", "patch", "verdict", "tokens", "seconds");
    let _ = writeln!(out, "\n{title}{head}{reset}");
    for patch in shown {
        row(patch, width, style, &mut out);
    }
    if shown.len() < rows.len() {
        let _ = writeln!(out, "… and {} more that are not plausible", rows.len() - shown.len());
    }
    out
}

fn row(patch: &PooledPatch, width: usize, style: &Style, out: &mut String) {
    let PooledPatch { name, verdict, tokens, seconds, .. } = patch;
    let start = match verdict.as_str() {
        "pass" => style.plus,
        "fail" => style.minus,
        _ => style.dim,
    };
    let tokens = tokens.map_or("-".to_owned(), |tokens| tokens.to_string());
    let why = why(patch);
    let reset = style.reset;
    let (name, verdict) = (format!("{name:width$}"), format!("{verdict:10}"));
    let numbers = format!("{tokens:>6}  {seconds:>7.1}");
    let before = [&name, &verdict, &numbers].map(|cell| cell.chars().count() + 2).iter().sum();
    let why = style.cut_after(before, &why, WIDEST);
    let _ = writeln!(out, "{name}  {start}{verdict}{reset}  {numbers}  {why}");
}

/// The phase, if that says something, and the reason, on one line.
fn why(patch: &PooledPatch) -> String {
    let phase = patch.phase.map(|phase| format!("{}: ", phase.words())).unwrap_or_default();
    let reason = patch.reason.chars().map(|c| if c.is_control() { ' ' } else { c });
    phase.chars().chain(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Phase;
    use crate::report::{EnvironmentInfo, Goal, Validated};

    fn patch(name: &str, verdict: &str, reason: &str) -> PooledPatch {
        PooledPatch {
            name: name.to_owned(),
            verdict: verdict.to_owned(),
            phase: None,
            patch: None,
            reason: reason.to_owned(),
            tokens: Some(4),
            seconds: 0.25,
        }
    }

    fn fix(rank: usize, strategy: &str) -> FixResult {
        FixResult {
            rank,
            technique: "pool".to_owned(),
            strategy: strategy.to_owned(),
            patch: None,
            tokens: None,
            lines: None,
            files: Vec::new(),
            location: None,
            why: String::new(),
            validated: Validated {
                failing_pass: 1,
                passing_kept: 1,
                still_failing: Vec::new(),
                generated: None,
                generated_changed: 0,
                schedules: None,
                bound: None,
            },
        }
    }

    #[test]
    fn plausible_patches_come_first_by_rank_and_the_rest_in_its_order() {
        let mut result = RunResult::new("validate", Goal::Fix, EnvironmentInfo::default());
        assert_eq!(show(&result, &Style::plain()), "");
        let refused = PooledPatch {
            phase: Some(Phase::Rejected),
            tokens: None,
            ..patch("3.patch", "unresolved", "it changes\u{1b}nothing")
        };
        result.patches = vec![
            patch("1.patch", "fail", "a.T#t throws E"),
            patch("2.patch", "pass", "mends 1, keeps 2"),
            refused,
            patch("10.patch", "pass", "mends 1, keeps 2"),
        ];
        result.fixes = vec![fix(1, "10.patch"), fix(2, "2.patch")];
        insta::assert_snapshot!(show(&result, &Style::plain()), @r"

        patch     verdict     tokens  seconds  why
        10.patch  pass             4      0.2  mends 1, keeps 2
        2.patch   pass             4      0.2  mends 1, keeps 2
        1.patch   fail             4      0.2  a.T#t throws E
        3.patch   unresolved       -      0.2  rejected: it changes nothing
        ");
    }

    #[test]
    fn a_long_table_and_a_long_reason_are_cut() {
        let mut result = RunResult::new("validate", Goal::Fix, EnvironmentInfo::default());
        let long = "x".repeat(500);
        result.patches = (0..100).map(|n| patch(&n.to_string(), "fail", &long)).collect();
        let text = show(&result, &Style::plain());
        assert!(text.ends_with("… and 60 more that are not plausible\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 150));
    }
}
