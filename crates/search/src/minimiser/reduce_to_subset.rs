//! Reduction to a subset, if almost all answers are unresolved: a small self-contained part compiles more often than a
//! large incomplete one.

use crate::minimiser::search_input::{Interest, SearchInput};
use crate::subset::Subset;

/// Maximum number of chunks. If none of them is interesting, several parts matter.
const MAX_CHUNKS: usize = 64;

/// Neighbouring groups of a stage.
type Chunk = Vec<Vec<usize>>;

/// State of the reduction to a subset: tests each chunk alone, and splits the chunks if none suffices (ddmin; Zeller
/// and Hildebrandt 2002, section 3).
#[derive(Clone, Debug)]
pub(crate) struct ReduceToSubset {
    chunks: Vec<Chunk>,
    next_chunk: usize,
}

impl ReduceToSubset {
    /// Starts with the groups of the coarsest stage.
    pub(crate) fn new(input: &SearchInput, current: &Subset) -> Self {
        Self { chunks: halve_chunks(vec![input.stage_groups(0, current)]), next_chunk: 0 }
    }

    /// Returns the next set to test; `None` if smaller chunks do not help.
    pub(crate) fn next_subset(&mut self, input: &SearchInput, current: &Subset) -> Option<Subset> {
        loop {
            while let Some(chunk) = self.chunks.get(self.next_chunk) {
                let mut chunk_units = Subset::with_capacity(current.len());
                chunk_units.extend(chunk.iter().flatten().copied());
                let chunk_units = input.units.constraints().closure_within(&chunk_units, current);
                if chunk_units != *current {
                    return Some(chunk_units);
                }
                self.next_chunk += 1;
            }
            let finer = halve_chunks(std::mem::take(&mut self.chunks));
            if finer.len() == self.next_chunk || finer.len() > MAX_CHUNKS {
                return None;
            }
            (self.chunks, self.next_chunk) = (finer, 0);
        }
    }

    /// Returns the number of remaining chunks of this size.
    pub(crate) fn remaining_chunks(&self) -> usize {
        self.chunks.len().saturating_sub(self.next_chunk)
    }

    /// Records the answer for the last set, which is the current one if it was interesting.
    pub(crate) fn record_answer(
        &mut self,
        interest: Interest,
        input: &SearchInput,
        current: &Subset,
    ) {
        match interest {
            Interest::Interesting => *self = Self::new(input, current),
            Interest::NotInteresting | Interest::Unresolved => self.next_chunk += 1,
        }
    }
}

/// Splits each chunk in two, unless it is one group.
fn halve_chunks(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut halves = Vec::new();
    for mut chunk in chunks {
        let second = chunk.split_off(chunk.len().div_ceil(2));
        halves.extend([chunk, second].into_iter().filter(|half| !half.is_empty()));
    }
    halves
}
