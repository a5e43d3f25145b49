//! Counter-based delta debugging: each round removes every part once, in groups whose size depends
//! on the number of failed attempts so far.

use crate::minimizer::search_input::{Ground, Sign};
use crate::subset::Subset;

/// By how much an attempt that failed makes a part more suspect: 1 / (1 - 1/e).
const GROWTH: f64 = 1.581_976_7;

/// Where the counting has got to.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    stage: usize,
    parts: Vec<Vec<usize>>,
    /// How likely a part is to be needed, before the first attempt and now.
    first: Suspicion,
    chance: f64,
    /// How many parts are left out at once.
    size: usize,
    at: usize,
}

/// How suspect a part is before the first attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Suspicion {
    /// By this chance.
    Chance(f64),
    /// By the expected number of needed parts.
    Parts(f64),
}

impl Suspicion {
    fn of(self, parts: usize) -> f64 {
        match self {
            Self::Chance(chance) => chance,
            Self::Parts(needed) => {
                let parts = u32::try_from(parts.max(1)).map_or(f64::MAX, f64::from);
                (needed / parts).min(0.5)
            }
        }
    }
}

impl Count {
    /// Begins with the parts of a stage.
    pub(crate) fn new(ground: &Ground, kept: &Subset, stage: usize, first: Suspicion) -> Self {
        let parts = ground.parts(stage, kept);
        let chance = first.of(parts.len());
        let size = best_size(chance, parts.len());
        Self { stage, parts, first, chance, size, at: 0 }
    }

    /// The next set to ask about; none if no part alone can be left out.
    pub(crate) fn next(&mut self, ground: &Ground, kept: &Subset) -> Option<Subset> {
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

    /// How likely the next set is to be interesting.
    pub(crate) fn odds(&self) -> f64 {
        let size = i32::try_from(self.size).unwrap_or(i32::MAX);
        (1.0 - self.chance.min(0.9)).powi(size)
    }

    /// About how many sets are still to be asked about: in this round, and in the last one, where each part is alone.
    pub(crate) fn left(&self) -> usize {
        let parts = self.parts.len();
        let last = if self.size > 1 { parts } else { 0 };
        parts.saturating_sub(self.at).div_ceil(self.size.max(1)) + last
    }

    /// Takes the answer on the set asked about last, which is kept if it was interesting.
    pub(crate) fn tell(&mut self, sign: Sign, kept: &Subset) {
        if sign != Sign::Interesting {
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

/// How many parts to leave out at once to gain most, if each is needed with a chance.
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
