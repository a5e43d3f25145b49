//! What each kind of page consists of: landmarks, headings, the heads of tables, what pictures say in words, and what can
//! be folded, copied and scrolled.

use super::*;
use crate::report::testing::found;
use crate::report::{PatchResult, Status};
use regex::{Captures, Regex};

/// The parts of a page, one a line. A section is called as the heading that labels it.
fn structure(result: &RunResult) -> String {
    let page = page_of(&folder(result, "src/Till"));
    let parts = [
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
    let part = Regex::new(&format!("(?s){}", parts.join("|"))).unwrap();
    let lines = part.captures_iter(&page).map(|one| line(&page, &one));
    lines.collect::<Vec<_>>().join("\n")
}

fn line(page: &str, part: &Captures<'_>) -> String {
    let tag = Regex::new("<[^>]*>").unwrap();
    let bare = |name: &str| Some(tag.replace_all(part.name(name)?.as_str(), "").trim().to_owned());
    if let Some(landmark) = bare("landmark") {
        return landmark;
    }
    if let Some(id) = bare("section") {
        let heading = page.split_once(&format!("<h2 id=\"{id}\">")).unwrap().1;
        return format!("section {}", tag.replace_all(heading.split_once("</h2>").unwrap().0, ""));
    }
    if let Some(heading) = bare("heading") {
        return format!("  h{} {heading}", &part["rank"]);
    }
    if let Some(head) = part.name("table") {
        let cells: Vec<&str> = head.as_str().split("</th>").map(str::trim).collect();
        let cells: Vec<_> =
            cells[..cells.len() - 1].iter().map(|one| tag.replace_all(one, "")).collect();
        return format!("  table {}", cells.join(" | "));
    }
    let named = ["picture", "folded", "text", "button", "link"]
        .into_iter()
        .find_map(|name| Some(format!("  {name} {}", bare(name)?)));
    named.unwrap()
}

#[test]
fn a_page_of_a_bisection() {
    insta::assert_snapshot!(structure(&bisection("src/Till")), @r"
      link To the answer
    main
    header
      h1 2 tokens of commit 87914ddf3a break the test; 1 mends it.
      text What to do next
      button Copy command
    section The change that breaks it
      text Change in src/Till:4
      folded The patch as a file
      text culprit.patch
      button Copy patch
    section The patch that mends it
      text Change in src/Till:4
      folded The patch as a file
      text fix.patch
      button Copy patch
    section What was checked, and what was not
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither. For what breaks it, 9 components came down to 1. For what mends it, 9 components came down to 1.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 7 breaks it; undone, mends it. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
}

#[test]
fn a_page_of_repairs() {
    insta::assert_snapshot!(structure(&repair("src/Till")), @r"
      link To the answer
    main
    header
      h1 2 repairs were found; the best, a change of 2 tokens, mends it.
      text What to do next
      button Copy command
    section What the threads did
      picture 2 steps of 2 threads. The pattern: src/Till takes src/Till, then Thread-0 takes src/Till.
      folded Step by step
      h3 Failing schedules
      text Run it again
      button Copy command
    section The repairs, best first
      h3 1 src/Till becomes &#62;=
      text Change in src/Till:4
      folded The patch as a file
      text fix-1.patch
      button Copy patch
      h4 What tests found at src/Till:3, before the change
      table Term | In 1 failing test | In 1 passing test
      h3 2 src/Till becomes &#62;=
      text Change in src/Till:4
      folded The patch as a file
      text fix-2.patch
      button Copy patch
      text Apply it
      button Copy command
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
}

#[test]
fn a_page_of_an_exploration() {
    let before = exploration("src/Till");
    let result = RunResult {
        command: "explore".to_owned(),
        fixes: Vec::new(),
        patches: Vec::new(),
        ..before
    };
    insta::assert_snapshot!(structure(&result), @r"
      link To the answer
    main
    header
      h1 3 of 9 schedules fail.
    section What the threads did
      picture 2 steps of 2 threads. The pattern: src/Till takes src/Till, then Thread-0 takes src/Till.
      folded Step by step
      h3 Failing schedules
      text Run it again
      button Copy command
      h3 Which lock guards what
      table Variable | Lock held most often | Held | Accesses
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
}

#[test]
fn a_page_of_a_pool() {
    let before = exploration("src/Till");
    let result = RunResult {
        command: "validate".to_owned(),
        fixes: Vec::new(),
        schedules: None,
        delta: None,
        ..before
    };
    insta::assert_snapshot!(structure(&result), @r"
      link To the answer
    main
    header
      h1 None of 2 patches is plausible.
      text What to do next
      button Copy command
    section The patches of the pool
      table Patch | Verdict | Tokens | Seconds | Why
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
}

/// A bisection that came to nothing.
fn without_answer(status: Status, said: &str) -> RunResult {
    RunResult {
        status,
        said: vec![said.to_owned()],
        culprit_commit: None,
        guilty: None,
        culprit: None,
        fix: None,
        ..bisection("src/Till")
    }
}

#[test]
fn a_page_of_a_test_that_does_not_repeat() {
    let result = without_answer(Status::Flaky, "bad passes in 3 of 5 runs");
    insta::assert_snapshot!(structure(&result), @r"
      link To the answer
    main
    header
      h1 The test does not repeat.
      text What to do next
      button Copy command
    section What was checked, and what was not
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
}

#[test]
fn a_page_of_a_run_that_could_not_go_on() {
    let before = without_answer(Status::Error, "good does not pass");
    let result = RunResult { delta: None, not_checked: Vec::new(), ..before };
    insta::assert_snapshot!(structure(&result), @r"
      link To the answer
    main
    header
      h1 The run could not go on.
      text What to do next
      button Copy command
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
}

#[test]
fn a_page_of_a_run_that_was_stopped() {
    let before = bisection("src/Till");
    let culprit = before.culprit.clone().map(|one| PatchResult { minimal: false, ..one });
    let result = RunResult { status: Status::Interrupted, fix: None, culprit, ..before };
    insta::assert_snapshot!(structure(&result), @r"
      link To the answer
    main
    header
      h1 The run was stopped before its end; what it had found stands below.
      text What to do next
      button Copy command
    section The change that breaks it
      text Change in src/Till:4
      folded The patch as a file
      text culprit.patch
      button Copy patch
    section What was checked, and what was not
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither. For what breaks it, 9 components came down to 1.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 7 breaks it. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
}

#[test]
fn a_page_of_several_suspects_and_culprits() {
    let other = |number: usize| found(3, "src/Coin", "culprit.patch", vec![number]);
    let result = RunResult {
        culprit_commit: None,
        guilty: None,
        suspects: vec!["87914ddf3a77".to_owned(), "0b1c2d3e4f55".to_owned()],
        others: vec![other(2), other(4)],
        ..bisection("src/Till")
    };
    let structure = structure(&result);
    let pieces = structure.matches("section Breaks it as well, alone").count();
    assert_eq!(pieces, 2, "{structure}");
    insta::assert_snapshot!(structure, @r"
      link To the answer
    main
    header
      h1 2 tokens in 2 commits break the test; 1 mends it.
      text What to do next
      button Copy command
    section The change that breaks it
      text Change in src/Till:4
      folded The patch as a file
      text culprit.patch
      button Copy patch
    section The patch that mends it
      text Change in src/Till:4
      folded The patch as a file
      text fix.patch
      button Copy patch
    section Breaks it as well, alone
      text Change in src/Till:4
      folded The patch as a file
      text culprit.patch
      button Copy patch
    section Breaks it as well, alone
      text Change in src/Till:4
      folded The patch as a file
      text culprit.patch
      button Copy patch
    section What was checked, and what was not
    section How the search went
      picture 3 commits between good and bad; 1 was tested.
      picture The search in 2 tests: 1 passed, 0 failed, 1 were neither. For what breaks it, 9 components came down to 1. For what mends it, 9 components came down to 1.
      folded The commits that were tested
      table Test | Verdict | Commit | Seconds
      folded Every test
      table Test | Verdict | Of what | How | Seconds
    section The change that was searched
      picture 9 components and 8 couplings between them. 2 breaks it; 4 breaks it; 7 breaks it; undone, mends it. 4 of 8 edges have their rule beside them.
      folded Every component, file by file
      folded src/Till0.java 9 components
      table No. | Line | What | Tokens | Needs
    section What it cost
      h3 How the tests were run
      table Tests | How | Share
    section Where, and how to do it again
      text One command for all of it
      button Copy command
    footer
    ");
    let page = page_of(&folder(&result, "src/Till"));
    assert_eq!(page.matches("<li class=\"commit\">").count(), 2);
}
