//! What pages say to type and no test runs: `CONTRIBUTING.md` lists it, with the reasons.

use super::command_line::{examples, lines_to_type};
use super::page::Page;
use std::collections::BTreeSet;

/// What a line begins with, where its sign ends in `…`, or has in it, if it is not run.
struct Sign(String);

impl Sign {
    fn is_of(&self, line: &str) -> bool {
        match self.0.strip_suffix('…') {
            Some(beginning) => line.starts_with(beginning),
            None => line.contains(&self.0),
        }
    }
}

/// The signs in the table of what is not run.
fn signs() -> Vec<Sign> {
    let page = Page::read("CONTRIBUTING.md").text;
    let table = page.split("| not run |").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    let cells = table.lines().skip(2).map(|row| row.split('|').nth(1).unwrap_or_default());
    let signs = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    signs.map(|sign| Sign(sign.to_owned())).collect()
}

/// Everything that pages say to type outside of sessions, without remarks.
fn lines() -> BTreeSet<String> {
    let blocks = Page::all().into_iter().flat_map(|page| page.blocks());
    let lines = blocks.flat_map(|block| [lines_to_type(&block), examples(&block)].concat());
    let lines = lines.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// What is run: all but what the table lists.
pub(super) fn lines_to_run() -> BTreeSet<String> {
    let signs = signs();
    lines().into_iter().filter(|line| !signs.iter().any(|sign| sign.is_of(line))).collect()
}

#[test]
fn whatever_is_listed_as_not_run_is_on_a_page() {
    let (lines, signs) = (lines(), signs());
    assert!(signs.len() > 9, "the table is not found any more");
    for sign in signs {
        assert!(lines.iter().any(|line| sign.is_of(line)), "no page says to type `{}`", sign.0);
    }
}
