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

pub use crate::github::data::Story;
pub use crate::github::data::culprit_commit::Blame;
pub use crate::github::data::fix::{Mending, Part};
pub use crate::github::data::no_pull_reason::{Forbidden, Refusal, Withheld};
pub use crate::github::data::outcome::{Hindrance, Outcome};
pub use crate::github::data::progress_summary::Whereabouts;
pub use crate::github::data::replacement::Replacement;
pub use crate::github::data::skipped_output::{LeftOut, Telling};
pub use crate::github::texts::buttons::{Button, button_text};
pub use crate::github::texts::closing::{Closing, closing_comment, closing_line};
pub use crate::github::texts::command_replies::{KnownCheck, known_of, refusal};
pub use crate::github::texts::local_search::{
    BareEnd, bare_end, nowhere_to_search, search_elsewhere,
};
pub use crate::github::texts::merge_group::{let_through_summary, let_through_title};
pub use crate::github::texts::search_claims::{
    more_classes, more_tests, out_of_budget, passes_again,
};
pub use crate::github::texts::search_stage::{Stage, stage_summary, stage_title};
pub use crate::github::texts::suggestion::{suggestion, suggestion_intro};
pub use crate::github::texts::titles::{check_title, commit_message, pull_title, title};
pub use crate::github::texts::{Words, comment, pull_body, summary, told_there};
pub use annotations::{MOST_REMARKS, Remark, remarks, workflow_command};
pub use sarif::sarif;
