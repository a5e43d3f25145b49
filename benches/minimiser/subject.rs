//! Synthetic changes with known culprits.

use mend_search::{Constraints, LearnedImplication, Subset, Units};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Pseudo-random numbers, reproducible for a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        self.0 = hasher.finish();
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

/// Maximum weight of a unit.
const HEAVIEST: usize = 88;

/// Parameters of a synthetic change.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) units: usize,
    pub(crate) culprits: usize,
    /// Percentage of sets that are unresolved at random.
    pub(crate) unresolved: u64,
    /// Percentage of dependencies that are initially unknown.
    pub(crate) hidden: usize,
    /// True if units have weights and belong to files, members and statements.
    pub(crate) staged: bool,
    /// True if heavier units are more likely culprits, whether or not the search knows the weights.
    pub(crate) heavy: bool,
}

/// Synthetic change.
pub(crate) struct Subject {
    pub(crate) units: Units,
    pub(crate) culprit: Subset,
    hidden: Vec<LearnedImplication>,
    kind: Kind,
    seed: u64,
}

/// Result of a query about a set.
pub(crate) enum Truth<'a> {
    Fails(bool),
    Unresolved(Option<&'a LearnedImplication>),
}

impl Subject {
    /// Most units depend on one earlier unit; a few depend on two units, or on each other.
    pub(crate) fn new(kind: Kind, seed: u64) -> Self {
        let Kind { units: len, culprits, .. } = kind;
        let mut dice = Dice(seed * 1_000_003 + u64::try_from(len + culprits).unwrap());
        let mut needs = Vec::new();
        for unit in 1..len {
            for _ in 0..[0, 0, 0, 0, 1, 1, 1, 1, 1, 2][dice.below(10)] {
                let needed = dice.below(unit);
                needs.push((unit, needed));
                if dice.below(20) == 0 {
                    needs.push((needed, unit));
                }
            }
        }
        let mut scale = Dice(seed * 1_000_033 + u64::try_from(len).unwrap());
        let weights: Vec<usize> = (0..len).map(|_| 1 + scale.below(30) * scale.below(4)).collect();
        let mut culprit = Subset::with_capacity(len);
        while culprit.count_ones(..) < culprits {
            let unit = dice.below(len);
            if !kind.heavy || dice.below(HEAVIEST) < weights[unit] {
                culprit.insert(unit);
            }
        }
        let culprit = Constraints::new(len, &needs, &[]).unwrap().closure(&culprit);
        let (hidden, known): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|_| dice.below(100) < kind.hidden);
        let lesson = |(unit, needed)| LearnedImplication { all: vec![unit], any: vec![needed] };
        let hidden = hidden.into_iter().map(lesson).collect();
        let constraints = Constraints::new(len, &known, &[]).unwrap();
        let weight = |weight: usize| if kind.staged { weight.try_into().unwrap() } else { 1 };
        let weights = weights.into_iter().map(weight).collect();
        let stage = |size: usize| (0..len).map(|unit| unit / size).collect();
        let stages = if kind.staged { vec![stage(40), stage(8), stage(3)] } else { Vec::new() };
        let units = Units::new(weights, stages, constraints).unwrap();
        Self { units, culprit, hidden, kind, seed }
    }

    pub(crate) fn truth(&self, on: &Subset) -> Truth<'_> {
        if let Some(lesson) = self.hidden.iter().find(|lesson| !lesson.is_kept_by(on)) {
            return Truth::Unresolved(Some(lesson));
        }
        let mut hasher = DefaultHasher::new();
        (self.seed, on).hash(&mut hasher);
        if hasher.finish() % 100 < self.kind.unresolved {
            return Truth::Unresolved(None);
        }
        Truth::Fails(self.culprit.is_subset(on))
    }
}
