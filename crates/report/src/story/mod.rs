//! Texts on GitHub about the result of a run: pull requests, comments, summaries and annotations. All text that users
//! read on GitHub is in these files.
//!
//! All text from the repository or the run (test names, messages, file names, code) is untrusted until `markdown.rs`
//! has formatted it.

mod annotations;
mod answers;
mod buttons;
mod checked;
mod claimed;
mod closing;
mod culprit_commit;
mod drawn;
mod fix;
mod found;
mod headline;
mod left_out;
mod markdown;
mod model;
mod on_server;
mod outcome;
mod premerge;
mod prose;
mod repairs;
mod replacement;
mod sarif;
mod sections;
mod stages;
mod suggestion;
#[cfg(test)]
mod testing;
mod threads;
mod titles;
mod whereabouts;
mod withheld;

pub use annotations::{MOST_REMARKS, Remark, remarks, workflow_command};
pub use answers::{KnownCheck, known_of, refusal};
pub use buttons::{Button, button_text};
pub use claimed::{more_classes, more_tests, out_of_budget, passes_again};
pub use closing::{Closing, closing_comment, closing_line};
pub use culprit_commit::Blame;
pub use fix::{Mending, Part};
pub use left_out::{LeftOut, Telling};
pub use model::Story;
pub use on_server::{BareEnd, bare_end, nowhere_to_search, search_elsewhere};
pub use outcome::{Hindrance, Outcome};
pub use premerge::{let_through_summary, let_through_title};
pub use prose::{Words, comment, pull_body, summary, told_there};
pub use replacement::Replacement;
pub use sarif::sarif;
pub use stages::{Stage, stage_summary, stage_title};
pub use suggestion::{suggestion, suggestion_intro};
pub use titles::{check_title, commit_message, pull_title, title};
pub use whereabouts::Whereabouts;
pub use withheld::{Forbidden, Refusal, Withheld};
