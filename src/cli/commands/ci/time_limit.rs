//! Ends a run at a time limit.

use crate::run::Context;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Runs an action until it ends or the time limit is reached, which interrupts it. Returns true in the latter case.
pub(super) fn run_within<T>(
    time_limit: Option<Duration>,
    context: &Context,
    action: impl FnOnce() -> T,
) -> (T, bool) {
    let Some(time_limit) = time_limit else { return (action(), false) };
    let (done_sender, done_receiver) = channel::<()>();
    std::thread::scope(|scope| {
        let timer = scope.spawn(move || wait(&done_receiver, time_limit, context));
        let result = action();
        drop(done_sender);
        (result, timer.join().unwrap_or(false))
    })
}

/// Waits until the work ends or the time limit is reached. In the latter case, requests the work to stop and returns
/// true.
fn wait(done_receiver: &Receiver<()>, time_limit: Duration, context: &Context) -> bool {
    let is_timed_out = done_receiver.recv_timeout(time_limit) == Err(RecvTimeoutError::Timeout);
    if is_timed_out {
        context.interrupt.request();
    }
    is_timed_out
}
