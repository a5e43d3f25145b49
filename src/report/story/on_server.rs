//! Searches on a server: why there is none, and how one ended without a run.

use crate::model::lasting;
use std::time::Duration;

/// Why nothing is searched where nothing may run: of a commit of the repository itself, or of a fork.
pub fn nowhere_to_search(is_own: bool) -> &'static str {
    if is_own {
        "the repository has no workflow that answers to repository_dispatch of git-mend, and nothing runs here"
    } else {
        "the commit is a fork's, which the repository's own workflow is not asked to run, and nothing runs here"
    }
}

/// What to do where the server lacks what a search needs. No workflow of the repository is asked to run the code of a
/// fork.
pub fn search_elsewhere(is_own: bool) -> &'static str {
    if is_own {
        "have the repository's own workflow search, where its dependencies are: see docs/app.md"
    } else {
        "read the code, and type the command below in a clone, where its dependencies are"
    }
}

/// How a search ended that left no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareEnd {
    /// By itself.
    Exited(i32),
    /// Its time was over.
    TimedOut(Duration),
    /// Something ended it.
    Signalled(i32),
}

/// The same in words.
pub fn bare_end(end: BareEnd) -> String {
    match end {
        BareEnd::Exited(code) => format!("the search ended with exit code {code}"),
        BareEnd::TimedOut(limit) => format!("nothing was found within {}", lasting(limit)),
        BareEnd::Signalled(signal) => format!("the search was ended by signal {signal}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_search_says_why_and_what_to_do() {
        let ends = [
            BareEnd::Exited(70),
            BareEnd::TimedOut(Duration::from_secs(1800)),
            BareEnd::Signalled(9),
        ];
        let told = [true, false]
            .map(|is_own| format!("{}\n{}", nowhere_to_search(is_own), search_elsewhere(is_own)));
        insta::assert_snapshot!([told.join("\n"), ends.map(bare_end).join("\n")].join("\n"), @r"
        the repository has no workflow that answers to repository_dispatch of git-mend, and nothing runs here
        have the repository's own workflow search, where its dependencies are: see docs/app.md
        the commit is a fork's, which the repository's own workflow is not asked to run, and nothing runs here
        read the code, and type the command below in a clone, where its dependencies are
        the search ended with exit code 70
        nothing was found within 30 minutes
        the search was ended by signal 9
        ");
    }
}
