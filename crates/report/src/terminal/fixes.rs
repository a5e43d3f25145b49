//! Fixes on the result screen, best first.

use crate::TerminalStyle;
use crate::patch::format;
use crate::run_folder::result::{FixEvidence, FixResult, RunResult};
use mend_model::counted;
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of changed lines shown of each fix.
const MOST_LINES: usize = 10;

/// Maximum number of fixes shown with their lines, and of fixes named at all.
const MOST_WHOLE: usize = 3;
const MOST_NAMED: usize = 8;

/// Shows the best fixes with their evidence and lines, names some more, and counts the others. Shows nothing for a pool,
/// which has a table.
pub(crate) fn show(result: &RunResult, folder: &Path, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if !result.patches.is_empty() {
        return out;
    }
    let (whole, others) = result.fixes.split_at(result.fixes.len().min(MOST_WHOLE));
    for fix in whole {
        write_fix(fix, folder, style, &mut out);
    }
    out.push_str(if others.is_empty() { "" } else { "\n" });
    for fix in others.iter().take(MOST_NAMED - MOST_WHOLE) {
        out.push_str(&named(fix, fix.patch.as_deref(), style));
    }
    let more = result.fixes.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        out.push_str(&style.prose(2, &format!("… {}: result.json", counted(more, "more fix"))));
    }
    out
}

/// Formats the rank, size, optional file and reason of a fix.
fn named(fix: &FixResult, file: Option<&str>, style: &TerminalStyle) -> String {
    let TerminalStyle { title, reset, .. } = style;
    let FixResult { rank, why, .. } = fix;
    let size =
        fix.tokens.map_or(String::new(), |tokens| format!(" ({})", counted(tokens, "token")));
    let file = file.map_or(String::new(), |file| format!(", {file}"));
    style.prose(2, &format!("{title}Fix {rank}{reset}{size}{file}: {why}"))
}

fn write_fix(fix: &FixResult, folder: &Path, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { dim, reset, .. } = style;
    let validated = &fix.validated;
    let _ = write!(out, "\n{}", named(fix, None, style));
    out.push_str(&style.prose(2, &format!("  {dim}{}{reset}", tested(validated, &fix.operator))));
    let Some(file) = &fix.patch else { return };
    let Ok(text) = std::fs::read(folder.join(file)) else { return };
    out.push_str(&format::show(&String::from_utf8_lossy(&text), style, MOST_LINES, file));
}

/// Formats the evidence for a fix and its operator.
fn tested(validated: &FixEvidence, operator: &str) -> String {
    let FixEvidence { failing_pass, passing_kept, still_failing, affected_tests, .. } = validated;
    let mut all = Vec::new();
    if *failing_pass > 0 {
        let fixed = match still_failing.len() {
            0 => counted(*failing_pass, "failing test"),
            more => format!("{failing_pass} of {} failing tests", failing_pass + more),
        };
        all.push(format!("fixes {fixed}"));
        all.extend(still_failing.first().map(|test| match still_failing.len() {
            1 => format!("{test} still fails"),
            more => format!("{test} and {} more still fail", more - 1),
        }));
        all.extend((*passing_kept > 0).then(|| still_pass(*passing_kept)));
        all.extend((*affected_tests > 0).then(|| others_pass(*affected_tests)));
        all.extend(validated.generated.map(|count| alike(count, validated)));
    }
    all.extend(validated.schedules.map(|count| clean(count, validated)));
    if all.is_empty() {
        return format!("operator: {operator}");
    }
    format!("{} (operator: {operator})", all.join("; "))
}

/// Formats the number of selected tests that passed before a fix and still pass with it.
pub(crate) fn still_pass(count: usize) -> String {
    match count {
        1 => "1 passing test still passes".to_owned(),
        more => format!("{more} passing tests still pass"),
    }
}

/// Formats the number of affected tests that were not selected and pass with a fix.
pub fn others_pass(count: usize) -> String {
    match count {
        1 => "1 other affected test passes".to_owned(),
        more => format!("{more} other affected tests pass"),
    }
}

/// Formats the numbers of generated tests with the same result and with a different one.
pub(crate) fn alike(count: usize, validated: &FixEvidence) -> String {
    let result = if count == 1 { "same result" } else { "same results" };
    let alike = format!("{result} in {}", counted(count, "generated test"));
    match validated.generated_different {
        0 => alike,
        changed => format!("{alike}, different in {changed}"),
    }
}

/// Formats the number of schedules without a failure, and the bound that follows.
fn clean(count: usize, validated: &FixEvidence) -> String {
    let bound = validated.bound.as_ref().map_or(String::new(), |bound| format!(": {bound}"));
    format!("no failure in {}{bound}", counted(count, "schedule"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, RunGoal};

    const PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                         +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                         -        return a > b;\n+        return a >= b;\n     }\n";

    #[test]
    fn tests_that_were_not_counted_are_not_shown() {
        assert_eq!(tested(&FixEvidence::default(), "revert"), "operator: revert");
    }

    #[test]
    fn what_still_fails_is_named() {
        let still_failing = vec!["a.B#c".to_owned(), "a.B#d".to_owned()];
        let one = FixEvidence {
            failing_pass: 1,
            still_failing,
            passing_kept: 4,
            ..FixEvidence::default()
        };
        assert_eq!(
            tested(&one, "null-check"),
            "fixes 1 of 3 failing tests; a.B#c and 1 more still fail; 4 passing tests still pass (operator: null-check)"
        );
    }

    fn fix(rank: usize) -> FixResult {
        FixResult {
            rank,
            technique: "contract".to_owned(),
            operator: "null-check".to_owned(),
            patch: Some(format!("fix-{rank}.patch")),
            tokens: Some(2),
            lines: Some(2),
            files: vec!["src/Till.java".to_owned()],
            location: Some("src/Till.java:4".to_owned()),
            why: "`>` becomes `>=` in `a > b`".to_owned(),
            validated: FixEvidence {
                failing_pass: 1,
                passing_kept: 2,
                generated: Some(40),
                ..FixEvidence::default()
            },
        }
    }

    /// Shows `count` fixes, of which the first has its patch.
    fn format_sample_fixes(count: usize) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fix-1.patch"), PATCH).unwrap();
        let new = RunResult::new("fix", RunGoal::Fix, EnvironmentInfo::default());
        let result = RunResult { fixes: (1..=count).map(fix).collect(), ..new };
        show(&result, folder.path(), &TerminalStyle::plain())
    }

    #[test]
    fn the_best_fixes_are_shown_some_are_named_and_the_others_are_counted() {
        let text = format_sample_fixes(9);
        insta::assert_snapshot!(text.split("Fix 3").last().unwrap(), @r"
         (2 tokens): `>` becomes `>=` in `a > b`
          fixes 1 failing test; 2 passing tests still pass; same results in 40 generated tests (operator: null-check)

        Fix 4 (2 tokens), fix-4.patch: `>` becomes `>=` in `a > b`
        Fix 5 (2 tokens), fix-5.patch: `>` becomes `>=` in `a > b`
        Fix 6 (2 tokens), fix-6.patch: `>` becomes `>=` in `a > b`
        Fix 7 (2 tokens), fix-7.patch: `>` becomes `>=` in `a > b`
        Fix 8 (2 tokens), fix-8.patch: `>` becomes `>=` in `a > b`
        … 1 more fix: result.json
        ");
        assert_eq!(format_sample_fixes(500).lines().count(), text.lines().count());
    }

    #[test]
    fn each_fix_is_shown_with_its_reason_its_evidence_and_its_lines() {
        insta::assert_snapshot!(format_sample_fixes(1), @r"

        Fix 1 (2 tokens): `>` becomes `>=` in `a > b`
          fixes 1 failing test; 2 passing tests still pass; same results in 40 generated tests (operator: null-check)
          src/Till.java:4
            -         return a [->-] b;
            +         return a {+>=+} b;
        ");
    }
}
