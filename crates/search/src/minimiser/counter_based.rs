//! Counter-based delta debugging: each round removes every part once, in groups whose size depends on the number of
//! failed attempts so far.

use crate::minimiser::search_input::{Interest, SearchInput};
use crate::subset::Subset;

/// Factor of the probability after a failed attempt: 1 / (1 - 1/e).
const PROBABILITY_GROWTH: f64 = 1.581_976_7;

/// State of counter-based delta debugging.
#[derive(Clone, Debug)]
pub(crate) struct CounterBasedDd {
    stage: usize,
    parts: Vec<Vec<usize>>,
    /// Probability that a part is needed: initial and current value.
    initial_probability: InitialProbability,
    probability: f64,
    /// Number of parts that are removed at once.
    group_size: usize,
    next_part: usize,
}

/// Initial probability that a part is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InitialProbability {
    /// Equal probability for each part.
    PerPart(f64),
    /// Expected number of needed parts.
    ExpectedNeeded(f64),
}

impl InitialProbability {
    fn probability_per_part(self, parts: usize) -> f64 {
        match self {
            Self::PerPart(chance) => chance,
            Self::ExpectedNeeded(needed) => {
                let parts = u32::try_from(parts.max(1)).map_or(f64::MAX, f64::from);
                (needed / parts).min(0.5)
            }
        }
    }
}

impl CounterBasedDd {
    /// Starts with the parts of a stage.
    pub(crate) fn new(
        input: &SearchInput,
        current: &Subset,
        stage: usize,
        initial_probability: InitialProbability,
    ) -> Self {
        let parts = input.stage_groups(stage, current);
        let probability = initial_probability.probability_per_part(parts.len());
        let group_size = best_group_size(probability, parts.len());
        Self { stage, parts, initial_probability, probability, group_size, next_part: 0 }
    }

    /// Returns the next set to test; `None` if no single part can be removed.
    pub(crate) fn next_subset(&mut self, input: &SearchInput, current: &Subset) -> Option<Subset> {
        loop {
            while self.next_part < self.parts.len() {
                let mut remaining = current.clone();
                self.current_group().iter().flatten().for_each(|unit| remaining.remove(*unit));
                let remaining = input.units.constraints().largest_closed_subset(&remaining);
                if remaining != *current && !remaining.is_clear() {
                    return Some(remaining);
                }
                self.next_part += self.group_size;
            }
            self.next_part = 0;
            if self.group_size > 1 {
                self.probability *= PROBABILITY_GROWTH;
                self.group_size =
                    best_group_size(self.probability, self.parts.len()).min(self.group_size - 1);
            } else if self.stage + 1 < input.stage_count() {
                *self = Self::new(input, current, self.stage + 1, self.initial_probability);
            } else {
                return None;
            }
        }
    }

    /// Returns the probability that the next set is interesting.
    pub(crate) fn success_probability(&self) -> f64 {
        let size = i32::try_from(self.group_size).unwrap_or(i32::MAX);
        (1.0 - self.probability.min(0.9)).powi(size)
    }

    /// Estimates the remaining tests: this round, and the last round that removes single parts.
    pub(crate) fn remaining_tests(&self) -> usize {
        let parts = self.parts.len();
        let last_round_tests = if self.group_size > 1 { parts } else { 0 };
        parts.saturating_sub(self.next_part).div_ceil(self.group_size.max(1)) + last_round_tests
    }

    /// Records the answer for the last set, which is the current one if it was interesting.
    pub(crate) fn record_answer(&mut self, interest: Interest, current: &Subset) {
        if interest != Interest::Interesting {
            self.next_part += self.group_size;
            return;
        }
        let has_current_unit = |part: &Vec<usize>| part.iter().any(|unit| current[*unit]);
        self.next_part =
            self.parts[..self.next_part].iter().filter(|part| has_current_unit(part)).count();
        self.parts.retain(has_current_unit);
    }

    fn current_group(&self) -> &[Vec<usize>] {
        &self.parts[self.next_part..(self.next_part + self.group_size).min(self.parts.len())]
    }
}

/// Returns the number of parts whose removal has the maximum expected gain, if each is needed with this probability.
fn best_group_size(probability: f64, parts: usize) -> usize {
    let log = (1.0 - probability.min(0.99)).ln();
    // The expected gain is size * (1 - probability)^size.
    let grows = |size: f64| log + ((size + 1.0) / size).ln() > 0.0;
    let mut size = 1_u32;
    while usize::try_from(size).is_ok_and(|size| size < parts) && grows(f64::from(size)) {
        size += 1;
    }
    usize::try_from(size).unwrap_or(parts)
}
