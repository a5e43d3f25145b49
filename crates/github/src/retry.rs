//! Retry policy of requests.

use http::{HeaderMap, Method, StatusCode};
use std::time::Duration;

/// Retries and timeouts of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Delay before the first retry; it doubles for each further one.
    pub initial_delay: Duration,
    /// Maximum number of attempts.
    pub max_attempts: u32,
    /// Maximum delay that GitHub may request.
    pub max_delay: Duration,
    /// Timeout for receiving data.
    pub io_timeout: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            initial_delay: Duration::from_secs(1),
            max_attempts: 4,
            max_delay: Duration::from_secs(180),
            io_timeout: Duration::from_secs(30),
        }
    }
}

/// Idempotency of a request, which decides about its repetition after an unknown outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idempotency {
    /// Idempotent.
    Idempotent,
    /// Not idempotent.
    NotIdempotent,
}

impl Idempotency {
    /// Returns the default for a method: a PUT, PATCH or DELETE is idempotent, a POST is not.
    pub(super) fn from_method(method: &Method) -> Self {
        if *method == Method::POST { Self::NotIdempotent } else { Self::Idempotent }
    }
}

/// Result of an attempt.
#[derive(Clone, Debug)]
pub(super) enum AttemptResult {
    /// A response, with GitHub's message if it is an error.
    Response(StatusCode, HeaderMap, String),
    /// No response. The request may have arrived.
    NoResponse,
}

/// Next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryDecision {
    /// Use the response.
    Accept,
    /// Retry after this delay.
    RetryAfter(Duration),
    /// Retry after this delay, which GitHub asks for. It holds for all requests of the credential.
    RetryWhenAllowed(Duration),
    /// Give up: GitHub asks for a longer delay than allowed.
    DelayTooLong(Duration),
    /// Give up: the request may have been executed.
    UnknownOutcome,
    /// Give up: the request was not executed.
    NotExecuted,
}

impl RetryPolicy {
    /// Returns the next action after the attempt with this number, from 1. `now` is the time in seconds since 1970.
    /// GitHub does not execute a request that it rejects because of the rate limit, so any such request is repeated.
    /// After other errors, only idempotent requests are repeated.
    pub(super) fn decide(
        &self,
        idempotency: Idempotency,
        attempt: u32,
        result: &AttemptResult,
        now: u64,
    ) -> RetryDecision {
        let backoff = self.initial_delay * 2u32.saturating_pow(attempt - 1);
        let is_last = attempt >= self.max_attempts;
        match result {
            AttemptResult::Response(status, headers, said) => {
                let default_delay = backoff.max(Duration::from_secs(60));
                if let Some(wait) =
                    requested_delay((*status, headers, said.as_str()), now, default_delay)
                {
                    return if is_last || wait > self.max_delay {
                        RetryDecision::DelayTooLong(wait)
                    } else {
                        RetryDecision::RetryWhenAllowed(wait)
                    };
                }
                if !status.is_server_error() {
                    return RetryDecision::Accept;
                }
                decide_after_fault(idempotency, is_last, backoff)
            }
            AttemptResult::NoResponse => decide_after_fault(idempotency, is_last, backoff),
        }
    }
}

fn decide_after_fault(effect: Idempotency, is_last: bool, backoff: Duration) -> RetryDecision {
    match (effect, is_last) {
        (Idempotency::Idempotent, false) => RetryDecision::RetryAfter(backoff),
        (Idempotency::Idempotent, true) => RetryDecision::NotExecuted,
        (Idempotency::NotIdempotent, _) => RetryDecision::UnknownOutcome,
    }
}

/// Returns the delay that GitHub requests because of the rate limit, or `default_delay` if it names none.
fn requested_delay(
    (status, headers, said): (StatusCode, &HeaderMap, &str),
    now: u64,
    default_delay: Duration,
) -> Option<Duration> {
    let number_header = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let can_be_rate_limit =
        status == StatusCode::FORBIDDEN || status == StatusCode::TOO_MANY_REQUESTS;
    if !can_be_rate_limit {
        return None;
    }
    if let Some(seconds) = number_header("retry-after") {
        return Some(Duration::from_secs(seconds));
    }
    if number_header("x-ratelimit-remaining") == Some(0) {
        let reset = number_header("x-ratelimit-reset");
        return Some(
            reset.map_or(default_delay, |at| Duration::from_secs(at.saturating_sub(now) + 1)),
        );
    }
    // GitHub may report secondary rate limits only in the message.
    let mentions_rate_limit = said.to_ascii_lowercase().contains("rate limit");
    (status == StatusCode::TOO_MANY_REQUESTS || mentions_rate_limit).then_some(default_delay)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const POLICY: RetryPolicy = RetryPolicy {
        initial_delay: Duration::from_secs(1),
        max_attempts: 3,
        max_delay: Duration::from_secs(100),
        io_timeout: Duration::from_secs(30),
    };

    fn response(status: u16, headers: &[(&'static str, &'static str)]) -> AttemptResult {
        response_with_message(status, headers, "no")
    }

    fn response_with_message(
        status: u16,
        headers: &[(&'static str, &'static str)],
        said: &str,
    ) -> AttemptResult {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
        AttemptResult::Response(
            StatusCode::from_u16(status).unwrap(),
            headers.collect(),
            said.to_owned(),
        )
    }

    fn decide(method: &Method, attempt: u32, reply: &AttemptResult) -> RetryDecision {
        POLICY.decide(Idempotency::from_method(method), attempt, reply, 1000)
    }

    #[test]
    fn response_is_accepted() {
        for status in [200, 201, 204, 401, 403, 404, 409, 422] {
            assert_eq!(
                decide(&Method::POST, 1, &response(status, &[])),
                RetryDecision::Accept,
                "{status}"
            );
        }
    }

    #[test]
    fn server_error_is_retried_with_backoff() {
        let fault = response(502, &[]);
        assert_eq!(
            decide(&Method::GET, 1, &fault),
            RetryDecision::RetryAfter(Duration::from_secs(1))
        );
        assert_eq!(
            decide(&Method::PATCH, 2, &fault),
            RetryDecision::RetryAfter(Duration::from_secs(2))
        );
        assert_eq!(decide(&Method::GET, 3, &fault), RetryDecision::NotExecuted);
    }

    #[test]
    fn post_with_unknown_outcome_is_not_retried() {
        assert_eq!(decide(&Method::POST, 1, &response(502, &[])), RetryDecision::UnknownOutcome);
        assert_eq!(
            decide(&Method::POST, 1, &AttemptResult::NoResponse),
            RetryDecision::UnknownOutcome
        );
    }

    #[test]
    fn rate_limited_request_waits_as_requested() {
        let retry_after = response(403, &[("retry-after", "7")]);
        assert_eq!(
            decide(&Method::POST, 1, &retry_after),
            RetryDecision::RetryWhenAllowed(Duration::from_secs(7))
        );
        let exhausted =
            response(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1009")]);
        assert_eq!(
            decide(&Method::GET, 1, &exhausted),
            RetryDecision::RetryWhenAllowed(Duration::from_secs(10))
        );
        let without_delay = response(429, &[]);
        assert_eq!(
            decide(&Method::POST, 1, &without_delay),
            RetryDecision::RetryWhenAllowed(Duration::from_secs(60))
        );
        let secondary_limit =
            response_with_message(403, &[], "You have exceeded a secondary rate limit.");
        assert_eq!(
            decide(&Method::POST, 1, &secondary_limit),
            RetryDecision::RetryWhenAllowed(Duration::from_secs(60))
        );
    }

    #[test]
    fn too_long_delay_and_last_attempt_give_up() {
        let retry_after = response(403, &[("retry-after", "101")]);
        let long = RetryDecision::DelayTooLong(Duration::from_secs(101));
        assert_eq!(decide(&Method::GET, 1, &retry_after), long);
        let short = response(429, &[("retry-after", "1")]);
        assert_eq!(
            decide(&Method::GET, 3, &short),
            RetryDecision::DelayTooLong(Duration::from_secs(1))
        );
    }
}
