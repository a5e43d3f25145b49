//! Table of the patches of a pool.

use super::style::LineMarks;
use crate::TerminalStyle;
use crate::run_folder::result::{FixEvidence, FixResult, PoolPatchResult, RunResult};
use mend_model::{Phase, counted, cut};
use std::fmt::Write as _;

/// Maximum number of rows; `result.json` has all patches.
const MOST_ROWS: usize = 20;

/// Maximum width of a reason, in characters.
const WIDEST: usize = 100;

/// Width of the columns between name and reason, with the spaces around them.
const BETWEEN: usize = 48;

/// Minimum widths of the reason and of the name.
const LEAST_REASON: usize = 16;
const LEAST_NAME: usize = 12;

/// Shows the patches, the plausible ones first: as a table if the screen is wide enough, else as sentences. Shows nothing
/// without a pool.
pub(crate) fn show(result: &RunResult, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if result.patches.is_empty() {
        return out;
    }
    let ranked = ranked(result);
    let (shown, hidden) = ranked.split_at(ranked.len().min(MOST_ROWS));
    let rows: Vec<PoolTableRow<'_>> =
        shown.iter().map(|patch| PoolTableRow::new(patch, result)).collect();
    let longest = shown.iter().map(|patch| patch.name.chars().count()).max().unwrap_or(0).max(5);
    let room = style.width.map_or(longest, |width| width.saturating_sub(BETWEEN + LEAST_REASON));
    if style.marks == LineMarks::Words || room < longest.min(LEAST_NAME) {
        sentences(&rows, style, &mut out);
    } else {
        table(&rows, longest.min(room), style, &mut out);
    }
    if !hidden.is_empty() {
        let plausible = hidden.iter().filter(|patch| patch.verdict == "pass").count();
        let of_them = format!("… and {} more, {plausible} of them plausible", hidden.len());
        out.push_str(&style.prose(2, &format!("{of_them}: result.json")));
    }
    out
}

/// Sorts the patches of a pool: the plausible ones first, in the order of their fixes.
pub(crate) fn ranked(result: &RunResult) -> Vec<&PoolPatchResult> {
    let rank = |patch: &PoolPatchResult| {
        let is_it = |fix: &&FixResult| {
            fix.operator == patch.name || patch.patch.is_some() && fix.patch == patch.patch
        };
        result.fixes.iter().find(is_it).map_or(usize::MAX, |fix| fix.rank)
    };
    let mut patches: Vec<&PoolPatchResult> = result.patches.iter().collect();
    patches.sort_by_key(|patch| (patch.verdict != "pass", rank(patch)));
    patches
}

/// Returns the label of a verdict for people.
pub(crate) fn verdict(patch: &PoolPatchResult) -> &'static str {
    match (&*patch.verdict, patch.phase) {
        ("pass", _) => "plausible",
        ("fail", _) => "fails",
        ("flaky", _) => "flaky",
        (_, Some(Phase::NotCompiled)) => "does not build",
        (_, Some(Phase::TimedOut)) => "hangs",
        (_, Some(phase)) => phase.description(),
        (_, None) => "unresolved",
    }
}

/// Row of the table.
struct PoolTableRow<'a> {
    patch: &'a PoolPatchResult,
    verdict: &'static str,
    /// Numbers of fixed and of still passing tests. Every plausible patch has the same ones: it makes all selected tests pass.
    counts: Option<(usize, usize)>,
    why: String,
}

impl<'a> PoolTableRow<'a> {
    fn new(patch: &'a PoolPatchResult, result: &RunResult) -> Self {
        let counts = |FixEvidence { failing_pass, passing_kept, .. }: &FixEvidence| {
            (*failing_pass, *passing_kept)
        };
        let validated = result.fixes.first().filter(|_| patch.verdict == "pass");
        let counts = validated.map(|fix| counts(&fix.validated));
        let why = if counts.is_some() { "" } else { &*patch.reason };
        let why = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { patch, verdict: verdict(patch), counts, why }
    }

    fn colour(&self, style: &TerminalStyle) -> &'static str {
        match &*self.patch.verdict {
            "pass" => style.plus,
            "fail" => style.minus,
            _ => style.dim,
        }
    }
}

fn sentences(rows: &[PoolTableRow<'_>], style: &TerminalStyle, out: &mut String) {
    out.push('\n');
    for row in rows {
        let PoolPatchResult { name, tokens, seconds, .. } = row.patch;
        let (start, reset) = (row.colour(style), style.reset);
        let counts = row
            .counts
            .map_or(String::new(), |(fixed, kept)| format!(", {fixed} fixed, {kept} kept"));
        let tokens =
            tokens.map_or(String::new(), |tokens| format!(", {}", counted(tokens, "token")));
        let why = if row.why.is_empty() { "" } else { ": " };
        let why = format!("{why}{}", cut(&row.why, WIDEST));
        let verdict = row.verdict;
        let line = format!("{name}: {start}{verdict}{reset}{counts}{tokens}, {seconds:.1} s{why}");
        out.push_str(&style.prose(2, &line));
    }
}

fn table(rows: &[PoolTableRow<'_>], width: usize, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    let head = format!(
        "{:width$}  {:14}  {:>5}  {:>4}  {:>6}  {:>7}  why",
        "patch", "verdict", "fixed", "kept", "tokens", "seconds"
    );
    let _ = writeln!(out, "\n{title}{head}{reset}");
    for row in rows {
        row.write(width, style, out);
    }
}

impl PoolTableRow<'_> {
    fn write(&self, width: usize, style: &TerminalStyle, out: &mut String) {
        let PoolPatchResult { name, tokens, seconds, .. } = self.patch;
        let (start, reset) = (self.colour(style), style.reset);
        let number = |count: Option<usize>| count.map_or("-".to_owned(), |count| count.to_string());
        let fixed = number(self.counts.map(|(fixed, _)| fixed));
        let kept = number(self.counts.map(|(_, kept)| kept));
        let (name, tokens, verdict) = (cut(name, width), number(*tokens), self.verdict);
        let why = style.cut_after(width + BETWEEN, &self.why, WIDEST);
        let line = format!(
            "{name:width$}  {start}{verdict:14}{reset}  {fixed:>5}  {kept:>4}  {tokens:>6}  {seconds:>7.1}  {why}"
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, FixEvidence, RunGoal};
    use mend_model::Phase;

    fn patch(name: &str, verdict: &str, reason: &str) -> PoolPatchResult {
        PoolPatchResult {
            name: name.to_owned(),
            verdict: verdict.to_owned(),
            phase: None,
            patch: None,
            reason: reason.to_owned(),
            tokens: Some(4),
            seconds: 0.25,
        }
    }

    fn fix(rank: usize, operator: &str) -> FixResult {
        FixResult {
            rank,
            technique: "pool".to_owned(),
            operator: operator.to_owned(),
            patch: None,
            tokens: None,
            lines: None,
            files: Vec::new(),
            location: None,
            why: String::new(),
            validated: FixEvidence { failing_pass: 1, passing_kept: 2, ..FixEvidence::default() },
        }
    }

    #[test]
    fn plausible_patches_come_first_by_rank_and_the_rest_in_its_order() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        assert_eq!(show(&result, &TerminalStyle::plain()), "");
        let refused = PoolPatchResult {
            phase: Some(Phase::Rejected),
            tokens: None,
            ..patch("3.patch", "unresolved", "it changes\u{1b}nothing")
        };
        result.patches = vec![
            patch("1.patch", "fail", "a.T#t throws E"),
            patch("2.patch", "pass", ""),
            refused,
            patch("10.patch", "pass", ""),
        ];
        result.fixes = vec![fix(1, "10.patch"), fix(2, "2.patch")];
        insta::assert_snapshot!(show(&result, &TerminalStyle::plain()), @r"

        patch     verdict         fixed  kept  tokens  seconds  why
        10.patch  plausible           1     2       4      0.2
        2.patch   plausible           1     2       4      0.2
        1.patch   fails               -     -       4      0.2  a.T#t throws E
        3.patch   rejected            -     -       -      0.2  it changes nothing
        ");
    }

    #[test]
    fn plausible_patches_come_first_with_or_without_a_fix_of_their_name() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        let shared = |name: &str| PoolPatchResult {
            patch: Some("fix-1.patch".to_owned()),
            ..patch(name, "pass", "")
        };
        result.patches = (0..30).map(|n| patch(&n.to_string(), "fail", "")).collect();
        result.patches.extend([patch("unnamed", "pass", ""), shared("same"), shared("first")]);
        result.fixes = vec![FixResult { patch: Some("fix-1.patch".to_owned()), ..fix(1, "first") }];
        let names: Vec<&str> = ranked(&result).iter().map(|one| &*one.name).collect();
        assert_eq!(names[..4], ["same", "first", "unnamed", "0"]);
        let text = show(&result, &TerminalStyle::plain());
        assert!(text.contains("unnamed") && text.contains("0 of them plausible"), "{text}");
    }

    #[test]
    fn a_long_table_and_a_long_reason_are_cut() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        let long = "x".repeat(500);
        let verdict = |n: usize| if n < 50 { "fail" } else { "pass" };
        result.patches = (0..100).map(|n| patch(&n.to_string(), verdict(n), &long)).collect();
        let text = show(&result, &TerminalStyle::plain());
        assert!(text.ends_with("… and 80 more, 30 of them plausible: result.json\n"), "{text}");
        assert!(text.lines().count() < 24 && text.lines().all(|line| line.chars().count() < 160));
    }

    #[test]
    fn on_a_narrow_screen_each_patch_has_a_sentence() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        let name = "patches/of-the-night/0001-Count-from-zero.patch";
        let slow = PoolPatchResult {
            phase: Some(Phase::TimedOut),
            ..patch("2.patch", "unresolved", "a.T#t")
        };
        let good = patch("3.patch", "pass", "");
        result.patches =
            vec![patch(name, "fail", "a.TillTest#sum throws AssertionError"), slow, good];
        result.fixes = vec![fix(1, "3.patch")];
        insta::assert_snapshot!(show(&result, &TerminalStyle::plain().with_width(Some(40))), @r"

        3.patch: plausible, 1 fixed, 2 kept, 4
          tokens, 0.2 s
        patches/of-the-night/0001-Count-from-zero.patch:
          fails, 4 tokens, 0.2 s: a.TillTest#sum
          throws AssertionError
        2.patch: hangs, 4 tokens, 0.2 s: a.T#t
        ");
        insta::assert_snapshot!(show(&result, &TerminalStyle::spoken()), @r"

        3.patch: plausible, 1 fixed, 2 kept, 4 tokens, 0.2 s
        patches/of-the-night/0001-Count-from-zero.patch: fails, 4 tokens, 0.2 s: a.TillTest#sum throws AssertionError
        2.patch: hangs, 4 tokens, 0.2 s: a.T#t
        ");
        let narrow = show(&result, &TerminalStyle::plain().with_width(Some(82)));
        insta::assert_snapshot!(narrow, @r"

        patch               verdict         fixed  kept  tokens  seconds  why
        3.patch             plausible           1     2       4      0.2
        patches/of-the-ni…  fails               -     -       4      0.2  a.TillTest#sum …
        2.patch             hangs               -     -       4      0.2  a.T#t
        ");
        assert!(narrow.lines().all(|line| line.chars().count() <= 82));
    }
}
