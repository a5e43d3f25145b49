//! Snapshot tests of complete result screens in all styles.

use super::{OutputContext, format_result, sample_culprit, sample_result};
use crate::{
    Certificate, Cost, FailedSchedules, FixEvidence, FixResult, LockCycle, LockUsage, PatchResult,
    PatternResult, PoolPatchResult, RaceResult, RunResult, RunStatus, ScheduleReport,
    TerminalStyle,
};
use mend_model::Phase;
use std::path::Path;

const CULPRIT_PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                       +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                       -        return a >= b;\n+        return a > b;\n     }\n";

/// Formats a result with colours, for narrow terminals, with `--plain` and with `--quiet`.
fn render_all_styles(result: &RunResult, has_culprit: bool, folder: &Path) -> String {
    let plain = TerminalStyle::plain();
    let styles = [
        ("in colour", TerminalStyle::coloured().with_width(Some(100))),
        ("in 60 columns", plain.with_width(Some(60))),
        ("in 40 columns", plain.with_width(Some(40))),
        ("--plain", TerminalStyle::spoken()),
        ("--quiet", plain.with_brief(true)),
    ];
    styles
        .map(|(way, style)| {
            format!("=== {way}\n{}", render_with_style(result, has_culprit, folder, &style))
        })
        .join("\n")
}

/// Formats a result with escaped escape sequences and a fixed name of the run folder.
fn render_with_style(
    result: &RunResult,
    has_culprit: bool,
    folder: &Path,
    style: &TerminalStyle,
) -> String {
    let context = OutputContext::new(folder);
    let culprit = has_culprit.then(sample_culprit);
    let text = format_result(result, culprit.as_ref(), &context, style).unwrap();
    text.replace(&folder.display().to_string(), "RUN").replace('\u{1b}', "^")
}

#[test]
fn a_bisection_is_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    std::fs::write(folder.path().join("culprit.patch"), CULPRIT_PATCH).unwrap();
    let culprit = PatchResult { patch: "culprit.patch".to_owned(), ..result.fix.clone().unwrap() };
    result.culprit = Some(culprit);
    insta::assert_snapshot!(render_all_styles(&result, true, folder.path()));
}

fn sample_fix(rank: usize, why: &str, validated: FixEvidence) -> FixResult {
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
        confidence: None,
        confidence_reason: None,
        validated,
    }
}

#[test]
fn repairs_are_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    let result = sample_result(folder.path());
    let complete_evidence = FixEvidence {
        failing_pass: 1,
        passing_kept: 12,
        generated: Some(40),
        ..FixEvidence::default()
    };
    let partial_evidence = FixEvidence {
        failing_pass: 1,
        still_failing: vec!["shop.TillTest#tax".to_owned()],
        passing_kept: 12,
        ..FixEvidence::default()
    };
    let fixes = vec![
        sample_fix(
            1,
            "`>` becomes `>=` in `a > b`, as sums that are equal are no less",
            complete_evidence,
        ),
        sample_fix(2, "`b` becomes `a`", partial_evidence),
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
    insta::assert_snapshot!(render_all_styles(&result, false, folder.path()));
}

/// Creates the result of an exploration with a failing schedule.
fn exploration_result(folder: &Path) -> RunResult {
    let sites = || vec!["shop.Till.add:7".to_owned(), "shop.Till.sum:12".to_owned()];
    let variable = "shop.Till.sum".to_owned();
    let pattern = PatternResult {
        pattern: "Ra Wb Wa".to_owned(),
        suspiciousness: 1.0,
        failing: 12,
        passing: 0,
        sites: sites(),
        variables: vec![variable.clone()],
        decisive: false,
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
    let replay_command = "git mend explore --test shop.TillTest --replay RUN/schedule-1.json";
    RunResult {
        command: "explore".to_owned(),
        fix: None,
        delta: None,
        commits_tested: 0,
        messages: vec!["12 of 100 schedules fail: java.lang.AssertionError: expected 2".to_owned()],
        schedules: Some(schedules),
        confirmed: None,
        reproduce: Some(replay_command.to_owned()),
        next_command: Some("git mend fix --test shop.TillTest --technique concurrency".to_owned()),
        cost: Cost { tests: 100, seconds: 4.2, ..Cost::default() },
        ..sample_result(folder)
    }
}

#[test]
fn an_exploration_is_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(render_all_styles(
        &exploration_result(folder.path()),
        false,
        folder.path()
    ));
}

const AUDIT_COMMAND: &str = "git mend explore --test shop.TillTest --audit a.patch";

#[test]
fn rejected_audit_shows_the_failing_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let message = "the patch does not hold: schedules fail with it (100 schedules run): expected 2";
    let rejected = RunResult {
        messages: vec![message.to_owned()],
        reproduce: Some(AUDIT_COMMAND.to_owned()),
        ..exploration_result(folder.path())
    };
    insta::assert_snapshot!(render_with_style(&rejected, false, folder.path(), &TerminalStyle::plain()), @r"
    the patch does not hold: schedules fail with it (100 schedules run): expected 2

    Why: `main` reads Till.sum, then `Thread-0` writes it, and `main` writes over that
         in 12 failing and 0 passing schedules

      main                    Thread-0
    > reads sum                                       Till.add:7
    >                         writes sum              Till.add:7
      expected 2
    Data race: unordered accesses to Till.sum at Till.add:7 and Till.sum:12
    Lock-order cycle: threads can deadlock at Till.add:7, Till.sum:12
    Guarded: Till.sum by this at 3 of 4 accesses
    Not checked: tests not selected with --test

    Explored 100 schedules in 4.2 s
    Next:       git mend fix --test shop.TillTest --technique concurrency
    Run folder: RUN
    ");
}

#[test]
fn accepted_audit_shows_the_guarantee() {
    let folder = tempfile::tempdir().unwrap();
    let schedules = ScheduleReport {
        run: 100,
        certificate: Certificate::from_sampling(100, vec!["pos".to_owned(), "pct".to_owned()], 0.0),
        ..ScheduleReport::default()
    };
    let accepted = RunResult {
        status: RunStatus::None,
        messages: vec!["the patch holds: none of 100 schedules fails".to_owned()],
        schedules: Some(schedules),
        next_command: Some("git apply a.patch".to_owned()),
        reproduce: Some(AUDIT_COMMAND.to_owned()),
        ..exploration_result(folder.path())
    };
    insta::assert_snapshot!(render_with_style(&accepted, false, folder.path(), &TerminalStyle::plain()), @r"
    the patch holds: none of 100 schedules fails
    With 95 % confidence, at most 2.95 % of schedules sampled by pos, pct fail
    Not checked: tests not selected with --test

    Explored 100 schedules in 4.2 s
    Apply:      git apply a.patch
    Run folder: RUN
    ");
}

fn pool_patch(name: &str, verdict: &str, reason: &str) -> PoolPatchResult {
    PoolPatchResult {
        name: name.to_owned(),
        verdict: verdict.to_owned(),
        phase: None,
        patch: (verdict == "pass").then(|| "fix.patch".to_owned()),
        reason: reason.to_owned(),
        tokens: Some(2),
        seconds: 0.4,
        ..PoolPatchResult::default()
    }
}

/// Creates the result for a pool with one plausible patch.
fn pool_result(folder: &Path) -> RunResult {
    let evidence = FixEvidence { failing_pass: 1, passing_kept: 12, ..FixEvidence::default() };
    let broken = PoolPatchResult {
        phase: Some(Phase::NotCompiled),
        ..pool_patch("3.patch", "unresolved", "src/Till.java:4: cannot find symbol")
    };
    RunResult {
        command: "validate".to_owned(),
        fix: None,
        delta: None,
        commits_tested: 0,
        fixes: vec![sample_fix(1, "2.patch of the pool", evidence)],
        patches: vec![
            pool_patch(
                "1.patch",
                "fail",
                "shop.TillTest#sum throws java.lang.AssertionError: 13 rolls",
            ),
            pool_patch("2.patch", "pass", "fixes 1 failing test; 12 passing tests still pass"),
            broken,
        ],
        messages: vec!["1 of 3 patches is plausible".to_owned()],
        ..sample_result(folder)
    }
}

#[test]
fn a_judged_pool_is_shown_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(render_all_styles(&pool_result(folder.path()), false, folder.path()));
}

#[test]
fn large_result_fits_on_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool_result(folder.path());
    let many: Vec<String> = (0..500).map(|n| format!("{n:010}")).collect();
    let patches = (0..500).map(|n| pool_patch(&format!("{n}.patch"), "pass", "fixes 1")).collect();
    let result = RunResult {
        patches,
        fixes: vec![pool.fixes[0].clone(); 500],
        not_checked: many.clone(),
        ..pool
    };
    let lines = |result: &RunResult| {
        render_with_style(result, false, folder.path(), &TerminalStyle::plain()).lines().count()
    };
    assert!(lines(&result) < 40, "{}", lines(&result));
    let long = CULPRIT_PATCH.replace("+        return", &"+        sum();\n".repeat(500));
    std::fs::write(folder.path().join("long.patch"), long).unwrap();
    let patch = sample_result(folder.path())
        .fix
        .map(|fix| PatchResult { patch: "long.patch".to_owned(), ..fix });
    let result = RunResult {
        others: vec![patch.clone().unwrap(); 500],
        culprit: patch.clone(),
        fix: patch,
        suspects: many.clone(),
        not_checked: many,
        ..sample_result(folder.path())
    };
    assert!(lines(&result) < 80, "{}", lines(&result));
}
