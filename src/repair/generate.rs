//! From suspects to candidates, the most promising first.

use super::candidate::{Candidate, Strategy};
use super::code::Code;
use super::contracts::Contracts;
use super::faults;
use super::observed::Observed;
use super::proposals::Site;
use super::suspicion::Suspect;
use super::twins;
use crate::model::{Failure, RepoPath};
use std::collections::HashMap;

/// What is known of a failure besides where it shows.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// The classes of what failing tests threw.
    thrown: Vec<String>,
    /// Exceptions that they waited for in vain.
    awaited: Vec<String>,
}

impl Diagnosis {
    /// Reads what failing tests threw.
    pub fn of<'a>(failures: impl IntoIterator<Item = &'a Failure>) -> Self {
        let mut diagnosis = Self::default();
        for failure in failures {
            diagnosis.thrown.push(failure.exception.clone());
            diagnosis.awaited.extend(failure.message.as_deref().and_then(awaited));
        }
        diagnosis.awaited.dedup();
        diagnosis
    }

    /// How likely a kind of change is to mend what was thrown, against one that is as likely as any.
    fn prior(&self, strategy: Strategy) -> f64 {
        let is = |kind: fn(&str) -> bool| self.thrown.iter().any(|class| kind(class));
        match strategy {
            Strategy::NullCheck if is(faults::is_null) => 1.8,
            Strategy::RangeCheck if is(faults::is_range) => 1.4,
            Strategy::WrongGuard if is(faults::is_guard) => 1.0,
            Strategy::EarlyExit if !self.awaited.is_empty() => 1.0,
            Strategy::Operator => 1.0,
            Strategy::Argument => 0.9,
            Strategy::Value | Strategy::Method => 0.8,
            Strategy::Widening
            | Strategy::Twins
            | Strategy::Condition
            | Strategy::EarlyExit
            | Strategy::Setting => 0.6,
            Strategy::WrongGuard | Strategy::Donor | Strategy::Order => 0.5,
            Strategy::Removal | Strategy::RangeCheck => 0.35,
            Strategy::NullCheck => 0.3,
        }
    }
}

/// The exception that a message says was waited for.
fn awaited(message: &str) -> Option<String> {
    let after = ["Expected exception: ", "Expected ", "expected "]
        .iter()
        .find_map(|start| Some(message.split_once(start)?.1))?;
    let class = after.split([' ', ',', '\n']).next()?.trim_end_matches([':', '.']);
    let is_class =
        class.contains('.') && (class.ends_with("Exception") || class.ends_with("Error"));
    is_class.then(|| class.to_owned())
}

/// How much less promising it is to get round a check than to do what it demands.
const BYPASS: f64 = 0.3;

/// How much less promising each further proposal of one kind for one statement is.
const CROWDING: f64 = 0.1;

/// Changes that might mend what fails, the most promising first.
pub fn candidates(
    main: &[(RepoPath, Code<'_>)],
    contracts: &Contracts,
    suspects: &[Suspect],
    observed: &Observed,
    diagnosis: &Diagnosis,
) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for suspect in suspects {
        let mut ranks: HashMap<Strategy, f64> = HashMap::new();
        let (path, code) = &main[suspect.file];
        let line = code.line(suspect.statement);
        let method = code.method_of(suspect.statement);
        let check = contracts.check_of(code, suspect.statement);
        let place = observed.at(suspect.file, suspect.statement);
        let site = Site::new(*code, contracts, suspect.statement, place, &diagnosis.awaited);
        let mut proposals = site.proposals();
        proposals.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        for proposal in proposals {
            // Many proposals of one kind must not keep the others waiting.
            let rank = ranks.entry(proposal.strategy).or_insert(0.0);
            let turn = 1.0 / (1.0 + *rank * CROWDING);
            *rank += 1.0;
            let is_left_out = proposal.edits.iter().all(|edit| edit.text.is_empty());
            // What a method demands of its callers may be too much; what it finds wrong in the middle is wrong.
            let is_bypass = check.is_some_and(|check| {
                is_left_out
                    || proposal.strategy.bypasses_checks()
                    || !contracts.is_demand(code, check)
            });
            let bypass = if is_bypass { BYPASS } else { 1.0 };
            let prior = diagnosis.prior(proposal.strategy) * bypass;
            all.push(Candidate {
                path: path.clone(),
                edits: proposal.edits,
                strategy: proposal.strategy,
                why: proposal.why,
                line,
                statement: (suspect.file, suspect.statement),
                method,
                is_bypass,
                score: suspect.score * prior * proposal.weight * turn,
            });
        }
    }
    sort(&mut all);
    twins::add(main, suspects, &mut all);
    sort(&mut all);
    all
}

fn sort(all: &mut [Candidate]) {
    // What is equally likely stays in the order of suspicion.
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
}

#[cfg(test)]
mod tests {
    use super::awaited;

    #[test]
    fn an_exception_that_was_waited_for_is_read_from_the_message() {
        let class = Some("java.lang.IllegalStateException".to_owned());
        assert_eq!(awaited("Expected exception: java.lang.IllegalStateException"), class);
        assert_eq!(
            awaited("Expected java.lang.IllegalStateException to be thrown, but nothing was"),
            class
        );
        assert_eq!(awaited("expected:<3> but was:<4>"), None);
    }
}
