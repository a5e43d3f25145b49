//! Tests of the structure of each kind of page: landmarks, headings, table heads, picture descriptions, and parts that
//! can be folded, copied or scrolled.

use super::*;
use crate::testing::patch_result;
use crate::{PatchResult, RunStatus};
use regex::{Captures, Regex};

/// Lists the parts of a page, one per line. A section is named by its heading.
fn page_structure(result: &RunResult) -> String {
    let page = page_of_folder(&sample_run_folder(result, "src/Till"));
    let patterns = [
        r"<(?<landmark>main|header|footer)[ >]",
        r#"<section[^>]*aria-labelledby="(?<section>[^"]*)""#,
        r"<h(?<rank>[134])[^>]*>(?<heading>.*?)</h",
        r#"<svg [^>]*role="img"[^>]*>\s*<title>(?<picture>.*?)</title>"#,
        r"<thead>(?<table>.*?)</thead>",
        r"<summary>(?<folded>.*?)</summary>",
        r#"<pre [^>]*aria-label="(?<text>[^"]*)""#,
        r#"<button type="button" class="copy"[^>]*>(?<button>.*?)</button>"#,
        r#"<a class="skip"[^>]*>(?<link>.*?)</a>"#,
    ];
    let pattern = Regex::new(&format!("(?s){}", patterns.join("|"))).unwrap();
    let lines = pattern.captures_iter(&page).map(|one| describe_part(&page, &one));
    lines.collect::<Vec<_>>().join("\n")
}

fn describe_part(page: &str, part: &Captures<'_>) -> String {
    let tag = Regex::new("<[^>]*>").unwrap();
    let text_of =
        |name: &str| Some(tag.replace_all(part.name(name)?.as_str(), "").trim().to_owned());
    if let Some(landmark) = text_of("landmark") {
        return landmark;
    }
    if let Some(id) = text_of("section") {
        let heading = page.split_once(&format!("<h2 id=\"{id}\">")).unwrap().1;
        return format!("section {}", tag.replace_all(heading.split_once("</h2>").unwrap().0, ""));
    }
    if let Some(heading) = text_of("heading") {
        return format!("  h{} {heading}", &part["rank"]);
    }
    if let Some(head) = part.name("table") {
        let cells: Vec<&str> = head.as_str().split("</th>").map(str::trim).collect();
        let cells: Vec<_> =
            cells[..cells.len() - 1].iter().map(|one| tag.replace_all(one, "")).collect();
        return format!("  table {}", cells.join(" | "));
    }
    let label = ["picture", "folded", "text", "button", "link"]
        .into_iter()
        .find_map(|name| Some(format!("  {name} {}", text_of(name)?)));
    label.unwrap()
}

#[test]
fn bisection_page_structure() {
    insta::assert_snapshot!(page_structure(&bisection_result("src/Till")), @r"
      link Skip to the result
    main
    header
      h1 2 tokens of commit 87914ddf3a break the test; the fix has 1 token.
      text Apply
      button Copy command
    section Minimal culprit
      text Change in src/Till:4
      folded Patch file
      text culprit.patch
      button Copy patch
    section Fix
      text Change in src/Till:4
      folded Patch file
      text fix.patch
      button Copy patch
    section Verification
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved. Culprit: reduced from 9 components to 1. Fix: reduced from 9 components to 1.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. Marked: 7 (culprit, reverted by the fix). 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
}

#[test]
fn fix_page_structure() {
    insta::assert_snapshot!(page_structure(&fix_result("src/Till")), @r"
      link Skip to the result
    main
    header
      h1 The search found 2 fixes; the best one has 2 tokens.
      text Apply
      button Copy command
    section Thread schedules
      picture 2 steps of 2 threads. Pattern: src/Till takes src/Till, then Thread-0 takes src/Till.
      folded Step by step
      h3 Failing schedules
      text Replay
      button Copy command
    section Fixes, best first
      h3 1 src/Till becomes &#62;=
      text Change in src/Till:4
      folded Patch file
      text fix-1.patch
      button Copy patch
      h4 Values at src/Till:3 before the fix
      table Expression | In 1 failing test | In 1 passing test
      h3 2 src/Till becomes &#62;=
      text Change in src/Till:4
      folded Patch file
      text fix-2.patch
      button Copy patch
      text Apply
      button Copy command
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
}

#[test]
fn exploration_page_structure() {
    let complete = exploration_result("src/Till");
    let result = RunResult {
        command: "explore".to_owned(),
        fixes: Vec::new(),
        patches: Vec::new(),
        ..complete
    };
    insta::assert_snapshot!(page_structure(&result), @r"
      link Skip to the result
    main
    header
      h1 3 of 9 schedules fail.
    section Thread schedules
      picture 2 steps of 2 threads. Pattern: src/Till takes src/Till, then Thread-0 takes src/Till.
      folded Step by step
      h3 Failing schedules
      text Replay
      button Copy command
      h3 Locks by variable
      table Variable | Lock held most often | Held | Accesses
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
}

#[test]
fn pool_page_structure() {
    let complete = exploration_result("src/Till");
    let result = RunResult {
        command: "validate".to_owned(),
        fixes: Vec::new(),
        schedules: None,
        delta: None,
        ..complete
    };
    insta::assert_snapshot!(page_structure(&result), @r"
      link Skip to the result
    main
    header
      h1 None of 2 patches is plausible.
      text Next command
      button Copy command
    section Patches of the pool
      table Patch | Verdict | Tokens | Seconds | Why
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
}

/// Creates the result of a bisection without culprit and fix.
fn result_without_culprit(status: RunStatus, message: &str) -> RunResult {
    RunResult {
        status,
        messages: vec![message.to_owned()],
        culprit_commit: None,
        culprit_info: None,
        culprit: None,
        fix: None,
        ..bisection_result("src/Till")
    }
}

#[test]
fn flaky_test_page_structure() {
    let result = result_without_culprit(RunStatus::Flaky, "bad passes in 3 of 5 runs");
    insta::assert_snapshot!(page_structure(&result), @r"
      link Skip to the result
    main
    header
      h1 The test is flaky.
      text Next command
      button Copy command
    section Verification
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
}

#[test]
fn failed_run_page_structure() {
    let failed = result_without_culprit(RunStatus::Error, "the test fails on good");
    let result = RunResult { delta: None, not_checked: Vec::new(), ..failed };
    insta::assert_snapshot!(page_structure(&result), @r"
      link Skip to the result
    main
    header
      h1 The run ended with an error.
      text Next command
      button Copy command
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
}

#[test]
fn interrupted_run_page_structure() {
    let complete = bisection_result("src/Till");
    let culprit = complete.culprit.clone().map(|one| PatchResult { minimal: false, ..one });
    let result = RunResult { status: RunStatus::Interrupted, fix: None, culprit, ..complete };
    insta::assert_snapshot!(page_structure(&result), @r"
      link Skip to the result
    main
    header
      h1 The run was interrupted; this page shows the results so far.
      text Next command
      button Copy command
    section Smallest culprit so far
      text Change in src/Till:4
      folded Patch file
      text culprit.patch
      button Copy patch
    section Verification
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved. Culprit: reduced from 9 components to 1.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. Marked: 7 (culprit). 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
}

#[test]
fn several_culprits_page_structure() {
    let other = |number: usize| patch_result(3, "src/Coin", "culprit.patch", vec![number]);
    let result = RunResult {
        culprit_commit: None,
        culprit_info: None,
        suspects: vec!["87914ddf3a77".to_owned(), "0b1c2d3e4f55".to_owned()],
        others: vec![other(2), other(4)],
        ..bisection_result("src/Till")
    };
    let structure = page_structure(&result);
    let section_count = structure.matches("section Another culprit").count();
    assert_eq!(section_count, 2, "{structure}");
    insta::assert_snapshot!(structure, @r"
      link Skip to the result
    main
    header
      h1 2 tokens in 2 commits break the test; the fix has 1 token.
      text Apply
      button Copy command
    section Minimal culprit
      text Change in src/Till:4
      folded Patch file
      text culprit.patch
      button Copy patch
    section Fix
      text Change in src/Till:4
      folded Patch file
      text fix.patch
      button Copy patch
    section Another culprit
      text Change in src/Till:4
      folded Patch file
      text culprit.patch
      button Copy patch
    section Another culprit
      text Change in src/Till:4
      folded Patch file
      text culprit.patch
      button Copy patch
    section Verification
    section Search
      picture 3 commits between good and bad; 1 was tested.
      picture Search in 2 variants: 1 passed, 0 failed, 1 unresolved. Culprit: reduced from 9 components to 1. Fix: reduced from 9 components to 1.
      folded Tested commits
      table Run | Verdict | Commit | Seconds
      folded All test runs
      table Run | Verdict | Variant | Execution mode | Seconds
    section Searched change
      picture 9 components and 8 dependencies. Marked: 2 (culprit), 4 (culprit), 7 (culprit, reverted by the fix). 4 of 8 edges show their rule.
      folded All components by file
      folded src/Till0.java 9 components
      table No. | Line | Change | Tokens | Needs
    section Cost
      h3 Execution modes
      table Test runs | Execution mode | Share
    section Reproduce
      text Command that repeats this run
      button Copy command
    footer
    ");
    let page = page_of_folder(&sample_run_folder(&result, "src/Till"));
    assert_eq!(page.matches("<li class=\"commit\">").count(), 2);
}
