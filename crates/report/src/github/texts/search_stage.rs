//! Texts about a search that has no result yet.

use super::titles::title;
use crate::github::data::progress_summary::ProgressSummary;
use crate::github::markdown::code;
use mend_model::{counted, lasting};
use std::time::Duration;

/// Maximum number of listed test classes.
const MOST_TESTS: usize = 8;

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
        at: Option<ProgressSummary>,
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
        why: Option<&'a str>,
        /// True if the repository's own workflow was requested, which only people can cancel.
        goes_on: bool,
    },
}

/// Returns the title of the check run at a stage: plain text.
pub fn stage_title(stage: &SearchStage<'_>) -> String {
    title(&match stage {
        SearchStage::WorkflowRequested => "Waiting for the repository's own workflow".to_owned(),
        SearchStage::Cloning => "Preparing the search for the culprit".to_owned(),
        SearchStage::Searching { tests: [], .. } => "Searching for the culprit".to_owned(),
        SearchStage::Searching { tests: [first, more @ ..], .. } => {
            let more = match more.len() {
                0 => String::new(),
                count => format!(" and {}", counted(count, "more test")),
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

/// Returns the summary of the check run at a stage. `failed` is the page of the failed workflow run, if there is one.
pub fn stage_summary(stage: &SearchStage<'_>, commit: &str, failed: Option<&str>) -> String {
    let commit = code(commit);
    let failed = match failed {
        Some(url) => format!("[A workflow]({url}) failed on {commit}."),
        None => format!("A check of {commit} failed, or a user requested a search."),
    };
    match stage {
        SearchStage::WorkflowRequested => format!(
            "{failed} git-mend requested a search by the repository's own workflow, which has the dependencies of the \
             build. {NOBODY}\n"
        ),
        SearchStage::Cloning => format!(
            "{failed} The server clones the repository with its history, and then searches for the culprit. {NOBODY}\n"
        ),
        SearchStage::Searching { tests, limit, at } => format!(
            "{failed} The server runs {} on earlier commits until they pass, finds the culprit commit, and then narrows \
             it down to the minimal culprit. Time limit: {}. {NOBODY}\n\n{}{STOP}\n",
            run_tests(tests),
            lasting(*limit),
            at.map_or(String::new(), |at| format!("{}\n\n", at.to_text()))
        ),
        SearchStage::WorkflowRunning { run } => format!(
            "{failed} [The repository's own workflow]({run}) searches for the culprit and publishes the result in a \
             separate check. {NOBODY}\n"
        ),
        SearchStage::WorkflowEnded { run } => format!(
            "{failed} [The repository's own workflow]({run}) has searched for the culprit. A separate check shows the \
             result. If there is no such check, see the log of the run.\n"
        ),
        SearchStage::Stopped { why, goes_on } => format!(
            "{failed} The search for the culprit ended without a result{}.{}\n\n{AGAIN}\n",
            why.map_or(String::new(), |why| format!(": {}", code(why))),
            if *goes_on { GOES_ON } else { "" }
        ),
    }
}

const NOBODY: &str = "No culprit yet.";
const STOP: &str = "To stop the search, press *Stop* or comment `/mend stop` on the pull request.";
const GOES_ON: &str =
    " A run of the repository's own workflow that has started continues until you cancel it there.";
const AGAIN: &str = "To search again, use *Re-run* next to this check.";

fn run_tests(tests: &[String]) -> String {
    if tests.is_empty() {
        return "all tests, because no check names the failing ones,".to_owned();
    }
    let named: Vec<String> = tests.iter().take(MOST_TESTS).map(|test| code(test)).collect();
    match tests.len().saturating_sub(MOST_TESTS) {
        0 => named.join(", "),
        left => format!("{} and {left} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_has_its_title_and_summary() {
        let tests = ["a.TillTest".to_owned(), "a.`B".to_owned()];
        let limit = Duration::from_secs(1800);
        let stages = [
            SearchStage::WorkflowRequested,
            SearchStage::Cloning,
            SearchStage::Searching { tests: &[], limit, at: None },
            SearchStage::Searching {
                tests: &tests[..1],
                limit,
                at: Some(ProgressSummary::from_trials("")),
            },
            SearchStage::Searching { tests: &tests, limit: Duration::from_secs(60), at: None },
            SearchStage::WorkflowRunning { run: "https://x/runs/9" },
            SearchStage::WorkflowEnded { run: "https://x/runs/9" },
            SearchStage::Stopped { why: Some("a user stopped it"), goes_on: true },
            SearchStage::Stopped { why: None, goes_on: false },
        ];
        let text = |stage| {
            let failed = Some("https://x/runs/7");
            format!("# {}\n{}", stage_title(stage), stage_summary(stage, "ab11f313e4", failed))
        };
        let told: Vec<String> = stages.iter().map(text).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
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
