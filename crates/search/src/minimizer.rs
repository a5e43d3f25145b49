//! The smallest part of a change that still has the verdict looked for.

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

use super::oracle::{Answer, Halt, Limits, Oracle, Step};
use super::subset::{Subset, full};
use super::units::{Goal, Units};
use crate::minimizer::outcome_table::Memory;
use crate::minimizer::search_input::Sign;
use crate::minimizer::search_state::{Method, Plan};
use anyhow::anyhow;
use mend_model::{Problem, Result, Verdict};

/// How many steps ahead are thought through for each set that can be asked about at once.
const FORESIGHT: usize = 8;

/// Maximum number of parts of the culprits that are tried as a fix one by one.
const GUESSES: usize = 4;

/// What a minimisation found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimal {
    /// The smallest set that was found: for a culprit units to switch on, for a fix units to switch off.
    /// It can stand alone.
    pub subset: Subset,
    /// How many sets were judged for it.
    pub tests: usize,
    /// Whether no single unit, together with what needs it, can be left out of `subset`.
    pub minimal: bool,
    /// How many of the judged sets neither passed nor failed.
    pub unresolved: usize,
    /// Whether the search was stopped by the wish to stop.
    pub interrupted: bool,
    /// One unit of each part of `subset` that nothing else in it needs, the heaviest first.
    pub heads: Vec<usize>,
    /// Those of `heads` without each of which the verdict was seen to be the contrary. Where there are
    /// several, they matter only together.
    pub together: Vec<usize>,
    /// Whether no set that failed lies in one that passed, of all that were asked about so far.
    pub monotone: bool,
}

/// Searches in one change, all of which share what they learn.
pub struct Minimiser {
    units: Units,
    method: Method,
    limits: Limits,
    memory: Memory,
    suspects: Vec<Subset>,
    /// The culprits so far.
    culprits: Vec<Minimal>,
}

impl Minimiser {
    /// Takes a change of which nothing passes and everything fails; neither is asked about.
    pub fn new(units: Units, limits: Limits) -> Self {
        let memory = Memory::new(units.len());
        Self {
            units,
            method: Method::default(),
            limits,
            memory,
            suspects: Vec::new(),
            culprits: Vec::new(),
        }
    }

    /// The same, looking in another way.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// The same, with sets of units that are likely to hold what is looked for, the best first. Each costs
    /// a test, and spares many where it does hold it.
    #[must_use]
    pub fn suspecting(self, suspects: Vec<Subset>) -> Self {
        Self { suspects, ..self }
    }

    /// The units, with what was learnt about them.
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
        goal: Goal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(Step),
    ) -> Result<Minimal> {
        let units = goal.units(&self.units);
        let suspects =
            self.suspects.iter().map(|suspects| units.constraints().closure(suspects)).collect();
        let mut plan = Plan::new(units, full(self.units.len()), self.method);
        if goal == Goal::Fix && !self.culprits.is_empty() {
            let guesses = self.guesses();
            if let Some(all) = guesses.last() {
                plan = plan.lightest_first(all);
            }
            plan = plan.guessing(guesses);
        } else if self.method == Method::Reduction {
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
        observer: &mut dyn FnMut(Step),
    ) -> Result<Option<Minimal>> {
        let rest = self.without_culprits();
        if self.memory.answer(&rest).is_none() {
            match self.ask(vec![rest.clone()], oracle) {
                Err(Halt::Broken(problem)) => return Err(problem),
                Err(Halt::Interrupted) => return Err(Problem::Interrupted),
                Err(Halt::Exhausted) => return Ok(None),
                Ok(()) => {}
            }
        }
        let verdict = self.memory.answer(&rest).map(|answer| answer.verdict);
        if verdict != Some(Verdict::Fail) {
            return Ok(None);
        }
        self.memory.note(&rest, Verdict::Fail);
        let plan = Plan::new(self.units.clone(), rest, self.method);
        self.follow(plan, Goal::Culprit, oracle, observer).map(Some)
    }

    /// All units but those parts of each culprit known so far that nothing else in it needs, and what needs
    /// them.
    pub fn without_culprits(&self) -> Subset {
        let mut rest = full(self.units.len());
        let heads = self.culprits.iter().flat_map(|culprit| &culprit.heads);
        heads.for_each(|unit| rest.remove(*unit));
        self.units.constraints().interior(&rest)
    }

    /// What is likely to be a fix: what a culprit does not fail without, and all culprits.
    fn guesses(&self) -> Vec<Subset> {
        let off = Goal::Fix.units(&self.units);
        let mut all = Subset::with_capacity(self.units.len());
        let mut guesses = Vec::new();
        for Minimal { subset: culprit, .. } in &self.culprits {
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
        mut plan: Plan,
        goal: Goal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(Step),
    ) -> Result<Minimal> {
        let before = (self.memory.tests, self.memory.unresolved);
        let (minimal, interrupted) = match self.run(&mut plan, goal, oracle, observer) {
            Ok(()) => (true, false),
            Err(Halt::Exhausted) => (false, false),
            Err(Halt::Interrupted) => (false, true),
            Err(Halt::Broken(problem)) => return Err(problem),
        };
        let heads = plan.heads();
        let found = Minimal {
            subset: plan.kept().clone(),
            tests: self.memory.tests - before.0,
            minimal,
            unresolved: self.memory.unresolved - before.1,
            interrupted,
            together: self.decisive(goal, plan.kept(), &heads),
            heads,
            monotone: self.memory.is_monotone(),
        };
        if goal == Goal::Culprit {
            self.culprits.push(found.clone());
        }
        Ok(found)
    }

    /// The units without which, and without what needs them, `kept` has the contrary verdict.
    fn decisive(&self, goal: Goal, kept: &Subset, units: &[usize]) -> Vec<usize> {
        let seen = goal.units(&self.units);
        let is_decisive = |unit: &usize| {
            let mut rest = kept.clone();
            rest.remove(*unit);
            let on = goal.switched_on(&seen.constraints().interior(&rest));
            let answer = self.memory.answer(&on);
            answer.is_some_and(|answer| sign(answer.verdict, goal) == Sign::Opposite)
        };
        units.iter().copied().filter(is_decisive).collect()
    }

    fn run(
        &mut self,
        plan: &mut Plan,
        goal: Goal,
        oracle: &dyn Oracle,
        observer: &mut dyn FnMut(Step),
    ) -> Result<(), Halt> {
        let mut next = self.question(plan, goal);
        while let Some(probe) = next {
            let on = goal.switched_on(&probe);
            if self.memory.answer(&on).is_none() {
                let batch = self.batch(plan, &probe, goal, oracle.parallelism());
                self.ask(batch, oracle)?;
            }
            let Some(Answer { verdict, lessons }) = self.memory.answer(&on).cloned() else { break };
            let sign = sign(verdict, goal);
            self.memory.note(&on, verdict);
            if sign == Sign::Unclear && self.memory.heed(&on, &lessons, &mut self.units) {
                plan.learn(goal.units(&self.units));
            } else {
                plan.tell(&probe, sign);
            }
            next = self.question(plan, goal);
            let kept = plan.kept();
            observer(Step {
                kept_weight: self.units.weight(kept),
                kept_units: kept.count_ones(..),
                left: next.as_ref().map_or(0, |_| plan.left().max(1)),
                tests: self.memory.tests,
                verdict,
            });
        }
        Ok(())
    }

    /// The next set whose answer is not presumed; none at the end.
    fn question(&self, plan: &mut Plan, goal: Goal) -> Option<Subset> {
        loop {
            let probe = plan.next()?;
            match self.presumed(plan, &goal.switched_on(&probe), goal) {
                Some(sign) => plan.tell(&probe, sign),
                None => return Some(probe),
            }
        }
    }

    fn presumed(&self, plan: &Plan, on: &Subset, goal: Goal) -> Option<Sign> {
        plan.is_trusting().then(|| self.memory.presumed(on, goal)).flatten()
    }

    /// The set asked about next and those that are likely to be asked about soon, whatever the answers.
    fn batch(&self, plan: &Plan, probe: &Subset, goal: Goal, parallelism: usize) -> Vec<Subset> {
        let mut batch = vec![goal.switched_on(probe)];
        let mut futures = futures(plan, probe, 1.0);
        for _ in 0..FORESIGHT * parallelism {
            let likeliest = (0..futures.len())
                .max_by(|one, other| futures[*one].0.total_cmp(&futures[*other].0));
            let Some(likeliest) = likeliest.filter(|_| batch.len() < parallelism) else { break };
            let (odds, mut plan, probe, sign) = futures.swap_remove(likeliest);
            plan.tell(&probe, sign);
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

    fn ask(&mut self, mut batch: Vec<Subset>, oracle: &dyn Oracle) -> Result<(), Halt> {
        self.limits.interrupt.check()?;
        let max = self.limits.max_tests.unwrap_or(usize::MAX);
        batch.truncate(max.saturating_sub(self.memory.tests));
        if batch.is_empty() {
            return Err(Halt::Exhausted);
        }
        let answers = oracle.judge(&batch)?;
        if answers.len() != batch.len() {
            let (asked, got) = (batch.len(), answers.len());
            return Err(Halt::Broken(anyhow!("{got} answers on {asked} sets").into()));
        }
        for (set, answer) in batch.into_iter().zip(answers) {
            self.memory.insert(set, answer);
        }
        Ok(())
    }
}

fn sign(verdict: Verdict, goal: Goal) -> Sign {
    match verdict {
        verdict if verdict == goal.interesting() => Sign::Interesting,
        Verdict::Pass | Verdict::Fail => Sign::Opposite,
        Verdict::Unresolved(_) | Verdict::Flaky => Sign::Unclear,
    }
}

/// A plan that waits for an answer on a set, and the likelihood of that branch.
type Future = (f64, Plan, Subset, Sign);

/// What may come of a set that is asked about.
fn futures(plan: &Plan, probe: &Subset, odds: f64) -> Vec<Future> {
    let chance = plan.odds();
    let future = |sign, chance: f64| (odds * chance, plan.clone(), probe.clone(), sign);
    vec![future(Sign::Interesting, chance), future(Sign::Opposite, 1.0 - chance)]
}
