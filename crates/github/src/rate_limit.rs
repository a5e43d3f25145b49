//! Rate limit of a credential: no request is sent before the time that GitHub named.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time until which GitHub wants no requests. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct RateLimit(Arc<Mutex<Option<Instant>>>);

impl RateLimit {
    /// Forbids requests for some time. A longer delay remains.
    pub(super) fn forbid_for(&self, delay: Duration) {
        let end = Instant::now().checked_add(delay);
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *until = (*until).max(end);
    }

    /// Returns the time until the next request is allowed.
    pub(super) fn remaining(&self) -> Duration {
        let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_longest_delay() {
        let limit = RateLimit::default();
        assert_eq!(limit.remaining(), Duration::ZERO);
        limit.clone().forbid_for(Duration::from_secs(100));
        limit.forbid_for(Duration::from_secs(10));
        assert!(limit.remaining() > Duration::from_secs(90));
    }
}
