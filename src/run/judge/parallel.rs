//! Doing several things at once.

use mend_model::{Problem, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Does something with each of `count` numbers, `jobs` at a time, the smallest first. After an error nothing more
/// is begun.
pub(crate) fn each<T: Send>(
    jobs: usize,
    count: usize,
    action: impl Fn(usize) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Vec<Mutex<Option<Result<T>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let work = || {
        while !is_over.load(Ordering::SeqCst) {
            let at = next.fetch_add(1, Ordering::SeqCst);
            let Some(slot) = done.get(at) else { break };
            let result = action(at);
            is_over.fetch_or(result.is_err(), Ordering::SeqCst);
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(count) {
            scope.spawn(work);
        }
        work();
    });
    let none = || Err(Problem::Internal(anyhow::anyhow!("a trial gave no result")));
    let taken = |slot: Mutex<Option<Result<T>>>| slot.into_inner().ok().flatten();
    done.into_iter().map(|slot| taken(slot).unwrap_or_else(none)).collect()
}
