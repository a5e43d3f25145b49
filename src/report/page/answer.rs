//! What a run came to, in one sentence, and what to do next.

use crate::model::counted;
use crate::report::{RunResult, Status};

/// The answer.
pub(super) fn answer(result: &RunResult) -> String {
    match result.status {
        Status::Error => return "The run could not go on.".to_owned(),
        Status::Flaky => return "The test does not repeat.".to_owned(),
        Status::Interrupted => return interrupted(result),
        Status::Found | Status::None => {}
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
    let what = if has_part { "; what it had found stands below" } else { "" };
    format!("The run was stopped before its end{what}.")
}

fn bisected(result: &RunResult) -> String {
    let of = match (&result.culprit_commit, result.suspects.len()) {
        (Some(id), _) => format!(" of commit {}", id.get(..10).unwrap_or(id)),
        (None, 0) => String::new(),
        (None, many) => format!(" in {}", counted(many, "commit")),
    };
    let tokens = |count: usize| counted(count, "token");
    match (&result.culprit, &result.fix) {
        (Some(culprit), Some(fix)) => {
            let breaks = if culprit.tokens == 1 { "breaks" } else { "break" };
            let mends = if fix.tokens == 1 { "mends" } else { "mend" };
            let count = fix.tokens;
            format!("{}{of} {breaks} the test; {count} {mends} it.", tokens(culprit.tokens))
        }
        (Some(culprit), None) => {
            let breaks = if culprit.tokens == 1 { "breaks" } else { "break" };
            format!("{}{of} {breaks} the test.", tokens(culprit.tokens))
        }
        (None, Some(fix)) => format!("A patch of {} mends the test.", tokens(fix.tokens)),
        (None, None) if result.culprit_commit.is_some() => {
            format!("The test was broken by{}.", of.trim_start_matches(" of"))
        }
        (None, None) if result.delta.is_some() => "Good passes and bad fails.".to_owned(),
        (None, None) => "Nothing was found.".to_owned(),
    }
}

fn mended(result: &RunResult) -> String {
    let Some(best) = result.fixes.first() else {
        return "Nothing that was tried mends it.".to_owned();
    };
    let size =
        best.tokens.map_or(String::new(), |tokens| format!(" of {}", counted(tokens, "token")));
    let part = if best.validated.still_failing.is_empty() { "it" } else { "a part of what fails" };
    match result.fixes.len() {
        1 => format!("A change{size} mends {part}."),
        many => format!("{many} repairs were found; the best, a change{size}, mends {part}."),
    }
}

fn explored(result: &RunResult) -> String {
    let Some(found) = &result.schedules else { return "No schedule was run.".to_owned() };
    let run = counted(found.run, "schedule");
    match found.failing {
        0 if !found.races.is_empty() => format!("None of {run} fails, but there is a data race."),
        0 if !found.lock_cycles.is_empty() => {
            format!("None of {run} fails, but threads can block each other.")
        }
        0 => format!("None of {run} fails."),
        failing => format!("{failing} of {run} {}.", if failing == 1 { "fails" } else { "fail" }),
    }
}

fn judged(result: &RunResult) -> String {
    let plausible = result.patches.iter().filter(|patch| patch.verdict == "pass").count();
    let all = counted(result.patches.len(), "patch").replace("patchs", "patches");
    match plausible {
        0 => format!("None of {all} is plausible."),
        1 => format!("1 of {all} is plausible."),
        many => format!("{many} of {all} are plausible."),
    }
}
