//! Result of a run in one sentence.

use crate::{RunResult, RunStatus};
use mend_model::counted;

/// Returns the headline of a page.
pub(super) fn answer(result: &RunResult) -> String {
    match result.status {
        RunStatus::Error => return "The run ended with an error.".to_owned(),
        RunStatus::Flaky => return "The test is flaky.".to_owned(),
        RunStatus::Interrupted => return interrupted(result),
        RunStatus::Found | RunStatus::None => {}
    }
    match result.command.as_str() {
        "explore" => explored(result),
        "validate" => judged(result),
        "fix" => mended(result),
        _ => bisected(result),
    }
}

fn interrupted(result: &RunResult) -> String {
    let has_part = result.culprit.is_some() || result.fix.is_some() || !result.fixes.is_empty();
    let what = if has_part { "; this page shows the results so far" } else { "" };
    format!("The run was interrupted{what}.")
}

fn bisected(result: &RunResult) -> String {
    let of = match (&result.culprit_commit, result.suspects.len()) {
        (Some(id), _) => format!(" of commit {}", id.get(..10).unwrap_or(id)),
        (None, 0) => String::new(),
        (None, many) => format!(" in {}", counted(many, "commit")),
    };
    let tokens = |count: usize| counted(count, "token");
    match (&result.culprit, &result.fix) {
        (Some(culprit), fix) => {
            let breaks = if culprit.tokens == 1 { "breaks" } else { "break" };
            let fix = fix.as_ref();
            let fix =
                fix.map_or(String::new(), |fix| format!("; the fix has {}", tokens(fix.tokens)));
            format!("{}{of} {breaks} the test{fix}.", tokens(culprit.tokens))
        }
        (None, Some(fix)) => format!("A fix of {} makes the test pass.", tokens(fix.tokens)),
        (None, None) if result.culprit_commit.is_some() => {
            format!("The culprit is{}.", of.trim_start_matches(" of"))
        }
        (None, None) if result.delta.is_some() => "Good passes and bad fails.".to_owned(),
        (None, None) => "The search found nothing.".to_owned(),
    }
}

fn mended(result: &RunResult) -> String {
    let Some(best) = result.fixes.first() else {
        return "The search found no fix.".to_owned();
    };
    let size = best.tokens.map(|tokens| counted(tokens, "token"));
    let with = if result.fixes.len() == 1 { "it" } else { "the best one" };
    let left = match best.validated.still_failing.len() {
        0 => String::new(),
        1 => format!("; with {with}, 1 test still fails"),
        many => format!("; with {with}, {many} tests still fail"),
    };
    match (result.fixes.len(), size) {
        (1, None) => format!("The search found a fix{left}."),
        (1, Some(size)) => format!("The search found a fix of {size}{left}."),
        (many, None) => format!("The search found {many} fixes{left}."),
        (many, Some(size)) => {
            format!("The search found {many} fixes; the best one has {size}{left}.")
        }
    }
}

fn explored(result: &RunResult) -> String {
    let Some(found) = &result.schedules else { return "No schedule was run.".to_owned() };
    let run = counted(found.run, "schedule");
    match found.failing {
        0 if !found.races.is_empty() => format!("None of {run} fails, but there is a data race."),
        0 if !found.lock_cycles.is_empty() => {
            format!("None of {run} fails, but there is a lock-order cycle.")
        }
        0 => format!("None of {run} fails."),
        failing => format!("{failing} of {run} {}.", if failing == 1 { "fails" } else { "fail" }),
    }
}

fn judged(result: &RunResult) -> String {
    let plausible = result.patches.iter().filter(|patch| patch.verdict == "pass").count();
    let all = counted(result.patches.len(), "patch");
    match plausible {
        0 => format!("None of {all} is plausible."),
        1 => format!("1 of {all} is plausible."),
        many => format!("{many} of {all} are plausible."),
    }
}
