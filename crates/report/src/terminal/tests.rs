//! Tests of the result screen.

use super::*;

mod answers;

use crate::{Cost, DeltaSize, EnvironmentInfo, RunGoal, VersionInfo};

const FIX_PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                     +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                     -        return a > b;\n+        return a >= b;\n     }\n";

fn sample_result(folder: &Path) -> RunResult {
    std::fs::write(folder.join("fix.patch"), FIX_PATCH).unwrap();
    let os = "linux".to_owned();
    let environment = EnvironmentInfo { jdk: Some("21".to_owned()), os, jobs: 1, seed: 0 };
    let fix = PatchResult {
        tokens: 2,
        hunks: 1,
        components: 1,
        files: vec!["src/Till.java".to_owned()],
        patch: "fix.patch".to_owned(),
        minimal: true,
        commits: Vec::new(),
        component_ids: Vec::new(),
    };
    RunResult {
        status: RunStatus::Found,
        message: Some("TillTest#sum throws java.lang.AssertionError: 13 rolls".to_owned()),
        symptom: Some("TillTest#sum throws java.lang.AssertionError: 13 rolls".to_owned()),
        confirmed: Some(Verification {
            execution_mode: "clean-build".to_owned(),
            fresh_build: true,
        }),
        commits_tested: 6,
        delta: Some(DeltaSize { files: 3, java_files: 2, hunks: 20, components: 19, tokens: 261 }),
        fix: Some(fix),
        not_checked: vec!["tests not selected with --test".to_owned()],
        cost: Cost { tests: 28, cached: 2, seconds: 39.04, ..Cost::default() },
        ..RunResult::new("bisect", RunGoal::Both, environment)
    }
}

fn sample_culprit() -> CommitInfo {
    CommitInfo {
        short_id: "87914ddf3a".to_owned(),
        author: "Bruno Teig <bruno@example.org>".to_owned(),
        date: "2025-04-22".to_owned(),
        summary: "Tidy up the till".to_owned(),
    }
}

/// Formats a result, with a fixed name of the run folder.
fn screen_with_culprit(result: &RunResult, folder: &Path, elsewhere: Option<&Path>) -> String {
    let context = OutputContext {
        folder,
        is_default_location: elsewhere.is_none(),
        project_folder: elsewhere,
        can_read_folder: true,
    };
    render_screen(result, Some(&sample_culprit()), &context)
}

fn render_screen(
    result: &RunResult,
    culprit: Option<&CommitInfo>,
    context: &OutputContext<'_>,
) -> String {
    let text = format_result(result, culprit, context, &TerminalStyle::plain()).unwrap();
    text.replace(&context.folder.display().to_string(), "RUN")
}

#[test]
fn screen_names_commit_tokens_and_next_command() {
    let folder = tempfile::tempdir().unwrap();
    let text = screen_with_culprit(&sample_result(folder.path()), folder.path(), None);
    insta::assert_snapshot!(text, @r"
    Test:    TillTest#sum throws java.lang.AssertionError: 13 rolls
    Culprit: 87914ddf3a Tidy up the till (first bad commit)
             Bruno Teig <bruno@example.org>, 2025-04-22

    Fix (2 tokens)  src/Till.java:4
        -         return a [->-] b;
        +         return a {+>=+} b;
    Verified on a clean checkout with a full build and a fresh JVM
    Not checked: tests not selected with --test

    Searched 6 commits and 19 components (261 tokens) in 28 test runs (2 cached), 39.0 s
    Apply:      git apply RUN/fix.patch
    Run folder: RUN
    ");
}

#[test]
fn next_command_names_the_project_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    let project_folder = Some(Path::new("my till"));
    let text = screen_with_culprit(&result, folder.path(), project_folder);
    assert!(text.contains("Apply:      git -C 'my till' apply RUN/fix.patch\n"), "{text}");
    result.status = RunStatus::Interrupted;
    let text = screen_with_culprit(&result, folder.path(), project_folder);
    assert!(
        text.contains("Next:       git -C 'my till' mend bisect --resume --output RUN\n"),
        "{text}"
    );
    let text = screen_with_culprit(&result, folder.path(), None);
    assert!(text.contains("Next:       git mend bisect --resume\n"), "{text}");
}

#[test]
fn repeat_command_names_commits() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    result.fix = None;
    let repeat_command = "git mend bisect --good main~4 --test shop.CartTest";
    result.reproduce = Some(repeat_command.to_owned());
    let version = |digit: &str| VersionInfo { revision: digit.repeat(40), tree: String::new() };
    (result.good, result.bad) = (Some(version("a")), Some(version("b")));
    let text = screen_with_culprit(&result, folder.path(), None);
    let text_with_names = text.replace(&"a".repeat(40), "GOOD").replace(&"b".repeat(40), "BAD");
    let next = "Next:       git mend bisect --good GOOD --test shop.CartTest --bad BAD\n";
    assert!(text_with_names.contains(next), "{text}");
    // A search that tried all candidates would give the same result again.
    result.command = "fix".to_owned();
    let text = screen_with_culprit(&result, folder.path(), None);
    assert!(!text.contains("Next:") && text.contains("Run folder:"), "{text}");
}

#[test]
fn duration_has_minutes_and_seconds() {
    assert_eq!(format_duration(3.25), "3.2 s");
    assert_eq!(format_duration(125.0), "2 min 5 s");
    assert_eq!(format_duration(119.9), "2 min 0 s");
}

#[test]
fn suspects_and_further_culprits_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    result.suspects = vec!["87914ddf3a".to_owned(), "0b1c2d3e4f".to_owned()];
    let commits = vec!["5a5a5a5a5a5a5a5a".to_owned()];
    let files = vec!["src/Till.java".to_owned(), "src/Coin.java".to_owned()];
    let other_culprit =
        PatchResult { minimal: false, commits, files, ..result.fix.clone().unwrap() };
    result.others = vec![PatchResult { patch: "other-1.patch".to_owned(), ..other_culprit }];
    let context = OutputContext::new(folder.path());
    insta::assert_snapshot!(render_screen(&result, None, &context), @r"
    Test:    TillTest#sum throws java.lang.AssertionError: 13 rolls

    The culprit is one of these 2 commits; the commits between them could not be tested
      87914ddf3a
      0b1c2d3e4f

    Fix (2 tokens)  src/Till.java:4
        -         return a [->-] b;
        +         return a {+>=+} b;
    Another culprit (2 tokens, not minimal yet): other-1.patch in src/Till.java, src/Coin.java, from 5a5a5a5a5a
    Verified on a clean checkout with a full build and a fresh JVM
    Not checked: tests not selected with --test

    Searched 6 commits and 19 components (261 tokens) in 28 test runs (2 cached), 39.0 s
    Apply:      git apply RUN/fix.patch
    Run folder: RUN
    ");
}

#[test]
fn first_entries_are_listed_and_others_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    let other_culprit =
        PatchResult { patch: "culprit-2.patch".to_owned(), ..result.fix.take().unwrap() };
    result.others = vec![other_culprit; 11];
    result.suspects = (0..20).map(|n| format!("{n:010}")).collect();
    result.not_checked = (0..9).map(|n| format!("thing {n}")).collect();
    let context = OutputContext::new(folder.path());
    let text = render_screen(&result, None, &context);
    let count = |prefix: &str| text.lines().filter(|line| line.starts_with(prefix)).count();
    assert_eq!([count("  00000"), count("Another"), count("Not checked")], [8, 8, 9], "{text}");
    for more in [
        "\n  … 12 more: result.json\n",
        "\nOther culprits: … 3 more: result.json\n",
        "\nNot checked: … 1 more: result.json\n",
    ] {
        assert!(text.contains(more), "{text}");
    }
}

#[test]
fn first_files_and_commits_are_named_others_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    let other_culprit = PatchResult {
        patch: "culprit-2.patch".to_owned(),
        files: (0..40).map(|n| format!("src/F{n}.java")).collect(),
        commits: (0..5).map(|n| format!("{n:040}")).collect(),
        ..result.fix.take().unwrap()
    };
    result.others = vec![other_culprit];
    let context = OutputContext::new(folder.path());
    let text = render_screen(&result, None, &context);
    let line = text.lines().find(|line| line.starts_with("Another")).unwrap();
    insta::assert_snapshot!(
        line,
        @"Another culprit (2 tokens): culprit-2.patch in src/F0.java, src/F1.java, src/F2.java and 37 more, from 0000000000, 0000000000, 0000000000 and 2 more"
    );
}

#[test]
fn long_patch_is_truncated_and_its_file_named() {
    let folder = tempfile::tempdir().unwrap();
    let result = sample_result(folder.path());
    let lines = "-    old();\n+    own();\n".repeat(40);
    let patch = format!(
        "diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1,40 +1,40 @@\n{lines}"
    );
    std::fs::write(folder.path().join("fix.patch"), patch).unwrap();
    let context = OutputContext::new(folder.path());
    let text = render_screen(&result, None, &context);
    assert!(text.contains("\n    … 66 more changed lines: fix.patch\n"), "{text}");
}

#[test]
fn narrow_screen_wraps_prose_but_not_commands() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    result.suspects = vec!["87914ddf3a".to_owned(), "0b1c2d3e4f".to_owned()];
    result.others = vec![result.fix.take().unwrap()];
    let repeat_command = "git mend bisect --good v1.4 --bad main --test 'shop.CartTest#total'";
    result.reproduce = Some(repeat_command.to_owned());
    let (style, folder) = (TerminalStyle::plain().with_width(Some(40)), Path::new("RUN"));
    let context = OutputContext::new(folder);
    let text = format_result(&result, Some(&sample_culprit()), &context, &style).unwrap();
    insta::assert_snapshot!(text, @r"
    Test:    TillTest#sum throws
             java.lang.AssertionError: 13
             rolls
    Culprit: 87914ddf3a Tidy up the till
             (first bad commit)
             Bruno Teig <bruno@example.org>,
             2025-04-22

    The culprit is one of these 2 commits;
      the commits between them could not be
      tested
      87914ddf3a
      0b1c2d3e4f
    Another culprit (2 tokens): fix.patch in
      src/Till.java
    Verified on a clean checkout with a full
      build and a fresh JVM
    Not checked: tests not selected with
      --test

    Searched 6 commits and 19 components
      (261 tokens) in 28 test runs (2
      cached), 39.0 s
    Next:       git mend bisect --good v1.4 --bad main --test 'shop.CartTest#total'
    Run folder: RUN
    ");
    let failure = Problem::GoodDoesNotPass { revision: "v1".into(), output: String::new() };
    insta::assert_snapshot!(format_problem(&failure, None, &style), @r"
    error: baseline check failed: the test
      does not pass on good (v1)
    help: use an older commit as --good, or
      `--good auto` to search for one; if it
      fails for another reason, narrow
      --test
    ");
}

#[test]
fn interrupted_search_shows_result_and_resume_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = sample_result(folder.path());
    result.status = RunStatus::Interrupted;
    result.confirmed = None;
    result.fix = result.fix.map(|fix| PatchResult { minimal: false, ..fix });
    insta::assert_snapshot!(screen_with_culprit(&result, folder.path(), None), @r"
    Test:    TillTest#sum throws java.lang.AssertionError: 13 rolls
    Culprit: 87914ddf3a Tidy up the till (first bad commit)
             Bruno Teig <bruno@example.org>, 2025-04-22

    Smallest fix so far (2 tokens)  src/Till.java:4
        -         return a [->-] b;
        +         return a {+>=+} b;
    Not checked: tests not selected with --test

    Searched 6 commits and 19 components (261 tokens) in 28 test runs (2 cached), 39.0 s
    Next:       git mend bisect --resume
    Run folder: RUN
    ");
}

#[test]
fn problem_shows_evidence_and_remedy() {
    let output = (0..20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
    let failure = Problem::GoodDoesNotPass { revision: "v1".into(), output };
    let shown = format_problem(&failure, Some(Path::new("RUN")), &TerminalStyle::plain());
    insta::assert_snapshot!(shown, @r"
    error: baseline check failed: the test does not pass on good (v1)
      | line 0
      | line 1
      | line 2
      | line 3
      | line 4
      | line 5
      | line 6
      | line 7
      | line 8
      | line 9
      | line 10
      | line 11
      | line 12
      | line 13
      | line 14
      | … 5 more lines
    help: use an older commit as --good, or `--good auto` to search for one; if it fails for another reason, narrow --test
    log: RUN/log.txt
    ");
}
