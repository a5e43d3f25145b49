//! The screen that people see, and what may not stand on it.

use super::*;

mod answers;

use crate::report::{Cost, DeltaSize, EnvironmentInfo, Goal, Version};

const PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                     +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                     -        return a > b;\n+        return a >= b;\n     }\n";

fn found(folder: &Path) -> RunResult {
    std::fs::write(folder.join("fix.patch"), PATCH).unwrap();
    let os = "linux".to_owned();
    let environment = EnvironmentInfo { jdk: None, os, jobs: 1, seed: 0 };
    let fix = PatchResult {
        tokens: 2,
        hunks: 1,
        components: 1,
        files: vec!["src/Till.java".to_owned()],
        patch: "fix.patch".to_owned(),
        minimal: true,
        commits: Vec::new(),
        parts: Vec::new(),
    };
    RunResult {
        status: Status::Found,
        message: Some("TillTest#sum throws java.lang.AssertionError: 13 rolls".to_owned()),
        commits_tested: 6,
        delta: Some(DeltaSize { files: 3, java_files: 2, hunks: 20, components: 19, tokens: 261 }),
        fix: Some(fix),
        not_checked: vec!["tests other than those that were asked for".to_owned()],
        cost: Cost { tests: 28, cached: 2, seconds: 39.04, ..Cost::default() },
        ..RunResult::new("bisect", Goal::Both, environment)
    }
}

fn guilty() -> Guilty {
    Guilty {
        short_id: "87914ddf3a".to_owned(),
        author: "Bruno Teig <bruno@example.org>".to_owned(),
        date: "2025-04-22".to_owned(),
        summary: "Tidy up the till".to_owned(),
    }
}

/// What is shown, with the run folder's name made the same for every run.
fn shown(result: &RunResult, folder: &Path, elsewhere: Option<&Path>) -> String {
    let scene = Scene { folder, is_found: elsewhere.is_none(), elsewhere, is_kept: true };
    of(result, Some(&guilty()), &scene)
}

fn of(result: &RunResult, guilty: Option<&Guilty>, scene: &Scene<'_>) -> String {
    let text = human(result, guilty, scene, &Style::plain()).unwrap();
    text.replace(&scene.folder.display().to_string(), "RUN")
}

#[test]
fn one_screen_tells_the_commit_the_tokens_and_the_next_command() {
    let folder = tempfile::tempdir().unwrap();
    let text = shown(&found(folder.path()), folder.path(), None);
    insta::assert_snapshot!(text, @r"
    TillTest#sum throws java.lang.AssertionError: 13 rolls

    Broken by 87914ddf3a Tidy up the till
              Bruno Teig <bruno@example.org>, 2025-04-22

    The patch that mends it (2 tokens)
      src/Till.java:4
        -         return a [->-] b;
        +         return a {+>=+} b;
    not checked: tests other than those that were asked for

    Tried 6 commits, a change of 19 components (261 tokens), 28 tests, 2 known from before in 39.0 s
    Next: git apply RUN/fix.patch
    Everything about this run: RUN
    ");
}

#[test]
fn the_command_to_type_names_the_place_if_that_is_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    let place = Some(Path::new("my till"));
    let text = shown(&result, folder.path(), place);
    assert!(text.contains("Next: git -C 'my till' apply RUN/fix.patch\n"), "{text}");
    result.status = Status::Interrupted;
    let text = shown(&result, folder.path(), place);
    assert!(text.contains("Next: git -C 'my till' mend bisect --resume --output RUN\n"), "{text}");
    let text = shown(&result, folder.path(), None);
    assert!(text.contains("Next: git mend bisect --resume\n"), "{text}");
}

#[test]
fn the_command_that_asks_again_names_commits_and_no_branch() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    result.fix = None;
    let again = "git mend bisect --good main~4 --test shop.CartTest";
    result.reproduce = Some(again.to_owned());
    let version = |digit: &str| Version { revision: digit.repeat(40), tree: String::new() };
    (result.good, result.bad) = (Some(version("a")), Some(version("b")));
    let text = shown(&result, folder.path(), None);
    let named = text.replace(&"a".repeat(40), "GOOD").replace(&"b".repeat(40), "BAD");
    let next = "Next: git mend bisect --good GOOD --test shop.CartTest --bad BAD\n";
    assert!(named.contains(next), "{text}");
    // What tried all repairs there were would come to the same again.
    result.command = "fix".to_owned();
    let text = shown(&result, folder.path(), None);
    assert!(!text.contains("Next:") && text.contains("Everything about"), "{text}");
}

#[test]
fn durations_read_as_people_say_them() {
    assert_eq!(duration(3.25), "3.2 s");
    assert_eq!(duration(125.0), "2 min 5 s");
    assert_eq!(duration(119.9), "2 min 0 s");
}

#[test]
fn of_several_suspects_each_is_named_and_what_breaks_it_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    result.suspects = vec!["87914ddf3a".to_owned(), "0b1c2d3e4f".to_owned()];
    let commits = vec!["5a5a5a5a5a5a5a5a".to_owned()];
    let files = vec!["src/Till.java".to_owned(), "src/Coin.java".to_owned()];
    let other = PatchResult { minimal: false, commits, files, ..result.fix.clone().unwrap() };
    result.others = vec![PatchResult { patch: "other-1.patch".to_owned(), ..other }];
    let scene = Scene { folder: folder.path(), is_found: true, elsewhere: None, is_kept: true };
    insta::assert_snapshot!(of(&result, None, &scene), @r"
    TillTest#sum throws java.lang.AssertionError: 13 rolls

    One of these 2 commits broke it; those between could not be tested:
      87914ddf3a
      0b1c2d3e4f

    The patch that mends it (2 tokens)
      src/Till.java:4
        -         return a [->-] b;
        +         return a {+>=+} b;
    Breaks it as well: other-1.patch (2 tokens, smallest so far) in src/Till.java, src/Coin.java, by 5a5a5a5a5a
    not checked: tests other than those that were asked for

    Tried 6 commits, a change of 19 components (261 tokens), 28 tests, 2 known from before in 39.0 s
    Next: git apply RUN/fix.patch
    Everything about this run: RUN
    ");
}

#[test]
fn of_many_the_first_are_named_and_the_others_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    let other = PatchResult { patch: "culprit-2.patch".to_owned(), ..result.fix.take().unwrap() };
    result.others = vec![other; 11];
    result.suspects = (0..20).map(|n| format!("{n:010}")).collect();
    result.not_checked = (0..9).map(|n| format!("thing {n}")).collect();
    let scene = Scene { folder: folder.path(), is_found: true, elsewhere: None, is_kept: true };
    let text = of(&result, None, &scene);
    let count = |words: &str| text.lines().filter(|line| line.starts_with(words)).count();
    assert_eq!([count("  00000"), count("Breaks"), count("not checked")], [8, 9, 9], "{text}");
    for more in [
        "\n  … 12 more: result.json\n",
        "\nBreaks it as well: … 3 more: result.json\n",
        "\nnot checked: … 1 more: result.json\n",
    ] {
        assert!(text.contains(more), "{text}");
    }
}

#[test]
fn of_many_files_and_commits_in_one_line_the_first_are_named_and_the_others_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    let other = PatchResult {
        patch: "culprit-2.patch".to_owned(),
        files: (0..40).map(|n| format!("src/F{n}.java")).collect(),
        commits: (0..5).map(|n| format!("{n:040}")).collect(),
        ..result.fix.take().unwrap()
    };
    result.others = vec![other];
    let scene = Scene { folder: folder.path(), is_found: true, elsewhere: None, is_kept: true };
    let text = of(&result, None, &scene);
    let line = text.lines().find(|line| line.starts_with("Breaks")).unwrap();
    insta::assert_snapshot!(
        line,
        @"Breaks it as well: culprit-2.patch (2 tokens) in src/F0.java, src/F1.java, src/F2.java and 37 more, by 0000000000, 0000000000, 0000000000 and 2 more"
    );
}

#[test]
fn of_a_long_patch_it_is_said_where_all_of_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let result = found(folder.path());
    let lines = "-    old();\n+    own();\n".repeat(40);
    let patch = format!(
        "diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1,40 +1,40 @@\n{lines}"
    );
    std::fs::write(folder.path().join("fix.patch"), patch).unwrap();
    let scene = Scene { folder: folder.path(), is_found: true, elsewhere: None, is_kept: true };
    let text = of(&result, None, &scene);
    assert!(text.contains("\n    … 66 more changed lines: fix.patch\n"), "{text}");
}

#[test]
fn on_a_narrow_screen_prose_is_broken_and_commands_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    result.suspects = vec!["87914ddf3a".to_owned(), "0b1c2d3e4f".to_owned()];
    result.others = vec![result.fix.take().unwrap()];
    let again = "git mend bisect --good v1.4 --bad main --test 'shop.CartTest#total'";
    result.reproduce = Some(again.to_owned());
    let (style, folder) = (Style::plain().within(Some(40)), Path::new("RUN"));
    let scene = Scene { folder, is_found: true, elsewhere: None, is_kept: true };
    let text = human(&result, Some(&guilty()), &scene, &style).unwrap();
    insta::assert_snapshot!(text, @r"
    TillTest#sum throws
      java.lang.AssertionError: 13 rolls

    Broken by 87914ddf3a Tidy up the till
              Bruno Teig
              <bruno@example.org>,
              2025-04-22

    One of these 2 commits broke it; those
      between could not be tested:
      87914ddf3a
      0b1c2d3e4f
    Breaks it as well: fix.patch (2 tokens)
      in src/Till.java
    not checked: tests other than those that
      were asked for

    Tried 6 commits, a change of 19
      components (261 tokens), 28 tests, 2
      known from before in 39.0 s
    Next: git mend bisect --good v1.4 --bad main --test 'shop.CartTest#total'
    Everything about this run: RUN
    ");
    let good = Problem::GoodDoesNotPass { revision: "v1".into(), output: String::new() };
    insta::assert_snapshot!(problem(&good, None, &style), @r"
    error: the premise is false: good (v1)
      does not pass
    next: name an older --good, or let
      `--good auto` look for one; if the
      symptom differs, narrow --test
    ");
}

#[test]
fn a_search_that_was_stopped_shows_what_it_has_and_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut result = found(folder.path());
    result.status = Status::Interrupted;
    result.fix = result.fix.map(|fix| PatchResult { minimal: false, ..fix });
    insta::assert_snapshot!(shown(&result, folder.path(), None), @r"
    TillTest#sum throws java.lang.AssertionError: 13 rolls

    Broken by 87914ddf3a Tidy up the till
              Bruno Teig <bruno@example.org>, 2025-04-22

    The patch that mends it (2 tokens, smallest so far)
      src/Till.java:4
        -         return a [->-] b;
        +         return a {+>=+} b;
    not checked: tests other than those that were asked for

    Tried 6 commits, a change of 19 components (261 tokens), 28 tests, 2 known from before in 39.0 s
    Next: git mend bisect --resume
    Everything about this run: RUN
    ");
}

#[test]
fn a_problem_shows_its_evidence_and_the_next_step() {
    let output = (0..20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
    let good = Problem::GoodDoesNotPass { revision: "v1".into(), output };
    let shown = problem(&good, Some(Path::new("RUN")), &Style::plain());
    insta::assert_snapshot!(shown, @r"
    error: the premise is false: good (v1) does not pass
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
    next: name an older --good, or let `--good auto` look for one; if the symptom differs, narrow --test
    log: RUN/log.txt
    ");
}
