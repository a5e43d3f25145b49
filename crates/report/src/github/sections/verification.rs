//! Sections about the verification and the reproduction of a result.

use crate::github::data::GitHubReport;
use crate::github::markdown::{code_block, code_span};
use crate::github::sections::alternative_fixes::format_sentence;
use mend_model::format_count;

/// Maximum number of listed unchecked items.
const MAX_UNCHECKED_ITEMS: usize = 20;

/// Returns the section Verification: what was checked and what was not.
pub(crate) fn verification_section(report: &GitHubReport) -> Option<String> {
    let mut checked_items = Vec::new();
    if let (Some(mending), true) = (&report.fix, report.is_verified) {
        checked_items.push("Verified on a clean checkout: the fix was applied with `git apply`, built from scratch and tested in a fresh JVM.".to_owned());
        let evidence = mending.found_fix.iter().flat_map(|repair| &repair.evidence);
        checked_items
            .extend(evidence.map(|words| format!("Evidence: {}.", format_sentence(words))));
    }
    let (commits, tests) = (report.commits_tested, report.cost.tests);
    if commits + tests > 0 {
        let test_counts = [(commits, "commit"), (tests, "test run")];
        let test_counts = test_counts.into_iter().filter(|(count, _)| *count > 0);
        let test_counts: Vec<String> =
            test_counts.map(|(count, what)| format_count(count, what)).collect();
        let seconds = report.cost.seconds;
        checked_items.push(format!("The search took {seconds:.0} s: {}.", test_counts.join(", ")));
    }
    let unchecked_items =
        report.not_checked.iter().map(|what| format!("Not checked: {}", code_span(what)));
    let hidden_count = report.not_checked.len().saturating_sub(MAX_UNCHECKED_ITEMS);
    let hidden_note = (hidden_count > 0)
        .then(|| format!("Not checked: {}", format_count(hidden_count, "more item")));
    let unchecked_items = unchecked_items.take(MAX_UNCHECKED_ITEMS).chain(hidden_note);
    let lines: Vec<String> =
        checked_items.into_iter().chain(unchecked_items).map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("### Verification\n\n{}", lines.join("\n")))
}

/// Returns the section Reproduce: the command that repeats the search.
pub(crate) fn reproduce_section(report: &GitHubReport) -> Option<String> {
    let command = report.reproduce.as_deref()?;
    Some(format!("### Reproduce\n\n{}", code_block("sh", command, 4, 2000)))
}
