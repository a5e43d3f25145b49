//! Section about the results of schedule exploration.

use crate::github::data::GitHubReport;
use crate::github::markdown::{code_block, code_span};
use crate::github::sections::alternative_fixes::format_sentence;
use crate::github::sections::collapsed_section;
use crate::view::{FailureRow, LockUsageRow, ThreadsView};
use mend_model::format_count;

/// Maximum number of items of each kind: data races, lock-order cycles, variables and schedules.
const MAX_ITEMS: usize = 5;

/// Maximum size of a drawn schedule, in lines and characters.
const MAX_SCHEDULE_LINES: usize = 40;
const MAX_SCHEDULE_CHARS: usize = 6_000;

/// Maximum length of a command, in characters.
const MAX_COMMAND_CHARS: usize = 1_000;

/// Returns the section Threads: the schedules, and the commands that replay them.
pub(crate) fn threads_section(report: &GitHubReport) -> Option<String> {
    let threads = report.threads.as_ref()?;
    let findings =
        threads.races.iter().take(MAX_ITEMS).chain(threads.cycles.iter().take(MAX_ITEMS));
    let findings: Vec<String> = findings.map(format_sentence).collect();
    let blocks: Vec<String> = [format_pattern(threads), format_schedule(threads)]
        .into_iter()
        .flatten()
        .chain(findings)
        .chain(format_lock_usage(&threads.lock_usage))
        .chain(format_failures(&threads.failures))
        .collect();
    (!blocks.is_empty()).then(|| format!("### Threads\n\n{}", blocks.join("\n\n")))
}

fn format_pattern(threads: &ThreadsView) -> Option<String> {
    let pattern = threads.pattern.as_ref()?;
    Some(format!(
        "{}: the pattern {} occurs in {} and {}.",
        code_span(&pattern.explanation),
        code_span(&pattern.pattern),
        format_count(pattern.failing, "failing schedule"),
        format_count(pattern.passing, "passing schedule")
    ))
}

/// Returns the explained schedule, with one column for each thread.
fn format_schedule(threads: &ThreadsView) -> Option<String> {
    let diagram =
        code_block("", threads.diagram.as_deref()?, MAX_SCHEDULE_LINES, MAX_SCHEDULE_CHARS);
    let marks =
        if threads.pattern.is_some() { "\n\n`>` marks the steps of the pattern." } else { "" };
    Some(collapsed_section("A schedule, step by step", &format!("{diagram}{marks}")))
}

fn format_lock_usage(rows: &[LockUsageRow]) -> Option<String> {
    let row = |one: &LockUsageRow| {
        let lock = one.lock.as_deref().map_or("no lock".to_owned(), code_span);
        let accesses = if one.access_count == 1 { "access" } else { "accesses" };
        let held_count =
            one.lock.as_ref().map_or(String::new(), |_| format!("{} of ", one.held_count));
        format!(
            "- {}: {lock} at {held_count}{} {accesses}",
            code_span(&one.variable),
            one.access_count
        )
    };
    let hidden_count = rows.len().saturating_sub(MAX_ITEMS);
    let hidden_note = (hidden_count > 0)
        .then(|| format!("- and {}", format_count(hidden_count, "more variable")));
    let lines: Vec<String> = rows.iter().take(MAX_ITEMS).map(row).chain(hidden_note).collect();
    (!lines.is_empty()).then(|| collapsed_section("Locks that guard variables", &lines.join("\n")))
}

/// Returns recorded schedules with their seeds, and the commands that replay them.
fn format_failures(rows: &[FailureRow]) -> Option<String> {
    let shown_rows = &rows[..rows.len().min(MAX_ITEMS)];
    let row = |one: &FailureRow| {
        let comma_separated =
            |value: &str| if value.is_empty() { String::new() } else { format!(", {value}") };
        let seed = if one.seed.is_empty() { String::new() } else { format!("seed {}", one.seed) };
        let (count, seed) = (comma_separated(&one.count), comma_separated(&seed));
        format!(
            "- {}, {}{count}{seed}: {}",
            code_span(&one.file),
            code_span(&one.kind),
            code_span(&one.message)
        )
    };
    let hidden_count = rows.len() - shown_rows.len();
    let hidden_note = (hidden_count > 0)
        .then(|| format!("- and {}", format_count(hidden_count, "more schedule")));
    let lines: Vec<String> = shown_rows.iter().map(row).chain(hidden_note).collect();
    let commands = shown_rows.iter().filter_map(|one| one.replay.as_deref());
    let commands: Vec<String> =
        commands.map(|one| code_block("sh", one, 1, MAX_COMMAND_CHARS)).collect();
    let replay_intro = if commands.is_empty() {
        ""
    } else {
        "\n\nTo replay them with the files of the run folder:\n\n"
    };
    let intro = "Recorded schedules:";
    let text = format!("{intro}\n\n{}{replay_intro}{}", lines.join("\n"), commands.join("\n\n"));
    (!lines.is_empty()).then_some(text)
}
