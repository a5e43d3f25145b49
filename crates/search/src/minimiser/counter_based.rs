//! Counter-based delta debugging: each round removes every part once, in groups whose size depends
//! on the number of failed attempts so far.

use crate::minimiser::search_input::{Interest, SearchInput};
use crate::subset::Subset;

/// Factor of the probability after a failed attempt: 1 / (1 - 1/e).
const GROWTH: f64 = 1.581_976_7;

/// State of counter-based delta debugging.
#[derive(Clone, Debug)]
pub(crate) struct CounterBasedDd {
    stage: usize,
    parts: Vec<Vec<usize>>,
    /// Probability that a part is needed: initial and current.
    first: InitialProbability,
    chance: f64,
    /// Number of parts that are removed at once.
    size: usize,
    at: usize,
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
    fn for_parts(self, parts: usize) -> f64 {
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
    /// Begins with the parts of a stage.
    pub(crate) fn new(
        ground: &SearchInput,
        kept: &Subset,
        stage: usize,
        first: InitialProbability,
    ) -> Self {
        let parts = ground.parts(stage, kept);
        let chance = first.for_parts(parts.len());
        let size = best_size(chance, parts.len());
        Self { stage, parts, first, chance, size, at: 0 }
    }

    /// The next set to ask about; none if no part alone can be left out.
    pub(crate) fn next(&mut self, ground: &SearchInput, kept: &Subset) -> Option<Subset> {
        loop {
            while self.at < self.parts.len() {
                let mut rest = kept.clone();
                self.chunk().iter().flatten().for_each(|unit| rest.remove(*unit));
                let rest = ground.units.constraints().interior(&rest);
                if rest != *kept && !rest.is_clear() {
                    return Some(rest);
                }
                self.at += self.size;
            }
            self.at = 0;
            if self.size > 1 {
                self.chance *= GROWTH;
                self.size = best_size(self.chance, self.parts.len()).min(self.size - 1);
            } else if self.stage + 1 < ground.stages() {
                *self = Self::new(ground, kept, self.stage + 1, self.first);
            } else {
                return None;
            }
        }
    }

    /// Returns the probability that the next set is interesting.
    pub(crate) fn odds(&self) -> f64 {
        let size = i32::try_from(self.size).unwrap_or(i32::MAX);
        (1.0 - self.chance.min(0.9)).powi(size)
    }

    /// Estimates the remaining tests: this round, and the last round that removes single parts.
    pub(crate) fn remaining_tests(&self) -> usize {
        let parts = self.parts.len();
        let last = if self.size > 1 { parts } else { 0 };
        parts.saturating_sub(self.at).div_ceil(self.size.max(1)) + last
    }

    /// Records the answer on the last set, which is the current one if it was interesting.
    pub(crate) fn record_answer(&mut self, sign: Interest, kept: &Subset) {
        if sign != Interest::Interesting {
            self.at += self.size;
            return;
        }
        let is_left = |part: &Vec<usize>| part.iter().any(|unit| kept[*unit]);
        self.at = self.parts[..self.at].iter().filter(|part| is_left(part)).count();
        self.parts.retain(is_left);
    }

    fn chunk(&self) -> &[Vec<usize>] {
        &self.parts[self.at..(self.at + self.size).min(self.parts.len())]
    }
}

/// Returns the number of parts whose removal gains most, if each is needed with this probability.
fn best_size(chance: f64, parts: usize) -> usize {
    let log = (1.0 - chance.min(0.99)).ln();
    // The gain is size * (1 - chance)^size.
    let grows = |size: f64| log + ((size + 1.0) / size).ln() > 0.0;
    let mut size = 1_u32;
    while usize::try_from(size).is_ok_and(|size| size < parts) && grows(f64::from(size)) {
        size += 1;
    }
    usize::try_from(size).unwrap_or(parts)
}
