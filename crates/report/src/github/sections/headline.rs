//! Headline of all texts, which names the failing test, the culprit and the fix, and the section with the next step.

use crate::github::data::GitHubReport;
use crate::github::data::culprit_commit::CulpritCommit;
use crate::github::data::outcome::{FailureReason, SearchOutcome};
use crate::github::markdown::code_span;
use crate::github::texts::titles::size_suffix;

/// Returns the headline of a report: the failing test, the culprit, and whether a fix is available.
pub(crate) fn format_headline(report: &GitHubReport) -> String {
    let (subject, culprit) = (code_span(report.subject()), culprit_sentence(report));
    let message = report
        .message
        .as_deref()
        .map_or(String::new(), |message| format!(": {}", code_span(message)));
    match (report.outcome, &report.fix) {
        (SearchOutcome::Found, Some(mending)) => format!(
            "**{subject} fails{culprit}.** A fix{} makes it pass again.",
            size_suffix(mending.patch.tokens)
        ),
        (SearchOutcome::Found, None) => format!("**{subject} fails{culprit}.** No fix was found."),
        (SearchOutcome::NotFound, _) => {
            format!(
                "**{subject} fails.** The search completed and found no culprit in this change."
            )
        }
        (SearchOutcome::Flaky, _) => format!(
            "**{subject} is flaky{message}.** It passed and failed on the same code, so there is no culprit. If the cause is \
             a concurrency bug, `git mend explore` can find a thread schedule that makes it fail."
        ),
        (SearchOutcome::Incomplete, _) => {
            format!("**{subject} fails.** The search did not complete{message}.")
        }
        (SearchOutcome::Failed(hindrance), _) => {
            let search_message = report.message.as_deref().map(|search_message| {
                format!(" The search reported: {}.", code_span(search_message))
            });
            format!(
                "**{subject} fails.** {}.{}",
                describe_failure(hindrance),
                search_message.unwrap_or_default()
            )
        }
    }
}

/// Returns the reason why the search has no result.
fn describe_failure(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::Usage => {
            "Not searched: git-mend rejected the search request. This says nothing about your change"
        }
        FailureReason::Baseline => {
            "Baseline check failed: where the search ran, the test did not pass before the change, or did not fail after it. \
             Tests that depend on the date, the network or the machine can behave like this"
        }
        FailureReason::Environment => {
            "Not searched: the search environment is incomplete. This says nothing about your change"
        }
        FailureReason::Internal => {
            "No result: git-mend failed with an internal error. This says nothing about your change"
        }
    }
}

/// Returns the section Next step of a search without a result.
pub(crate) fn next_step_section(report: &GitHubReport) -> Option<String> {
    let SearchOutcome::Failed(hindrance) = report.outcome else { return None };
    let report_request = "Please report this error and attach the log of the search job.";
    let own_step = (hindrance == FailureReason::Internal).then(|| report_request.to_owned());
    let remedy = report.remedy.as_deref().map(code_span);
    let lines: Vec<String> = remedy.into_iter().chain(own_step).collect();
    (!lines.is_empty()).then(|| format!("### Next step\n\n{}", lines.join("\n\n")))
}

/// Returns the sentence that names the culprit commit, to be appended to a statement about the failing test.
pub(crate) fn culprit_sentence(report: &GitHubReport) -> String {
    report
        .culprit_commit
        .as_ref()
        .map_or(String::new(), |blame| format!(". The culprit is {}", commit_link(blame)))
}

pub(crate) fn commit_link(commit: &CulpritCommit) -> String {
    match &commit.url {
        Some(url) => format!("[`{}`]({url})", commit.short_id()),
        None => code_span(commit.short_id()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::testing::sample_report;
    use crate::github::texts::titles::format_check_title;

    #[test]
    fn each_outcome_has_its_title() {
        let render = |outcome| {
            let report = GitHubReport { outcome, fix: None, ..sample_report() };
            format!("{}\n{}", format_check_title(&report), format_headline(&report))
        };
        let outcomes = [
            SearchOutcome::Found,
            SearchOutcome::NotFound,
            SearchOutcome::Flaky,
            SearchOutcome::Incomplete,
        ];
        insta::assert_snapshot!(outcomes.map(render).join("\n\n"));
    }

    #[test]
    fn failed_search_names_reason_and_next_step() {
        let reasons = [
            FailureReason::Usage,
            FailureReason::Baseline,
            FailureReason::Environment,
            FailureReason::Internal,
        ];
        let render = |hindrance| {
            let report = GitHubReport {
                outcome: SearchOutcome::Failed(hindrance),
                message: Some("no JDK found: `javac`".to_owned()),
                remedy: Some("install a JDK".to_owned()),
                fix: None,
                culprit_commit: None,
                ..sample_report()
            };
            let next = next_step_section(&report).unwrap_or_default();
            format!("{}\n{}\n{next}", format_check_title(&report), format_headline(&report))
        };
        insta::assert_snapshot!(reasons.map(render).join("\n\n"), @r"
        bakery.TillTest#dozen: not searched, invalid search request
        **`bakery.TillTest#dozen` fails.** Not searched: git-mend rejected the search request. This says nothing about your change. The search reported: `` no JDK found: `javac` ``.
        ### Next step

        `install a JDK`

        bakery.TillTest#dozen: no culprit, baseline check failed
        **`bakery.TillTest#dozen` fails.** Baseline check failed: where the search ran, the test did not pass before the change, or did not fail after it. Tests that depend on the date, the network or the machine can behave like this. The search reported: `` no JDK found: `javac` ``.
        ### Next step

        `install a JDK`

        bakery.TillTest#dozen: not searched, incomplete environment
        **`bakery.TillTest#dozen` fails.** Not searched: the search environment is incomplete. This says nothing about your change. The search reported: `` no JDK found: `javac` ``.
        ### Next step

        `install a JDK`

        bakery.TillTest#dozen: no result, internal error in git-mend
        **`bakery.TillTest#dozen` fails.** No result: git-mend failed with an internal error. This says nothing about your change. The search reported: `` no JDK found: `javac` ``.
        ### Next step

        `install a JDK`

        Please report this error and attach the log of the search job.
        ");
    }
}
