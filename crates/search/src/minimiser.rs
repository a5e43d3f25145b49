//! Minimisation of a change: the smallest set with the required verdict.

pub(crate) mod binary_reduction;
pub(crate) mod counter_based;
pub(crate) mod one_minimal;
pub(crate) mod outcome_table;
pub(crate) mod reduce_to_subset;
pub(crate) mod search_input;
pub(crate) mod search_state;
#[cfg(test)]
mod tests;
pub(crate) mod unit_order;

use super::oracle::{MinimiserProgress, Oracle, OracleAnswer, SearchLimits, StopReason};
use super::subset::{Subset, full};
use super::units::{MinimisationGoal, Units};
use crate::minimiser::outcome_table::OutcomeTable;
use crate::minimiser::search_input::Interest;
use crate::minimiser::search_state::{Algorithm, SearchState};
use anyhow::anyhow;
use mend_model::{Problem, Result, Verdict};

/// Number of speculative steps for each set that can be tested in parallel.
const FORESIGHT: usize = 8;

/// Maximum number of parts of the culprits that are tried as a fix one by one.
const GUESSES: usize = 4;

/// Result of a minimisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimisedSet {
    /// Smallest set found: units to enable for a culprit, units to disable for a fix. It is closed.
    pub subset: Subset,
    /// Number of sets tested for it.
    pub tests: usize,
    /// No single unit, with its dependents, can be removed from `subset`.
    pub minimal: bool,
    /// Number of tested sets that neither passed nor failed.
    pub unresolved: usize,
    /// The search was interrupted.
    pub interrupted: bool,
    /// One unit of each part of `subset` that nothing else in it needs, the heaviest first.
    pub heads: Vec<usize>,
    /// Root units without each of which the verdict is the opposite. If there are several, they matter only together.
    pub together: Vec<usize>,
    /// No failing set is a subset of a passing one, among all sets tested so far.
    pub monotone: bool,
}

/// Minimiser of one change; its searches share what they learn.
pub struct Minimiser {
    units: Units,
    method: Algorithm,
    limits: SearchLimits,
    memory: OutcomeTable,
    suspects: Vec<Subset>,
    /// Culprits found so far.
    culprits: Vec<MinimisedSet>,
}

impl Minimiser {
    /// Creates a minimiser for a change where nothing passes and everything fails; neither is tested.
    pub fn new(units: Units, limits: SearchLimits) -> Self {
        let memory = OutcomeTable::new(units.len());
        Self {
            units,
            method: Algorithm::default(),
            limits,
            memory,
            suspects: Vec::new(),
            culprits: Vec::new(),
        }
    }

    /// Sets the algorithm.
    #[must_use]
    pub fn with_method(self, method: Algorithm) -> Self {
        Self { method, ..self }
    }

    /// Adds sets of units that are likely to contain the result, best first. Each costs one test, and saves many if it
    /// does contain it.
    #[must_use]
    pub fn suspecting(self, suspects: Vec<Subset>) -> Self {
        Self { suspects, ..self }
    }

    /// Returns the units with the learned constraints.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Finds a minimal closed set for a goal. A fix is looked for in the culprits, where there are any.
    ///
    /// No set is asked about twice, and none that is not closed. The result depends on the oracle's
    /// answers only, not on its parallelism, unless a limit cuts the search short: then it is the
    /// smallest set so far. Until the last sweep a set is not asked about if a larger one already has the
    /// opposite verdict; the sweep takes nothing for granted.
    ///
    /// # Errors
    /// Errors of the oracle, except [`Problem::Interrupted`], which the result reports.
    pub fn minimise(
        &mut self,
        goal: MinimisationGoal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<MinimisedSet> {
        let units = goal.units(&self.units);
        let suspects =
            self.suspects.iter().map(|suspects| units.constraints().closure(suspects)).collect();
        let mut plan = SearchState::new(units, full(self.units.len()), self.method);
        if goal == MinimisationGoal::Fix && !self.culprits.is_empty() {
            let guesses = self.guesses();
            if let Some(all) = guesses.last() {
                plan = plan.lightest_first(all);
            }
            plan = plan.guessing(guesses);
        } else if self.method == Algorithm::BinaryReduction {
            plan = plan.guessing(suspects);
        }
        self.follow(plan, goal, oracle, observer)
    }

    /// Finds one more culprit in what is left [without the known ones](Minimiser::without_culprits); none
    /// if that does not fail.
    ///
    /// # Errors
    /// Like [`Minimiser::minimise`], and [`Problem::Interrupted`] if it was stopped before it is known
    /// whether there is one.
    pub fn further(
        &mut self,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<Option<MinimisedSet>> {
        let rest = self.without_culprits();
        if self.memory.answer(&rest).is_none() {
            match self.ask(vec![rest.clone()], oracle) {
                Err(StopReason::Failed(problem)) => return Err(problem),
                Err(StopReason::Interrupted) => return Err(Problem::Interrupted),
                Err(StopReason::TestLimitReached) => return Ok(None),
                Ok(()) => {}
            }
        }
        let verdict = self.memory.answer(&rest).map(|answer| answer.verdict);
        if verdict != Some(Verdict::Fail) {
            return Ok(None);
        }
        self.memory.note(&rest, Verdict::Fail);
        let plan = SearchState::new(self.units.clone(), rest, self.method);
        self.follow(plan, MinimisationGoal::Culprit, oracle, observer).map(Some)
    }

    /// Returns all units except the root units of each culprit found so far, and their dependents.
    pub fn without_culprits(&self) -> Subset {
        let mut rest = full(self.units.len());
        let heads = self.culprits.iter().flat_map(|culprit| &culprit.heads);
        heads.for_each(|unit| rest.remove(*unit));
        self.units.constraints().interior(&rest)
    }

    /// Returns likely fixes: units without which a culprit does not fail, and all culprits together.
    fn guesses(&self) -> Vec<Subset> {
        let off = MinimisationGoal::Fix.units(&self.units);
        let mut all = Subset::with_capacity(self.units.len());
        let mut guesses = Vec::new();
        for MinimisedSet { subset: culprit, .. } in &self.culprits {
            all.union_with(culprit);
            for unit in culprit.ones() {
                let mut rest = culprit.clone();
                rest.remove(unit);
                let answer = self.memory.answer(&self.units.constraints().interior(&rest));
                if answer.is_some_and(|answer| answer.verdict == Verdict::Pass) {
                    let mut alone = Subset::with_capacity(self.units.len());
                    alone.insert(unit);
                    guesses.push(off.constraints().closure(&alone));
                }
            }
        }
        guesses.sort_by_cached_key(|guess| off.weight(guess));
        guesses.dedup();
        guesses.truncate(GUESSES);
        guesses.push(off.constraints().closure(&all));
        guesses
    }

    fn follow(
        &mut self,
        mut plan: SearchState,
        goal: MinimisationGoal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<MinimisedSet> {
        let before = (self.memory.tests, self.memory.unresolved);
        let (minimal, interrupted) = match self.run(&mut plan, goal, oracle, observer) {
            Ok(()) => (true, false),
            Err(StopReason::TestLimitReached) => (false, false),
            Err(StopReason::Interrupted) => (false, true),
            Err(StopReason::Failed(problem)) => return Err(problem),
        };
        let heads = plan.heads();
        let found = MinimisedSet {
            subset: plan.kept().clone(),
            tests: self.memory.tests - before.0,
            minimal,
            unresolved: self.memory.unresolved - before.1,
            interrupted,
            together: self.decisive(goal, plan.kept(), &heads),
            heads,
            monotone: self.memory.is_monotone(),
        };
        if goal == MinimisationGoal::Culprit {
            self.culprits.push(found.clone());
        }
        Ok(found)
    }

    /// Returns the units without which, and without their dependents, the verdict of `current` is the opposite.
    fn decisive(&self, goal: MinimisationGoal, kept: &Subset, units: &[usize]) -> Vec<usize> {
        let seen = goal.units(&self.units);
        let is_decisive = |unit: &usize| {
            let mut rest = kept.clone();
            rest.remove(*unit);
            let on = goal.switched_on(&seen.constraints().interior(&rest));
            let answer = self.memory.answer(&on);
            answer.is_some_and(|answer| sign(answer.verdict, goal) == Interest::NotInteresting)
        };
        units.iter().copied().filter(is_decisive).collect()
    }

    fn run(
        &mut self,
        plan: &mut SearchState,
        goal: MinimisationGoal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(MinimiserProgress),
    ) -> Result<(), StopReason> {
        let mut next = self.question(plan, goal);
        while let Some(probe) = next {
            let on = goal.switched_on(&probe);
            if self.memory.answer(&on).is_none() {
                let batch = self.batch(plan, &probe, goal, oracle.parallelism());
                self.ask(batch, oracle)?;
            }
            let Some(OracleAnswer { verdict, lessons }) = self.memory.answer(&on).cloned() else {
                break;
            };
            let sign = sign(verdict, goal);
            self.memory.note(&on, verdict);
            if sign == Interest::Unresolved && self.memory.heed(&on, &lessons, &mut self.units) {
                plan.learn(goal.units(&self.units));
            } else {
                plan.record_answer(&probe, sign);
            }
            next = self.question(plan, goal);
            let kept = plan.kept();
            observer(MinimiserProgress {
                kept_weight: self.units.weight(kept),
                kept_units: kept.count_ones(..),
                left: next.as_ref().map_or(0, |_| plan.remaining_tests().max(1)),
                tests: self.memory.tests,
                verdict,
            });
        }
        Ok(())
    }

    /// The next set whose answer is not presumed; none at the end.
    fn question(&self, plan: &mut SearchState, goal: MinimisationGoal) -> Option<Subset> {
        loop {
            let probe = plan.next()?;
            match self.presumed(plan, &goal.switched_on(&probe), goal) {
                Some(sign) => plan.record_answer(&probe, sign),
                None => return Some(probe),
            }
        }
    }

    fn presumed(
        &self,
        plan: &SearchState,
        on: &Subset,
        goal: MinimisationGoal,
    ) -> Option<Interest> {
        plan.is_trusting().then(|| self.memory.presumed(on, goal)).flatten()
    }

    /// Returns the next set to test and the most likely sets after it, for parallel tests.
    fn batch(
        &self,
        plan: &SearchState,
        probe: &Subset,
        goal: MinimisationGoal,
        parallelism: usize,
    ) -> Vec<Subset> {
        let mut batch = vec![goal.switched_on(probe)];
        let mut futures = futures(plan, probe, 1.0);
        for _ in 0..FORESIGHT * parallelism {
            let likeliest = (0..futures.len())
                .max_by(|one, other| futures[*one].0.total_cmp(&futures[*other].0));
            let Some(likeliest) = likeliest.filter(|_| batch.len() < parallelism) else { break };
            let (odds, mut plan, probe, sign) = futures.swap_remove(likeliest);
            plan.record_answer(&probe, sign);
            let Some(probe) = plan.next() else { continue };
            let on = goal.switched_on(&probe);
            let known = self
                .presumed(&plan, &on, goal)
                .or_else(|| self.memory.answer(&on).map(|answer| self::sign(answer.verdict, goal)));
            if let Some(sign) = known {
                futures.push((odds, plan, probe, sign));
                continue;
            }
            if !batch.contains(&on) {
                batch.push(on);
            }
            futures.extend(self::futures(&plan, &probe, odds));
        }
        batch
    }

    fn ask(&mut self, mut batch: Vec<Subset>, oracle: &dyn Oracle) -> Result<(), StopReason> {
        self.limits.interrupt.check()?;
        let max = self.limits.max_tests.unwrap_or(usize::MAX);
        batch.truncate(max.saturating_sub(self.memory.tests));
        if batch.is_empty() {
            return Err(StopReason::TestLimitReached);
        }
        let answers = oracle.judge(&batch)?;
        if answers.len() != batch.len() {
            let (asked, got) = (batch.len(), answers.len());
            return Err(StopReason::Failed(anyhow!("{got} answers on {asked} sets").into()));
        }
        for (set, answer) in batch.into_iter().zip(answers) {
            self.memory.insert(set, answer);
        }
        Ok(())
    }
}

fn sign(verdict: Verdict, goal: MinimisationGoal) -> Interest {
    match verdict {
        verdict if verdict == goal.interesting() => Interest::Interesting,
        Verdict::Pass | Verdict::Fail => Interest::NotInteresting,
        Verdict::Unresolved(_) | Verdict::Flaky => Interest::Unresolved,
    }
}

/// A plan that waits for an answer on a set, and the likelihood of that branch.
type SpeculativeBranch = (f64, SearchState, Subset, Interest);

/// Returns the possible continuations of a test.
fn futures(plan: &SearchState, probe: &Subset, odds: f64) -> Vec<SpeculativeBranch> {
    let chance = plan.odds();
    let future = |sign, chance: f64| (odds * chance, plan.clone(), probe.clone(), sign);
    vec![future(Interest::Interesting, chance), future(Interest::NotInteresting, 1.0 - chance)]
}
