//! Tests of the texts on GitHub.

use super::*;
use crate::github::data::fix::FixSummary;
use crate::github::data::replacement::Replacement;
use crate::github::testing::sample_report;
use crate::github::texts::suggestion::{format_suggestion, format_suggestion_intro};
use crate::github::texts::titles::{format_check_title, format_commit_message, format_pull_title};
use crate::run_folder::result::{UpgradeKind, UpgradeResult};
use crate::{RevertResult, SavedRun, Verification, testing};

#[test]
fn pull_request_names_culprit_fix_and_verification() {
    let context = TextContext {
        failing_pull: Some(17),
        report_url: Some("https://x/run".to_owned()),
        ..TextContext::default()
    };
    insta::assert_snapshot!(format_pull_title(&sample_report()));
    insta::assert_snapshot!(format_pull_body(&sample_report(), "<!-- git-mend -->", &context));
    let (headline, body) = format_commit_message(&sample_report());
    insta::assert_snapshot!(format!("{headline}\n\n{body}"));
}

#[test]
fn comment_has_full_result_and_other_job_links_to_it() {
    let context =
        TextContext { fix_pull: Some(9), needs_workflow_trigger: true, ..TextContext::default() };
    insta::assert_snapshot!(format_comment(&sample_report(), "<!-- m -->", &context), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` and 1 more test fail. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** A fix of 2 tokens makes them pass again.

    The fix is in #9. GitHub starts no workflows for a pull request that a job opens with `GITHUB_TOKEN`. To run them, close and reopen the pull request. To avoid this step, pass the token of a GitHub App as the input `token` of the Action.

    > `bakery.TillTest#dozen throws java.lang.AssertionError: 13 rolls`

    2 failing tests:

    - `bakery.TillTest#dozen`
    - `bakery.TillTest#sum`

    ### Culprit

    [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a) `Tidy up the till` by `Bruno Teig` on `2025-04-22`, in #12

    Revert check: reverting it on the failing version makes the test pass.

    Minimal culprit (2 of 261 changed tokens):

    ```diff
    diff --git a/src/Till.java b/src/Till.java
    --- a/src/Till.java
    +++ b/src/Till.java
    @@ -41,1 +41,1 @@ class Till {
    -        return count >= dozen;
    +        return count > dozen;
    ```

    ### Fix

    This fix reverts only the part of the culprit that breaks the test.

    ```diff
    diff --git a/src/Till.java b/src/Till.java
    --- a/src/Till.java
    +++ b/src/Till.java
    @@ -41,1 +41,1 @@ class Till {
    -        return count > dozen;
    +        return count >= dozen;
    ```

    <details><summary>Search</summary>

    Search in 14 variants: 6 passed, 8 failed, 0 unresolved.

    ```
    variant 1   18 components
    ```

    </details>

    ### Verification

    - Verified on a clean checkout: the fix was applied with `git apply`, built from scratch and tested in a fresh JVM.
    - The search took 24 s: 6 commits, 21 test runs (5 cached).
    - Not checked: `tests not selected with --test`

    ### Reproduce

    ```sh
    git mend bisect --good v1.0 --bad main --test bakery.TillTest
    ```

    ---
    <sub>Found by git-mend. Failing commit: `ab11f313e44a88f95ab573b0a8716df391156d86`. The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
    insta::assert_snapshot!(same_result_comment(&sample_report(), "<!-- m -->", "https://x/1"), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` also fails in another job. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** The result is the same as in [this comment](https://x/1).

    <sub>The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
}

#[test]
fn comment_names_the_updates_that_break_the_tests() {
    let upgrade = |artifact: &str, culprit| UpgradeResult {
        artifact: artifact.to_owned(),
        kind: UpgradeKind::Library,
        from: Some("1".to_owned()),
        to: Some("4".to_owned()),
        last_good: Some("2".to_owned()),
        first_bad: Some("3".to_owned()),
        other_message: false,
        direct: culprit == 1,
        used_by: vec!["app-1".to_owned()],
        needs: Vec::new(),
        culprit,
        library_history: None,
    };
    let sample = sample_report();
    let report = GitHubReport {
        culprit_commit: None,
        culprit: None,
        revert: None,
        upgrades: vec![upgrade("g:a", 1), upgrade("g:b", 2), upgrade("g:c", 2)],
        fix: sample.fix.clone().map(|fix| FixSummary { reverts_culprit: false, ..fix }),
        tests: vec!["bakery.TillTest#dozen".to_owned()],
        diagrams: Vec::new(),
        ..sample
    };
    let context = TextContext { is_suggested: true, ..TextContext::default() };
    let comment = format_comment(&report, "<!-- m -->", &context);
    let start = comment.split("```diff").next().unwrap();
    insta::assert_snapshot!(start, @r"
    <!-- m -->
    **`bakery.TillTest#dozen` fails. The updates of `g:a` and `g:b` and `g:c` break it.** A fix of 2 tokens makes it pass again.

    The fix is suggested on the changed lines.

    > `bakery.TillTest#dozen throws java.lang.AssertionError: 13 rolls`

    ### Dependency updates

    - `g:a` from `1` to `4`: `2` passes, `3` fails
    - `g:b` from `1` to `4`: `2` passes, `3` fails; only together with `g:c`; a dependency of `app-1`
    - `g:c` from `1` to `4`: `2` passes, `3` fails; only together with `g:b`; a dependency of `app-1`

    ### Fix

    This fix sets versions that pass, and keeps the other updates.
    ");
    let (_, body) = format_commit_message(&report);
    assert_eq!(body, "Set versions that pass, and keep the other updates.");
}

#[test]
fn summary_without_result_says_that_no_culprit_was_found() {
    let report = GitHubReport {
        outcome: SearchOutcome::NotFound,
        culprit_commit: None,
        culprit: None,
        fix: None,
        diagrams: Vec::new(),
        ..sample_report()
    };
    insta::assert_snapshot!(format_summary(&report, &TextContext::default()), @r"
    **`bakery.TillTest#dozen` and 1 more test fail.** The search completed and found no culprit in this change.

    > `bakery.TillTest#dozen throws java.lang.AssertionError: 13 rolls`

    2 failing tests:

    - `bakery.TillTest#dozen`
    - `bakery.TillTest#sum`

    ### Verification

    - The search took 24 s: 6 commits, 21 test runs (5 cached).
    - Not checked: `tests not selected with --test`

    ### Reproduce

    ```sh
    git mend bisect --good v1.0 --bad main --test bakery.TillTest
    ```

    ---
    <sub>Found by git-mend. Failing commit: `ab11f313e44a88f95ab573b0a8716df391156d86`. The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
}

#[test]
fn suggestion_names_test_and_its_fence_cannot_be_closed() {
    let replacement_with = |text: &str| Replacement {
        path: "src/Till.java".to_owned(),
        first_line: 41,
        last_line: 41,
        text: text.to_owned(),
    };
    insta::assert_snapshot!(format_suggestion_intro(&sample_report(), "<!-- m -->"), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` and 1 more test fail. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** A fix of 2 tokens makes them pass again.

    <sub>The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
    let suggestions = ["        return count >= dozen;\n", "    // ```\n"]
        .map(|text| format_suggestion(&sample_report(), &replacement_with(text)));
    insta::assert_snapshot!(suggestions.join("\n\n"), @r"
    Fixes `bakery.TillTest#dozen`.

    ```suggestion
            return count >= dozen;
    ```

    Fixes `bakery.TillTest#dozen`.

    ````suggestion
        // ```
    ````
    ");
}

#[test]
fn pull_request_notes_missing_workflows_and_signature() {
    let context =
        TextContext { needs_workflow_trigger: true, is_unverified: true, ..TextContext::default() };
    let text = format_pull_body(&sample_report(), "<!-- m -->", &context);
    let start: Vec<&str> = text.split("\n\n").take(3).collect();
    insta::assert_snapshot!(start.join("\n\n"), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` and 1 more test fail. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** A fix of 2 tokens makes them pass again.

    GitHub starts no workflows for a pull request that a job opens with `GITHUB_TOKEN`. To run them, close and reopen the pull request. To avoid this step, pass the token of a GitHub App as the input `token` of the Action.

    GitHub does not show the commit of this pull request as verified. If the base branch requires signed commits, commit the fix yourself.
    ");
}

#[test]
fn comment_says_where_the_patch_is() {
    let comment_with =
        |context: &TextContext| format_comment(&sample_report(), "<!-- m -->", context);
    assert!(
        comment_with(&TextContext { fix_pull: Some(9), ..TextContext::default() })
            .contains("The fix is in #9.")
    );
    assert!(
        comment_with(&TextContext { is_suggested: true, ..TextContext::default() })
            .contains("suggested on the changed lines")
    );
    let withheld =
        TextContext { no_pull_reason: Some(NoPullReason::NoBranch), ..TextContext::default() };
    let text = comment_with(&withheld);
    assert!(text.contains("`git apply fix.patch`"));
    assert!(text.contains("No fix pull request: the failing commit is on no branch"));
}

#[test]
fn texts_respect_github_length_limit() {
    let hostile = "\u{200b}".repeat(50_000);
    let mut report = sample_report();
    report.not_checked = vec![hostile.clone(); 1000];
    report.diagrams[0].description.clone_from(&hostile);
    for patch in [report.culprit.as_mut(), report.fix.as_mut().map(|one| &mut one.patch)] {
        patch.unwrap().text.clone_from(&hostile);
    }
    let context = TextContext { unannotated_count: 3, ..TextContext::default() };
    let text = format_summary(&report, &context);
    assert!(text.chars().count() < 65_535, "{}", text.chars().count());
    assert!(text.contains("The fix changes 3 more places without an annotation."));
    assert!(text.contains("Not checked: 980 more items"));
}

#[test]
fn every_result_text_has_the_forgery_warning() {
    let (story, words) = (sample_report(), TextContext::default());
    for text in [
        format_pull_body(&story, "m", &words),
        format_comment(&story, "m", &words),
        format_summary(&story, &words),
        same_result_comment(&story, "m", "https://x"),
        format_suggestion_intro(&story, "m"),
    ] {
        assert!(
            text.contains(include_str!("../templates/sections/forgery_warning.md").trim_end()),
            "{text}"
        );
    }
}

/// Returns the report of a fix with every kind of finding. All untrusted text is `untrusted_text`.
fn fix_report(untrusted_text: &str) -> GitHubReport {
    let folder =
        testing::sample_run_folder(&testing::exploration_result(untrusted_text), untrusted_text);
    GitHubReport::from_run(&SavedRun::open(folder.path()).unwrap())
}

#[test]
fn pull_request_of_a_fix_shows_its_evidence() {
    insta::assert_snapshot!(format_pull_body(&fix_report("till"), "<!-- m -->", &TextContext::default()), @r"
    <!-- m -->
    **`till` fails.** A fix of 2 tokens makes it pass again.

    > `till throws`

    ### Fix

    `` `till` becomes `>=` ``

    ```diff
    diff --git a/till b/till
    --- a/till
    +++ b/till
    @@ -3,3 +3,3 @@
     a
    -b till > c
    +b till >= c
     d
    ```

    Values at `till:3` in test runs without the fix; `>` marks values that separate failing from passing tests:

    ```
            In 1 failing test  In 1 passing test
    > till  null               till
    ```

    ### Threads

    `till`: the pattern `Ra Wb Wa` occurs in 9 failing schedules and 1 passing schedule.

    <details><summary>A schedule, step by step</summary>

    ```
      main   Thread-0
    > reads till
    >        writes till
    ```

    `>` marks the steps of the pattern.

    </details>

    Unordered accesses to `till` at `till` and `till`.

    Threads can deadlock at `till`, `till`.

    <details><summary>Locks that guard variables</summary>

    - `till`: `till` at 2 of 3 accesses

    </details>

    Recorded schedules:

    - `schedule-1.json`, `deadlock`, 3 times, seed 41: `till`

    To replay them with the files of the run folder:

    ```sh
    git mend explore --test a.B --replay schedule-1.json
    ```

    <details><summary>1 alternative fix</summary>

    Each was applied to a clean checkout, built from scratch and tested.

    **2.** `` `till` becomes `>=` `` at `till` (`contract, operator`; 2 tokens, 2 lines). Confidence: medium.

    - fixes 1 of 2 failing tests
    - `till` still fails
    - same results in 40 generated tests
    - no failure in 300 schedules
    - `till`

    ```diff
    diff --git a/till b/till
    --- a/till
    +++ b/till
    @@ -3,3 +3,3 @@
     a
    -b till > c
    +b till >= c
     d
    ```

    </details>

    ### Reproduce

    ```sh
    git mend fix --test a.B --technique concurrency
    ```

    ---
    <sub>Found by git-mend. The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
}

#[test]
fn comment_has_diagrams_as_text() {
    let text = format_comment(&sample_report(), "<!-- m -->", &TextContext::default());
    assert!(!text.contains("mermaid"), "{text}");
    assert!(text.contains("```\nvariant 1   18 components\n```"), "{text}");
}

#[test]
fn fix_texts_respect_github_length_limit() {
    let long = "long ".repeat(10_000);
    let mut result = testing::exploration_result(&long);
    for fix in &mut result.fixes {
        fix.validated.still_failing = vec![long.clone(); 20];
    }
    result.confirmed =
        Some(Verification { execution_mode: "fresh-jvm".to_owned(), fresh_build: true });
    let folder = testing::sample_run_folder(&result, &long);
    let report = GitHubReport::from_run(&SavedRun::open(folder.path()).unwrap());
    let text = format_pull_body(&report, "m", &TextContext::default());
    assert!(text.chars().count() < 65_535, "{}", text.chars().count());
    assert!(text.contains("Evidence: 12 more tests still fail."), "{text}");
}

#[test]
fn untrusted_text_is_always_formatted_as_code() {
    let hostile = "@all ](http://x) <img src=x> fixes #1 `\u{202e}";
    let mut report = sample_report();
    report.tests = vec![hostile.to_owned(); 2];
    report.symptom = Some(hostile.to_owned());
    report.not_checked = vec![hostile.to_owned()];
    report.reproduce = Some(format!("{hostile}\n```"));
    if let Some(blame) = &mut report.culprit_commit {
        blame.author = Some(hostile.to_owned());
        blame.summary = Some(hostile.to_owned());
    }
    if let Some(mending) = &mut report.fix {
        mending.patch.text = format!("```\n{hostile}");
    }
    let context = TextContext::default();
    let all_texts = |report| {
        [
            format_summary(report, &context),
            format_comment(report, "", &context),
            format_pull_body(report, "", &context),
        ]
    };
    let hostile = hostile.replace('/', "_");
    for text in all_texts(&report).into_iter().chain(all_texts(&fix_report(&hostile))) {
        let html = without_code(&text);
        for bad in ["@all", "](http:", "<img", "fixes #1", "\u{202e}"] {
            assert!(!html.contains(bad), "{bad} in\n{html}");
        }
    }
}

/// Removes code from a text as Markdown parses it: fences first, then spans.
fn without_code(text: &str) -> String {
    let mut open_fence: Option<String> = None;
    let mut outside_code = String::new();
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &open_fence {
            Some(open) if line.trim_end() == open => open_fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => open_fence = Some(ticks),
            None => outside_code = format!("{outside_code}{}\n", without_code_spans(line)),
        }
    }
    outside_code
}

fn without_code_spans(line: &str) -> String {
    let Some(start) = line.find('`') else { return line.to_owned() };
    let rest = &line[start..];
    let fence = rest.len() - rest.trim_start_matches('`').len();
    let (before, inner) = (&line[..start], &rest[fence..]);
    let mut offset = 0;
    while let Some(found) = inner[offset..].find(&"`".repeat(fence)) {
        let close = offset + found;
        let run = inner[close..].len() - inner[close..].trim_start_matches('`').len();
        if run == fence {
            return format!("{before}{}", without_code_spans(&inner[close + run..]));
        }
        offset = close + run;
    }
    format!("{before}{}{}", &rest[..fence], without_code_spans(inner))
}

/// Headline of every text.
#[derive(Template)]
#[template(path = "sections/headline.md")]
struct Headline<'a> {
    report: &'a GitHubReport,
}

/// Section Next step.
#[derive(Template)]
#[template(path = "sections/next_step.md")]
struct NextStep<'a> {
    report: &'a GitHubReport,
}

#[test]
fn each_outcome_has_its_title() {
    let render = |outcome| {
        let report = GitHubReport { outcome, fix: None, ..sample_report() };
        format!("{}\n{}", format_check_title(&report), Headline { report: &report })
    };
    let outcomes = [
        SearchOutcome::Found,
        SearchOutcome::NotFound,
        SearchOutcome::Flaky,
        SearchOutcome::Incomplete,
    ];
    insta::assert_snapshot!(outcomes.map(render).join("\n\n"));
}

#[test]
fn failed_search_names_reason_and_next_step() {
    let reasons = [
        FailureReason::Usage,
        FailureReason::Baseline,
        FailureReason::Environment,
        FailureReason::Internal,
    ];
    let render = |hindrance| {
        let report = GitHubReport {
            outcome: SearchOutcome::Failed(hindrance),
            message: Some("no JDK found: `javac`".to_owned()),
            remedy: Some("install a JDK".to_owned()),
            fix: None,
            culprit_commit: None,
            ..sample_report()
        };
        let next = NextStep { report: &report }.to_string();
        format!(
            "{}\n{}\n{}",
            format_check_title(&report),
            Headline { report: &report },
            next.trim_end()
        )
    };
    insta::assert_snapshot!(reasons.map(render).join("\n\n"), @r"
    bakery.TillTest#dozen: not searched, invalid search request
    **`bakery.TillTest#dozen` and 1 more test fail.** Not searched: git-mend rejected the search request. This says nothing about your change. The search reported: `` no JDK found: `javac` ``.
    ### Next step

    `install a JDK`

    bakery.TillTest#dozen: no culprit, baseline check failed
    **`bakery.TillTest#dozen` and 1 more test fail.** Baseline check failed: where the search ran, the test did not pass before the change, or did not fail after it. Tests that depend on the date, the network or the machine can behave like this. The search reported: `` no JDK found: `javac` ``.
    ### Next step

    `install a JDK`

    bakery.TillTest#dozen: not searched, incomplete environment
    **`bakery.TillTest#dozen` and 1 more test fail.** Not searched: the search environment is incomplete. This says nothing about your change. The search reported: `` no JDK found: `javac` ``.
    ### Next step

    `install a JDK`

    bakery.TillTest#dozen: no result, internal error in git-mend
    **`bakery.TillTest#dozen` and 1 more test fail.** No result: git-mend failed with an internal error. This says nothing about your change. The search reported: `` no JDK found: `javac` ``.
    ### Next step

    `install a JDK`

    Please report this error and attach the log of the search job.
    ");
}

#[test]
fn numbers_agree_and_only_names_of_tests_are_code() {
    let render = |tests: &[&str], symptom: &str, outcome| {
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        let symptom = Some(symptom.to_owned());
        let report =
            GitHubReport { tests, symptom, outcome, culprit_commit: None, ..sample_report() };
        Headline { report: &report }.to_string()
    };
    let headlines = [
        render(&["a.B#c", "a.B#d"], "", SearchOutcome::Found),
        render(&["a.B#c"], "", SearchOutcome::Found),
        render(&[], "the tests time out", SearchOutcome::Found),
        render(&[], "the tests time out", SearchOutcome::Flaky),
        render(&[], "the command exits with code 1", SearchOutcome::Found),
    ];
    insta::assert_snapshot!(headlines.join("\n"), @r"
    **`a.B#c` and 1 more test fail.** A fix of 2 tokens makes them pass again.
    **`a.B#c` fails.** A fix of 2 tokens makes it pass again.
    **The tests fail.** A fix of 2 tokens makes them pass again.
    **The tests are flaky.** They passed and failed on the same code, so there is no culprit. If the cause is a concurrency bug, `git mend explore` can find a thread schedule that makes them fail.
    **The command fails.** A fix of 2 tokens makes it pass again.
    ");
    let report = GitHubReport {
        tests: Vec::new(),
        symptom: Some("the tests time out".to_owned()),
        ..sample_report()
    };
    let other = same_result_comment(&report, "m", "https://x");
    assert!(other.contains("**The tests also fail in another job."), "{other}");
}

#[test]
fn suspect_has_no_author_and_no_pull_request() {
    let report = GitHubReport {
        is_culprit_confirmed: false,
        revert: Some(RevertResult { applies: false, passes: false }),
        fix: None,
        ..sample_report()
    };
    let texts =
        [format_check_title(&report), format_comment(&report, "m", &TextContext::default())];
    for text in &texts {
        assert!(text.contains("suspect") && !text.contains("culprit is"), "{text}");
        assert!(!text.contains("Bruno Teig") && !text.contains("#12"), "{text}");
    }
    assert!(texts[1].contains("Revert check: it cannot be reverted on the failing version"));
    assert!(!format_pull_title(&report).contains("broken by"));
}

#[test]
fn test_name_with_blanks_and_quotes_is_whole() {
    let report = GitHubReport {
        tests: Vec::new(),
        symptom: Some(
            "a.CartTest#adds \"1\" and '2' throws java.lang.AssertionError: 3".to_owned(),
        ),
        ..sample_report()
    };
    let name = "a.CartTest#adds \"1\" and '2'";
    assert_eq!(format_pull_title(&report), format!("Fix {name} (broken by 87914ddf3a)"));
    assert!(format_check_title(&report).starts_with(&format!("{name}: culprit ")));
    let comment = format_comment(&report, "m", &TextContext::default());
    assert!(comment.contains(&format!("**`{name}` fails.")), "{comment}");
}

#[test]
fn public_texts_hide_folders_of_this_machine() {
    let folder = testing::sample_run_folder(&testing::exploration_result("till"), "till");
    let mut report = GitHubReport::from_run(&SavedRun::open(folder.path()).unwrap());
    let file = folder.path().join("x.txt");
    report.symptom = Some(format!("a.B#c throws java.io.IOException: {}", file.display()));
    report.message = Some(format!("cannot read {}", file.display()));
    report.not_checked = vec!["files in /home/alice/till".to_owned()];
    report.outcome = SearchOutcome::Incomplete;
    let context = TextContext::default();
    for text in [
        format_summary(&report, &context),
        format_comment(&report, "m", &context),
        format_pull_body(&report, "m", &context),
    ] {
        assert!(
            !text.contains(file.parent().unwrap().parent().unwrap().to_str().unwrap()),
            "{text}"
        );
        assert!(text.contains("Not checked: `files in ~/till`"), "{text}");
    }
}
