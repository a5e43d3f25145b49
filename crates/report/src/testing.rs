//! Run folders for tests of views, including hostile ones.

use super::delta::{ComponentView, DeltaView, DependencyKind, DependencyView, HunkView, SCHEMA};
use super::{
    CommitInfo, Confidence, DeltaSize, EnvironmentInfo, FailedSchedules, FixEvidence, FixResult,
    LockCycle, LockUsage, ObservedValues, PatchResult, PatternResult, PoolPatchResult, RaceResult,
    RunGoal, RunResult, RunStatus, ScheduleReport, SearchGoal, SearchProgress, TestedCommit,
    TrialLine,
};
use mend_delta::{DependencyRule, HunkKind};
use mend_model::TermValues;
use mend_model::schedules::{CodeLocation, Schedule, ScheduleStep, ScheduleTrace};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;

/// Hostile text: markup, attributes, escape sequences, and characters that change the writing direction.
pub(super) const HOSTILE_TEXT: &str =
    "x\"'><img src=x onerror=alert(1)></script></style><!-- &lt; \u{1b}[31m\u{0}\u{202e}]]>";

pub(super) fn patch_result(
    tokens: usize,
    file: &str,
    patch: &str,
    component_ids: Vec<usize>,
) -> PatchResult {
    PatchResult {
        tokens,
        hunks: 1,
        components: 1,
        files: vec![file.to_owned()],
        patch: patch.to_owned(),
        minimal: true,
        commits: Vec::new(),
        component_ids,
    }
}

/// Creates a delta with twenty components per file. Each component needs the one with half its number.
pub(super) fn sample_delta(count: usize, file: &str) -> DeltaView {
    build_delta(
        count,
        &format!("insert {file}"),
        |id| format!("{file}{}.java", id / 20),
        |id| id / 2,
    )
}

/// Creates a delta with one file and one dependency per component.
pub(super) fn build_delta(
    count: usize,
    description: &str,
    component_path: impl Fn(usize) -> String,
    needed_component: impl Fn(usize) -> usize,
) -> DeltaView {
    let component = |id: usize| {
        let path = component_path(id);
        let hunk = HunkView {
            kind: HunkKind::Insert,
            path: path.as_str().into(),
            old_path: None,
            node: "statement".to_owned(),
            old: None,
            new: Some([0, 1]),
            line: Some(id),
        };
        let (files, description) = (vec![path.as_str().into()], description.to_owned());
        ComponentView {
            id,
            tokens: 3,
            files,
            what: description,
            refactoring: None,
            hunks: vec![hunk],
        }
    };
    let needs = |from: usize| {
        let (kind, rule) = (DependencyKind::Needs, DependencyRule::Definition);
        DependencyView { from, to: vec![needed_component(from)], kind, rule }
    };
    DeltaView {
        schema: SCHEMA.to_owned(),
        files: (1..=count).map(&component_path).collect::<BTreeSet<_>>().len(),
        tokens: 3,
        components: (1..=count).map(component).collect(),
        couplings: (2..=count).map(needs).collect(),
        whitespace_hunks: 0,
        unparsed: Vec::new(),
    }
}

pub(super) fn sample_trial(verdict: &str, what: &str) -> TrialLine {
    let (verdict, what) = (verdict.to_owned(), what.to_owned());
    TrialLine {
        verdict,
        what,
        execution_mode: "warm-jvm".to_owned(),
        milliseconds: 90,
        ..TrialLine::default()
    }
}

pub(super) fn sample_trials(text: &str) -> Vec<TrialLine> {
    let (author, summary) = (text.to_owned(), text.to_owned());
    let position = Some([2, 3]);
    let id = "87914ddf3a77".to_owned();
    let commit = TestedCommit { id, author, date: "2025-04-22".to_owned(), summary, position };
    let progress = |goal| Some(SearchProgress { goal, tried: 4, suspected: 9, tokens: 30 });
    vec![
        TrialLine { commit: Some(commit), ..sample_trial("fail", text) },
        TrialLine { search: progress(SearchGoal::Culprit), ..sample_trial("pass", text) },
        TrialLine { search: progress(SearchGoal::Fix), ..sample_trial("unresolved", text) },
    ]
}

pub(super) fn bisection_result(text: &str) -> RunResult {
    let culprit = CommitInfo {
        short_id: "87914ddf3a".to_owned(),
        author: text.to_owned(),
        date: "2025-04-22".to_owned(),
        summary: text.to_owned(),
    };
    let size = DeltaSize { files: 1, java_files: 1, hunks: 9, components: 9, tokens: 30 };
    RunResult {
        status: RunStatus::Found,
        messages: vec![format!("{text} throws"), text.to_owned()],
        culprit_commit: Some("87914ddf3a77".to_owned()),
        culprit_info: Some(culprit),
        delta: Some(size),
        culprit: Some(patch_result(2, text, "culprit.patch", vec![7])),
        fix: Some(patch_result(1, text, "fix.patch", vec![7])),
        not_checked: vec![text.to_owned()],
        reproduce: Some(format!("git mend bisect {text}")),
        ..RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default())
    }
}

pub(super) fn fix_result(text: &str) -> RunResult {
    let fix = |rank: usize| FixResult {
        rank,
        technique: "contract".to_owned(),
        operator: "operator".to_owned(),
        patch: Some(format!("fix-{rank}.patch")),
        tokens: Some(2),
        lines: Some(2),
        files: vec![text.to_owned()],
        location: Some(text.to_owned()),
        why: format!("`{text}` becomes `>=`"),
        confidence: Some(Confidence::Medium),
        confidence_reason: Some(text.to_owned()),
        validated: FixEvidence {
            failing_pass: 1,
            generated: Some(40),
            schedules: Some(300),
            bound: Some(text.to_owned()),
            ..FixEvidence::default()
        },
    };
    let failure = FailedSchedules {
        kind: "deadlock".to_owned(),
        message: text.to_owned(),
        count: 3,
        first: 1,
        schedule: "schedule-1.json".to_owned(),
    };
    let schedules =
        ScheduleReport { run: 9, failing: 3, failures: vec![failure], ..ScheduleReport::default() };
    RunResult {
        status: RunStatus::Found,
        symptom: Some(format!("{text} throws")),
        fixes: vec![fix(1), fix(2)],
        schedules: Some(schedules),
        reproduce: Some("git mend fix --test a.B --technique concurrency".to_owned()),
        ..RunResult::new("fix", RunGoal::Fix, EnvironmentInfo::default())
    }
}

#[derive(Serialize)]
pub(super) struct WrittenSchedule {
    pub(super) example: ScheduleTrace,
    pattern_steps: Vec<usize>,
    pub(super) ending: String,
}

pub(super) fn sample_schedule(name: &str, thread: usize) -> WrittenSchedule {
    let text = name.to_owned();
    let step = |thread: usize, what: &str| ScheduleStep {
        thread,
        what: what.to_owned(),
        site: 0,
        location: Some(1),
        name: Some(text.clone()),
        other: None,
        time: 1,
        stack: Some(0),
        locks: vec![text.clone()],
        value: None,
    };
    let schedule = Schedule {
        test: text.clone(),
        scheduler: "pos".to_owned(),
        seed: 41,
        shared: Vec::new(),
        choices: Vec::new(),
    };
    let (class, method, subject) = (text.clone(), text.clone(), text.clone());
    let example = ScheduleTrace {
        kind: "deadlock".to_owned(),
        text: None,
        thread: 0,
        waiting: Vec::new(),
        result: None,
        schedule,
        threads: vec![text.clone(), "Thread-0".to_owned()],
        steps: vec![step(0, "lock"), step(thread, "lock")],
        sites: vec![CodeLocation { class, method, line: 3, turn: 0, subject }],
        stacks: vec![vec![text.clone()]],
        patterns: Vec::new(),
        cut_short: false,
        decisive_pairs: Vec::new(),
        lock_classes: BTreeSet::new(),
    };
    WrittenSchedule { example, pattern_steps: vec![0, 1], ending: name.to_owned() }
}

pub(super) fn write_json(dir: &TempDir, name: &str, value: &impl Serialize) {
    fs::write(dir.path().join(name), serde_json::to_vec(value).unwrap()).unwrap();
}

/// Creates a run folder in which every name is `text`.
pub(super) fn sample_run_folder(result: &RunResult, text: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let patch = format!(
        "diff --git a/{text} b/{text}\n--- a/{text}\n+++ b/{text}\n@@ -3,3 +3,3 @@\n a\n-b {text} > c\n+b {text} >= c\n d\n"
    );
    for name in ["culprit.patch", "fix.patch", "fix-1.patch", "fix-2.patch"] {
        fs::write(dir.path().join(name), &patch).unwrap();
    }
    let lines: Vec<String> =
        sample_trials(text).iter().map(|line| serde_json::to_string(line).unwrap()).collect();
    fs::write(dir.path().join("trials.jsonl"), lines.join("\n")).unwrap();
    write_json(&dir, "result.json", result);
    write_json(&dir, "delta.json", &sample_delta(9, text));
    let term = TermValues {
        term: text.to_owned(),
        failing: vec!["null".to_owned()],
        passing: vec![text.to_owned()],
    };
    let values = ObservedValues {
        patch: "fix-1.patch".to_owned(),
        path: text.to_owned(),
        line: 3,
        failing: 1,
        passing: 1,
        terms: vec![term],
    };
    write_json(&dir, "values.json", &[values]);
    write_json(&dir, "schedule-1.json", &sample_schedule(text, 1));
    dir
}

/// Creates a result with schedules and a pool, to test the remaining parts of a page.
pub(super) fn exploration_result(content: &str) -> RunResult {
    let owned_text = || content.to_owned();
    let sites = || vec![owned_text(), owned_text()];
    let pattern = PatternResult {
        pattern: "Ra Wb Wa".to_owned(),
        suspiciousness: 0.9,
        failing: 9,
        passing: 1,
        sites: sites(),
        variables: sites(),
        decisive: false,
        why: owned_text(),
    };
    let policy =
        LockUsage { variable: owned_text(), lock: Some(owned_text()), held: 2, accesses: 3 };
    let mut fix_run = fix_result(content);
    fix_run.fixes[1].validated.still_failing = vec![owned_text()];
    let schedules = ScheduleReport {
        patterns: vec![pattern],
        picture: Some(format!("  main   Thread-0\n> reads {content}\n>        writes {content}")),
        races: vec![RaceResult { variable: owned_text(), sites: sites(), schedules: 4 }],
        lock_cycles: vec![LockCycle { sites: sites(), schedules: 4 }],
        policy: vec![policy],
        ..fix_run.schedules.clone().unwrap()
    };
    let patch = |verdict: &str| PoolPatchResult {
        name: owned_text(),
        verdict: verdict.to_owned(),
        phase: None,
        patch: None,
        reason: owned_text(),
        tokens: Some(3),
        seconds: 1.5,
        ..PoolPatchResult::default()
    };
    let patches = vec![patch("fail"), patch("unresolved")];
    RunResult { schedules: Some(schedules), patches, ..fix_run }
}
