//! What was checked, and how to see for oneself.

use super::Story;
use super::markdown::{block, code};
use super::repairs::sentence;
use crate::model::counted;

/// How much is named that nobody checked.
const MOST_UNCHECKED: usize = 20;

/// What was checked and what was not.
pub(super) fn checked(story: &Story) -> Option<String> {
    let mut done = Vec::new();
    if let (Some(mending), true) = (&story.mending, story.is_proved) {
        done.push("The patch was applied with `git apply` to a clean checkout, built from scratch and tested in a fresh JVM.".to_owned());
        let evidence = mending.repair.iter().flat_map(|repair| &repair.evidence);
        done.extend(evidence.map(|words| format!("The patch: {}.", sentence(words))));
    }
    let (commits, tests) = (story.commits_tested, story.cost.tests);
    if commits + tests > 0 {
        let judged = [(commits, "commit"), (tests, "variant")];
        let judged = judged.into_iter().filter(|(count, _)| *count > 0);
        let judged: Vec<String> = judged.map(|(count, what)| counted(count, what)).collect();
        let were = if commits + tests == 1 { "was" } else { "were" };
        let seconds = story.cost.seconds;
        done.push(format!("{} {were} judged in {seconds:.0} s.", judged.join(" and ")));
    }
    let not = story.not_checked.iter().map(|what| format!("Not checked: {}", code(what)));
    let left = story.not_checked.len().saturating_sub(MOST_UNCHECKED);
    let more = (left > 0).then(|| format!("Not checked: {} besides", counted(left, "thing")));
    let not = not.take(MOST_UNCHECKED).chain(more);
    let lines: Vec<String> = done.into_iter().chain(not).map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("### What was checked\n\n{}", lines.join("\n")))
}

/// The command that does it again.
pub(super) fn yourself(story: &Story) -> Option<String> {
    let command = story.reproduce.as_deref()?;
    Some(format!("### See for yourself\n\n{}", block("sh", command, 4, 2000)))
}
