//! Repairs as people read them, the best first.

use super::result::{FixResult, RunResult, Validated};
use super::{Style, patch_view};
use crate::model::counted;
use std::fmt::Write as _;
use std::path::Path;

/// How many changed lines of each repair fit on the screen.
const MOST_LINES: usize = 10;

/// So many repairs are shown with their lines, and so many are named at all.
const MOST_WHOLE: usize = 3;
const MOST_NAMED: usize = 8;

/// The best repairs with their reasons, what was tested, and their lines; more of them with their reasons, and how many
/// there are beside these. Nothing for a pool, which has a table.
pub(super) fn show(result: &RunResult, folder: &Path, style: &Style) -> String {
    let mut out = String::new();
    if !result.patches.is_empty() {
        return out;
    }
    let (whole, others) = result.fixes.split_at(result.fixes.len().min(MOST_WHOLE));
    for fix in whole {
        one(fix, folder, style, &mut out);
    }
    out.push_str(if others.is_empty() { "" } else { "\n" });
    for fix in others.iter().take(MOST_NAMED - MOST_WHOLE) {
        out.push_str(&named(fix, fix.patch.as_deref(), style));
    }
    let more = result.fixes.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        out.push_str(&style.prose(2, &format!("… {}: result.json", counted(more, "more repair"))));
    }
    out
}

/// A repair with its size, its file if that is to be told, and its reason.
fn named(fix: &FixResult, file: Option<&str>, style: &Style) -> String {
    let Style { title, reset, .. } = style;
    let FixResult { rank, why, .. } = fix;
    let size = fix.tokens.map_or(String::new(), |tokens| counted(tokens, "token"));
    let file = file.map_or(String::new(), |file| format!(", {file}"));
    style.prose(2, &format!("{title}Repair {rank}{reset} ({size}){file}: {why}"))
}

fn one(fix: &FixResult, folder: &Path, style: &Style, out: &mut String) {
    let Style { dim, reset, .. } = style;
    let validated = &fix.validated;
    let _ = write!(out, "\n{}", named(fix, None, style));
    out.push_str(&style.prose(2, &format!("  {dim}{}{}{reset}", tested(validated), fix.strategy)));
    let Some(file) = &fix.patch else { return };
    let Ok(text) = std::fs::read(folder.join(file)) else { return };
    out.push_str(&patch_view::show(&String::from_utf8_lossy(&text), style, MOST_LINES, file));
}

/// What was counted of the tests; nothing where the symptom alone was looked at.
fn tested(validated: &Validated) -> String {
    let (mended, kept) = (validated.failing_pass, validated.passing_kept);
    if mended == 0 {
        return validated.schedules.map_or(String::new(), |count| clean(count, validated) + "; ");
    }
    let left = &validated.still_failing;
    let mended = match left.len() {
        0 => counted(mended, "failing test"),
        more => format!("{mended} of {} failing tests", mended + more),
    };
    let kept = counted(kept, "passing test");
    let generated =
        validated.generated.map_or(String::new(), |count| format!(", {}", alike(count, validated)));
    let still = left.first().map_or(String::new(), |test| match left.len() {
        1 => format!(", leaves {test}"),
        more => format!(", leaves {test} and {} more", more - 1),
    });
    let schedules =
        validated.schedules.map_or(String::new(), |count| format!(", {}", clean(count, validated)));
    let others = match validated.others {
        0 => String::new(),
        count => format!(", {}", others_pass(count)),
    };
    format!("mends {mended}{still}, keeps {kept}{others}{generated}{schedules}; ")
}

/// How many tests pass with a repair that nobody asked for.
pub fn others_pass(count: usize) -> String {
    match count {
        1 => "1 other test passes with it".to_owned(),
        more => format!("{more} other tests pass with it"),
    }
}

/// In how many generated tests a repair does what was right before, and in how many it does not.
pub(super) fn alike(count: usize, validated: &Validated) -> String {
    let alike = format!("behaves alike in {}", counted(count, "generated test"));
    match validated.generated_changed {
        0 => alike,
        changed => format!("{alike} and otherwise in {changed}"),
    }
}

/// How many schedules found nothing wrong, and what that says.
fn clean(count: usize, validated: &Validated) -> String {
    let bound = validated.bound.as_ref().map_or(String::new(), |bound| format!(": {bound}"));
    format!("clean in {}{bound}", counted(count, "schedule"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{EnvironmentInfo, Goal};

    const PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                         +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                         -        return a > b;\n+        return a >= b;\n     }\n";

    #[test]
    fn tests_that_were_not_counted_are_not_told() {
        assert_eq!(tested(&Validated::default()), "");
    }

    #[test]
    fn what_still_fails_is_named() {
        let still_failing = vec!["a.B#c".to_owned(), "a.B#d".to_owned()];
        let one =
            Validated { failing_pass: 1, still_failing, passing_kept: 4, ..Validated::default() };
        assert_eq!(
            tested(&one),
            "mends 1 of 3 failing tests, leaves a.B#c and 1 more, keeps 4 passing tests; "
        );
    }

    fn fix(rank: usize) -> FixResult {
        FixResult {
            rank,
            technique: "contract".to_owned(),
            strategy: "operator".to_owned(),
            patch: Some(format!("fix-{rank}.patch")),
            tokens: Some(2),
            lines: Some(2),
            files: vec!["src/Till.java".to_owned()],
            location: Some("src/Till.java:4".to_owned()),
            why: "`>` becomes `>=` in `a > b`".to_owned(),
            validated: Validated {
                failing_pass: 1,
                passing_kept: 2,
                generated: Some(40),
                ..Validated::default()
            },
        }
    }

    /// What is shown of so many repairs, of which the first has its patch.
    fn shown(count: usize) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fix-1.patch"), PATCH).unwrap();
        let new = RunResult::new("fix", Goal::Fix, EnvironmentInfo::default());
        let result = RunResult { fixes: (1..=count).map(fix).collect(), ..new };
        show(&result, folder.path(), &Style::plain())
    }

    #[test]
    fn of_many_repairs_the_best_are_shown_some_are_named_and_the_others_counted() {
        let text = shown(9);
        insta::assert_snapshot!(text.split("Repair 3").last().unwrap(), @r"
         (2 tokens): `>` becomes `>=` in `a > b`
          mends 1 failing test, keeps 2 passing tests, behaves alike in 40 generated tests; operator

        Repair 4 (2 tokens), fix-4.patch: `>` becomes `>=` in `a > b`
        Repair 5 (2 tokens), fix-5.patch: `>` becomes `>=` in `a > b`
        Repair 6 (2 tokens), fix-6.patch: `>` becomes `>=` in `a > b`
        Repair 7 (2 tokens), fix-7.patch: `>` becomes `>=` in `a > b`
        Repair 8 (2 tokens), fix-8.patch: `>` becomes `>=` in `a > b`
        … 1 more repair: result.json
        ");
        assert_eq!(shown(500).lines().count(), text.lines().count());
    }

    #[test]
    fn each_repair_is_told_with_its_reason_what_was_tested_and_its_lines() {
        insta::assert_snapshot!(shown(1), @r"

        Repair 1 (2 tokens): `>` becomes `>=` in `a > b`
          mends 1 failing test, keeps 2 passing tests, behaves alike in 40 generated tests; operator
          src/Till.java:4
            -         return a [->-] b;
            +         return a {+>=+} b;
        ");
    }
}
