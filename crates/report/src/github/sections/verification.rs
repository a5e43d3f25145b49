//! Sections Verification and Reproduce.

use crate::github::data::GitHubReport;
use crate::github::markdown::{block, code};
use crate::github::sections::alternative_fixes::sentence;
use mend_model::counted;

/// Maximum number of listed unchecked items.
const MOST_UNCHECKED: usize = 20;

/// Returns the section Verification: what was checked and what was not.
pub(crate) fn checked(story: &GitHubReport) -> Option<String> {
    let mut done = Vec::new();
    if let (Some(mending), true) = (&story.mending, story.is_proved) {
        done.push("Verified on a clean checkout: the fix was applied with `git apply`, built from scratch and tested in a fresh JVM.".to_owned());
        let evidence = mending.repair.iter().flat_map(|repair| &repair.evidence);
        done.extend(evidence.map(|words| format!("Evidence: {}.", sentence(words))));
    }
    let (commits, tests) = (story.commits_tested, story.cost.tests);
    if commits + tests > 0 {
        let judged = [(commits, "commit"), (tests, "test run")];
        let judged = judged.into_iter().filter(|(count, _)| *count > 0);
        let judged: Vec<String> = judged.map(|(count, what)| counted(count, what)).collect();
        let seconds = story.cost.seconds;
        done.push(format!("The search took {seconds:.0} s: {}.", judged.join(", ")));
    }
    let not = story.not_checked.iter().map(|what| format!("Not checked: {}", code(what)));
    let left = story.not_checked.len().saturating_sub(MOST_UNCHECKED);
    let more = (left > 0).then(|| format!("Not checked: {}", counted(left, "more item")));
    let not = not.take(MOST_UNCHECKED).chain(more);
    let lines: Vec<String> = done.into_iter().chain(not).map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("### Verification\n\n{}", lines.join("\n")))
}

/// Returns the section Reproduce: the command that repeats the search.
pub(crate) fn yourself(story: &GitHubReport) -> Option<String> {
    let command = story.reproduce.as_deref()?;
    Some(format!("### Reproduce\n\n{}", block("sh", command, 4, 2000)))
}
