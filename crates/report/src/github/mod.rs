//! Texts on GitHub about the result of a run: pull requests, comments, summaries and annotations. All text that users
//! read on GitHub is in these files, the longer texts in `templates`.
//!
//! All text from the repository or the run (test names, messages, file names, code) is untrusted. The
//! templates format every value as code that no filter marks as safe (`markdown.rs`).

mod annotations;
mod data;
mod filters;
mod markdown;
mod path_mask;
mod sarif;
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
pub use crate::github::path_mask::PathMask;
pub use crate::github::texts::buttons::{Button, button_text};
pub use crate::github::texts::closing::{ClosingReason, CommitLink, closing_comment, closing_line};
pub use crate::github::texts::command_replies::{KnownCheck, explain_reply, permission_reply};
pub use crate::github::texts::local_search::{
    RunFailure, describe_run_failure, missing_dependency_remedy, no_search_reason,
};
pub use crate::github::texts::merge_group::{passing_check_summary, passing_check_title};
pub use crate::github::texts::outdated::{OutdatedReason, outdated_comment, outdated_line};
pub use crate::github::texts::search_claims::{
    missing_generator_note, passes_again_reason, refused_generator_note, skipped_classes_note,
    skipped_tests_note, time_limit_note,
};
pub use crate::github::texts::search_stage::{SearchStage, stage_summary, stage_title};
pub use crate::github::texts::setup::{
    app_next_steps, printed_setup_steps, setup_pull_body, setup_pull_title, written_setup_steps,
};
pub use crate::github::texts::suggestion::{format_suggestion, format_suggestion_intro};
pub use crate::github::texts::titles::{
    format_check_title, format_commit_message, format_pull_title, one_line_title,
};
pub use crate::github::texts::{
    TextContext, format_comment, format_pull_body, format_summary, same_result_comment,
};
pub use annotations::{
    FailureAnnotation, MAX_ANNOTATIONS, fix_annotations, format_workflow_command,
};
pub use sarif::to_sarif;
