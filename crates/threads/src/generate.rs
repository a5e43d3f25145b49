//! Applies all fix operators to the findings of a schedule search.

use super::source_file::SourceFile;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::fixes::data::{atomics, concurrent_maps, fields, null_checks, thread_unsafe_types};
use crate::fixes::locking::{
    checked_objects, deadlocks, move_into_section, synchronized, unlock_in_finally,
    wait_without_lock, wrong_locks,
};
use crate::fixes::ordering::{
    alternation, early_join, joins, latches, publication, reorder, wait_notify,
};
use crate::operator::ConcurrencyCandidate;
use mend_model::schedules::Findings;

/// Returns the candidates for the findings of a schedule search, best first.
pub fn generate_candidates(
    files: &[SourceFile<'_>],
    findings: &Findings,
) -> Vec<ConcurrencyCandidate> {
    let context = BugContext::new(files, findings);
    let mut out = CandidateCollector { context: &context, candidates: Vec::new() };
    let operators: [fn(&BugContext<'_>, &mut CandidateCollector<'_>); 20] = [
        synchronized::propose,
        checked_objects::propose,
        wrong_locks::propose,
        fields::propose,
        atomics::propose,
        concurrent_maps::propose,
        thread_unsafe_types::propose,
        joins::propose,
        early_join::propose,
        reorder::propose,
        publication::propose,
        wait_notify::propose,
        deadlocks::propose,
        deadlocks::propose_growing_pools,
        wait_without_lock::propose,
        unlock_in_finally::propose,
        latches::propose,
        move_into_section::propose,
        null_checks::propose,
        alternation::propose,
    ];
    for operator in operators {
        operator(&context, &mut out);
    }
    let mut candidates = out.candidates;
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
    candidates
}
