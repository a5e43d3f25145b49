//! Runs an indexed action in parallel.

use mend_model::{Problem, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Runs an action for each index below `count` on `jobs` threads, in ascending order. After an error, starts no further
/// action.
pub(crate) fn run_parallel<T: Send>(
    jobs: usize,
    count: usize,
    action: impl Fn(usize) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Vec<Mutex<Option<Result<T>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let work = || {
        while !has_failed.load(Ordering::SeqCst) {
            let index = next.fetch_add(1, Ordering::SeqCst);
            let Some(place) = results.get(index) else { break };
            let result = action(index);
            has_failed.fetch_or(result.is_err(), Ordering::SeqCst);
            if let Ok(mut place) = place.lock() {
                *place = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(count) {
            scope.spawn(work);
        }
        work();
    });
    let missing_result = || Err(Problem::Internal(anyhow::anyhow!("a trial gave no result")));
    let take_result = |place: Mutex<Option<Result<T>>>| place.into_inner().ok().flatten();
    results.into_iter().map(|place| take_result(place).unwrap_or_else(missing_result)).collect()
}
