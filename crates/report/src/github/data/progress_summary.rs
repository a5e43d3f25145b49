//! Progress of a running search, computed from its trials.

use crate::{SearchGoal, SearchProgress, TrialLine};
use mend_model::format_count;

/// Progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressSummary {
    /// Number of tested versions.
    tested_count: usize,
    phase: SearchPhase,
}

/// Phase of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchPhase {
    /// No passing commit is known yet.
    GoodSearch,
    /// Commit search, with the approximate number of commits left.
    CommitSearch { left: usize },
    /// Search in the diff of the culprit commit.
    DeltaSearch(SearchProgress),
    /// Verification on a clean checkout.
    Verification,
}

impl ProgressSummary {
    /// Computes the progress from the lines of `trials.jsonl`. The last line may be incomplete. Untrusted code may have
    /// written the lines, so only numbers are used.
    pub fn from_trials(trials: &str) -> Self {
        let lines = trials.lines().filter_map(|line| serde_json::from_str(line).ok());
        let (mut judged, mut part, mut passes, mut fails) =
            (0, SearchPhase::GoodSearch, 0, usize::MAX);
        for line in lines {
            let line: TrialLine = line;
            judged += 1;
            part = match (line.commit.map(|commit| commit.position), line.search) {
                (Some(Some([place, all])), _) => {
                    match line.verdict.as_str() {
                        "pass" => passes = passes.max(place),
                        "fail" => fails = fails.min(place),
                        _ => {}
                    }
                    SearchPhase::CommitSearch { left: fails.min(all).saturating_sub(passes) }
                }
                (_, Some(progress)) => SearchPhase::DeltaSearch(progress),
                // Good and bad are tested first, and the result is verified last.
                (None, None) if part != SearchPhase::GoodSearch => SearchPhase::Verification,
                _ => SearchPhase::GoodSearch,
            };
        }
        Self { tested_count: judged, phase: part }
    }

    /// Describes the progress.
    pub(crate) fn to_text(self) -> String {
        let judged = format_count(self.tested_count, "version");
        let phase_text = match self.phase {
            SearchPhase::GoodSearch => "Searching for an earlier commit that passes".to_owned(),
            SearchPhase::CommitSearch { left } => {
                format!(
                    "Searching for the culprit commit: about {} left",
                    format_count(left, "commit")
                )
            }
            SearchPhase::DeltaSearch(SearchProgress { goal, suspected, tokens, .. }) => {
                let goal_text = match goal {
                    SearchGoal::Culprit => "the minimal culprit",
                    SearchGoal::Fix => "the smallest fix",
                };
                let tokens = format_count(usize::try_from(tokens).unwrap_or(usize::MAX), "token");
                let suspected = format_count(suspected, "component");
                format!("Searching for {goal_text}: {suspected} ({tokens}) left")
            }
            SearchPhase::Verification => "Verifying the result on a clean checkout".to_owned(),
        };
        format!("{phase_text}. {judged} tested so far.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestedCommit;

    fn commit_trial(position: usize, verdict: &str) -> TrialLine {
        let commit = TestedCommit { position: Some([position, 34]), ..TestedCommit::default() };
        TrialLine { verdict: verdict.to_owned(), commit: Some(commit), ..TrialLine::default() }
    }

    #[test]
    fn each_search_phase_is_described() {
        let progress = |goal| SearchProgress { goal, tried: 3, suspected: 7, tokens: 120 };
        let search = |goal| TrialLine { search: Some(progress(goal)), ..TrialLine::default() };
        let trials = [
            TrialLine::default(),
            commit_trial(17, "fail"),
            commit_trial(8, "unresolved"),
            commit_trial(9, "pass"),
            search(SearchGoal::Culprit),
            search(SearchGoal::Fix),
            TrialLine::default(),
        ];
        let lines: Vec<String> =
            trials.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
        let describe_after = |count: usize| {
            // The last line is incomplete.
            let text = format!("{}\n{{\"variant\":\"", lines[..count].join("\n"));
            ProgressSummary::from_trials(&text).to_text()
        };
        let describe_after: Vec<String> = (0..=lines.len()).map(describe_after).collect();
        insta::assert_snapshot!(describe_after.join("\n"), @r"
        Searching for an earlier commit that passes. 0 versions tested so far.
        Searching for an earlier commit that passes. 1 version tested so far.
        Searching for the culprit commit: about 17 commits left. 2 versions tested so far.
        Searching for the culprit commit: about 17 commits left. 3 versions tested so far.
        Searching for the culprit commit: about 8 commits left. 4 versions tested so far.
        Searching for the minimal culprit: 7 components (120 tokens) left. 5 versions tested so far.
        Searching for the smallest fix: 7 components (120 tokens) left. 6 versions tested so far.
        Verifying the result on a clean checkout. 7 versions tested so far.
        ");
    }
}
