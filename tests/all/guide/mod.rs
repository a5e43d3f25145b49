//! Tests of the guide: its commands work and print the output on the page, and everything that it names exists. `page`
//! parses a page, `session` types its commands.

mod command_line;
mod contributing;
mod links;
mod not_run;
mod page;
mod printed;
mod session;
mod shop;
mod troubles;

use page::Page;
use regex::Regex;
use std::collections::BTreeSet;

/// Defines one test for each page with `console` blocks, so that they run in parallel.
macro_rules! typed {
    ($($fact:ident: $page:literal,)*) => {
        const TYPED: &[&str] = &[$($page),*];

        $(#[test]
        fn $fact() {
            if let Err(complaint) = session::typed(&Page::read($page)) {
                panic!("{complaint}");
            }
        })*
    };
}

typed! {
    what_broke_a_test_is_found_as_the_guide_shows: "docs/bisect.md",
    a_large_change_is_read_as_the_guide_shows: "docs/delta.md",
    a_failing_test_is_mended_as_the_guide_shows: "docs/fix.md",
    patches_are_judged_as_the_guide_shows: "docs/validate.md",
    threads_are_explored_as_the_guide_shows: "docs/explore.md",
    oracles_answer_as_the_guide_shows: "docs/oracle.md",
    flaky_tests_are_searched_as_the_guide_shows: "docs/flaky.md",
    messages_come_as_the_guide_shows: "docs/troubleshooting.md",
    git_bisect_compares_as_the_guide_shows: "docs/comparison.md",
    hooks_come_and_go_as_the_guide_shows: "docs/hooks.md",
}

#[test]
fn every_page_with_something_to_type_is_typed() {
    let pages = Page::all().into_iter().filter(|page| !page.steps().is_empty());
    let named: BTreeSet<_> = pages.map(|page| page.name).collect();
    assert_eq!(named, TYPED.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn every_page_names_the_rust_that_is_needed() {
    let needed = Regex::new(r"Rust \(?(\d+\.\d+)").unwrap();
    assert!(Page::all().iter().any(|page| needed.is_match(&page.text)));
    for page in Page::all() {
        for version in needed.captures_iter(&page.text) {
            assert_eq!(&version[1], env!("CARGO_PKG_RUST_VERSION"), "{}", page.name);
        }
    }
}

#[test]
fn the_readme_shows_the_screen_of_the_demo() {
    let steps = Page::read("docs/bisect.md").steps();
    let demo = steps.iter().find(|step| step.command.starts_with("git mend demo")).unwrap();
    let blocks = Page::read("README.md").blocks();
    let example = blocks.iter().find_map(|block| block.text.strip_prefix("$ git mend demo\n"));
    assert!(printed::is_as_shown(&demo.shown, example.unwrap()), "{}", demo.shown);
}

/// Returns the first group of every match of a pattern.
fn all_of(pattern: &str, text: &str) -> BTreeSet<String> {
    Regex::new(pattern).unwrap().captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn every_check_of_the_doctor_is_explained() {
    let sources = ["advice", "machine_checks", "project_checks"]
        .map(|name| format!("crates/engine/src/doctor/{name}.rs"));
    let checks = sources.iter().flat_map(|name| {
        all_of(r#"DoctorFinding::(?:new|from_problem)\(\s*"([a-z ]+)""#, &Page::read(name).text)
    });
    let page = Page::read("docs/projects.md").text;
    let table = page.split("## A recorded model").next().unwrap();
    assert_eq!(checks.collect::<BTreeSet<_>>(), all_of(r"(?m)^\| `([a-z ]+)` \|", table));
}

#[test]
fn every_command_that_takes_a_model_of_the_project_is_named() {
    let commands = Page::read("docs/commands.md").text;
    let sections = commands.split("\n## ").filter(|section| section.contains("`--project"));
    let takers: BTreeSet<_> =
        sections.flat_map(|section| all_of(r"^`git mend ([a-z ]+)`", section)).collect();
    let page = Page::read("docs/projects.md").text;
    let told = page.split("`--project FILE` of").nth(1).unwrap().split(", or the key").next();
    assert_eq!(takers, all_of(r"`([a-z ]+)`", told.unwrap()));
}
