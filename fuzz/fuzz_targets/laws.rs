//! Computes the delta of two versions of a file with arbitrary bytes and checks the laws of the delta.
//!
//! The input is a random seed (8 bytes), the number of random edits that turn the old version into the new one
//! (1 byte; 0: none), and the old version. If there is a zero byte, the new version follows it.

#![no_main]

#[path = "../../crates/delta/src/properties/check.rs"]
mod check;
#[path = "../../crates/delta/src/properties/mutate.rs"]
mod mutate;

use check::{delta_between, check_properties};
use mend_delta::{HunkDependency, Delta, HunkId, JavaGranularity, DependencyRule};
use mend_java::{Grammar, NodeId, ParsedSource};
use mend_model::{FileChange, FileState, RepoPath, TreeId};
use libfuzzer_sys::fuzz_target;
use mutate::mutate_often;

fuzz_target!(|input: &[u8]| {
    let Some((seed, rest)) = input.split_first_chunk::<8>() else { return };
    let Some((times, text)) = rest.split_first() else { return };
    let seed = u64::from_le_bytes(*seed);
    let (old, new) = match text.iter().position(|byte| *byte == 0) {
        Some(zero) => (&text[..zero], text[zero + 1..].to_vec()),
        None => (text, mutate_often(text, seed, u64::from(times % 16))),
    };
    let delta = delta_between(Some(old), Some(&new));
    if let Err(broken) = check_properties(Some(old), Some(&new), &delta, seed) {
        let text = String::from_utf8_lossy(&broken.variant);
        panic!("{broken}\n{text}\n--- new\n{}", String::from_utf8_lossy(&new));
    }
});
