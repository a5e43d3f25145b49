//! Retry policy of requests.

use http::{HeaderMap, Method, StatusCode};
use std::time::Duration;

/// Timeouts of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The first pause after a fault; each further one is twice as long.
    pub pause: Duration,
    /// Maximum number of attempts.
    pub attempts: u32,
    /// The longest wait that GitHub may ask for.
    pub longest: Duration,
    /// Timeout without data from GitHub.
    pub silence: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            pause: Duration::from_secs(1),
            attempts: 4,
            longest: Duration::from_secs(180),
            silence: Duration::from_secs(30),
        }
    }
}

/// Effect of repeating a request.
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
    /// Give up: GitHub asks for a longer delay than allowed.
    DelayTooLong(Duration),
    /// Give up: the request may have been executed.
    UnknownOutcome,
    /// Give up: the request was not executed.
    NotExecuted,
}

impl RetryPolicy {
    /// Returns the next action after the attempt with this number, from 1, at this second since 1970. GitHub does not
    /// execute a request that it rejects because of the rate limit, so any such request is repeated. After other
    /// errors, only idempotent requests are repeated.
    pub(super) fn decide(
        &self,
        effect: Idempotency,
        attempt: u32,
        reply: &AttemptResult,
        now: u64,
    ) -> RetryDecision {
        let again = self.pause * 2u32.saturating_pow(attempt - 1);
        let is_last = attempt >= self.attempts;
        match reply {
            AttemptResult::Response(status, headers, said) => {
                let silent = again.max(Duration::from_secs(60));
                if let Some(wait) = asked_wait((*status, headers, said.as_str()), now, silent) {
                    return if is_last || wait > self.longest {
                        RetryDecision::DelayTooLong(wait)
                    } else {
                        RetryDecision::RetryAfter(wait)
                    };
                }
                if !status.is_server_error() {
                    return RetryDecision::Accept;
                }
                fault(effect, is_last, again)
            }
            AttemptResult::NoResponse => fault(effect, is_last, again),
        }
    }
}

fn fault(effect: Idempotency, is_last: bool, again: Duration) -> RetryDecision {
    match (effect, is_last) {
        (Idempotency::Idempotent, false) => RetryDecision::RetryAfter(again),
        (Idempotency::Idempotent, true) => RetryDecision::NotExecuted,
        (Idempotency::NotIdempotent, _) => RetryDecision::UnknownOutcome,
    }
}

/// Returns the delay that GitHub asks for because of the rate limit, or `silent` if it names none.
fn asked_wait(
    (status, headers, said): (StatusCode, &HeaderMap, &str),
    now: u64,
    silent: Duration,
) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let is_limit = status == StatusCode::FORBIDDEN || status == StatusCode::TOO_MANY_REQUESTS;
    if !is_limit {
        return None;
    }
    if let Some(seconds) = number("retry-after") {
        return Some(Duration::from_secs(seconds));
    }
    if number("x-ratelimit-remaining") == Some(0) {
        let reset = number("x-ratelimit-reset");
        return Some(reset.map_or(silent, |at| Duration::from_secs(at.saturating_sub(now) + 1)));
    }
    // Of its secondary limits GitHub may speak in words alone.
    let is_said = said.to_ascii_lowercase().contains("rate limit");
    (status == StatusCode::TOO_MANY_REQUESTS || is_said).then_some(silent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const PATIENCE: RetryPolicy = RetryPolicy {
        pause: Duration::from_secs(1),
        attempts: 3,
        longest: Duration::from_secs(100),
        silence: Duration::from_secs(30),
    };

    fn answer(status: u16, headers: &[(&'static str, &'static str)]) -> AttemptResult {
        saying(status, headers, "no")
    }

    fn saying(status: u16, headers: &[(&'static str, &'static str)], said: &str) -> AttemptResult {
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
        PATIENCE.decide(Idempotency::from_method(method), attempt, reply, 1000)
    }

    #[test]
    fn an_answer_is_taken() {
        for status in [200, 201, 204, 401, 403, 404, 409, 422] {
            assert_eq!(
                decide(&Method::POST, 1, &answer(status, &[])),
                RetryDecision::Accept,
                "{status}"
            );
        }
    }

    #[test]
    fn a_fault_is_asked_again_with_longer_and_longer_pauses() {
        let fault = answer(502, &[]);
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
    fn a_post_that_may_have_been_done_is_never_repeated() {
        assert_eq!(decide(&Method::POST, 1, &answer(502, &[])), RetryDecision::UnknownOutcome);
        assert_eq!(
            decide(&Method::POST, 1, &AttemptResult::NoResponse),
            RetryDecision::UnknownOutcome
        );
    }

    #[test]
    fn what_was_turned_away_for_the_rate_is_made_again_when_github_says() {
        let told = answer(403, &[("retry-after", "7")]);
        assert_eq!(
            decide(&Method::POST, 1, &told),
            RetryDecision::RetryAfter(Duration::from_secs(7))
        );
        let spent = answer(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1009")]);
        assert_eq!(
            decide(&Method::GET, 1, &spent),
            RetryDecision::RetryAfter(Duration::from_secs(10))
        );
        let silent = answer(429, &[]);
        assert_eq!(
            decide(&Method::POST, 1, &silent),
            RetryDecision::RetryAfter(Duration::from_secs(60))
        );
        let said = saying(403, &[], "You have exceeded a secondary rate limit.");
        assert_eq!(
            decide(&Method::POST, 1, &said),
            RetryDecision::RetryAfter(Duration::from_secs(60))
        );
    }

    #[test]
    fn patience_ends() {
        let told = answer(403, &[("retry-after", "101")]);
        let long = RetryDecision::DelayTooLong(Duration::from_secs(101));
        assert_eq!(decide(&Method::GET, 1, &told), long);
        let short = answer(429, &[("retry-after", "1")]);
        assert_eq!(
            decide(&Method::GET, 3, &short),
            RetryDecision::DelayTooLong(Duration::from_secs(1))
        );
    }
}
