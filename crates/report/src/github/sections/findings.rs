//! Sections about the symptom, the culprit and the fix.

use super::headline::commit_link;
use crate::github::data::GitHubReport;
use crate::github::data::fix::SizedPatch;
use crate::github::markdown::{code_block, code_span};
use mend_model::format_count;

/// Maximum size of a displayed patch, in lines and characters. The run folder contains the complete patch.
const MAX_PATCH_LINES: usize = 120;
const MAX_PATCH_CHARS: usize = 12_000;

/// Maximum number of listed tests or commits.
const MAX_LISTED_ITEMS: usize = 8;

/// Returns the symptom and the failing tests.
pub(crate) fn symptom_section(report: &GitHubReport) -> Option<String> {
    let symptom = report.symptom.as_deref().map(code_span);
    let test_list = match report.tests.len() {
        0 | 1 => None,
        count => {
            let test_items = report
                .tests
                .iter()
                .take(MAX_LISTED_ITEMS)
                .map(|test| format!("- {}", code_span(test)));
            let test_items: Vec<String> = test_items.collect();
            let hidden_count = count - test_items.len();
            let rest = if hidden_count > 0 {
                format!("\n- and {hidden_count} more")
            } else {
                String::new()
            };
            Some(format!("{count} failing tests:\n\n{}{rest}", test_items.join("\n")))
        }
    };
    match (symptom, test_list) {
        (None, test_list) => test_list,
        (Some(symptom), None) => Some(format!("> {symptom}")),
        (Some(symptom), Some(test_list)) => Some(format!("> {symptom}\n\n{test_list}")),
    }
}

/// Returns the section Culprit: the culprit commit and the minimal culprit.
pub(crate) fn culprit_section(report: &GitHubReport) -> Option<String> {
    let commit = report.culprit_commit.as_ref().map(|blame| {
        let summary =
            blame.summary.as_deref().map_or(String::new(), |text| format!(" {}", code_span(text)));
        let author = blame
            .author
            .as_deref()
            .map_or(String::new(), |name| format!(" by {}", code_span(name)));
        let date =
            blame.date.as_deref().map_or(String::new(), |date| format!(" on {}", code_span(date)));
        let pull = blame.pull_number.map_or(String::new(), |number| format!(", in #{number}"));
        format!("{}{summary}{author}{date}{pull}", commit_link(blame))
    });
    let several = (!report.suspects.is_empty() && report.culprit_commit.is_none()).then(|| {
        let commit_ids: Vec<String> =
            report.suspects.iter().take(MAX_LISTED_ITEMS).map(|id| code_span(id)).collect();
        format!(
            "The culprit is among these {} commits, which could not be tested separately: {}",
            report.suspects.len(),
            commit_ids.join(", ")
        )
    });
    let minimal_culprit = report.culprit.as_ref().map(|minimal_culprit| {
        let size = match (minimal_culprit.tokens, report.delta_tokens) {
            (Some(tokens), Some(all)) => format!(" ({tokens} of {all} changed tokens)"),
            (Some(tokens), None) => format!(" ({})", format_count(tokens, "token")),
            (None, _) => String::new(),
        };
        format!("Minimal culprit{size}:\n\n{}", format_diff(minimal_culprit))
    });
    let text: Vec<String> = [commit, several, minimal_culprit].into_iter().flatten().collect();
    (!text.is_empty()).then(|| format!("### Culprit\n\n{}", text.join("\n\n")))
}

/// Returns the section Fix: the fix and its rationale.
pub(crate) fn fix_section(report: &GitHubReport) -> Option<String> {
    let fix = report.fix.as_ref()?;
    let rationale = match fix.rationale() {
        Some(rationale) => code_span(rationale),
        None => "This fix reverts only the part of the culprit that breaks the test.".to_owned(),
    };
    Some(format!("### Fix\n\n{rationale}\n\n{}", format_diff(&fix.patch)))
}

fn format_diff(patch: &SizedPatch) -> String {
    diff_block(patch, MAX_PATCH_LINES, MAX_PATCH_CHARS)
}

/// Returns a patch as a code block of at most `max_lines` lines and `max_chars` characters.
pub(crate) fn diff_block(patch: &SizedPatch, max_lines: usize, max_chars: usize) -> String {
    code_block("diff", &patch.text, max_lines, max_chars)
}

/// Returns the instructions for applying the fix by hand.
pub(crate) fn apply_instructions(patch: &SizedPatch) -> String {
    format!(
        "To apply the fix, save it as {} and run `git apply {}`.",
        code_span(&patch.file),
        patch.file
    )
}
