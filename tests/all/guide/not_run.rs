//! Tests the table in `CONTRIBUTING.md` of commands that no test runs, with the reasons.

use super::command_line::{help_examples, shell_lines};
use super::page::Page;
use std::collections::BTreeSet;

/// Pattern of command lines that are not run: a prefix if it ends in `…`, or else a substring.
struct Sign(String);

impl Sign {
    fn matches(&self, line: &str) -> bool {
        match self.0.strip_suffix('…') {
            Some(beginning) => line.starts_with(beginning),
            None => line.contains(&self.0),
        }
    }
}

/// Returns the patterns in the table.
fn excluded_patterns() -> Vec<Sign> {
    let page = Page::read("CONTRIBUTING.md").text;
    let table = page.split("| not run |").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    let cells = table.lines().skip(2).map(|row| row.split('|').nth(1).unwrap_or_default());
    let signs = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    signs.map(|sign| Sign(sign.to_owned())).collect()
}

/// Returns all command lines outside of `console` blocks, without comments.
fn documented_lines() -> BTreeSet<String> {
    let blocks = Page::all().into_iter().flat_map(|page| page.blocks());
    let lines = blocks.flat_map(|block| [shell_lines(&block), help_examples(&block)].concat());
    let lines = lines.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns the command lines that the table does not exclude.
pub(super) fn lines_to_run() -> BTreeSet<String> {
    let signs = excluded_patterns();
    documented_lines()
        .into_iter()
        .filter(|line| !signs.iter().any(|sign| sign.matches(line)))
        .collect()
}

#[test]
fn excluded_command_patterns_match_a_page() {
    let (lines, signs) = (documented_lines(), excluded_patterns());
    assert!(signs.len() > 9, "the table is not found any more");
    for sign in signs {
        assert!(lines.iter().any(|line| sign.matches(line)), "no page says to type `{}`", sign.0);
    }
}
