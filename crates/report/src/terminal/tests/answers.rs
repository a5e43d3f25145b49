//! Complete result screens in all styles.

use super::{OutputContext, found, guilty, human};
use crate::{
    Certificate, Cost, FailedSchedules, FixEvidence, FixResult, LockCycle, LockUsage, PatchResult,
    PatternResult, PoolPatchResult, RaceResult, RunResult, RunStatus, ScheduleReport,
    TerminalStyle,
};
use mend_model::Phase;
use std::path::Path;

const CULPRIT: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                       +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                       -        return a >= b;\n+        return a > b;\n     }\n";

/// Shows a result with colours, on narrow terminals, with `--plain` and with `--quiet`.
fn in_each_way(result: &RunResult, is_guilty: bool, folder: &Path) -> String {
    let plain = TerminalStyle::plain();
    let ways = [
        ("in colour", TerminalStyle::coloured().with_width(Some(100))),
        ("in 60 columns", plain.with_width(Some(60))),
        ("in 40 columns", plain.with_width(Some(40))),
        ("--plain", TerminalStyle::spoken()),
        ("--quiet", plain.briefly(true)),
    ];
    ways.map(|(way, style)| format!("=== {way}\n{}", shown(result, is_guilty, folder, &style)))
        .join("\n")
}

/// Shows a result with escaped escape sequences and a fixed name of the run folder.
fn shown(result: &RunResult, is_guilty: bool, folder: &Path, style: &TerminalStyle) -> String {
    let scene = OutputContext { folder, is_found: true, elsewhere: None, is_kept: true };
    let guilty = is_guilty.then(guilty);
    let text = human(result, guilty.as_ref(), &scene, style).unwrap();
    text.replace(&folder.display().to_string(), "RUN").replace('\u{1b}', "^")
}

#[test]
fn a_bisection_is_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    std::fs::write(folder.path().join("culprit.patch"), CULPRIT).unwrap();
    let culprit = PatchResult { patch: "culprit.patch".to_owned(), ..result.fix.clone().unwrap() };
    result.culprit = Some(culprit);
    insta::assert_snapshot!(in_each_way(&result, true, folder.path()));
}

fn repair(rank: usize, why: &str, validated: FixEvidence) -> FixResult {
    FixResult {
        rank,
        technique: "contract".to_owned(),
        operator: "null-check".to_owned(),
        patch: Some("fix.patch".to_owned()),
        tokens: Some(2),
        lines: Some(2),
        files: vec!["src/Till.java".to_owned()],
        location: Some("src/Till.java:4".to_owned()),
        why: why.to_owned(),
        validated,
    }
}

#[test]
fn repairs_are_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    let result = found(folder.path());
    let whole = FixEvidence {
        failing_pass: 1,
        passing_kept: 12,
        generated: Some(40),
        ..FixEvidence::default()
    };
    let part = FixEvidence {
        failing_pass: 1,
        still_failing: vec!["shop.TillTest#tax".to_owned()],
        passing_kept: 12,
        ..FixEvidence::default()
    };
    let fixes = vec![
        repair(1, "`>` becomes `>=` in `a > b`, as sums that are equal are no less", whole),
        repair(2, "`b` becomes `a`", part),
    ];
    let result = RunResult {
        command: "fix".to_owned(),
        fix: None,
        delta: None,
        commits_tested: 0,
        fixes,
        messages: vec!["2 fixes found; 61 candidates tried".to_owned()],
        ..result
    };
    insta::assert_snapshot!(in_each_way(&result, false, folder.path()));
}

/// Creates the result of an exploration with a failing schedule.
fn explored(folder: &Path) -> RunResult {
    let sites = || vec!["shop.Till.add:7".to_owned(), "shop.Till.sum:12".to_owned()];
    let variable = "shop.Till.sum".to_owned();
    let pattern = PatternResult {
        pattern: "Ra Wb Wa".to_owned(),
        suspiciousness: 1.0,
        failing: 12,
        passing: 0,
        sites: sites(),
        variables: vec![variable.clone()],
        why: "`main` reads Till.sum, then `Thread-0` writes it, and `main` writes over that"
            .to_owned(),
    };
    let failure = FailedSchedules {
        kind: "test".to_owned(),
        message: "java.lang.AssertionError: expected 2".to_owned(),
        count: 12,
        first: 3,
        schedule: "schedule-1.json".to_owned(),
    };
    let steps = ["main reads sum at Till.add:7", "Thread-0 writes sum at Till.add:7"];
    let schedules = ScheduleReport {
        run: 100,
        failing: 12,
        failures: vec![failure],
        patterns: vec![pattern],
        races: vec![RaceResult { variable: variable.clone(), sites: sites(), schedules: 40 }],
        lock_cycles: vec![LockCycle { sites: sites(), schedules: 1 }],
        policy: vec![LockUsage { variable, lock: Some("this".to_owned()), held: 3, accesses: 4 }],
        picture: Some(
            "  main                    Thread-0\n> reads sum                                       \
             Till.add:7\n>                         writes sum              Till.add:7\n  expected 2"
                .to_owned(),
        ),
        steps: steps.map(str::to_owned).to_vec(),
        ..ScheduleReport::default()
    };
    let again = "git mend explore --test shop.TillTest --replay RUN/schedule-1.json";
    RunResult {
        command: "explore".to_owned(),
        fix: None,
        delta: None,
        commits_tested: 0,
        messages: vec!["12 of 100 schedules fail: java.lang.AssertionError: expected 2".to_owned()],
        schedules: Some(schedules),
        confirmed: None,
        reproduce: Some(again.to_owned()),
        next_command: Some("git mend fix --test shop.TillTest --technique concurrency".to_owned()),
        cost: Cost { tests: 100, seconds: 4.2, ..Cost::default() },
        ..found(folder)
    }
}

#[test]
fn an_exploration_is_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(in_each_way(&explored(folder.path()), false, folder.path()));
}

const AUDIT: &str = "git mend explore --test shop.TillTest --audit a.patch";

#[test]
fn a_patch_that_an_audit_rejects_is_shown_with_the_failing_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let said = "the patch does not hold: schedules fail with it (100 schedules run): expected 2";
    let refused = RunResult {
        messages: vec![said.to_owned()],
        reproduce: Some(AUDIT.to_owned()),
        ..explored(folder.path())
    };
    insta::assert_snapshot!(shown(&refused, false, folder.path(), &TerminalStyle::plain()), @r"
    the patch does not hold: schedules fail with it (100 schedules run): expected 2

    Why: `main` reads Till.sum, then `Thread-0` writes it, and `main` writes over that
         in 12 failing and 0 passing schedules

      main                    Thread-0
    > reads sum                                       Till.add:7
    >                         writes sum              Till.add:7
      expected 2
    Data race: unordered accesses to shop.Till.sum at shop.Till.add:7 and shop.Till.sum:12
    Lock-order cycle: threads can deadlock at shop.Till.add:7, shop.Till.sum:12
    Guarded: shop.Till.sum by this at 3 of 4 accesses
    Not checked: tests not selected with --test

    Explored 100 schedules in 4.2 s
    Next:       git mend fix --test shop.TillTest --technique concurrency
    Run folder: RUN
    ");
}

#[test]
fn a_patch_that_an_audit_accepts_is_shown_with_its_guarantee() {
    let folder = tempfile::tempdir().unwrap();
    let schedules = ScheduleReport {
        run: 100,
        certificate: Certificate::from_sampling(100, vec!["pos".to_owned(), "pct".to_owned()], 0.0),
        ..ScheduleReport::default()
    };
    let held = RunResult {
        status: RunStatus::None,
        messages: vec!["the patch holds: none of 100 schedules fails".to_owned()],
        schedules: Some(schedules),
        next_command: Some("git apply a.patch".to_owned()),
        reproduce: Some(AUDIT.to_owned()),
        ..explored(folder.path())
    };
    insta::assert_snapshot!(shown(&held, false, folder.path(), &TerminalStyle::plain()), @r"
    the patch holds: none of 100 schedules fails
    With 95 % confidence, at most 2.95 % of schedules sampled by pos, pct fail
    Not checked: tests not selected with --test

    Explored 100 schedules in 4.2 s
    Apply:      git apply a.patch
    Run folder: RUN
    ");
}

fn pooled(name: &str, verdict: &str, reason: &str) -> PoolPatchResult {
    PoolPatchResult {
        name: name.to_owned(),
        verdict: verdict.to_owned(),
        phase: None,
        patch: (verdict == "pass").then(|| "fix.patch".to_owned()),
        reason: reason.to_owned(),
        tokens: Some(2),
        seconds: 0.4,
    }
}

/// Creates the result for a pool with one plausible patch.
fn judged(folder: &Path) -> RunResult {
    let whole = FixEvidence { failing_pass: 1, passing_kept: 12, ..FixEvidence::default() };
    let broken = PoolPatchResult {
        phase: Some(Phase::NotCompiled),
        ..pooled("3.patch", "unresolved", "src/Till.java:4: cannot find symbol")
    };
    RunResult {
        command: "validate".to_owned(),
        fix: None,
        delta: None,
        commits_tested: 0,
        fixes: vec![repair(1, "2.patch of the pool", whole)],
        patches: vec![
            pooled(
                "1.patch",
                "fail",
                "shop.TillTest#sum throws java.lang.AssertionError: 13 rolls",
            ),
            pooled("2.patch", "pass", "fixes 1 failing test; 12 passing tests still pass"),
            broken,
        ],
        messages: vec!["1 of 3 patches is plausible".to_owned()],
        ..found(folder)
    }
}

#[test]
fn a_judged_pool_is_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(in_each_way(&judged(folder.path()), false, folder.path()));
}

#[test]
fn a_large_result_fits_on_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    let judged = judged(folder.path());
    let many: Vec<String> = (0..500).map(|n| format!("{n:010}")).collect();
    let patches = (0..500).map(|n| pooled(&format!("{n}.patch"), "pass", "fixes 1")).collect();
    let result = RunResult {
        patches,
        fixes: vec![judged.fixes[0].clone(); 500],
        not_checked: many.clone(),
        ..judged
    };
    let lines = |result: &RunResult| {
        shown(result, false, folder.path(), &TerminalStyle::plain()).lines().count()
    };
    assert!(lines(&result) < 40, "{}", lines(&result));
    let long = CULPRIT.replace("+        return", &"+        sum();\n".repeat(500));
    std::fs::write(folder.path().join("long.patch"), long).unwrap();
    let patch =
        found(folder.path()).fix.map(|fix| PatchResult { patch: "long.patch".to_owned(), ..fix });
    let result = RunResult {
        others: vec![patch.clone().unwrap(); 500],
        culprit: patch.clone(),
        fix: patch,
        suspects: many.clone(),
        not_checked: many,
        ..found(folder.path())
    };
    assert!(lines(&result) < 80, "{}", lines(&result));
}
