//! Where a search is that goes on, as its trials show.

use crate::model::counted;
use crate::report::{Sought, Standing, TrialLine};

/// Where a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whereabouts {
    /// How many versions were judged.
    judged: usize,
    part: Part,
}

/// Which part of the search it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// No commit that passes is known yet.
    Beginning,
    /// Among commits: about so many may still be it.
    Commits { left: usize },
    /// In the change of a commit.
    Change(Standing),
    /// What was found is tried as a stranger would try it.
    Proof,
}

impl Whereabouts {
    /// Where a search is that wrote these lines of trials; the last one may have been cut short. Code of others may have
    /// written them: no more than numbers is taken from them.
    pub fn of(trials: &str) -> Self {
        let lines = trials.lines().filter_map(|line| serde_json::from_str(line).ok());
        let (mut judged, mut part, mut passes, mut fails) = (0, Part::Beginning, 0, usize::MAX);
        for line in lines {
            let line: TrialLine = line;
            judged += 1;
            part = match (line.commit.map(|commit| commit.place), line.search) {
                (Some(Some([place, all])), _) => {
                    match line.verdict.as_str() {
                        "pass" => passes = passes.max(place),
                        "fail" => fails = fails.min(place),
                        _ => {}
                    }
                    Part::Commits { left: fails.min(all).saturating_sub(passes) }
                }
                (_, Some(standing)) => Part::Change(standing),
                // Both ends are judged first, one of them by looking back, and what was found last.
                (None, None) if part != Part::Beginning => Part::Proof,
                _ => Part::Beginning,
            };
        }
        Self { judged, part }
    }

    /// The same in words.
    pub(super) fn told(self) -> String {
        let judged = counted(self.judged, "version");
        let now = match self.part {
            Part::Beginning => "It looks back for a commit where they pass".to_owned(),
            Part::Commits { left } => {
                format!("It looks for the commit: about {} left", counted(left, "commit"))
            }
            Part::Change(Standing { goal, suspected, tokens, .. }) => {
                let what = match goal {
                    Sought::Culprit => "the part of the change that breaks them",
                    Sought::Fix => "the smallest patch that mends them",
                };
                let tokens = counted(usize::try_from(tokens).unwrap_or(usize::MAX), "token");
                let suspected = counted(suspected, "component");
                format!("It looks for {what}: {suspected} of {tokens} left")
            }
            Part::Proof => "What was found is built from scratch and tested again".to_owned(),
        };
        format!("{now}. {judged} judged until now.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::TriedCommit;

    fn commit(place: usize, verdict: &str) -> TrialLine {
        let commit = TriedCommit { place: Some([place, 34]), ..TriedCommit::default() };
        TrialLine { verdict: verdict.to_owned(), commit: Some(commit), ..TrialLine::default() }
    }

    #[test]
    fn each_part_of_a_search_is_told() {
        let standing = |goal| Standing { goal, tried: 3, suspected: 7, tokens: 120 };
        let search = |goal| TrialLine { search: Some(standing(goal)), ..TrialLine::default() };
        let all = [
            TrialLine::default(),
            commit(17, "fail"),
            commit(8, "unresolved"),
            commit(9, "pass"),
            search(Sought::Culprit),
            search(Sought::Fix),
            TrialLine::default(),
        ];
        let lines: Vec<String> =
            all.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
        let told = |count: usize| {
            // The last line is being written.
            let text = format!("{}\n{{\"variant\":\"", lines[..count].join("\n"));
            Whereabouts::of(&text).told()
        };
        let told: Vec<String> = (0..=lines.len()).map(told).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        It looks back for a commit where they pass. 0 versions judged until now.
        It looks back for a commit where they pass. 1 version judged until now.
        It looks for the commit: about 17 commits left. 2 versions judged until now.
        It looks for the commit: about 17 commits left. 3 versions judged until now.
        It looks for the commit: about 8 commits left. 4 versions judged until now.
        It looks for the part of the change that breaks them: 7 components of 120 tokens left. 5 versions judged until now.
        It looks for the smallest patch that mends them: 7 components of 120 tokens left. 6 versions judged until now.
        What was found is built from scratch and tested again. 7 versions judged until now.
        ");
    }
}
