//! Generates synthetic changes with known culprits.

use mend_search::{Constraints, LearnedImplication, Subset, Units};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Pseudo-random number generator, reproducible by a seed.
struct Dice(u64);

impl Dice {
    fn random_below(&mut self, end: usize) -> usize {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        self.0 = hasher.finish();
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

/// Maximum weight of a unit.
const MAX_WEIGHT: usize = 88;

/// Parameters of a synthetic change.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) units: usize,
    pub(crate) culprits: usize,
    /// Percentage of sets that are unresolved at random.
    pub(crate) unresolved: u64,
    /// Percentage of dependencies that are initially unknown.
    pub(crate) hidden_percent: usize,
    /// True if units have weights and belong to files, members and statements.
    pub(crate) is_staged: bool,
    /// True if heavier units are more likely culprits, whether or not the search knows the weights.
    pub(crate) has_heavy_culprits: bool,
}

/// Synthetic change.
pub(crate) struct Subject {
    pub(crate) units: Units,
    pub(crate) culprit: Subset,
    hidden_dependencies: Vec<LearnedImplication>,
    kind: Kind,
    seed: u64,
}

/// Result of a query about a set.
pub(crate) enum Truth<'a> {
    Fails(bool),
    Unresolved(Option<&'a LearnedImplication>),
}

impl Subject {
    /// Creates a change in which most units depend on one earlier unit, and a few depend on two units or on each other.
    pub(crate) fn new(kind: Kind, seed: u64) -> Self {
        let Kind { units: len, culprits, .. } = kind;
        let mut random = Dice(seed * 1_000_003 + u64::try_from(len + culprits).unwrap());
        let mut needs = Vec::new();
        for unit in 1..len {
            for _ in 0..[0, 0, 0, 0, 1, 1, 1, 1, 1, 2][random.random_below(10)] {
                let needed = random.random_below(unit);
                needs.push((unit, needed));
                if random.random_below(20) == 0 {
                    needs.push((needed, unit));
                }
            }
        }
        let mut weight_random = Dice(seed * 1_000_033 + u64::try_from(len).unwrap());
        let weights: Vec<usize> = (0..len)
            .map(|_| 1 + weight_random.random_below(30) * weight_random.random_below(4))
            .collect();
        let mut culprit = Subset::with_capacity(len);
        while culprit.count_ones(..) < culprits {
            let unit = random.random_below(len);
            if !kind.has_heavy_culprits || random.random_below(MAX_WEIGHT) < weights[unit] {
                culprit.insert(unit);
            }
        }
        let culprit = Constraints::new(len, &needs, &[]).unwrap().closure(&culprit);
        let (hidden, known): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|_| random.random_below(100) < kind.hidden_percent);
        let lesson = |(unit, needed)| LearnedImplication {
            premises: vec![unit],
            alternatives: vec![needed],
        };
        let hidden = hidden.into_iter().map(lesson).collect();
        let constraints = Constraints::new(len, &known, &[]).unwrap();
        let weight = |weight: usize| if kind.is_staged { weight.try_into().unwrap() } else { 1 };
        let weights = weights.into_iter().map(weight).collect();
        let stage = |size: usize| (0..len).map(|unit| unit / size).collect();
        let stages = if kind.is_staged { vec![stage(40), stage(8), stage(3)] } else { Vec::new() };
        let units = Units::new(weights, stages, constraints).unwrap();
        Self { units, culprit, hidden_dependencies: hidden, kind, seed }
    }

    pub(crate) fn judge(&self, active: &Subset) -> Truth<'_> {
        if let Some(lesson) =
            self.hidden_dependencies.iter().find(|lesson| !lesson.is_satisfied_by(active))
        {
            return Truth::Unresolved(Some(lesson));
        }
        let mut hasher = DefaultHasher::new();
        (self.seed, active).hash(&mut hasher);
        if hasher.finish() % 100 < self.kind.unresolved {
            return Truth::Unresolved(None);
        }
        Truth::Fails(self.culprit.is_subset(active))
    }
}
