//! The patches of a pool as a table.

use super::Style;
use super::result::{FixResult, PooledPatch, RunResult};
use super::style::Marks;
use crate::model::{counted, cut};
use std::fmt::Write as _;

/// So many patches are shown; all of them stand in the result file.
const MOST_ROWS: usize = 20;

/// No reason is longer than this on the screen.
const WIDEST: usize = 100;

/// The columns between name and reason, with the spaces around them.
const BETWEEN: usize = 31;

/// What a table keeps for its reasons, and what it needs for its names.
const LEAST_REASON: usize = 20;
const LEAST_NAME: usize = 12;

/// The patches, the plausible ones first: a table where there is room for one, else a sentence for each; nothing
/// without a pool.
pub(super) fn show(result: &RunResult, style: &Style) -> String {
    let mut out = String::new();
    if result.patches.is_empty() {
        return out;
    }
    let rows = ranked(result);
    let (shown, hidden) = rows.split_at(rows.len().min(MOST_ROWS));
    let longest = shown.iter().map(|patch| patch.name.chars().count()).max().unwrap_or(0).max(5);
    let room = style.width.map_or(longest, |width| width.saturating_sub(BETWEEN + LEAST_REASON));
    if style.marks == Marks::Words || room < longest.min(LEAST_NAME) {
        sentences(shown, style, &mut out);
    } else {
        table(shown, longest.min(room), style, &mut out);
    }
    if !hidden.is_empty() {
        let plausible = hidden.iter().filter(|patch| patch.verdict == "pass").count();
        let of_them = format!("… and {} more, {plausible} of them plausible", hidden.len());
        out.push_str(&style.prose(2, &format!("{of_them}: result.json")));
    }
    out
}

/// The patches of a pool, the plausible ones first, in the order of the repairs that they come to.
pub(super) fn ranked(result: &RunResult) -> Vec<&PooledPatch> {
    let rank = |patch: &PooledPatch| {
        let is_it = |fix: &&FixResult| {
            fix.strategy == patch.name || patch.patch.is_some() && fix.patch == patch.patch
        };
        result.fixes.iter().find(is_it).map_or(usize::MAX, |fix| fix.rank)
    };
    let mut patches: Vec<&PooledPatch> = result.patches.iter().collect();
    patches.sort_by_key(|patch| (patch.verdict != "pass", rank(patch)));
    patches
}

fn sentences(shown: &[&PooledPatch], style: &Style, out: &mut String) {
    out.push('\n');
    for patch in shown {
        let PooledPatch { name, verdict, tokens, seconds, .. } = patch;
        let (start, reset) = (colour(verdict, style), style.reset);
        let tokens =
            tokens.map_or(String::new(), |tokens| format!(", {}", counted(tokens, "token")));
        let why = cut(&why(patch), WIDEST);
        let line = format!("{name}: {start}{verdict}{reset}{tokens}, {seconds:.1} s: {why}");
        out.push_str(&style.prose(2, &line));
    }
}

fn table(shown: &[&PooledPatch], width: usize, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    let head =
        format!("{:width$}  {:10}  {:>6}  {:>7}  why", "patch", "verdict", "tokens", "seconds");
    let _ = writeln!(out, "\n{title}{head}{reset}");
    for patch in shown {
        row(patch, width, style, out);
    }
}

fn row(patch: &PooledPatch, width: usize, style: &Style, out: &mut String) {
    let PooledPatch { name, verdict, tokens, seconds, .. } = patch;
    let (start, reset) = (colour(verdict, style), style.reset);
    let tokens = tokens.map_or("-".to_owned(), |tokens| tokens.to_string());
    let name = cut(name, width);
    let why = style.cut_after(width + BETWEEN, &why(patch), WIDEST);
    let _ = writeln!(
        out,
        "{name:width$}  {start}{verdict:10}{reset}  {tokens:>6}  {seconds:>7.1}  {why}"
    );
}

fn colour(verdict: &str, style: &Style) -> &'static str {
    match verdict {
        "pass" => style.plus,
        "fail" => style.minus,
        _ => style.dim,
    }
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
            validated: Validated { failing_pass: 1, passing_kept: 1, ..Validated::default() },
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
    fn what_is_plausible_comes_before_what_fails_whether_a_repair_names_it_or_not() {
        let mut result = RunResult::new("validate", Goal::Fix, EnvironmentInfo::default());
        let shared = |name: &str| PooledPatch {
            patch: Some("fix-1.patch".to_owned()),
            ..patch(name, "pass", "")
        };
        result.patches = (0..30).map(|n| patch(&n.to_string(), "fail", "")).collect();
        result.patches.extend([patch("unnamed", "pass", ""), shared("same"), shared("first")]);
        result.fixes = vec![FixResult { patch: Some("fix-1.patch".to_owned()), ..fix(1, "first") }];
        let names: Vec<&str> = ranked(&result).iter().map(|one| &*one.name).collect();
        assert_eq!(names[..4], ["same", "first", "unnamed", "0"]);
        let text = show(&result, &Style::plain());
        assert!(text.contains("unnamed") && text.contains("0 of them plausible"), "{text}");
    }

    #[test]
    fn a_long_table_and_a_long_reason_are_cut() {
        let mut result = RunResult::new("validate", Goal::Fix, EnvironmentInfo::default());
        let long = "x".repeat(500);
        let verdict = |n: usize| if n < 50 { "fail" } else { "pass" };
        result.patches = (0..100).map(|n| patch(&n.to_string(), verdict(n), &long)).collect();
        let text = show(&result, &Style::plain());
        assert!(text.ends_with("… and 80 more, 30 of them plausible: result.json\n"), "{text}");
        assert!(text.lines().count() < 24 && text.lines().all(|line| line.chars().count() < 150));
    }

    #[test]
    fn where_a_table_has_no_room_each_patch_has_a_sentence() {
        let mut result = RunResult::new("validate", Goal::Fix, EnvironmentInfo::default());
        let name = "patches/of-the-night/0001-Count-from-zero.patch";
        let slow =
            PooledPatch { tokens: None, ..patch("2.patch", "unresolved", "does not compile") };
        result.patches = vec![patch(name, "fail", "a.TillTest#sum throws AssertionError"), slow];
        insta::assert_snapshot!(show(&result, &Style::plain().within(Some(40))), @r"

        patches/of-the-night/0001-Count-from-zero.patch:
          fail, 4 tokens, 0.2 s: a.TillTest#sum
          throws AssertionError
        2.patch: unresolved, 0.2 s: does not
          compile
        ");
        insta::assert_snapshot!(show(&result, &Style::spoken()), @r"

        patches/of-the-night/0001-Count-from-zero.patch: fail, 4 tokens, 0.2 s: a.TillTest#sum throws AssertionError
        2.patch: unresolved, 0.2 s: does not compile
        ");
        let narrow = show(&result, &Style::plain().within(Some(70)));
        insta::assert_snapshot!(narrow, @r"

        patch                verdict     tokens  seconds  why
        patches/of-the-nig…  fail             4      0.2  a.TillTest#sum thro…
        2.patch              unresolved       -      0.2  does not compile
        ");
        assert!(narrow.lines().all(|line| line.chars().count() <= 70));
    }
}
