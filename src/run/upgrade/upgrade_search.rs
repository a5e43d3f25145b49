//! Search for minimal sets of upgrades that break the tests.

use super::build_variants::BuildVariants;
use crate::run::judge::parallel::run_parallel;
use mend_model::{Interrupt, Problem, Result, Verdict, format_count};
use mend_search::{
    Constraints, MinimisationGoal, MinimisedSet, Minimiser, MinimiserProgress, Oracle,
    OracleAnswer, SearchLimits, Subset, Units,
};
use std::sync::Mutex;

/// Finds the minimal sets of changes that break the tests, each without the others. The numbers are those of
/// the changes.
pub(super) fn find_culprits(
    variants: &BuildVariants<'_>,
    interrupt: &Interrupt,
    jobs: usize,
) -> Result<Vec<Vec<usize>>> {
    let len = variants.trees.changes.len();
    let units = Units::new(vec![1; len], Vec::new(), Constraints::new(len, &[], &[])?)?;
    let limits = SearchLimits { interrupt: interrupt.clone(), max_tests: None };
    let mut minimiser = Minimiser::new(units, limits);
    let oracle = UpgradeOracle { variants, jobs, progress: Mutex::default() };
    let mut observe = |progress: MinimiserProgress| oracle.note(progress);
    let mut found = Some(minimiser.minimise(MinimisationGoal::Culprit, &oracle, &mut observe)?);
    let mut culprits = Vec::new();
    while let Some(MinimisedSet { subset, is_interrupted, .. }) = found {
        if is_interrupted {
            return Err(Problem::Interrupted);
        }
        culprits.push(subset.ones().collect());
        found = minimiser.find_next_culprit(&oracle, &mut observe)?;
    }
    Ok(culprits)
}

/// A minimal set of changes that breaks the tests, by their numbers.
pub(super) struct UpgradeCulprit {
    /// The whole set.
    pub(super) changes: Vec<usize>,
    /// Changes without which the others of the set do not work at all. They do not break the tests.
    pub(super) needed: Vec<usize>,
}

impl UpgradeCulprit {
    /// Finds the needed changes of a minimal set: without one of them, the tests neither pass nor fail with the symptom.
    pub(super) fn new(variants: &BuildVariants<'_>, changes: Vec<usize>) -> Result<Self> {
        let mut needed = Vec::new();
        for change in changes.iter().filter(|_| changes.len() > 1) {
            let is_upgraded = |one| one != *change && changes.contains(&one);
            let parts = variants.trees.select_parts(is_upgraded);
            let name = &variants.trees.changes[*change].name;
            let verdict = variants.judge(&parts, &format!("without {name}"), None)?;
            if matches!(verdict, Verdict::Unresolved(_)) {
                needed.push(*change);
            }
        }
        if needed.len() == changes.len() {
            needed.clear();
        }
        Ok(Self { changes, needed })
    }

    /// Returns the changes that break the tests.
    pub(super) fn members(&self) -> impl Iterator<Item = usize> {
        self.changes.iter().copied().filter(|change| !self.needed.contains(change))
    }
}

/// Oracle that tests sets of upgrades on the parts of good.
struct UpgradeOracle<'a> {
    variants: &'a BuildVariants<'a>,
    jobs: usize,
    progress: Mutex<Option<MinimiserProgress>>,
}

impl UpgradeOracle<'_> {
    fn note(&self, progress: MinimiserProgress) {
        if let Ok(mut last) = self.progress.lock() {
            *last = Some(progress);
        }
    }
}

impl Oracle for UpgradeOracle<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        let remaining = self.progress.lock().ok().and_then(|last| *last);
        let remaining = remaining.map(|progress| progress.remaining_tests.max(1));
        let answer = |at: usize| {
            let upgraded = &sets[at];
            let description = format!("with {}", format_count(upgraded.count_ones(..), "upgrade"));
            let parts = self.variants.trees.select_parts(|change| upgraded.contains(change));
            self.variants.judge(&parts, &description, remaining).map(OracleAnswer::from)
        };
        run_parallel(self.jobs, sets.len(), answer).into_iter().collect()
    }

    fn parallelism(&self) -> usize {
        self.jobs
    }
}
