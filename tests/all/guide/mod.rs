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
macro_rules! test_pages {
    ($($fact:ident: $page:literal,)*) => {
        const TESTED_PAGES: &[&str] = &[$($page),*];

        $(#[test]
        fn $fact() {
            if let Err(complaint) = session::check_page(&Page::read($page)) {
                panic!("{complaint}");
            }
        })*
    };
}

test_pages! {
    bisect_page_shows_current_output: "docs/bisect.md",
    delta_page_shows_current_output: "docs/delta.md",
    fix_page_shows_current_output: "docs/fix.md",
    validate_page_shows_current_output: "docs/validate.md",
    explore_page_shows_current_output: "docs/explore.md",
    oracle_page_shows_current_output: "docs/oracle.md",
    flaky_page_shows_current_output: "docs/flaky.md",
    troubleshooting_page_shows_current_output: "docs/troubleshooting.md",
    comparison_page_shows_current_output: "docs/comparison.md",
    hooks_page_shows_current_output: "docs/hooks.md",
}

#[test]
fn every_page_with_console_blocks_is_tested() {
    let pages = Page::all().into_iter().filter(|page| !page.steps().is_empty());
    let named: BTreeSet<_> = pages.map(|page| page.name).collect();
    assert_eq!(named, TESTED_PAGES.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn pages_name_the_required_rust_version() {
    let needed = Regex::new(r"Rust \(?(\d+\.\d+)").unwrap();
    assert!(Page::all().iter().any(|page| needed.is_match(&page.text)));
    for page in Page::all() {
        for version in needed.captures_iter(&page.text) {
            assert_eq!(&version[1], env!("CARGO_PKG_RUST_VERSION"), "{}", page.name);
        }
    }
}

#[test]
fn readme_shows_current_demo_output() {
    let steps = Page::read("docs/bisect.md").steps();
    let demo = steps.iter().find(|step| step.command.starts_with("git mend demo")).unwrap();
    let blocks = Page::read("README.md").blocks();
    let example = blocks.iter().find_map(|block| block.text.strip_prefix("$ git mend demo\n"));
    assert!(
        printed::matches_page(&demo.expected_output, example.unwrap()),
        "{}",
        demo.expected_output
    );
}

/// Returns the first group of every match of a pattern.
fn capture_all(pattern: &str, text: &str) -> BTreeSet<String> {
    Regex::new(pattern).unwrap().captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn every_doctor_check_is_documented() {
    let sources = ["advice", "machine_checks", "project_checks"]
        .map(|name| format!("crates/engine/src/doctor/{name}.rs"));
    let checks = sources.iter().flat_map(|name| {
        capture_all(
            r#"DoctorFinding::(?:new|from_problem)\(\s*"([a-z ]+)""#,
            &Page::read(name).text,
        )
    });
    let page = Page::read("docs/projects.md").text;
    let table = page.split("## A recorded model").next().unwrap();
    assert_eq!(checks.collect::<BTreeSet<_>>(), capture_all(r"(?m)^\| `([a-z ]+)` \|", table));
}

#[test]
fn commands_with_project_option_are_documented() {
    let commands = Page::read("docs/commands.md").text;
    let sections = commands.split("\n## ").filter(|section| section.contains("`--project"));
    let accepting_commands: BTreeSet<_> =
        sections.flat_map(|section| capture_all(r"^`git mend ([a-z ]+)`", section)).collect();
    let page = Page::read("docs/projects.md").text;
    let listed_commands =
        page.split("`--project FILE` of").nth(1).unwrap().split(", or the key").next();
    assert_eq!(accepting_commands, capture_all(r"`([a-z ]+)`", listed_commands.unwrap()));
}
