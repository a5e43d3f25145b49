//! Reduction to a subset if almost all answers are unresolved: a small self-contained part compiles more often than a
//! large incomplete one.

use crate::minimiser::search_input::{Interest, SearchInput};
use crate::subset::Subset;

/// Maximum number of chunks. If none of them suffices, several parts matter.
const FINEST: usize = 64;

/// Neighbouring groups of a stage.
type Chunk = Vec<Vec<usize>>;

/// State of the reduction to a subset: tests each chunk alone, and splits the chunks if none suffices (ddmin; Zeller
/// and Hildebrandt 2002, section 3).
#[derive(Clone, Debug)]
pub(crate) struct ReduceToSubset {
    chunks: Vec<Chunk>,
    at: usize,
}

impl ReduceToSubset {
    /// Begins with the groups of the coarsest stage.
    pub(crate) fn new(ground: &SearchInput, kept: &Subset) -> Self {
        Self { chunks: halves(vec![ground.parts(0, kept)]), at: 0 }
    }

    /// The next set to ask about; none if cutting finer does not help.
    pub(crate) fn next(&mut self, ground: &SearchInput, kept: &Subset) -> Option<Subset> {
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

    /// Returns the number of remaining chunks of this size.
    pub(crate) fn remaining_chunks(&self) -> usize {
        self.chunks.len().saturating_sub(self.at)
    }

    /// Records the answer on the last set, which is the current one if it was interesting.
    pub(crate) fn record_answer(&mut self, sign: Interest, ground: &SearchInput, kept: &Subset) {
        match sign {
            Interest::Interesting => *self = Self::new(ground, kept),
            Interest::NotInteresting | Interest::Unresolved => self.at += 1,
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
