//! Run folders for view tests, including hostile ones.

use super::delta::{ComponentView, DeltaView, DependencyKind, DependencyView, HunkView, SCHEMA};
use super::{
    CommitInfo, DeltaSize, EnvironmentInfo, FailedSchedules, FixEvidence, FixResult, LockCycle,
    LockUsage, ObservedValues, PatchResult, PatternResult, PoolPatchResult, RaceResult, RunGoal,
    RunResult, RunStatus, ScheduleReport, SearchGoal, SearchProgress, TestedCommit, TrialLine,
};
use mend_delta::{DependencyRule, HunkKind};
use mend_model::TermValues;
use mend_model::schedules::{CodeLocation, Schedule, ScheduleStep, ScheduleTrace};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;

/// Hostile text: markup, attributes, escape sequences, and characters that change the writing direction.
pub(super) const HOSTILE: &str =
    "x\"'><img src=x onerror=alert(1)></script></style><!-- &lt; \u{1b}[31m\u{0}\u{202e}]]>";

pub(super) fn found(
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

/// Creates a delta with twenty components per file; each needs the component of half its number.
pub(super) fn delta(count: usize, file: &str) -> DeltaView {
    delta_of(count, &format!("insert {file}"), |id| format!("{file}{}.java", id / 20), |id| id / 2)
}

/// Creates a delta with one file and one dependency per component.
pub(super) fn delta_of(
    count: usize,
    what: &str,
    home: impl Fn(usize) -> String,
    need: impl Fn(usize) -> usize,
) -> DeltaView {
    let component = |id: usize| {
        let path = home(id);
        let hunk = HunkView {
            kind: HunkKind::Insert,
            path: path.as_str().into(),
            old_path: None,
            node: "statement".to_owned(),
            old: None,
            new: Some([0, 1]),
            line: Some(id),
        };
        let (files, what) = (vec![path.as_str().into()], what.to_owned());
        ComponentView { id, tokens: 3, files, what, refactoring: None, hunks: vec![hunk] }
    };
    let needs = |from: usize| {
        let (kind, rule) = (DependencyKind::Needs, DependencyRule::Definition);
        DependencyView { from, to: vec![need(from)], kind, rule }
    };
    DeltaView {
        schema: SCHEMA.to_owned(),
        files: (1..=count).map(&home).collect::<BTreeSet<_>>().len(),
        tokens: 3,
        components: (1..=count).map(component).collect(),
        couplings: (2..=count).map(needs).collect(),
        whitespace_hunks: 0,
        unparsed: Vec::new(),
    }
}

pub(super) fn trial(verdict: &str, what: &str) -> TrialLine {
    let (verdict, what) = (verdict.to_owned(), what.to_owned());
    TrialLine {
        verdict,
        what,
        rung: "warm-jvm".to_owned(),
        milliseconds: 90,
        ..TrialLine::default()
    }
}

pub(super) fn trials(words: &str) -> Vec<TrialLine> {
    let (author, summary) = (words.to_owned(), words.to_owned());
    let position = Some([2, 3]);
    let id = "87914ddf3a77".to_owned();
    let commit = TestedCommit { id, author, date: "2025-04-22".to_owned(), summary, position };
    let standing = |goal| Some(SearchProgress { goal, tried: 4, suspected: 9, tokens: 30 });
    vec![
        TrialLine { commit: Some(commit), ..trial("fail", words) },
        TrialLine { search: standing(SearchGoal::Culprit), ..trial("pass", words) },
        TrialLine { search: standing(SearchGoal::Fix), ..trial("unresolved", words) },
    ]
}

pub(super) fn bisection(words: &str) -> RunResult {
    let guilty = CommitInfo {
        short_id: "87914ddf3a".to_owned(),
        author: words.to_owned(),
        date: "2025-04-22".to_owned(),
        summary: words.to_owned(),
    };
    let size = DeltaSize { files: 1, java_files: 1, hunks: 9, components: 9, tokens: 30 };
    RunResult {
        status: RunStatus::Found,
        messages: vec![format!("{words} throws"), words.to_owned()],
        culprit_commit: Some("87914ddf3a77".to_owned()),
        culprit_info: Some(guilty),
        delta: Some(size),
        culprit: Some(found(2, words, "culprit.patch", vec![7])),
        fix: Some(found(1, words, "fix.patch", vec![7])),
        not_checked: vec![words.to_owned()],
        reproduce: Some(format!("git mend bisect {words}")),
        ..RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default())
    }
}

pub(super) fn repair(words: &str) -> RunResult {
    let fix = |rank: usize| FixResult {
        rank,
        technique: "contract".to_owned(),
        operator: "operator".to_owned(),
        patch: Some(format!("fix-{rank}.patch")),
        tokens: Some(2),
        lines: Some(2),
        files: vec![words.to_owned()],
        location: Some(words.to_owned()),
        why: format!("`{words}` becomes `>=`"),
        validated: FixEvidence {
            failing_pass: 1,
            generated: Some(40),
            schedules: Some(300),
            bound: Some(words.to_owned()),
            ..FixEvidence::default()
        },
    };
    let failure = FailedSchedules {
        kind: "deadlock".to_owned(),
        message: words.to_owned(),
        count: 3,
        first: 1,
        schedule: "schedule-1.json".to_owned(),
    };
    let schedules =
        ScheduleReport { run: 9, failing: 3, failures: vec![failure], ..ScheduleReport::default() };
    RunResult {
        status: RunStatus::Found,
        symptom: Some(format!("{words} throws")),
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

pub(super) fn schedule(words: &str, thread: usize) -> WrittenSchedule {
    let text = words.to_owned();
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
    };
    WrittenSchedule { example, pattern_steps: vec![0, 1], ending: words.to_owned() }
}

pub(super) fn json(dir: &TempDir, name: &str, value: &impl Serialize) {
    fs::write(dir.path().join(name), serde_json::to_vec(value).unwrap()).unwrap();
}

/// Creates a run folder in which every name is `words`.
pub(super) fn folder(result: &RunResult, words: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let patch = format!(
        "diff --git a/{words} b/{words}\n--- a/{words}\n+++ b/{words}\n@@ -3,3 +3,3 @@\n a\n-b {words} > c\n+b {words} >= c\n d\n"
    );
    for name in ["culprit.patch", "fix.patch", "fix-1.patch", "fix-2.patch"] {
        fs::write(dir.path().join(name), &patch).unwrap();
    }
    let lines: Vec<String> =
        trials(words).iter().map(|line| serde_json::to_string(line).unwrap()).collect();
    fs::write(dir.path().join("trials.jsonl"), lines.join("\n")).unwrap();
    json(&dir, "result.json", result);
    json(&dir, "delta.json", &delta(9, words));
    let term = TermValues {
        term: words.to_owned(),
        failing: vec!["null".to_owned()],
        passing: vec![words.to_owned()],
    };
    let values = ObservedValues {
        patch: "fix-1.patch".to_owned(),
        path: words.to_owned(),
        line: 3,
        failing: 1,
        passing: 1,
        terms: vec![term],
    };
    json(&dir, "values.json", &[values]);
    json(&dir, "schedule-1.json", &schedule(words, 1));
    dir
}

/// Creates a result with schedules and a pool: the remaining parts of a page.
pub(super) fn exploration(words: &str) -> RunResult {
    let text = || words.to_owned();
    let sites = || vec![text(), text()];
    let pattern = PatternResult {
        pattern: "Ra Wb Wa".to_owned(),
        suspiciousness: 0.9,
        failing: 9,
        passing: 1,
        sites: sites(),
        variables: sites(),
        why: text(),
    };
    let policy = LockUsage { variable: text(), lock: Some(text()), held: 2, accesses: 3 };
    let mut before = repair(words);
    before.fixes[1].validated.still_failing = vec![text()];
    let schedules = ScheduleReport {
        patterns: vec![pattern],
        picture: Some(format!("  main   Thread-0\n> reads {words}\n>        writes {words}")),
        races: vec![RaceResult { variable: text(), sites: sites(), schedules: 4 }],
        lock_cycles: vec![LockCycle { sites: sites(), schedules: 4 }],
        policy: vec![policy],
        ..before.schedules.clone().unwrap()
    };
    let patch = |verdict: &str| PoolPatchResult {
        name: text(),
        verdict: verdict.to_owned(),
        phase: None,
        patch: None,
        reason: text(),
        tokens: Some(3),
        seconds: 1.5,
    };
    let patches = vec![patch("fail"), patch("unresolved")];
    RunResult { schedules: Some(schedules), patches, ..before }
}
