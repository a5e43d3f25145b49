//! Formats the fixes on the result screen, best first.

use crate::TerminalStyle;
use crate::patch::format;
use crate::run_folder::result::{
    FixEvidence, FixResult, GENERATOR_TECHNIQUE, RunResult, UnverifiedFix,
};
use mend_model::format_count;
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of changed lines shown of each fix.
const MAX_PATCH_LINES: usize = 10;

/// Maximum number of fixes shown with their lines, and maximum number of listed fixes.
const MAX_DETAILED_FIXES: usize = 3;
const MAX_LISTED_FIXES: usize = 8;

/// Formats the best fixes with their evidence and lines, lists some more, and counts the remaining ones. Returns
/// nothing for a pool, which has a table.
pub(crate) fn format_fixes(result: &RunResult, folder: &Path, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if !result.patches.is_empty() {
        return out;
    }
    let (detailed, others) = result.fixes.split_at(result.fixes.len().min(MAX_DETAILED_FIXES));
    for fix in detailed {
        write_fix(fix, folder, style, &mut out);
    }
    out.push_str(if others.is_empty() { "" } else { "\n" });
    for fix in others.iter().take(MAX_LISTED_FIXES - MAX_DETAILED_FIXES) {
        out.push_str(&format_fix_line(fix, fix.patch.as_deref(), style));
    }
    let hidden_count = result.fixes.len().saturating_sub(MAX_LISTED_FIXES);
    if hidden_count > 0 {
        out.push_str(
            &style.wrap(2, &format!("… {}: result.json", format_count(hidden_count, "more fix"))),
        );
    }
    out
}

/// Formats the plausible fixes that were not verified, with the tests that they do not fix and what was not checked.
pub(crate) fn format_unverified_fixes(result: &RunResult, style: &TerminalStyle) -> String {
    let TerminalStyle { title, dim, reset, .. } = style;
    let mut out = String::new();
    for fix in result.unverified_fixes.iter().take(MAX_LISTED_FIXES) {
        let UnverifiedFix { patch, tokens, why, failing_pass, still_failing, not_checked, .. } =
            fix;
        let size = format_count(*tokens, "token");
        let line = format!("{title}Not verified{reset} ({size}), {patch}: {why}");
        let _ = write!(out, "\n{}", style.wrap(2, &line));
        let fixed_tests = describe_fixed_tests(*failing_pass, still_failing);
        if !fixed_tests.is_empty() {
            let line = format!("  {dim}{}{reset}", fixed_tests.join("; "));
            out.push_str(&style.wrap(2, &line));
        }
        let gap = format!("  {dim}not checked: {}{reset}", not_checked.join("; "));
        out.push_str(&style.wrap(2, &gap));
    }
    out
}

/// Formats the rank, size, optional file and reason of a fix.
fn format_fix_line(fix: &FixResult, file: Option<&str>, style: &TerminalStyle) -> String {
    let TerminalStyle { title, reset, .. } = style;
    let FixResult { rank, why, .. } = fix;
    let size =
        fix.tokens.map_or(String::new(), |tokens| format!(" ({})", format_count(tokens, "token")));
    let file = file.map_or(String::new(), |file| format!(", {file}"));
    style.wrap(2, &format!("{title}Fix {rank}{reset}{size}{file}: {why}"))
}

fn write_fix(fix: &FixResult, folder: &Path, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { dim, reset, .. } = style;
    let validated = &fix.validated;
    let _ = write!(out, "\n{}", format_fix_line(fix, None, style));
    out.push_str(
        &style
            .wrap(2, &format!("  {dim}{}{reset}", format_evidence(validated, &format_origin(fix)))),
    );
    if let Some(confidence) = describe_confidence(fix) {
        out.push_str(&style.wrap(2, &format!("  {dim}{confidence}{reset}")));
    }
    let Some(file) = &fix.patch else { return };
    let Ok(text) = std::fs::read(folder.join(file)) else { return };
    out.push_str(&format::format_patch(
        &String::from_utf8_lossy(&text),
        style,
        MAX_PATCH_LINES,
        file,
    ));
}

/// Describes the confidence in a fix, if it is known.
fn describe_confidence(fix: &FixResult) -> Option<String> {
    let reason = fix.confidence_reason.as_deref().unwrap_or_default();
    Some(format!("confidence: {} ({reason})", fix.confidence?.name()))
}

/// Formats the operator of our own fix, or the name of a generator's patch.
fn format_origin(fix: &FixResult) -> String {
    let kind = if fix.technique == GENERATOR_TECHNIQUE { "generator" } else { "operator" };
    format!("{kind}: {}", fix.operator)
}

/// Formats the evidence for a fix and its origin.
fn format_evidence(validated: &FixEvidence, origin: &str) -> String {
    let FixEvidence { failing_pass, passing_kept, still_failing, affected_tests, .. } = validated;
    let mut items = describe_fixed_tests(*failing_pass, still_failing);
    if *failing_pass > 0 {
        items.extend((*passing_kept > 0).then(|| still_passing_text(*passing_kept)));
        items.extend((*affected_tests > 0).then(|| affected_passing_text(*affected_tests)));
        items.extend(validated.generated.map(|count| same_results_text(count, validated)));
    }
    items.extend(validated.schedules.map(|count| clean_schedules_text(count, validated)));
    if items.is_empty() {
        return origin.to_owned();
    }
    format!("{} ({origin})", items.join("; "))
}

/// Describes how many failing tests a fix fixes, and which it does not fix. Returns nothing if it fixes none.
fn describe_fixed_tests(failing_pass: usize, still_failing: &[String]) -> Vec<String> {
    if failing_pass == 0 {
        return Vec::new();
    }
    let remaining = still_failing.first().map(|test| match still_failing.len() {
        1 => format!("{test} still fails"),
        more => format!("{test} and {} more still fail", more - 1),
    });
    [fixed_tests_text(failing_pass, still_failing.len())].into_iter().chain(remaining).collect()
}

/// Formats how many of the failing tests a fix fixes.
pub(crate) fn fixed_tests_text(failing_pass: usize, still_failing: usize) -> String {
    match still_failing {
        0 => format!("fixes {}", format_count(failing_pass, "failing test")),
        more => format!("fixes {failing_pass} of {} failing tests", failing_pass + more),
    }
}

/// Formats the number of selected tests that passed before a fix and still pass with it.
pub(crate) fn still_passing_text(count: usize) -> String {
    match count {
        1 => "1 passing test still passes".to_owned(),
        more => format!("{more} passing tests still pass"),
    }
}

/// Formats the number of affected tests that were not selected and pass with a fix.
pub fn affected_passing_text(count: usize) -> String {
    match count {
        1 => "1 other affected test passes".to_owned(),
        more => format!("{more} other affected tests pass"),
    }
}

/// Formats the numbers of generated tests with the same result and with a different one.
pub(crate) fn same_results_text(count: usize, validated: &FixEvidence) -> String {
    let result = if count == 1 { "same result" } else { "same results" };
    let same_results = format!("{result} in {}", format_count(count, "generated test"));
    match validated.generated_different {
        0 => same_results,
        changed => format!("{same_results}, different in {changed}"),
    }
}

/// Formats the number of schedules without a failure, and the guarantee that follows.
fn clean_schedules_text(count: usize, validated: &FixEvidence) -> String {
    let bound = validated.bound.as_ref().map_or(String::new(), |bound| format!(": {bound}"));
    format!("no failure in {}{bound}", format_count(count, "schedule"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, RunGoal};

    const SAMPLE_PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                         +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                         -        return a > b;\n+        return a >= b;\n     }\n";

    #[test]
    fn missing_evidence_is_not_shown() {
        assert_eq!(
            format_evidence(&FixEvidence::default(), "operator: revert"),
            "operator: revert"
        );
    }

    #[test]
    fn still_failing_test_is_named() {
        let still_failing = vec!["a.B#c".to_owned(), "a.B#d".to_owned()];
        let evidence = FixEvidence {
            failing_pass: 1,
            still_failing,
            passing_kept: 4,
            ..FixEvidence::default()
        };
        assert_eq!(
            format_evidence(&evidence, "operator: null-check"),
            "fixes 1 of 3 failing tests; a.B#c and 1 more still fail; 4 passing tests still pass (operator: null-check)"
        );
    }

    #[test]
    fn unverified_fix_names_what_fails_and_what_was_not_checked() {
        let mut result = RunResult::new("fix", RunGoal::Fix, EnvironmentInfo::default());
        result.unverified_fixes = vec![UnverifiedFix {
            patch: "unverified-1.patch".to_owned(),
            tokens: 2,
            why: "`>` becomes `>=`".to_owned(),
            failing_pass: 1,
            still_failing: vec!["a.B#c".to_owned()],
            not_checked: vec!["a clean build".to_owned(), "generated tests".to_owned()],
            ..UnverifiedFix::default()
        }];
        assert_eq!(
            format_unverified_fixes(&result, &TerminalStyle::plain()),
            "\nNot verified (2 tokens), unverified-1.patch: `>` becomes `>=`\n  \
             fixes 1 of 2 failing tests; a.B#c still fails\n  \
             not checked: a clean build; generated tests\n"
        );
    }

    fn sample_fix(rank: usize) -> FixResult {
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
            confidence: None,
            confidence_reason: None,
            validated: FixEvidence {
                failing_pass: 1,
                passing_kept: 2,
                generated: Some(40),
                ..FixEvidence::default()
            },
        }
    }

    /// Formats `count` fixes, of which the first has its patch.
    fn format_sample_fixes(count: usize) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fix-1.patch"), SAMPLE_PATCH).unwrap();
        let new = RunResult::new("fix", RunGoal::Fix, EnvironmentInfo::default());
        let result = RunResult { fixes: (1..=count).map(sample_fix).collect(), ..new };
        format_fixes(&result, folder.path(), &TerminalStyle::plain())
    }

    #[test]
    fn best_fixes_are_shown_and_others_listed_or_counted() {
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
    fn fix_is_shown_with_reason_evidence_and_lines() {
        insta::assert_snapshot!(format_sample_fixes(1), @r"

        Fix 1 (2 tokens): `>` becomes `>=` in `a > b`
          fixes 1 failing test; 2 passing tests still pass; same results in 40 generated tests (operator: null-check)
          src/Till.java:4
            -         return a [->-] b;
            +         return a {+>=+} b;
        ");
    }
}
