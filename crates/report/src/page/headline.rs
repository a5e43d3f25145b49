//! Headline of a page: the result of a run in one sentence.

use crate::{FixResult, RunResult, RunStatus};
use mend_model::format_count;

/// Returns the headline of a page.
pub(super) fn run_headline(result: &RunResult) -> String {
    match result.status {
        RunStatus::Error => return "The run ended with an error.".to_owned(),
        RunStatus::Flaky => return "The test is flaky.".to_owned(),
        RunStatus::Interrupted => return interrupted_headline(result),
        RunStatus::Found | RunStatus::None => {}
    }
    match result.command.as_str() {
        "explore" => exploration_headline(result),
        "validate" => pool_headline(result),
        "fix" => fix_headline(result),
        _ => bisection_headline(result),
    }
}

fn interrupted_headline(result: &RunResult) -> String {
    let has_results = result.culprit.is_some() || result.fix.is_some() || !result.fixes.is_empty();
    let results_note = if has_results { "; this page shows the results so far" } else { "" };
    format!("The run was interrupted{results_note}.")
}

fn bisection_headline(result: &RunResult) -> String {
    let origin = match (&result.culprit_commit, result.suspects.len()) {
        (Some(id), _) => format!(" of commit {}", id.get(..10).unwrap_or(id)),
        (None, 0) => String::new(),
        (None, many) => format!(" in {}", format_count(many, "commit")),
    };
    let tokens = |count: usize| format_count(count, "token");
    match (&result.culprit, &result.fix) {
        (Some(culprit), fix) => {
            let verb = if culprit.tokens == 1 { "breaks" } else { "break" };
            let fix = fix.as_ref();
            let fix =
                fix.map_or(String::new(), |fix| format!("; the fix has {}", tokens(fix.tokens)));
            format!("{}{origin} {verb} the test{fix}.", tokens(culprit.tokens))
        }
        (None, Some(fix)) => format!("A fix of {} makes the test pass.", tokens(fix.tokens)),
        (None, None) if result.culprit_commit.is_some() => {
            format!("The culprit is{}.", origin.trim_start_matches(" of"))
        }
        (None, None) if result.delta.is_some() => "Good passes and bad fails.".to_owned(),
        (None, None) => "The search found nothing.".to_owned(),
    }
}

fn fix_headline(result: &RunResult) -> String {
    let Some(best) = result.fixes.first() else {
        return "The search found no fix.".to_owned();
    };
    if !result.fixes.iter().any(FixResult::is_recommended) {
        return "The search found no fix that we would recommend.".to_owned();
    }
    let size = best.tokens.map(|tokens| format_count(tokens, "token"));
    let applied_fix = if result.fixes.len() == 1 { "it" } else { "the best one" };
    let remaining_failures = match best.validated.still_failing.len() {
        0 => String::new(),
        1 => format!("; with {applied_fix}, 1 test still fails"),
        many => format!("; with {applied_fix}, {many} tests still fail"),
    };
    match (result.fixes.len(), size) {
        (1, None) => format!("The search found a fix{remaining_failures}."),
        (1, Some(size)) => format!("The search found a fix of {size}{remaining_failures}."),
        (many, None) => format!("The search found {many} fixes{remaining_failures}."),
        (many, Some(size)) => {
            format!("The search found {many} fixes; the best one has {size}{remaining_failures}.")
        }
    }
}

fn exploration_headline(result: &RunResult) -> String {
    let Some(found) = &result.schedules else { return "No schedule was run.".to_owned() };
    let run = format_count(found.run, "schedule");
    match found.failing {
        0 if !found.races.is_empty() => format!("None of {run} fails, but there is a data race."),
        0 if !found.lock_cycles.is_empty() => {
            format!("None of {run} fails, but there is a lock-order cycle.")
        }
        0 => format!("None of {run} fails."),
        failing => format!("{failing} of {run} {}.", if failing == 1 { "fails" } else { "fail" }),
    }
}

fn pool_headline(result: &RunResult) -> String {
    let plausible_count = result.patches.iter().filter(|patch| patch.verdict == "pass").count();
    let patch_count = format_count(result.patches.len(), "patch");
    match plausible_count {
        0 => format!("None of {patch_count} is plausible."),
        1 => format!("1 of {patch_count} is plausible."),
        many => format!("{many} of {patch_count} are plausible."),
    }
}
