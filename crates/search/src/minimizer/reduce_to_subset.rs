//! Keeping one part alone, where nearly nothing is clear: a small part that is whole by itself builds where
//! nearly every large one lacks something.

use crate::minimizer::search_input::{Ground, Sign};
use crate::subset::Subset;

/// Into more chunks than this nothing is cut: where none of them is enough alone, several parts matter.
const FINEST: usize = 64;

/// Neighbouring groups of a stage.
type Chunk = Vec<Vec<usize>>;

/// Where the dividing has got to: each chunk is asked about alone, and if none is enough they are cut finer, as
/// ddmin reduces to a subset (Zeller and Hildebrandt 2002, section 3).
#[derive(Clone, Debug)]
pub(crate) struct Divide {
    chunks: Vec<Chunk>,
    at: usize,
}

impl Divide {
    /// Begins with the groups of the coarsest stage.
    pub(crate) fn new(ground: &Ground, kept: &Subset) -> Self {
        Self { chunks: halves(vec![ground.parts(0, kept)]), at: 0 }
    }

    /// The next set to ask about; none if cutting finer does not help.
    pub(crate) fn next(&mut self, ground: &Ground, kept: &Subset) -> Option<Subset> {
        loop {
            while let Some(chunk) = self.chunks.get(self.at) {
                let mut alone = Subset::with_capacity(kept.len());
                alone.extend(chunk.iter().flatten().copied());
                let alone = ground.units.constraints().closure_within(&alone, kept);
                if alone != *kept {
                    return Some(alone);
                }
                self.at += 1;
            }
            let finer = halves(std::mem::take(&mut self.chunks));
            if finer.len() == self.at || finer.len() > FINEST {
                return None;
            }
            (self.chunks, self.at) = (finer, 0);
        }
    }

    /// How many chunks of this size are left.
    pub(crate) fn left(&self) -> usize {
        self.chunks.len().saturating_sub(self.at)
    }

    /// Takes the answer on the set asked about last, which is kept if it was interesting.
    pub(crate) fn tell(&mut self, sign: Sign, ground: &Ground, kept: &Subset) {
        match sign {
            Sign::Interesting => *self = Self::new(ground, kept),
            Sign::Opposite | Sign::Unclear => self.at += 1,
        }
    }
}

/// Each chunk in two, unless it is one group.
fn halves(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut halves = Vec::new();
    for mut chunk in chunks {
        let second = chunk.split_off(chunk.len().div_ceil(2));
        halves.extend([chunk, second].into_iter().filter(|half| !half.is_empty()));
    }
    halves
}
