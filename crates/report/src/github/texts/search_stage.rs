//! Texts about a search that has no result yet.

use super::titles::one_line_title;
use crate::github::data::progress_summary::ProgressSummary;
use crate::github::filters;
use askama::Template;
use mend_model::format_count;
use std::time::Duration;

/// Stage of a search without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStage<'a> {
    /// The repository's own workflow was requested.
    WorkflowRequested,
    /// The server clones the repository.
    Cloning,
    /// The server searches.
    Searching {
        /// The test classes that are known to fail. If empty, all tests are run.
        tests: &'a [String],
        /// Time limit of the search.
        limit: Duration,
        /// Progress of the search, if known.
        progress: Option<ProgressSummary>,
    },
    /// The repository's own workflow searches.
    WorkflowRunning {
        /// The page of its run.
        run: &'a str,
    },
    /// The repository's own workflow has ended.
    WorkflowEnded {
        /// The page of its run.
        run: &'a str,
    },
    /// The search ended without a result.
    Stopped {
        /// Reason, if known.
        reason: Option<&'a str>,
        /// True if the repository's own workflow was requested, which only people can cancel.
        has_external_run: bool,
    },
}

/// Returns the title of the check run at a stage: plain text.
pub fn stage_title(stage: &SearchStage<'_>) -> String {
    one_line_title(&match stage {
        SearchStage::WorkflowRequested => "Waiting for the repository's own workflow".to_owned(),
        SearchStage::Cloning => "Preparing the search for the culprit".to_owned(),
        SearchStage::Searching { tests: [], .. } => "Searching for the culprit".to_owned(),
        SearchStage::Searching { tests: [first, more @ ..], .. } => {
            let more = match more.len() {
                0 => String::new(),
                count => format!(" and {}", format_count(count, "more test")),
            };
            format!("Searching for the culprit of {first}{more}")
        }
        SearchStage::WorkflowRunning { .. } => {
            "The repository's own workflow searches for the culprit".to_owned()
        }
        SearchStage::WorkflowEnded { .. } => {
            "The repository's own workflow has searched for the culprit".to_owned()
        }
        SearchStage::Stopped { .. } => "The search was stopped".to_owned(),
    })
}

/// Summary of the check run at a stage.
#[derive(Template)]
#[template(path = "stage_summary.md")]
struct StageSummary<'a> {
    stage: &'a SearchStage<'a>,
    commit: &'a str,
    cause: Option<&'a str>,
}

/// Returns the summary of the check run at a stage. `cause` is the page of the failed workflow run, if there is one.
pub fn stage_summary(stage: &SearchStage<'_>, commit: &str, cause: Option<&str>) -> String {
    format!("{}\n", StageSummary { stage, commit, cause })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_search_stage_has_title_and_summary() {
        let tests = ["a.TillTest".to_owned(), "a.`B".to_owned()];
        let limit = Duration::from_secs(1800);
        let stages = [
            SearchStage::WorkflowRequested,
            SearchStage::Cloning,
            SearchStage::Searching { tests: &[], limit, progress: None },
            SearchStage::Searching {
                tests: &tests[..1],
                limit,
                progress: Some(ProgressSummary::from_trials("")),
            },
            SearchStage::Searching {
                tests: &tests,
                limit: Duration::from_secs(60),
                progress: None,
            },
            SearchStage::WorkflowRunning { run: "https://x/runs/9" },
            SearchStage::WorkflowEnded { run: "https://x/runs/9" },
            SearchStage::Stopped { reason: Some("a user stopped it"), has_external_run: true },
            SearchStage::Stopped { reason: None, has_external_run: false },
        ];
        let text = |stage| {
            let failed = Some("https://x/runs/7");
            format!("# {}\n{}", stage_title(stage), stage_summary(stage, "ab11f313e4", failed))
        };
        let texts: Vec<String> = stages.iter().map(text).collect();
        insta::assert_snapshot!(texts.join("\n"), @r"
        # Waiting for the repository's own workflow
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. git-mend requested a search by the repository's own workflow, which has the dependencies of the build. No culprit yet.

        # Preparing the search for the culprit
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The server clones the repository with its history, and then searches for the culprit. No culprit yet.

        # Searching for the culprit
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The server runs all tests, because no check names the failing ones, on earlier commits until they pass, finds the culprit commit, and then narrows it down to the minimal culprit. Time limit: 30 minutes. No culprit yet.

        To stop the search, press *Stop* or comment `/mend stop` on the pull request.

        # Searching for the culprit of a.TillTest
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The server runs `a.TillTest` on earlier commits until they pass, finds the culprit commit, and then narrows it down to the minimal culprit. Time limit: 30 minutes. No culprit yet.

        Searching for an earlier commit that passes. 0 versions tested so far.

        To stop the search, press *Stop* or comment `/mend stop` on the pull request.

        # Searching for the culprit of a.TillTest and 1 more test
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The server runs `a.TillTest`, ``a.`B`` on earlier commits until they pass, finds the culprit commit, and then narrows it down to the minimal culprit. Time limit: 1 minute. No culprit yet.

        To stop the search, press *Stop* or comment `/mend stop` on the pull request.

        # The repository's own workflow searches for the culprit
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. [The repository's own workflow](https://x/runs/9) searches for the culprit and publishes the result in a separate check. No culprit yet.

        # The repository's own workflow has searched for the culprit
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. [The repository's own workflow](https://x/runs/9) has searched for the culprit. A separate check shows the result. If there is no such check, see the log of the run.

        # The search was stopped
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The search for the culprit ended without a result: `a user stopped it`. A run of the repository's own workflow that has started continues until you cancel it there.

        To search again, use *Re-run* next to this check.

        # The search was stopped
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The search for the culprit ended without a result.

        To search again, use *Re-run* next to this check.
        ");
        assert!(
            stage_summary(&SearchStage::WorkflowRequested, "ab", None)
                .starts_with("A check of `ab` failed")
        );
    }
}
