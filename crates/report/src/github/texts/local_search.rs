//! Texts about searches on a server: reasons for not searching, and failures without a run folder.

use mend_model::format_duration;
use std::time::Duration;

/// Returns the reason for not searching on a server that runs no repository code. `is_own_commit` is false for
/// a commit of a fork.
pub fn no_search_reason(is_own_commit: bool) -> &'static str {
    if is_own_commit {
        "no workflow of the repository handles git-mend's repository_dispatch event, and this server runs no repository code"
    } else {
        "the commit is from a fork: git-mend starts no workflow for it, and this server runs no repository code"
    }
}

/// Returns the next step if the server lacks something that the search needs. The repository's workflows are never
/// started for the code of a fork.
pub fn missing_dependency_remedy(is_own_commit: bool) -> &'static str {
    if is_own_commit {
        "let the repository's own workflow run the search, because it has the dependencies: see docs/app.md"
    } else {
        "review the code, then run the command below in a clone on a machine that has the dependencies"
    }
}

/// End of a search that left no run folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFailure {
    /// The process exited.
    Exited(i32),
    /// The search reached its time limit.
    TimedOut(Duration),
    /// A signal ended the process.
    Signalled(i32),
}

/// Describes the end of a search.
pub fn describe_run_failure(failure: RunFailure) -> String {
    match failure {
        RunFailure::Exited(code) => format!("the search ended with exit code {code}"),
        RunFailure::TimedOut(limit) => {
            format!("the search timed out after {}", format_duration(limit))
        }
        RunFailure::Signalled(signal) => format!("signal {signal} ended the search"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_without_search_names_reason_and_next_step() {
        let ends = [
            RunFailure::Exited(70),
            RunFailure::TimedOut(Duration::from_secs(1800)),
            RunFailure::Signalled(9),
        ];
        let no_search_texts = [true, false].map(|is_own| {
            format!("{}\n{}", no_search_reason(is_own), missing_dependency_remedy(is_own))
        });
        insta::assert_snapshot!([no_search_texts.join("\n"), ends.map(describe_run_failure).join("\n")].join("\n"), @r"
        no workflow of the repository handles git-mend's repository_dispatch event, and this server runs no repository code
        let the repository's own workflow run the search, because it has the dependencies: see docs/app.md
        the commit is from a fork: git-mend starts no workflow for it, and this server runs no repository code
        review the code, then run the command below in a clone on a machine that has the dependencies
        the search ended with exit code 70
        the search timed out after 30 minutes
        signal 9 ended the search
        ");
    }
}
