//! Headline: the failing test, the culprit and the fix. The first sentence of every text.

use crate::github::data::GitHubReport;
use crate::github::data::culprit_commit::CulpritCommit;
use crate::github::data::outcome::{FailureReason, SearchOutcome};
use crate::github::markdown::code;
use crate::github::texts::titles::of_size;

/// Returns the headline of a story: the failing test, the culprit, and whether a fix is available.
pub(crate) fn headline(story: &GitHubReport) -> String {
    let (subject, culprit) = (code(story.subject()), culprit_link(story));
    let why = story.message.as_deref().map_or(String::new(), |why| format!(": {}", code(why)));
    match (story.outcome, &story.mending) {
        (SearchOutcome::Found, Some(mending)) => format!(
            "**{subject} fails{culprit}.** A fix{} makes it pass again.",
            of_size(mending.part.tokens)
        ),
        (SearchOutcome::Found, None) => format!("**{subject} fails{culprit}.** No fix was found."),
        (SearchOutcome::NotFound, _) => {
            format!(
                "**{subject} fails.** The search completed and found no culprit in this change."
            )
        }
        (SearchOutcome::Flaky, _) => format!(
            "**{subject} is flaky{why}.** It passed and failed on the same code, so there is no culprit. If the cause is \
             a concurrency bug, `git mend explore` can find a thread schedule that makes it fail."
        ),
        (SearchOutcome::Incomplete, _) => {
            format!("**{subject} fails.** The search did not complete{why}.")
        }
        (SearchOutcome::Failed(hindrance), _) => {
            let said = story
                .message
                .as_deref()
                .map(|said| format!(" The search reported: {}.", code(said)));
            format!("**{subject} fails.** {}.{}", hindered(hindrance), said.unwrap_or_default())
        }
    }
}

/// Returns the reason why the search has no result.
fn hindered(hindrance: FailureReason) -> &'static str {
    match hindrance {
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
pub(crate) fn next_step(story: &GitHubReport) -> Option<String> {
    let SearchOutcome::Failed(hindrance) = story.outcome else { return None };
    let report = "Please report this error and attach the log of the search job.";
    let own = (hindrance == FailureReason::Internal).then(|| report.to_owned());
    let told = story.remedy.as_deref().map(code);
    let lines: Vec<String> = told.into_iter().chain(own).collect();
    (!lines.is_empty()).then(|| format!("### Next step\n\n{}", lines.join("\n\n")))
}

/// Returns the sentence that names the culprit commit, to be appended to a statement about the failing test.
pub(crate) fn culprit_link(story: &GitHubReport) -> String {
    story.blame.as_ref().map_or(String::new(), |blame| format!(". The culprit is {}", link(blame)))
}

pub(crate) fn link(blame: &CulpritCommit) -> String {
    match &blame.url {
        Some(url) => format!("[`{}`]({url})", blame.short()),
        None => code(blame.short()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::testing::story;
    use crate::github::texts::titles::check_title;

    #[test]
    fn each_outcome_has_its_title() {
        let told = |outcome| {
            let story = GitHubReport { outcome, mending: None, ..story() };
            format!("{}\n{}", check_title(&story), headline(&story))
        };
        let all = [
            SearchOutcome::Found,
            SearchOutcome::NotFound,
            SearchOutcome::Flaky,
            SearchOutcome::Incomplete,
        ];
        insta::assert_snapshot!(all.map(told).join("\n\n"));
    }

    #[test]
    fn a_search_without_a_result_names_the_reason_and_the_next_step() {
        let all = [
            FailureReason::Usage,
            FailureReason::Baseline,
            FailureReason::Environment,
            FailureReason::Internal,
        ];
        let told = |hindrance| {
            let story = GitHubReport {
                outcome: SearchOutcome::Failed(hindrance),
                message: Some("no JDK found: `javac`".to_owned()),
                remedy: Some("install a JDK".to_owned()),
                mending: None,
                blame: None,
                ..story()
            };
            let next = next_step(&story).unwrap_or_default();
            format!("{}\n{}\n{next}", check_title(&story), headline(&story))
        };
        insta::assert_snapshot!(all.map(told).join("\n\n"), @r"
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
