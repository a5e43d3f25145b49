//! Results of thread schedules.

use crate::github::data::GitHubReport;
use crate::github::markdown::{block, code};
use crate::github::sections::alternative_fixes::sentence;
use crate::github::sections::folded;
use crate::view::{FailureRow, LockUsageRow, ThreadsView};
use mend_model::counted;

/// Maximum number of data races, lock-order cycles, variables and schedules each.
const MOST: usize = 5;

/// Maximum size of a drawn schedule, in lines and characters.
const MOST_LINES: usize = 40;
const MOST_CHARS: usize = 6_000;

/// Maximum length of a command, in characters.
const MOST_COMMAND: usize = 1_000;

/// Returns the section Threads: the schedules, and the commands that replay them.
pub(crate) fn threads(story: &GitHubReport) -> Option<String> {
    let threads = story.threads.as_ref()?;
    let objections = threads.races.iter().take(MOST).chain(threads.cycles.iter().take(MOST));
    let objections: Vec<String> = objections.map(sentence).collect();
    let parts: Vec<String> = [pattern_text(threads), picture(threads)]
        .into_iter()
        .flatten()
        .chain(objections)
        .chain(policy(&threads.policy))
        .chain(failures(&threads.failures))
        .collect();
    (!parts.is_empty()).then(|| format!("### Threads\n\n{}", parts.join("\n\n")))
}

fn pattern_text(threads: &ThreadsView) -> Option<String> {
    let why = threads.why.as_ref()?;
    Some(format!(
        "{}: the pattern {} occurs in {} and {}.",
        code(&why.sentence),
        code(&why.pattern),
        counted(why.failing, "failing schedule"),
        counted(why.passing, "passing schedule")
    ))
}

/// Returns the explained schedule, with one column for each thread.
fn picture(threads: &ThreadsView) -> Option<String> {
    let drawn = block("", threads.text.as_deref()?, MOST_LINES, MOST_CHARS);
    let marks = if threads.why.is_some() { "\n\n`>` marks the steps of the pattern." } else { "" };
    Some(folded("A schedule, step by step", &format!("{drawn}{marks}")))
}

fn policy(rows: &[LockUsageRow]) -> Option<String> {
    let row = |one: &LockUsageRow| {
        let lock = one.lock.as_deref().map_or("no lock".to_owned(), code);
        let accesses = if one.accesses == 1 { "access" } else { "accesses" };
        let held = one.lock.as_ref().map_or(String::new(), |_| format!("{} of ", one.held));
        format!("- {}: {lock} at {held}{} {accesses}", code(&one.variable), one.accesses)
    };
    let left = rows.len().saturating_sub(MOST);
    let more = (left > 0).then(|| format!("- and {}", counted(left, "more variable")));
    let lines: Vec<String> = rows.iter().take(MOST).map(row).chain(more).collect();
    (!lines.is_empty()).then(|| folded("Locks that guard variables", &lines.join("\n")))
}

/// Returns recorded schedules with their seeds, and the commands that replay them.
fn failures(rows: &[FailureRow]) -> Option<String> {
    let shown = &rows[..rows.len().min(MOST)];
    let row = |one: &FailureRow| {
        let told = |what: &str| if what.is_empty() { String::new() } else { format!(", {what}") };
        let seed = if one.seed.is_empty() { String::new() } else { format!("seed {}", one.seed) };
        let (count, seed) = (told(&one.count), told(&seed));
        format!("- {}, {}{count}{seed}: {}", code(&one.file), code(&one.kind), code(&one.message))
    };
    let left = rows.len() - shown.len();
    let more = (left > 0).then(|| format!("- and {}", counted(left, "more schedule")));
    let lines: Vec<String> = shown.iter().map(row).chain(more).collect();
    let commands = shown.iter().filter_map(|one| one.replay.as_deref());
    let commands: Vec<String> = commands.map(|one| block("sh", one, 1, MOST_COMMAND)).collect();
    let again = if commands.is_empty() {
        ""
    } else {
        "\n\nTo replay them with the files of the run folder:\n\n"
    };
    let intro = "Recorded schedules:";
    let text = format!("{intro}\n\n{}{again}{}", lines.join("\n"), commands.join("\n\n"));
    (!lines.is_empty()).then_some(text)
}
