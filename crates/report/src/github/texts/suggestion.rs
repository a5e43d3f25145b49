//! Suggested changes on the lines of a pull request.

use crate::github::data::GitHubReport;
use crate::github::data::replacement::Replacement;
use crate::github::markdown::code;
use crate::github::sections::headline::headline;
use crate::github::texts::forgeable;

/// Returns the text above suggested changes. It begins with `marker`, which identifies it later.
pub fn suggestion_intro(story: &GitHubReport, marker: &str) -> String {
    format!("{marker}\n{}\n\n{}", headline(story), forgeable())
}

/// Returns the text of one suggested change.
pub fn suggestion(story: &GitHubReport, replacement: &Replacement) -> String {
    let reason = match story.mending.as_ref().and_then(|one| one.rationale()) {
        Some(why) => format!("Fixes {}: {}", code(story.subject()), code(why)),
        None => format!("Fixes {}.", code(story.subject())),
    };
    let text = replacement.text.strip_suffix('\n').unwrap_or(&replacement.text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{reason}\n\n{fence}suggestion\n{text}\n{fence}")
}
