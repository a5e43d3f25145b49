//! Composes the texts on GitHub from sections: pull requests, comments and summaries.

use super::markdown::code_span;
use super::sections::{TextSection, join_sections, optional_section, required_section};
use crate::github::data::GitHubReport;
use crate::github::data::no_pull_reason::NoPullReason;
use crate::github::sections::alternative_fixes::{alternative_fixes, recorded_values};
use crate::github::sections::diagrams::{mermaid_diagrams, text_diagrams};
use crate::github::sections::findings::{
    apply_instructions, culprit_section, fix_section, symptom_section,
};
use crate::github::sections::headline::{culprit_sentence, format_headline, next_step_section};
use crate::github::sections::threads::threads_section;
use crate::github::sections::verification::{reproduce_section, verification_section};
use mend_model::format_count;

/// Publishing state of the fix, which a text needs in addition to the report.
#[derive(Clone, Debug, Default)]
pub struct TextContext {
    /// Address of the page with the run folder and the report, if there is one.
    pub report_url: Option<String>,
    /// Number of the fix pull request.
    pub fix_pull: Option<u64>,
    /// Number of the failing pull request.
    pub failing_pull: Option<u64>,
    /// True if the fix is published as suggested changes.
    pub is_suggested: bool,
    /// Reason for the absence of a fix pull request.
    pub no_pull_reason: Option<NoPullReason>,
    /// Number of places changed by the fix that have no annotation.
    pub unannotated_count: usize,
    /// True if a job's token opened the fix pull request, so that GitHub starts no workflow for it.
    pub needs_workflow_trigger: bool,
    /// True if GitHub does not show the fix commit as verified.
    pub is_unverified: bool,
}

/// Returns the body of a fix pull request. It begins with `marker`, which identifies it later.
pub fn format_pull_body(report: &GitHubReport, marker: &str, context: &TextContext) -> String {
    let failing = context.failing_pull.map(|number| format!("Failing pull request: #{number}."));
    let start =
        [Some(format!("{marker}\n{}", format_headline(report))), failing].map(required_section);
    let sections = start.into_iter().chain(pull_notes(context)).chain(finding_sections(report));
    join_sections(
        sections
            .chain([optional_section(mermaid_diagrams(report))])
            .chain(closing_sections(report, context)),
    )
}

/// Returns the comment on the failing pull request. It begins with `marker`, which identifies it later.
pub fn format_comment(report: &GitHubReport, marker: &str, context: &TextContext) -> String {
    let sections =
        opening_sections(report, marker, context).into_iter().chain(finding_sections(report));
    join_sections(
        sections
            .chain([optional_section(text_diagrams(report))])
            .chain(closing_sections(report, context)),
    )
}

/// Returns the summary of a check run or of a job step.
pub fn format_summary(report: &GitHubReport, context: &TextContext) -> String {
    let sections =
        opening_sections(report, "", context).into_iter().chain(finding_sections(report));
    let details =
        [required_section(unannotated_note(context)), optional_section(mermaid_diagrams(report))];
    join_sections(sections.chain(details).chain(closing_sections(report, context)))
        .trim_start()
        .to_owned()
}

/// Returns the first sections: the headline and the next step.
fn opening_sections(
    report: &GitHubReport,
    marker: &str,
    context: &TextContext,
) -> [Option<TextSection>; 4] {
    let next_action = match (context.fix_pull, context.is_suggested, &report.fix) {
        (Some(number), ..) if context.needs_workflow_trigger => {
            Some(format!("The fix is in #{number}. {NO_WORKFLOWS_NOTE}"))
        }
        (Some(number), ..) => Some(format!("The fix is in #{number}.")),
        (None, true, _) => Some("The fix is suggested on the changed lines.".to_owned()),
        (None, false, Some(mending)) => Some(apply_instructions(&mending.patch)),
        (None, false, None) => None,
    };
    let no_pull_note =
        context.no_pull_reason.as_ref().map(|why| format!("No fix pull request: {why}."));
    let headline = Some(format!("{marker}\n{}", format_headline(report)));
    [headline, next_action, no_pull_note, next_step_section(report)].map(required_section)
}

/// Returns the notes about the fix pull request itself.
fn pull_notes(context: &TextContext) -> [Option<TextSection>; 2] {
    let unverified = "GitHub does not show the commit of this pull request as verified. If the base branch requires \
                      signed commits, commit the fix yourself.";
    let workflow_trigger_note =
        context.needs_workflow_trigger.then(|| NO_WORKFLOWS_NOTE.to_owned());
    [workflow_trigger_note, context.is_unverified.then(|| unverified.to_owned())]
        .map(required_section)
}

/// Note about a pull request that a job opened with its own token.
const NO_WORKFLOWS_NOTE: &str = "GitHub starts no workflows for a pull request that a job opens with `GITHUB_TOKEN`. To run \
                              them, close and reopen the pull request. To avoid this step, pass the token of a GitHub \
                              App as the input `token` of the Action.";

/// Returns the sections with the findings.
fn finding_sections(report: &GitHubReport) -> [Option<TextSection>; 6] {
    let [tests, broke, why] =
        [symptom_section(report), culprit_section(report), fix_section(report)]
            .map(required_section);
    let [values, threads, others] =
        [recorded_values(report), threads_section(report), alternative_fixes(report)]
            .map(optional_section);
    [tests, broke, why, values, threads, others]
}

/// Returns the note about places changed by the fix that have no annotation.
fn unannotated_note(context: &TextContext) -> Option<String> {
    let count = context.unannotated_count;
    let places = format_count(count, "more place");
    (count > 0).then(|| format!("The fix changes {places} without an annotation."))
}

/// Returns the last sections: verification, reproduction and footer.
fn closing_sections(report: &GitHubReport, context: &TextContext) -> [Option<TextSection>; 3] {
    [verification_section(report), reproduce_section(report), Some(format_footer(report, context))]
        .map(required_section)
}

/// Returns the comment of a matrix job whose result equals the comment at `url`. It begins with `marker`, which
/// identifies it later.
pub fn same_result_comment(report: &GitHubReport, marker: &str, url: &str) -> String {
    let (subject, culprit) = (code_span(report.subject()), culprit_sentence(report));
    format!(
        "{marker}\n**{subject} also fails in another job{culprit}.** The result is the same as in [this comment]({url}).\n\n{}\n",
        forgery_warning()
    )
}

fn format_footer(report: &GitHubReport, context: &TextContext) -> String {
    let report_link = context
        .report_url
        .as_ref()
        .map_or(String::new(), |url| format!(" [Run and report]({url})."));
    let failing_commit = report.bad.as_deref().map_or(String::new(), |failing_commit| {
        format!(" Failing commit: {}.", code_span(failing_commit))
    });
    format!("---\n<sub>Found by git-mend.{failing_commit}{report_link} {FORGERY_WARNING}</sub>")
}

/// Warning in every text that contains a result.
const FORGERY_WARNING: &str = "The search executed code from this repository, and that code could forge a result. Review \
                         the fix before you merge it.";

/// Returns the warning for texts without a footer.
pub(super) fn forgery_warning() -> String {
    format!("<sub>{FORGERY_WARNING}</sub>")
}

pub(crate) mod buttons;
pub(crate) mod closing;
pub(crate) mod command_replies;
pub(crate) mod local_search;
pub(crate) mod merge_group;
pub(crate) mod search_claims;
pub(crate) mod search_stage;
pub(crate) mod suggestion;
#[cfg(test)]
mod tests;
pub(crate) mod titles;
