//! Answers about runs that are not in progress, from their folders.

use crate::active_run::RunEnd;
use crate::answer::{Answer, AnswerError, ErrorKind, RunState, ToolAnswer};
use crate::call_record::CallRecord;
use crate::progress::Progress;
use crate::results::change::{ChangeResult, read_delta};
use crate::results::culprit::CulpritResult;
use crate::results::minimised::MinimisedResult;
use crate::results::patches::PatchesResult;
use crate::results::schedules::SchedulesResult;
use crate::results::tests::TestsResult;
use crate::results::{ListedRun, RunList, StatusResult};
use crate::tool_name::ToolName;
use mend_git::RunLock;
use mend_model::Exit;
use mend_report::delta::format_delta;
use mend_report::{OutputContext, RunResult, RunStatus, SavedRun, TerminalStyle, format_result};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Maximum number of runs in a list.
const MAX_LISTED_RUNS: usize = 10;

/// Returns the answer about a run that ended. `end` is how it ended, if this server started it.
pub(crate) fn answer_from_folder(folder: &Path, end: Option<&RunEnd>) -> ToolAnswer {
    let tool = CallRecord::read(folder).map(|record| record.tool);
    if tool == Some(ToolName::ExplainChange)
        && let Some(answer) = change_answer(folder)
    {
        return answer;
    }
    match SavedRun::open(folder) {
        Ok(run) => {
            let tool = tool.or_else(|| ToolName::from_command(&run.result().command));
            saved_run_answer(&run, tool, end)
        }
        Err(problem) => end.map_or_else(
            || {
                let answer = Answer::new(RunState::Interrupted, Some(folder));
                let text = format!("interrupted before there was a result ({problem})\n");
                ToolAnswer { answer, text }
            },
            |end| failed_answer(folder, end),
        ),
    }
}

fn saved_run_answer(run: &SavedRun, tool: Option<ToolName>, end: Option<&RunEnd>) -> ToolAnswer {
    let result = run.result();
    let answer = Answer {
        result: tool.and_then(|tool| read_result(run, tool)).and_then(to_value),
        not_checked: result.not_checked.clone(),
        ..Answer::new(run_state(result), Some(run.path()))
    };
    match answer.state {
        RunState::Running | RunState::Finished => ToolAnswer { answer, text: format_run(run) },
        RunState::Interrupted => add_progress(answer, run, tool),
        RunState::Failed => add_error(answer, run, end),
    }
}

/// Returns the state of a run that is not in progress. Runs of `test` that disagree are a result, not a failure.
fn run_state(result: &RunResult) -> RunState {
    match result.status {
        RunStatus::Found | RunStatus::None => RunState::Finished,
        RunStatus::Flaky if result.test_run.is_some() => RunState::Finished,
        RunStatus::Interrupted => RunState::Interrupted,
        RunStatus::Flaky | RunStatus::Error => RunState::Failed,
    }
}

/// Adds how far an interrupted run came, and how to continue it.
fn add_progress(answer: Answer<Value>, run: &SavedRun, tool: Option<ToolName>) -> ToolAnswer {
    let progress = Progress::read(run.path());
    let resume = match tool {
        None | Some(ToolName::RunTest) => String::new(),
        Some(tool) => format!("; {} continues it with `resume`", tool.as_str()),
    };
    let text = format!("interrupted: {}{resume}\n{}", progress.describe(), format_run(run));
    ToolAnswer { answer: Answer { progress: Some(progress), ..answer }, text }
}

/// Adds the error that ended a run. Only the server that started the run knows its kind and its remedy.
fn add_error(answer: Answer<Value>, run: &SavedRun, end: Option<&RunEnd>) -> ToolAnswer {
    let (error, messages) = if let Some(end) = end {
        (parse_error(end), end.messages.clone())
    } else {
        let message = run.result().message.clone().unwrap_or_default();
        let text = format!("error: {message}\n");
        (AnswerError { kind: ErrorKind::Unknown, message, help: None }, text)
    };
    let text = format!("{messages}Run folder: {}\n", run.path().display());
    let result = answer.result.filter(|_| error.kind != ErrorKind::InvalidArguments);
    ToolAnswer { answer: Answer { result, error: Some(error), ..answer }, text }
}

/// Formats a run as the command line does.
fn format_run(run: &SavedRun) -> String {
    let context = OutputContext { is_default_location: false, ..OutputContext::new(run.path()) };
    let culprit = run.result().culprit_info.as_ref();
    format_result(run.result(), culprit, &context, &TerminalStyle::plain()).unwrap_or_default()
}

/// Reads the result of a tool, as far as the run came.
fn read_result(run: &SavedRun, tool: ToolName) -> Option<StatusResult> {
    Some(match tool {
        ToolName::RunTest => StatusResult::Tests(TestsResult::read(run)?),
        ToolName::FindCulprit => StatusResult::Culprit(CulpritResult::read(run)),
        ToolName::ValidatePatches => StatusResult::Patches(PatchesResult::read(run)),
        ToolName::ExploreSchedules => StatusResult::Schedules(SchedulesResult::read(run)?),
        ToolName::MinimisePatch => StatusResult::Minimised(MinimisedResult::read(run)?),
        ToolName::ExplainChange | ToolName::Status | ToolName::Cancel => return None,
    })
}

fn to_value(result: StatusResult) -> Option<Value> {
    serde_json::to_value(result).ok()
}

/// Returns the answer about a complete delta.
fn change_answer(folder: &Path) -> Option<ToolAnswer> {
    let view = read_delta(folder)?;
    let text = format_delta(&view, &TerminalStyle::plain()).ok()?;
    let answer = Answer {
        result: to_value(StatusResult::Change(ChangeResult::new(&view))),
        ..Answer::new(RunState::Finished, Some(folder))
    };
    Some(ToolAnswer { answer, text })
}

/// Returns the answer about a run that ended without a result.
fn failed_answer(folder: &Path, end: &RunEnd) -> ToolAnswer {
    let is_interrupted = end.code == Exit::Interrupted as i32;
    let state = if is_interrupted { RunState::Interrupted } else { RunState::Failed };
    let answer = Answer { error: Some(parse_error(end)), ..Answer::new(state, Some(folder)) };
    ToolAnswer { answer, text: end.messages.clone() }
}

/// Reads the error message of a command: the line `error:`, and the line `help:`.
fn parse_error(end: &RunEnd) -> AnswerError {
    let line_with = |label: &str| {
        let lines = end.messages.lines().filter_map(|line| line.strip_prefix(label));
        lines.map(|line| line.trim().to_owned()).next()
    };
    AnswerError {
        kind: ErrorKind::from_exit_code(end.code),
        message: line_with("error:").unwrap_or_else(|| format!("exit code {}", end.code)),
        help: line_with("help:"),
    }
}

/// Lists the newest runs.
pub(crate) fn list_runs(runs_folder: &Path) -> ToolAnswer {
    let entries = std::fs::read_dir(runs_folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let runs: Vec<_> =
        folders.iter().rev().take(MAX_LISTED_RUNS).map(|folder| describe_run(folder)).collect();
    let mut text = String::new();
    for ListedRun { run, command, summary } in &runs {
        let _ = writeln!(text, "{run}\n  {command}: {summary}");
    }
    if runs.is_empty() {
        text.push_str("there are no runs yet\n");
    }
    let answer = Answer {
        result: to_value(StatusResult::Runs(RunList { runs })),
        ..Answer::new(RunState::Finished, None)
    };
    ToolAnswer { answer, text }
}

fn describe_run(folder: &Path) -> ListedRun {
    let run = SavedRun::open(folder).ok();
    let result = run.as_ref().map(SavedRun::result);
    let command = match (result, CallRecord::read(folder)) {
        (Some(result), _) => result.command.clone(),
        (None, Some(record)) => record.tool.as_str().to_owned(),
        (None, None) => "unknown".to_owned(),
    };
    let summary = match result {
        _ if RunLock::is_held(folder) => "running".to_owned(),
        Some(result) if result.status == RunStatus::Interrupted => "interrupted".to_owned(),
        Some(result) => result.message.clone().unwrap_or_else(|| "finished".to_owned()),
        None if read_delta(folder).is_some() => "finished".to_owned(),
        None => "no result".to_owned(),
    };
    ListedRun { run: folder.display().to_string(), command, summary }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_and_help_are_read_from_messages() {
        let messages = "note: x\nerror: unknown revision `v9`\n  did not find it\nhelp: use v1\n";
        let end = RunEnd { code: 2, messages: messages.to_owned() };
        let error = parse_error(&end);
        assert_eq!(error.kind, ErrorKind::InvalidArguments);
        assert_eq!(error.message, "unknown revision `v9`");
        assert_eq!(error.help.as_deref(), Some("use v1"));
        let silent = parse_error(&RunEnd { code: 70, messages: String::new() });
        assert_eq!((silent.kind, silent.message.as_str()), (ErrorKind::Internal, "exit code 70"));
    }
}
