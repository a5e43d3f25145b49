//! Text about the revert check.

use crate::run_folder::result::RevertResult;

/// Describes the result of reverting a commit on top of the failing version, which the text calls `bad`.
pub(crate) fn describe_revert(revert: RevertResult, bad: &str) -> String {
    match revert {
        RevertResult { passes: true, .. } => format!("reverting it on {bad} makes the test pass"),
        RevertResult { applies: true, .. } => format!(
            "reverting it on {bad} does not make the test pass: later commits break it too, or need this one"
        ),
        RevertResult { applies: false, .. } => {
            format!("it cannot be reverted on {bad}: later commits changed the same lines")
        }
    }
}
