//! Reasons why the exchange with a generator ends.

use mend_model::format_duration;
use mend_process::ProcessEnd;
use std::fmt;
use std::time::Duration;

/// Reason why no further patches of a generator are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GeneratorFault {
    /// It ended before it answered.
    Ended(ProcessEnd),
    /// It closed its output, but runs on.
    OutputClosed,
    /// It did not answer in time.
    TimedOut(Duration),
    /// The budget of the search is exhausted.
    BudgetUsedUp,
    /// Its answer is longer than this number of bytes.
    AnswerTooLong(usize),
    /// Its answer does not follow the schema, for this reason.
    InvalidAnswer(String),
    /// It offered this number of patches, which is the limit.
    PatchLimitReached(usize),
}

impl fmt::Display for GeneratorFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(ProcessEnd::Exited(code)) => {
                write!(f, "it exited with code {code} instead of an answer")
            }
            Self::Ended(ProcessEnd::Signalled(signal)) => {
                write!(f, "signal {signal} ended it before it answered")
            }
            Self::Ended(ProcessEnd::TimedOut) => f.write_str("it was stopped before it answered"),
            Self::OutputClosed => f.write_str("it closed its standard output without an answer"),
            Self::TimedOut(limit) => {
                write!(
                    f,
                    "it did not answer within {} (--generator-timeout)",
                    format_duration(*limit)
                )
            }
            Self::BudgetUsedUp => f.write_str("the time of --budget was used up"),
            Self::AnswerTooLong(limit) => {
                write!(f, "its answer is longer than {} MiB", limit >> 20)
            }
            Self::InvalidAnswer(reason) => {
                write!(f, "its answer is not a line of git-mend/generator/1: {reason}")
            }
            Self::PatchLimitReached(limit) => {
                write!(f, "at most {limit} are tested (--generator-candidates)")
            }
        }
    }
}
