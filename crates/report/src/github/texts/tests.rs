//! Tests of the text of pull requests, comments and summaries.

use super::*;
use crate::github::data::outcome::SearchOutcome;
use crate::github::data::replacement::Replacement;
use crate::github::testing::story;
use crate::github::texts::suggestion::{suggestion, suggestion_intro};
use crate::github::texts::titles::{commit_message, pull_title};
use crate::{SavedRun, Verification, testing};

#[test]
fn a_pull_request_tells_what_broke_why_and_how_it_was_checked() {
    let words = TextContext {
        failing_pull: Some(17),
        report: Some("https://x/run".to_owned()),
        ..TextContext::default()
    };
    insta::assert_snapshot!(pull_title(&story()));
    insta::assert_snapshot!(pull_body(&story(), "<!-- git-mend -->", &words));
    let (headline, body) = commit_message(&story());
    insta::assert_snapshot!(format!("{headline}\n\n{body}"));
}

#[test]
fn a_comment_tells_it_all_and_another_job_points_at_it() {
    let words = TextContext { fix_pull: Some(9), starts_nothing: true, ..TextContext::default() };
    insta::assert_snapshot!(comment(&story(), "<!-- m -->", &words), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` fails. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** A fix of 2 tokens makes it pass again.

    The fix is in #9. GitHub starts no workflows for a pull request that a job opens with `GITHUB_TOKEN`. To run them, close and reopen the pull request. To avoid this step, pass the token of a GitHub App as the input `token` of the Action.

    > `bakery.TillTest#dozen throws java.lang.AssertionError: 13 rolls`

    2 failing tests:

    - `bakery.TillTest#dozen`
    - `bakery.TillTest#sum`

    ### Culprit

    [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a) `Tidy up the till` by `Bruno Teig` on `2025-04-22`, in #12

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

    The search in 3 tests.

    ```
    test 1   18 components
    ```

    </details>

    ### Verification

    - Verified on a clean checkout: the fix was applied with `git apply`, built from scratch and tested in a fresh JVM.
    - The search took 24 s: 6 commits, 21 test runs.
    - Not checked: `tests not selected with --test`

    ### Reproduce

    ```sh
    git mend bisect --good v1.0 --bad main --test bakery.TillTest
    ```

    ---
    <sub>Found by git-mend. Failing commit: `ab11f313e44a88f95ab573b0a8716df391156d86`. The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
    insta::assert_snapshot!(told_there(&story(), "<!-- m -->", "https://x/1"), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` also fails in another job. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** The result is the same as in [this comment](https://x/1).

    <sub>The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
}

#[test]
fn a_summary_of_a_search_without_an_answer_says_so() {
    let story = GitHubReport {
        outcome: SearchOutcome::NotFound,
        blame: None,
        culprit: None,
        mending: None,
        sketches: Vec::new(),
        ..story()
    };
    insta::assert_snapshot!(summary(&story, &TextContext::default()), @r"
    **`bakery.TillTest#dozen` fails.** The search completed and found no culprit in this change.

    > `bakery.TillTest#dozen throws java.lang.AssertionError: 13 rolls`

    2 failing tests:

    - `bakery.TillTest#dozen`
    - `bakery.TillTest#sum`

    ### Verification

    - The search took 24 s: 6 commits, 21 test runs.
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
fn suggestions_say_what_they_mend_in_a_block_that_nothing_in_them_ends() {
    let of = |text: &str| Replacement {
        path: "src/Till.java".to_owned(),
        first: 41,
        last: 41,
        text: text.to_owned(),
    };
    insta::assert_snapshot!(suggestion_intro(&story(), "<!-- m -->"), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` fails. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** A fix of 2 tokens makes it pass again.

    <sub>The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
    ");
    let told = ["        return count >= dozen;\n", "    // ```\n"]
        .map(|text| suggestion(&story(), &of(text)));
    insta::assert_snapshot!(told.join("\n\n"), @r"
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
fn a_pull_request_says_what_github_does_not_do_for_it() {
    let words = TextContext { starts_nothing: true, is_unverified: true, ..TextContext::default() };
    let text = pull_body(&story(), "<!-- m -->", &words);
    let start: Vec<&str> = text.split("\n\n").take(3).collect();
    insta::assert_snapshot!(start.join("\n\n"), @r"
    <!-- m -->
    **`bakery.TillTest#dozen` fails. The culprit is [`87914ddf3a`](https://github.com/bakery/till/commit/87914ddf3a).** A fix of 2 tokens makes it pass again.

    GitHub starts no workflows for a pull request that a job opens with `GITHUB_TOKEN`. To run them, close and reopen the pull request. To avoid this step, pass the token of a GitHub App as the input `token` of the Action.

    GitHub does not show the commit of this pull request as verified. If the base branch requires signed commits, commit the fix yourself.
    ");
}

#[test]
fn a_comment_says_where_the_patch_is() {
    let told = |words: &TextContext| comment(&story(), "<!-- m -->", words);
    assert!(
        told(&TextContext { fix_pull: Some(9), ..TextContext::default() })
            .contains("The fix is in #9.")
    );
    assert!(
        told(&TextContext { is_suggested: true, ..TextContext::default() })
            .contains("suggested on the changed lines")
    );
    let withheld = TextContext { withheld: Some(NoPullReason::NoBranch), ..TextContext::default() };
    let text = told(&withheld);
    assert!(text.contains("`git apply fix.patch`"));
    assert!(text.contains("No fix pull request: the failing commit is on no branch"));
}

#[test]
fn no_run_makes_a_text_longer_than_github_takes() {
    let hostile = "\u{200b}".repeat(50_000);
    let mut story = story();
    story.not_checked = vec![hostile.clone(); 1000];
    story.sketches[0].told.clone_from(&hostile);
    for part in [story.culprit.as_mut(), story.mending.as_mut().map(|one| &mut one.part)] {
        part.unwrap().text.clone_from(&hostile);
    }
    let words = TextContext { unmarked: 3, ..TextContext::default() };
    let text = summary(&story, &words);
    assert!(text.chars().count() < 65_535, "{}", text.chars().count());
    assert!(text.contains("The fix changes 3 more places without an annotation."));
    assert!(text.contains("Not checked: 980 more items"));
}

#[test]
fn every_text_that_tells_a_verdict_says_that_it_can_be_made_up() {
    let (story, words) = (story(), TextContext::default());
    for text in [
        pull_body(&story, "m", &words),
        comment(&story, "m", &words),
        summary(&story, &words),
        told_there(&story, "m", "https://x"),
        suggestion_intro(&story, "m"),
    ] {
        assert!(text.contains(FORGEABLE), "{text}");
    }
}

/// Returns the story of a fix with every finding that a run can have. All untrusted text is `words`.
fn repaired(words: &str) -> GitHubReport {
    let folder = testing::folder(&testing::exploration(words), words);
    GitHubReport::from_run(&SavedRun::open(folder.path()).unwrap())
}

#[test]
fn a_repair_tells_what_its_page_shows() {
    insta::assert_snapshot!(pull_body(&repaired("till"), "<!-- m -->", &TextContext::default()), @r"
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

    **2.** `` `till` becomes `>=` `` at `till` (`contract, operator`; 2 tokens, 2 lines). Confidence: partial, some tests still fail.

    - fixes 1 failing test
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
fn a_comment_has_the_pictures_as_text() {
    let text = comment(&story(), "<!-- m -->", &TextContext::default());
    assert!(!text.contains("mermaid"), "{text}");
    assert!(text.contains("```\ntest 1   18 components\n```"), "{text}");
}

#[test]
fn no_repair_makes_a_text_longer_than_github_takes() {
    let long = "long ".repeat(10_000);
    let mut result = testing::exploration(&long);
    for fix in &mut result.fixes {
        fix.validated.still_failing = vec![long.clone(); 20];
    }
    result.confirmed = Some(Verification { rung: "fresh-jvm".to_owned(), fresh_build: true });
    let folder = testing::folder(&result, &long);
    let story = GitHubReport::from_run(&SavedRun::open(folder.path()).unwrap());
    let text = pull_body(&story, "m", &TextContext::default());
    assert!(text.chars().count() < 65_535, "{}", text.chars().count());
    assert!(text.contains("Evidence: 12 more tests still fail."), "{text}");
}

#[test]
fn what_others_wrote_is_code_wherever_it_stands() {
    let hostile = "@all ](http://x) <img src=x> fixes #1 `\u{202e}";
    let mut story = story();
    story.tests = vec![hostile.to_owned(); 2];
    story.symptom = Some(hostile.to_owned());
    story.not_checked = vec![hostile.to_owned()];
    story.reproduce = Some(format!("{hostile}\n```"));
    if let Some(blame) = &mut story.blame {
        blame.author = Some(hostile.to_owned());
        blame.summary = Some(hostile.to_owned());
    }
    if let Some(mending) = &mut story.mending {
        mending.part.text = format!("```\n{hostile}");
    }
    let words = TextContext::default();
    let of =
        |story| [summary(story, &words), comment(story, "", &words), pull_body(story, "", &words)];
    let hostile = hostile.replace('/', "_");
    for text in of(&story).into_iter().chain(of(&repaired(&hostile))) {
        let html = plain_parts(&text);
        for bad in ["@all", "](http:", "<img", "fixes #1", "\u{202e}"] {
            assert!(!html.contains(bad), "{bad} in\n{html}");
        }
    }
}

/// Removes code from a text as Markdown parses it: fences first, then spans.
fn plain_parts(text: &str) -> String {
    let mut fence: Option<String> = None;
    let mut plain = String::new();
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line.trim_end() == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => plain = format!("{plain}{}\n", without_spans(line)),
        }
    }
    plain
}

fn without_spans(line: &str) -> String {
    let Some(start) = line.find('`') else { return line.to_owned() };
    let rest = &line[start..];
    let fence = rest.len() - rest.trim_start_matches('`').len();
    let (before, inner) = (&line[..start], &rest[fence..]);
    let mut at = 0;
    while let Some(found) = inner[at..].find(&"`".repeat(fence)) {
        let close = at + found;
        let run = inner[close..].len() - inner[close..].trim_start_matches('`').len();
        if run == fence {
            return format!("{before}{}", without_spans(&inner[close + run..]));
        }
        at = close + run;
    }
    format!("{before}{}{}", &rest[..fence], without_spans(inner))
}
