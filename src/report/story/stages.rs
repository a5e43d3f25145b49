//! What is said of a search before it has an answer.

use super::markdown::code;
use super::titles::title;
use super::whereabouts::Whereabouts;
use crate::model::{counted, lasting};
use std::time::Duration;

/// How many test classes are named.
const MOST_TESTS: usize = 8;

/// How far a search is that has no answer yet, or never will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<'a> {
    /// The repository's own workflow is asked.
    Asked,
    /// The repository is being brought to where it is searched.
    Brought,
    /// It is being searched.
    Searching {
        /// The test classes that are known to fail; all are run where none is.
        tests: &'a [String],
        /// After this it is given up.
        limit: Duration,
        /// Where it is, once that is known.
        at: Option<Whereabouts>,
    },
    /// The repository's own workflow does it.
    Taken {
        /// The page of its run.
        run: &'a str,
    },
    /// The repository's own workflow has ended.
    Over {
        /// The page of its run.
        run: &'a str,
    },
    /// It ended without an answer.
    Stopped {
        /// Why, if that is known.
        why: Option<&'a str>,
        /// Whether the repository's own workflow was asked, which only people may stop.
        goes_on: bool,
    },
}

/// The title of the check run at a stage: plain text.
pub fn stage_title(stage: &Stage<'_>) -> String {
    title(&match stage {
        Stage::Asked => "Waiting for the repository's own workflow".to_owned(),
        Stage::Brought => "Getting ready to look for what broke the build".to_owned(),
        Stage::Searching { tests: [], .. } => "Looking for what broke the build".to_owned(),
        Stage::Searching { tests: [first, more @ ..], .. } => {
            let more = match more.len() {
                0 => String::new(),
                count => format!(" and {}", counted(count, "more test")),
            };
            format!("Looking for what broke {first}{more}")
        }
        Stage::Taken { .. } => {
            "The repository's own workflow looks for what broke the build".to_owned()
        }
        Stage::Over { .. } => {
            "The repository's own workflow has looked for what broke the build".to_owned()
        }
        Stage::Stopped { .. } => "The search was stopped".to_owned(),
    })
}

/// The summary of the check run at a stage: of a commit, and of the run that failed there, if that has a page.
pub fn stage_summary(stage: &Stage<'_>, commit: &str, failed: Option<&str>) -> String {
    let commit = code(commit);
    let failed = match failed {
        Some(url) => format!("[A workflow]({url}) failed on {commit}."),
        None => format!("Checks of {commit} failed, or somebody asked for a search."),
    };
    match stage {
        Stage::Asked => format!(
            "{failed} The repository's own workflow, which has what the build needs, was asked to look for the change \
             that broke it. {NOBODY}\n"
        ),
        Stage::Brought => format!(
            "{failed} The repository and its history are brought to the server, which then looks for the change that \
             broke it. {NOBODY}\n"
        ),
        Stage::Searching { tests, limit, at } => format!(
            "{failed} The server runs {} on commits before it, back to one where they pass, and then on parts of the \
             change that broke them. This takes at most {}. {NOBODY}\n\n{}{STOP}\n",
            run_tests(tests),
            lasting(*limit),
            at.map_or(String::new(), |at| format!("{}\n\n", at.told()))
        ),
        Stage::Taken { run } => format!(
            "{failed} [The repository's own workflow]({run}) looks for the change that broke it, and tells what it \
             finds in a check of its own. {NOBODY}\n"
        ),
        Stage::Over { run } => format!(
            "{failed} [The repository's own workflow]({run}) has looked for the change that broke it. What it found is \
             in a check of its own; where there is none, its run says why.\n"
        ),
        Stage::Stopped { why, goes_on } => format!(
            "{failed} The search for the change that broke it ended without an answer{}. Nobody is \
             blamed.{}\n\n{AGAIN}\n",
            why.map_or(String::new(), |why| format!(": {}", code(why))),
            if *goes_on { GOES_ON } else { "" }
        ),
    }
}

const NOBODY: &str = "Nobody is blamed yet.";
const STOP: &str = "`/mend stop` in a comment on the pull request, if there is one, stops it.";
const GOES_ON: &str =
    " A run of the repository's own workflow that has begun goes on until it is cancelled there.";
const AGAIN: &str = "*Re-run* beside this check searches again.";

fn run_tests(tests: &[String]) -> String {
    if tests.is_empty() {
        return "all tests, as no check says which ones fail,".to_owned();
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
    fn each_stage_says_where_the_search_is() {
        let tests = ["a.TillTest".to_owned(), "a.`B".to_owned()];
        let limit = Duration::from_secs(1800);
        let stages = [
            Stage::Asked,
            Stage::Brought,
            Stage::Searching { tests: &[], limit, at: None },
            Stage::Searching { tests: &tests[..1], limit, at: Some(Whereabouts::of("")) },
            Stage::Searching { tests: &tests, limit: Duration::from_secs(60), at: None },
            Stage::Taken { run: "https://x/runs/9" },
            Stage::Over { run: "https://x/runs/9" },
            Stage::Stopped { why: Some("somebody stopped it"), goes_on: true },
            Stage::Stopped { why: None, goes_on: false },
        ];
        let text = |stage| {
            let failed = Some("https://x/runs/7");
            format!("# {}\n{}", stage_title(stage), stage_summary(stage, "ab11f313e4", failed))
        };
        let told: Vec<String> = stages.iter().map(text).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        # Waiting for the repository's own workflow
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The repository's own workflow, which has what the build needs, was asked to look for the change that broke it. Nobody is blamed yet.

        # Getting ready to look for what broke the build
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The repository and its history are brought to the server, which then looks for the change that broke it. Nobody is blamed yet.

        # Looking for what broke the build
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The server runs all tests, as no check says which ones fail, on commits before it, back to one where they pass, and then on parts of the change that broke them. This takes at most 30 minutes. Nobody is blamed yet.

        `/mend stop` in a comment on the pull request, if there is one, stops it.

        # Looking for what broke a.TillTest
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The server runs `a.TillTest` on commits before it, back to one where they pass, and then on parts of the change that broke them. This takes at most 30 minutes. Nobody is blamed yet.

        It looks back for a commit where they pass. 0 versions judged until now.

        `/mend stop` in a comment on the pull request, if there is one, stops it.

        # Looking for what broke a.TillTest and 1 more test
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The server runs `a.TillTest`, ``a.`B`` on commits before it, back to one where they pass, and then on parts of the change that broke them. This takes at most 1 minute. Nobody is blamed yet.

        `/mend stop` in a comment on the pull request, if there is one, stops it.

        # The repository's own workflow looks for what broke the build
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. [The repository's own workflow](https://x/runs/9) looks for the change that broke it, and tells what it finds in a check of its own. Nobody is blamed yet.

        # The repository's own workflow has looked for what broke the build
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. [The repository's own workflow](https://x/runs/9) has looked for the change that broke it. What it found is in a check of its own; where there is none, its run says why.

        # The search was stopped
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The search for the change that broke it ended without an answer: `somebody stopped it`. Nobody is blamed. A run of the repository's own workflow that has begun goes on until it is cancelled there.

        *Re-run* beside this check searches again.

        # The search was stopped
        [A workflow](https://x/runs/7) failed on `ab11f313e4`. The search for the change that broke it ended without an answer. Nobody is blamed.

        *Re-run* beside this check searches again.
        ");
        assert!(stage_summary(&Stage::Asked, "ab", None).starts_with("Checks of `ab` failed"));
    }
}
