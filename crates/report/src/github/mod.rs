//! Texts on GitHub about the result of a run: pull requests, comments, summaries and annotations. All text that users
//! read on GitHub is in these files.
//!
//! All text from the repository or the run (test names, messages, file names, code) is untrusted until `markdown.rs`
//! has formatted it.

mod annotations;
mod data;
mod markdown;
mod sarif;
mod sections;
#[cfg(test)]
mod testing;
mod texts;

pub use crate::github::data::GitHubReport;
pub use crate::github::data::culprit_commit::CulpritCommit;
pub use crate::github::data::fix::{FixSummary, SizedPatch};
pub use crate::github::data::no_pull_reason::{FixRefusal, ForbiddenPath, NoPullReason};
pub use crate::github::data::outcome::{FailureReason, SearchOutcome};
pub use crate::github::data::progress_summary::ProgressSummary;
pub use crate::github::data::replacement::Replacement;
pub use crate::github::data::skipped_output::{OutputKind, SkippedOutput};
pub use crate::github::texts::buttons::{Button, button_text};
pub use crate::github::texts::closing::{ClosingReason, closing_comment, closing_line};
pub use crate::github::texts::command_replies::{KnownCheck, known_of, refusal};
pub use crate::github::texts::local_search::{
    RunFailure, bare_end, nowhere_to_search, search_elsewhere,
};
pub use crate::github::texts::merge_group::{let_through_summary, let_through_title};
pub use crate::github::texts::search_claims::{
    more_classes, more_tests, out_of_budget, passes_again,
};
pub use crate::github::texts::search_stage::{SearchStage, stage_summary, stage_title};
pub use crate::github::texts::suggestion::{suggestion, suggestion_intro};
pub use crate::github::texts::titles::{check_title, commit_message, pull_title, title};
pub use crate::github::texts::{TextContext, comment, pull_body, summary, told_there};
pub use annotations::{FailureAnnotation, MOST_REMARKS, remarks, workflow_command};
pub use sarif::sarif;
