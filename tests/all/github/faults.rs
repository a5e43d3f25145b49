//! Injects faults into requests, and blocks requests.

use super::answer::Answer;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Fault of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Not executed. The response has this status.
    Instead(u16),
    /// Executed, but the response has this status.
    After(u16),
    /// Rejected with 403 and the seconds until a retry.
    RetryAfter(u64),
    /// Rejected with 403, because the rate limit is exceeded until this Unix time.
    Spent { until: u64 },
    /// Executed after a delay.
    Slow(Duration),
    /// Connection closed before the execution.
    Closed,
    /// Connection closed after the execution.
    ClosedAfter,
    /// Token invalidated: rejected with 401 from now on.
    TokenEnds,
}

/// Fault that waits for its request.
#[derive(Debug)]
pub(super) struct PendingFault {
    /// GitHub's name of the operation, or `viewer`, `graphql` or `git`, which the API description does not contain.
    operation: String,
    /// Number of requests of the operation that succeed first.
    skip: usize,
    fault: Fault,
}

/// Point at which a request is blocked, so that its client can be killed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Before the execution.
    Before,
    /// After the execution, before the response.
    After,
}

/// Request that is blocked after a number of other requests.
pub(super) struct BlockedRequest {
    /// Operation of the request, or `None` for any.
    operation: Option<String>,
    skip: usize,
    pub(super) hold: Hold,
    /// Notifies the test that the request has arrived.
    pub(super) arrived: Sender<()>,
    /// Disconnected when the test releases the request.
    pub(super) release: Receiver<()>,
}

/// Handle of a blocked request. Dropping it releases the request.
pub(crate) struct BlockedRequestHandle {
    arrived: Receiver<()>,
    _release: Sender<()>,
}

impl BlockedRequestHandle {
    /// Returns true if the request has arrived.
    pub(crate) fn has_arrived(&self) -> bool {
        self.arrived.try_recv().is_ok()
    }
}

/// Action of another user.
pub(super) type Action = Box<dyn FnOnce() + Send>;

/// Pending faults, and actions of other users before requests.
#[derive(Default)]
pub(super) struct Faults {
    pending: Vec<PendingFault>,
    actions: Vec<(String, Action)>,
    blocked: Option<BlockedRequest>,
}

impl Faults {
    pub(super) fn add(&mut self, operation: &str, skip: usize, fault: Fault) {
        self.pending.push(PendingFault { operation: operation.to_owned(), skip, fault });
    }

    pub(super) fn add_action(&mut self, operation: &str, action: Action) {
        self.actions.push((operation.to_owned(), action));
    }

    /// Blocks a request after a number of other requests, of one operation or of all.
    pub(super) fn block(
        &mut self,
        operation: Option<&str>,
        skip: usize,
        at: Hold,
    ) -> BlockedRequestHandle {
        let operation = operation.map(str::to_owned);
        let ((arrived_sender, arrived), (release_sender, release)) = (channel(), channel());
        self.blocked =
            Some(BlockedRequest { operation, skip, hold: at, arrived: arrived_sender, release });
        BlockedRequestHandle { arrived, _release: release_sender }
    }

    /// Returns the block of the current request, if it is the one to block.
    pub(super) fn take_blocked(&mut self, operation: &str) -> Option<BlockedRequest> {
        let blocked = self.blocked.as_mut()?;
        if blocked
            .operation
            .as_ref()
            .is_some_and(|blocked_operation| blocked_operation != operation)
        {
            return None;
        }
        if blocked.skip == 0 {
            return self.blocked.take();
        }
        blocked.skip -= 1;
        None
    }

    /// Returns the action before the current request of this operation.
    pub(super) fn take_action(&mut self, operation: &str) -> Option<Action> {
        let index = self.actions.iter().position(|(one, _)| one == operation)?;
        Some(self.actions.remove(index).1)
    }

    /// Returns the fault of the current request of this operation. Faults of one operation occur in sequence, each
    /// after the requests that it lets pass.
    pub(super) fn take_fault(&mut self, operation: &str) -> Option<Fault> {
        let index = self.pending.iter().position(|one| one.operation == operation)?;
        let first = &mut self.pending[index];
        if first.skip > 0 {
            first.skip -= 1;
            return None;
        }
        Some(self.pending.remove(index).fault)
    }

    /// Returns the faults that did not occur.
    pub(super) fn unused(&self) -> Vec<String> {
        let describe =
            |one: &PendingFault| format!("nothing met {:?} at {}", one.fault, one.operation);
        let pending_actions = self.actions.iter();
        let pending_actions =
            pending_actions.map(|(operation, _)| format!("nobody asked for {operation}"));
        self.pending.iter().map(describe).chain(pending_actions).collect()
    }
}

impl Fault {
    /// Returns the response of a fault that prevents the execution.
    pub(super) fn answer_before(&self) -> Option<Answer> {
        let rate_limited = |said: &str| Answer::error(403, said);
        match self {
            Self::Instead(status) => Some(error_answer(*status)),
            Self::RetryAfter(seconds) => Some(
                rate_limited("You have exceeded a secondary rate limit.")
                    .with_header("retry-after", &seconds.to_string()),
            ),
            Self::Spent { until } => Some(
                rate_limited("API rate limit exceeded")
                    .with_header("x-ratelimit-remaining", "0")
                    .with_header("x-ratelimit-reset", &until.to_string()),
            ),
            Self::TokenEnds => Some(Answer::error(401, "Bad credentials")),
            Self::After(_) | Self::Slow(_) | Self::Closed | Self::ClosedAfter => None,
        }
    }

    /// Returns the response of a fault after the execution.
    pub(super) fn answer_after(&self) -> Option<Answer> {
        match self {
            Self::After(status) => Some(error_answer(*status)),
            _ => None,
        }
    }
}

/// Returns the error response with a status. Server errors are HTML pages of GitHub's load balancer.
fn error_answer(status: u16) -> Answer {
    match status {
        500.. => Answer {
            status,
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            body: b"<html><body>Unicorn!</body></html>".to_vec(),
        },
        401 => Answer::error(401, "Bad credentials"),
        _ => Answer::error(status, "Told to fail"),
    }
}
