//! Minimiser: finds a minimal set of units with the required verdict.

pub(crate) mod binary_reduction;
pub(crate) mod counter_based;
pub(crate) mod next_subset;
pub(crate) mod one_minimal;
pub(crate) mod outcome_table;
pub(crate) mod reduce_to_subset;
pub(crate) mod search_input;
#[cfg(test)]
mod tests;
pub(crate) mod unit_order;

use super::oracle::{MinimiserProgress, Oracle, OracleAnswer, SearchLimits, StopReason};
use super::subset::{Subset, full_set};
use super::units::{MinimisationGoal, Units};
use crate::minimiser::next_subset::{Algorithm, SearchState};
use crate::minimiser::outcome_table::OutcomeTable;
use crate::minimiser::search_input::Interest;
use anyhow::anyhow;
use mend_model::{Problem, Result, Verdict};

/// Number of speculative steps for each set that can be tested in parallel.
const SPECULATIVE_STEPS_PER_TEST: usize = 8;

/// Maximum number of parts of the culprits that are tried as a fix one by one.
const MAX_FIX_GUESSES: usize = 4;

/// Result of a minimisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimisedSet {
    /// Smallest set found: units to enable for a culprit, units to disable for a fix. The set is closed.
    pub subset: Subset,
    /// Number of tested sets.
    pub tests: usize,
    /// True if no single unit, with its dependents, can be removed from `subset`.
    pub is_minimal: bool,
    /// Number of tested sets that neither passed nor failed.
    pub unresolved_tests: usize,
    /// True if the search was interrupted.
    pub is_interrupted: bool,
    /// One unit of each component of `subset` that no other unit of it needs, the heaviest first.
    pub root_units: Vec<usize>,
    /// Root units without which the verdict is the opposite. If there are several, they matter only together.
    pub decisive_units: Vec<usize>,
    /// True if no failing set is a subset of a passing one, among all sets tested so far.
    pub is_monotone: bool,
}

/// Minimiser of one change; its searches share tested outcomes and learned constraints.
pub struct Minimiser {
    units: Units,
    algorithm: Algorithm,
    limits: SearchLimits,
    outcomes: OutcomeTable,
    suspected_sets: Vec<Subset>,
    /// Culprits found so far.
    culprits: Vec<MinimisedSet>,
}

impl Minimiser {
    /// Creates a minimiser for a change. The empty set passes and the full set fails; neither is tested.
    pub fn new(units: Units, limits: SearchLimits) -> Self {
        let outcomes = OutcomeTable::new(units.len());
        Self {
            units,
            algorithm: Algorithm::default(),
            limits,
            outcomes,
            suspected_sets: Vec::new(),
            culprits: Vec::new(),
        }
    }

    /// Sets the algorithm.
    #[must_use]
    pub fn with_algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Adds sets of units that are likely to contain the result, best first. Each costs one test, and saves many if it
    /// contains the result.
    #[must_use]
    pub fn with_suspected_sets(self, suspected_sets: Vec<Subset>) -> Self {
        Self { suspected_sets, ..self }
    }

    /// Returns the units with the learned constraints.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Finds a minimal closed set for a goal. A fix is searched within the known culprits, if there are any.
    ///
    /// Only closed sets are tested, and none is tested twice. The result depends only on the oracle's answers, not on
    /// its parallelism, unless a limit ends the search early: then it is the smallest set so far. Before the
    /// 1-minimality pass, a set is not tested if a larger one has the opposite verdict; the pass itself assumes
    /// nothing.
    ///
    /// # Errors
    /// Errors of the oracle, except [`Problem::Interrupted`], which the result reports.
    pub fn minimise(
        &mut self,
        goal: MinimisationGoal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<MinimisedSet> {
        let units = goal.orient_units(&self.units);
        let suspects = self
            .suspected_sets
            .iter()
            .map(|suspects| units.constraints().closure(suspects))
            .collect();
        let mut state = SearchState::new(units, full_set(self.units.len()), self.algorithm);
        if goal == MinimisationGoal::Fix && !self.culprits.is_empty() {
            let guesses = self.guess_fixes();
            if let Some(all_culprits) = guesses.last() {
                state = state.with_lightest_first(all_culprits);
            }
            state = state.with_guesses(guesses);
        } else if self.algorithm == Algorithm::BinaryReduction {
            state = state.with_guesses(suspects);
        }
        self.search(state, goal, oracle, observer)
    }

    /// Finds one more culprit among the units [without the known culprits](Minimiser::without_culprits); `None` if
    /// these do not fail.
    ///
    /// # Errors
    /// Errors of [`Minimiser::minimise`], and [`Problem::Interrupted`] if it is interrupted before it is known whether
    /// there is one.
    pub fn find_next_culprit(
        &mut self,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<Option<MinimisedSet>> {
        let remaining = self.without_culprits();
        if self.outcomes.answer(&remaining).is_none() {
            match self.judge_batch(vec![remaining.clone()], oracle) {
                Err(StopReason::Failed(problem)) => return Err(problem),
                Err(StopReason::Interrupted) => return Err(Problem::Interrupted),
                Err(StopReason::TestLimitReached) => return Ok(None),
                Ok(()) => {}
            }
        }
        let verdict = self.outcomes.answer(&remaining).map(|answer| answer.verdict);
        if verdict != Some(Verdict::Fail) {
            return Ok(None);
        }
        self.outcomes.mark_used(&remaining, Verdict::Fail);
        let state = SearchState::new(self.units.clone(), remaining, self.algorithm);
        self.search(state, MinimisationGoal::Culprit, oracle, observer).map(Some)
    }

    /// Returns all units except the root units of each culprit found so far, and their dependents.
    pub fn without_culprits(&self) -> Subset {
        let mut remaining = full_set(self.units.len());
        let root_units = self.culprits.iter().flat_map(|culprit| &culprit.root_units);
        root_units.for_each(|unit| remaining.remove(*unit));
        self.units.constraints().largest_closed_subset(&remaining)
    }

    /// Returns likely fixes: units without which a culprit does not fail, and all culprits together.
    fn guess_fixes(&self) -> Vec<Subset> {
        let fix_units = MinimisationGoal::Fix.orient_units(&self.units);
        let mut all_culprits = Subset::with_capacity(self.units.len());
        let mut guesses = Vec::new();
        for MinimisedSet { subset: culprit, .. } in &self.culprits {
            all_culprits.union_with(culprit);
            for unit in culprit.ones() {
                let mut remaining = culprit.clone();
                remaining.remove(unit);
                let answer = self
                    .outcomes
                    .answer(&self.units.constraints().largest_closed_subset(&remaining));
                if answer.is_some_and(|answer| answer.verdict == Verdict::Pass) {
                    let mut single_unit = Subset::with_capacity(self.units.len());
                    single_unit.insert(unit);
                    guesses.push(fix_units.constraints().closure(&single_unit));
                }
            }
        }
        guesses.sort_by_cached_key(|guess| fix_units.weight(guess));
        guesses.dedup();
        guesses.truncate(MAX_FIX_GUESSES);
        guesses.push(fix_units.constraints().closure(&all_culprits));
        guesses
    }

    fn search(
        &mut self,
        mut state: SearchState,
        goal: MinimisationGoal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<MinimisedSet> {
        let counts_before = (self.outcomes.tests, self.outcomes.unresolved_tests);
        let (is_minimal, is_interrupted) = match self.run_steps(&mut state, goal, oracle, observer)
        {
            Ok(()) => (true, false),
            Err(StopReason::TestLimitReached) => (false, false),
            Err(StopReason::Interrupted) => (false, true),
            Err(StopReason::Failed(problem)) => return Err(problem),
        };
        let root_units = state.root_units();
        let result = MinimisedSet {
            subset: state.current().clone(),
            tests: self.outcomes.tests - counts_before.0,
            is_minimal,
            unresolved_tests: self.outcomes.unresolved_tests - counts_before.1,
            is_interrupted,
            decisive_units: self.find_decisive_units(goal, state.current(), &root_units),
            root_units,
            is_monotone: self.outcomes.is_monotone(),
        };
        if goal == MinimisationGoal::Culprit {
            self.culprits.push(result.clone());
        }
        Ok(result)
    }

    /// Returns the units without which, and without their dependents, the verdict of `current` is the opposite.
    fn find_decisive_units(
        &self,
        goal: MinimisationGoal,
        current: &Subset,
        units: &[usize],
    ) -> Vec<usize> {
        let goal_units = goal.orient_units(&self.units);
        let is_decisive = |unit: &usize| {
            let mut remaining = current.clone();
            remaining.remove(*unit);
            let enabled =
                goal.enabled_units(&goal_units.constraints().largest_closed_subset(&remaining));
            let answer = self.outcomes.answer(&enabled);
            answer.is_some_and(|answer| {
                classify_verdict(answer.verdict, goal) == Interest::NotInteresting
            })
        };
        units.iter().copied().filter(is_decisive).collect()
    }

    fn run_steps(
        &mut self,
        state: &mut SearchState,
        goal: MinimisationGoal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<(), StopReason> {
        let mut next_probe = self.next_untested_set(state, goal);
        while let Some(probe) = next_probe {
            let enabled = goal.enabled_units(&probe);
            if self.outcomes.answer(&enabled).is_none() {
                let batch = self.build_batch(state, &probe, goal, oracle.parallelism());
                self.judge_batch(batch, oracle)?;
            }
            let Some(OracleAnswer { verdict, learned_implications }) =
                self.outcomes.answer(&enabled).cloned()
            else {
                break;
            };
            let interest = classify_verdict(verdict, goal);
            self.outcomes.mark_used(&enabled, verdict);
            if interest == Interest::Unresolved
                && self.outcomes.learn_implications(
                    &enabled,
                    &learned_implications,
                    &mut self.units,
                )
            {
                state.update_constraints(goal.orient_units(&self.units));
            } else {
                state.record_answer(&probe, interest);
            }
            next_probe = self.next_untested_set(state, goal);
            let kept = state.current();
            observer(MinimiserProgress {
                suspected_weight: self.units.weight(kept),
                suspected_units: kept.count_ones(..),
                remaining_tests: next_probe.as_ref().map_or(0, |_| state.remaining_tests().max(1)),
                tests: self.outcomes.tests,
                verdict,
            });
        }
        Ok(())
    }

    /// Returns the next set whose outcome cannot be inferred; `None` at the end.
    fn next_untested_set(&self, state: &mut SearchState, goal: MinimisationGoal) -> Option<Subset> {
        loop {
            let probe = state.next_subset()?;
            match self.infer_interest(state, &goal.enabled_units(&probe), goal) {
                Some(interest) => state.record_answer(&probe, interest),
                None => return Some(probe),
            }
        }
    }

    fn infer_interest(
        &self,
        state: &SearchState,
        enabled: &Subset,
        goal: MinimisationGoal,
    ) -> Option<Interest> {
        state.assumes_monotonicity().then(|| self.outcomes.infer_interest(enabled, goal)).flatten()
    }

    /// Returns the next set to test and the most likely sets after it, for parallel tests.
    fn build_batch(
        &self,
        state: &SearchState,
        probe: &Subset,
        goal: MinimisationGoal,
        parallelism: usize,
    ) -> Vec<Subset> {
        let mut batch = vec![goal.enabled_units(probe)];
        let mut branches = possible_branches(state, probe, 1.0);
        for _ in 0..SPECULATIVE_STEPS_PER_TEST * parallelism {
            let likeliest = (0..branches.len())
                .max_by(|one, other| branches[*one].0.total_cmp(&branches[*other].0));
            let Some(likeliest) = likeliest.filter(|_| batch.len() < parallelism) else { break };
            let (probability, mut state, probe, interest) = branches.swap_remove(likeliest);
            state.record_answer(&probe, interest);
            let Some(probe) = state.next_subset() else { continue };
            let enabled = goal.enabled_units(&probe);
            let known_interest = self.infer_interest(&state, &enabled, goal).or_else(|| {
                self.outcomes
                    .answer(&enabled)
                    .map(|answer| self::classify_verdict(answer.verdict, goal))
            });
            if let Some(interest) = known_interest {
                branches.push((probability, state, probe, interest));
                continue;
            }
            if !batch.contains(&enabled) {
                batch.push(enabled);
            }
            branches.extend(self::possible_branches(&state, &probe, probability));
        }
        batch
    }

    fn judge_batch(
        &mut self,
        mut batch: Vec<Subset>,
        oracle: &dyn Oracle,
    ) -> Result<(), StopReason> {
        self.limits.interrupt.check()?;
        let max_tests = self.limits.max_tests.unwrap_or(usize::MAX);
        batch.truncate(max_tests.saturating_sub(self.outcomes.tests));
        if batch.is_empty() {
            return Err(StopReason::TestLimitReached);
        }
        let answers = oracle.judge(&batch)?;
        if answers.len() != batch.len() {
            let (asked, got) = (batch.len(), answers.len());
            return Err(StopReason::Failed(anyhow!("{got} answers on {asked} sets").into()));
        }
        for (set, answer) in batch.into_iter().zip(answers) {
            self.outcomes.insert(set, answer);
        }
        Ok(())
    }
}

fn classify_verdict(verdict: Verdict, goal: MinimisationGoal) -> Interest {
    match verdict {
        verdict if verdict == goal.interesting_verdict() => Interest::Interesting,
        Verdict::Pass | Verdict::Fail => Interest::NotInteresting,
        Verdict::Unresolved(_) | Verdict::Flaky => Interest::Unresolved,
    }
}

/// A possible continuation: its probability, the search state, the next set, and the assumed answer.
type SpeculativeBranch = (f64, SearchState, Subset, Interest);

/// Returns the possible continuations of a test.
fn possible_branches(
    state: &SearchState,
    probe: &Subset,
    probability: f64,
) -> Vec<SpeculativeBranch> {
    let chance = state.success_probability();
    let branch = |sign, chance: f64| (probability * chance, state.clone(), probe.clone(), sign);
    vec![branch(Interest::Interesting, chance), branch(Interest::NotInteresting, 1.0 - chance)]
}
