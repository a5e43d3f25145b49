//! Comparison of the refactorings that two tools find in one commit.

use super::kinds::Kind;
use super::places::Place;

/// Refactoring that a tool found.
pub(crate) struct Finding {
    /// Kind, if both tools have it.
    pub(crate) kind: Option<&'static Kind>,
    pub(crate) description: String,
    pub(crate) place: Place,
}

impl Finding {
    fn agrees_with(&self, other: &Self) -> bool {
        let kinds = self.kind.zip(other.kind);
        kinds.is_some_and(|(one, two)| one.name == two.name) && self.place.overlaps(&other.place)
    }
}

/// Findings of both tools in a commit.
pub(crate) struct CommitFindings {
    pub(crate) git_mend: Vec<Finding>,
    pub(crate) refactoring_miner: Vec<Finding>,
    /// Places of code that git-mend moves.
    pub(crate) moved_code: Vec<Place>,
}

/// A tool's finding compared with those of the other tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// The other tool found it, too.
    Both,
    /// Only RefactoringMiner names it; git-mend moves code from the old place to the new one.
    MovedCode,
    /// The other tool did not find it.
    Alone,
}

impl CommitFindings {
    /// Compares the findings of common kinds of git-mend with those of RefactoringMiner.
    pub(crate) fn compare_git_mend(&self) -> impl Iterator<Item = (&Finding, Agreement)> {
        let compare = |one| (one, agreement_of(one, &self.refactoring_miner));
        self.git_mend.iter().filter(|one| one.kind.is_some()).map(compare)
    }

    /// Compares the findings of common kinds of RefactoringMiner with those of git-mend.
    pub(crate) fn compare_refactoring_miner(&self) -> impl Iterator<Item = (&Finding, Agreement)> {
        let compare = |one: &'_ Finding| {
            let can_be_moved_code = one.kind.is_some_and(|kind| kind.can_be_moved_code);
            let is_moved = || self.moved_code.iter().any(|moved| moved.overlaps(&one.place));
            match agreement_of(one, &self.git_mend) {
                Agreement::Alone if can_be_moved_code && is_moved() => Agreement::MovedCode,
                agreement => agreement,
            }
        };
        let common = self.refactoring_miner.iter().filter(|one| one.kind.is_some());
        common.map(move |one| (one, compare(one)))
    }
}

fn agreement_of(finding: &Finding, others: &[Finding]) -> Agreement {
    if others.iter().any(|other| finding.agrees_with(other)) {
        Agreement::Both
    } else {
        Agreement::Alone
    }
}
