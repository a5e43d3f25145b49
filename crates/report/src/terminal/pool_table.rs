//! Formats the patches of a pool as a table or as sentences.

use super::style::LineMarks;
use crate::TerminalStyle;
use crate::run_folder::result::{Confidence, FixEvidence, FixResult, PoolPatchResult, RunResult};
use mend_model::{Phase, format_count, truncate};
use std::fmt::Write as _;

/// Maximum number of rows; `result.json` has all patches.
const MAX_ROWS: usize = 20;

/// Maximum width of a reason, in characters.
const MAX_REASON_CHARS: usize = 100;

/// Width of the columns between name and reason, with the spaces around them.
const MIDDLE_COLUMNS_WIDTH: usize = 48;

/// Minimum widths of the reason and of the name.
const MIN_REASON_WIDTH: usize = 16;
const MIN_NAME_WIDTH: usize = 12;

/// Formats the patches, the plausible ones first: as a table if the screen is wide enough, or else as sentences.
/// Returns nothing without a pool.
pub(crate) fn format_pool(result: &RunResult, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if result.patches.is_empty() {
        return out;
    }
    let ranked = rank_patches(result);
    let (shown, hidden) = ranked.split_at(ranked.len().min(MAX_ROWS));
    let rows: Vec<PoolTableRow<'_>> =
        shown.iter().map(|patch| PoolTableRow::new(patch, result)).collect();
    let longest_name =
        shown.iter().map(|patch| patch.name.chars().count()).max().unwrap_or(0).max(5);
    let name_room = style.width.map_or(longest_name, |width| {
        width.saturating_sub(MIDDLE_COLUMNS_WIDTH + MIN_REASON_WIDTH)
    });
    if style.marks == LineMarks::Words || name_room < longest_name.min(MIN_NAME_WIDTH) {
        write_sentences(&rows, style, &mut out);
    } else {
        write_table(&rows, longest_name.min(name_room), style, &mut out);
    }
    if !hidden.is_empty() {
        let plausible_count = hidden.iter().filter(|patch| patch.verdict == "pass").count();
        let hidden_note =
            format!("… and {} more, {plausible_count} of them plausible", hidden.len());
        out.push_str(&style.wrap(2, &format!("{hidden_note}: result.json")));
    }
    out
}

/// Sorts the patches of a pool: the plausible ones first, in the order of their fixes.
pub(crate) fn rank_patches(result: &RunResult) -> Vec<&PoolPatchResult> {
    let rank = |patch: &PoolPatchResult| {
        let belongs_to_patch = |fix: &&FixResult| {
            fix.operator == patch.name || patch.patch.is_some() && fix.patch == patch.patch
        };
        result.fixes.iter().find(belongs_to_patch).map_or(usize::MAX, |fix| fix.rank)
    };
    let mut patches: Vec<&PoolPatchResult> = result.patches.iter().collect();
    patches.sort_by_key(|patch| (patch.verdict != "pass", rank(patch)));
    patches
}

/// Returns the label of a verdict for people.
pub(crate) fn verdict_label(patch: &PoolPatchResult) -> &'static str {
    match (&*patch.verdict, patch.phase) {
        ("pass", _) => "plausible",
        ("fail", _) if patch.schedule_fault.is_some() => "racy",
        ("fail", _) => "fails",
        ("flaky", _) => "flaky",
        (_, Some(Phase::NotCompiled | Phase::TestsNotCompiled)) => "does not build",
        (_, Some(Phase::TimedOut)) => "hangs",
        (_, Some(phase)) => phase.description(),
        (_, None) => "unresolved",
    }
}

/// Row of the table.
struct PoolTableRow<'a> {
    patch: &'a PoolPatchResult,
    verdict: &'static str,
    /// Numbers of fixed and still passing tests. They are equal for all plausible patches, which make all selected
    /// tests pass.
    counts: Option<(usize, usize)>,
    reason: String,
}

impl<'a> PoolTableRow<'a> {
    fn new(patch: &'a PoolPatchResult, result: &RunResult) -> Self {
        let test_counts = |FixEvidence { failing_pass, passing_kept, .. }: &FixEvidence| {
            (*failing_pass, *passing_kept)
        };
        let validated = result.fixes.first().filter(|_| patch.verdict == "pass");
        let test_counts = validated.map(|fix| test_counts(&fix.validated));
        let confidence = patch.confidence.map(|confidence| describe_confidence(confidence, patch));
        let raw_reason = confidence.unwrap_or_default();
        let raw_reason = if test_counts.is_some() { &raw_reason } else { &patch.reason };
        let raw_reason = raw_reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { patch, verdict: verdict_label(patch), counts: test_counts, reason: raw_reason }
    }

    fn colour(&self, style: &TerminalStyle) -> &'static str {
        match &*self.patch.verdict {
            "pass" => style.plus,
            "fail" => style.minus,
            _ => style.dim,
        }
    }
}

/// Describes the confidence in a plausible patch, with the evidence beyond the existing tests.
fn describe_confidence(confidence: Confidence, patch: &PoolPatchResult) -> String {
    let signs = patch.overfitting_signs.iter().flatten().map(|sign| format!("it {sign}"));
    let different = patch.generated.map(|same| {
        let total = same.saturating_add(patch.generated_different);
        let total = format_count(total, "generated test");
        format!("different in {} of {total}", patch.generated_different)
    });
    let evidence: Vec<String> = signs.chain(different).collect();
    let separator = if evidence.is_empty() { "" } else { ": " };
    format!("confidence {}{separator}{}", confidence.name(), evidence.join("; "))
}

fn write_sentences(rows: &[PoolTableRow<'_>], style: &TerminalStyle, out: &mut String) {
    out.push('\n');
    for row in rows {
        let PoolPatchResult { name, tokens, seconds, .. } = row.patch;
        let (colour, reset) = (row.colour(style), style.reset);
        let counts = row
            .counts
            .map_or(String::new(), |(fixed, kept)| format!(", {fixed} fixed, {kept} kept"));
        let tokens =
            tokens.map_or(String::new(), |tokens| format!(", {}", format_count(tokens, "token")));
        let separator = if row.reason.is_empty() { "" } else { ": " };
        let separator = format!("{separator}{}", truncate(&row.reason, MAX_REASON_CHARS));
        let verdict = row.verdict;
        let line =
            format!("{name}: {colour}{verdict}{reset}{counts}{tokens}, {seconds:.1} s{separator}");
        out.push_str(&style.wrap(2, &line));
    }
}

fn write_table(rows: &[PoolTableRow<'_>], width: usize, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    let header = format!(
        "{:width$}  {:14}  {:>5}  {:>4}  {:>6}  {:>7}  why",
        "patch", "verdict", "fixed", "kept", "tokens", "seconds"
    );
    let _ = writeln!(out, "\n{title}{header}{reset}");
    for row in rows {
        row.write(width, style, out);
    }
}

impl PoolTableRow<'_> {
    fn write(&self, width: usize, style: &TerminalStyle, out: &mut String) {
        let PoolPatchResult { name, tokens, seconds, .. } = self.patch;
        let (colour, reset) = (self.colour(style), style.reset);
        let format_count =
            |count: Option<usize>| count.map_or("-".to_owned(), |count| count.to_string());
        let fixed = format_count(self.counts.map(|(fixed, _)| fixed));
        let still_passing = format_count(self.counts.map(|(_, still_passing)| still_passing));
        let (name, tokens, verdict) = (truncate(name, width), format_count(*tokens), self.verdict);
        let reason = style.fit_cell(width + MIDDLE_COLUMNS_WIDTH, &self.reason, MAX_REASON_CHARS);
        let line = format!(
            "{name:width$}  {colour}{verdict:14}{reset}  {fixed:>5}  {still_passing:>4}  {tokens:>6}  {seconds:>7.1}  {reason}"
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, FixEvidence, RunGoal};
    use mend_model::Phase;

    fn sample_patch(name: &str, verdict: &str, reason: &str) -> PoolPatchResult {
        PoolPatchResult {
            name: name.to_owned(),
            verdict: verdict.to_owned(),
            phase: None,
            patch: None,
            reason: reason.to_owned(),
            tokens: Some(4),
            seconds: 0.25,
            ..PoolPatchResult::default()
        }
    }

    fn sample_fix(rank: usize, operator: &str) -> FixResult {
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
            confidence: None,
            confidence_reason: None,
            validated: FixEvidence { failing_pass: 1, passing_kept: 2, ..FixEvidence::default() },
        }
    }

    #[test]
    fn plausible_patches_come_first_by_rank() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        assert_eq!(format_pool(&result, &TerminalStyle::plain()), "");
        let rejected = PoolPatchResult {
            phase: Some(Phase::Rejected),
            tokens: None,
            ..sample_patch("3.patch", "unresolved", "it changes\u{1b}nothing")
        };
        result.patches = vec![
            sample_patch("1.patch", "fail", "a.T#t throws E"),
            sample_patch("2.patch", "pass", ""),
            rejected,
            sample_patch("10.patch", "pass", ""),
        ];
        result.fixes = vec![sample_fix(1, "10.patch"), sample_fix(2, "2.patch")];
        insta::assert_snapshot!(format_pool(&result, &TerminalStyle::plain()), @r"

        patch     verdict         fixed  kept  tokens  seconds  why
        10.patch  plausible           1     2       4      0.2
        2.patch   plausible           1     2       4      0.2
        1.patch   fails               -     -       4      0.2  a.T#t throws E
        3.patch   rejected            -     -       -      0.2  it changes nothing
        ");
    }

    #[test]
    fn plausible_patches_without_own_fix_come_first() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        let shared = |name: &str| PoolPatchResult {
            patch: Some("fix-1.patch".to_owned()),
            ..sample_patch(name, "pass", "")
        };
        result.patches = (0..30).map(|n| sample_patch(&n.to_string(), "fail", "")).collect();
        result.patches.extend([
            sample_patch("unnamed", "pass", ""),
            shared("same"),
            shared("first"),
        ]);
        result.fixes =
            vec![FixResult { patch: Some("fix-1.patch".to_owned()), ..sample_fix(1, "first") }];
        let names: Vec<&str> = rank_patches(&result).iter().map(|one| &*one.name).collect();
        assert_eq!(names[..4], ["same", "first", "unnamed", "0"]);
        let text = format_pool(&result, &TerminalStyle::plain());
        assert!(text.contains("unnamed") && text.contains("0 of them plausible"), "{text}");
    }

    #[test]
    fn long_table_and_long_reason_are_truncated() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        let long = "x".repeat(500);
        let verdict = |n: usize| if n < 50 { "fail" } else { "pass" };
        result.patches =
            (0..100).map(|n| sample_patch(&n.to_string(), verdict(n), &long)).collect();
        let text = format_pool(&result, &TerminalStyle::plain());
        assert!(text.ends_with("… and 80 more, 30 of them plausible: result.json\n"), "{text}");
        assert!(text.lines().count() < 24 && text.lines().all(|line| line.chars().count() < 160));
    }

    #[test]
    fn narrow_screen_shows_a_sentence_per_patch() {
        let mut result = RunResult::new("validate", RunGoal::Fix, EnvironmentInfo::default());
        let name = "patches/of-the-night/0001-Count-from-zero.patch";
        let slow = PoolPatchResult {
            phase: Some(Phase::TimedOut),
            ..sample_patch("2.patch", "unresolved", "a.T#t")
        };
        let good = sample_patch("3.patch", "pass", "");
        result.patches =
            vec![sample_patch(name, "fail", "a.TillTest#sum throws AssertionError"), slow, good];
        result.fixes = vec![sample_fix(1, "3.patch")];
        insta::assert_snapshot!(format_pool(&result, &TerminalStyle::plain().with_width(Some(40))), @r"

        3.patch: plausible, 1 fixed, 2 kept, 4
          tokens, 0.2 s
        patches/of-the-night/0001-Count-from-zero.patch:
          fails, 4 tokens, 0.2 s: a.TillTest#sum
          throws AssertionError
        2.patch: hangs, 4 tokens, 0.2 s: a.T#t
        ");
        insta::assert_snapshot!(format_pool(&result, &TerminalStyle::spoken()), @r"

        3.patch: plausible, 1 fixed, 2 kept, 4 tokens, 0.2 s
        patches/of-the-night/0001-Count-from-zero.patch: fails, 4 tokens, 0.2 s: a.TillTest#sum throws AssertionError
        2.patch: hangs, 4 tokens, 0.2 s: a.T#t
        ");
        let narrow = format_pool(&result, &TerminalStyle::plain().with_width(Some(82)));
        insta::assert_snapshot!(narrow, @r"

        patch               verdict         fixed  kept  tokens  seconds  why
        3.patch             plausible           1     2       4      0.2
        patches/of-the-ni…  fails               -     -       4      0.2  a.TillTest#sum …
        2.patch             hangs               -     -       4      0.2  a.T#t
        ");
        assert!(narrow.lines().all(|line| line.chars().count() <= 82));
    }
}
