//! Injected faults.

use super::answer::Answer;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Fault of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not done, and this status is the answer.
    Instead(u16),
    /// It is done, and this status is the answer all the same.
    After(u16),
    /// 403, with the seconds after which to come again.
    RetryAfter(u64),
    /// 403, as no request is left until this second since 1970.
    Spent { until: u64 },
    /// It is done, late.
    Slow(Duration),
    /// The connection ends before it is done.
    Closed,
    /// The connection ends when it is done.
    ClosedAfter,
    /// The token is none any more: 401 from now on.
    TokenEnds,
}

/// A fault that waits for its request.
#[derive(Debug)]
pub(super) struct PendingFault {
    /// GitHub's name of the operation; `viewer`, `graphql` and `git` for what the description does not
    /// have.
    operation: String,
    /// Number of requests of the operation that succeed first.
    skip: usize,
    fault: Fault,
}

/// Point at which a request is blocked, so that its client can be killed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It is not done.
    Before,
    /// It is done, and not answered.
    After,
}

/// Request that is blocked after a number of other requests.
pub(super) struct BlockedRequest {
    /// One of this operation, or any.
    operation: Option<String>,
    skip: usize,
    pub(super) at: Hold,
    /// Tells the test that it is there.
    pub(super) is_there: Sender<()>,
    /// Ends when the test lets it go.
    pub(super) let_go: Receiver<()>,
}

/// Handle of a blocked request. Dropping it releases the request.
pub(crate) struct BlockedRequestHandle {
    is_there: Receiver<()>,
    _let_go: Sender<()>,
}

impl BlockedRequestHandle {
    /// Returns true if the request has arrived.
    pub(crate) fn is_there(&self) -> bool {
        self.is_there.try_recv().is_ok()
    }
}

/// Action of another user.
pub(super) type Deed = Box<dyn FnOnce() + Send>;

/// All that is to go wrong, and what others do just before a request of an operation.
#[derive(Default)]
pub(super) struct Faults {
    scripted: Vec<PendingFault>,
    meanwhile: Vec<(String, Deed)>,
    held: Option<BlockedRequest>,
}

impl Faults {
    pub(super) fn add(&mut self, operation: &str, skip: usize, fault: Fault) {
        self.scripted.push(PendingFault { operation: operation.to_owned(), skip, fault });
    }

    pub(super) fn add_deed(&mut self, operation: &str, deed: Deed) {
        self.meanwhile.push((operation.to_owned(), deed));
    }

    /// Blocks the request after a number of others, of one operation or of all.
    pub(super) fn hold(
        &mut self,
        operation: Option<&str>,
        skip: usize,
        at: Hold,
    ) -> BlockedRequestHandle {
        let operation = operation.map(str::to_owned);
        let ((there, is_there), (letting, let_go)) = (channel(), channel());
        self.held = Some(BlockedRequest { operation, skip, at, is_there: there, let_go });
        BlockedRequestHandle { is_there, _let_go: letting }
    }

    /// Returns true if the current request is the one to block.
    pub(super) fn next_held(&mut self, operation: &str) -> Option<BlockedRequest> {
        let held = self.held.as_mut()?;
        if held.operation.as_ref().is_some_and(|meant| meant != operation) {
            return None;
        }
        if held.skip == 0 {
            return self.held.take();
        }
        held.skip -= 1;
        None
    }

    /// Returns the action before the current request of this operation.
    pub(super) fn next_deed(&mut self, operation: &str) -> Option<Deed> {
        let at = self.meanwhile.iter().position(|(one, _)| one == operation)?;
        Some(self.meanwhile.remove(at).1)
    }

    /// Returns the fault of the current request of this operation. Faults of one operation occur in sequence, each
    /// after the requests that it lets pass.
    pub(super) fn next(&mut self, operation: &str) -> Option<Fault> {
        let at = self.scripted.iter().position(|one| one.operation == operation)?;
        let first = &mut self.scripted[at];
        if first.skip > 0 {
            first.skip -= 1;
            return None;
        }
        Some(self.scripted.remove(at).fault)
    }

    /// Returns the faults that did not occur.
    pub(super) fn unused(&self) -> Vec<String> {
        let told = |one: &PendingFault| format!("nothing met {:?} at {}", one.fault, one.operation);
        let deeds = self.meanwhile.iter();
        let deeds = deeds.map(|(operation, _)| format!("nobody asked for {operation}"));
        self.scripted.iter().map(told).chain(deeds).collect()
    }
}

impl Fault {
    /// The answer in place of the real one, if it is not to be done.
    pub(super) fn instead(&self) -> Option<Answer> {
        let limited = |said: &str| Answer::refused(403, said);
        match self {
            Self::Instead(status) => Some(broken(*status)),
            Self::RetryAfter(seconds) => Some(
                limited("You have exceeded a secondary rate limit.")
                    .with_header("retry-after", &seconds.to_string()),
            ),
            Self::Spent { until } => Some(
                limited("API rate limit exceeded")
                    .with_header("x-ratelimit-remaining", "0")
                    .with_header("x-ratelimit-reset", &until.to_string()),
            ),
            Self::TokenEnds => Some(Answer::refused(401, "Bad credentials")),
            Self::After(_) | Self::Slow(_) | Self::Closed | Self::ClosedAfter => None,
        }
    }

    /// The answer in place of the real one, although it was done.
    pub(super) fn afterwards(&self) -> Option<Answer> {
        match self {
            Self::After(status) => Some(broken(*status)),
            _ => None,
        }
    }
}

/// Faults of servers come from what stands before GitHub, and are pages.
fn broken(status: u16) -> Answer {
    match status {
        500.. => Answer {
            status,
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            body: b"<html><body>Unicorn!</body></html>".to_vec(),
        },
        401 => Answer::refused(401, "Bad credentials"),
        _ => Answer::refused(status, "Told to fail"),
    }
}
