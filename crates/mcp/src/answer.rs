//! Answers of the tools: a structured form with a schema, and a text.

use crate::argument_check::InvalidArguments;
use crate::bounds::AnswerSize;
use crate::progress::Progress;
use mend_model::Exit;
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// State of a run
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunState {
    /// In progress: ask again with `status`
    Running,
    /// Complete
    Finished,
    /// Stopped before its end; the result so far is kept
    Interrupted,
    /// Ended by an error
    Failed,
}

/// Kind of an error
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorKind {
    /// The arguments are wrong
    InvalidArguments,
    /// The tests pass where they should fail, or fail where they should pass
    BaselineCheck,
    /// Something is missing on this machine, or the build is broken
    Environment,
    /// The tests are too flaky
    Flaky,
    /// The run was stopped
    Interrupted,
    /// An error of git-mend
    Internal,
    /// Not known, because another server or the command line started the run
    Unknown,
}

impl ErrorKind {
    /// Returns the kind of the error with which a command exited.
    pub(crate) fn from_exit_code(code: i32) -> Self {
        let is = |exit: Exit| code == exit as i32;
        match code {
            _ if is(Exit::Usage) => Self::InvalidArguments,
            _ if is(Exit::BadBaseline) => Self::BaselineCheck,
            _ if is(Exit::Environment) => Self::Environment,
            _ if is(Exit::Flaky) => Self::Flaky,
            _ if is(Exit::Interrupted) => Self::Interrupted,
            _ => Self::Internal,
        }
    }
}

/// Error that ended a run, or wrong arguments
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AnswerError {
    /// Kind of the error
    pub(crate) kind: ErrorKind,
    /// Message
    pub(crate) message: String,
    /// Remedy
    pub(crate) help: Option<String>,
}

/// Answer of a tool
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Answer<T> {
    /// State of the run
    pub(crate) state: RunState,
    /// Run folder, with all files of the run; null if there is none
    pub(crate) run: Option<PathBuf>,
    /// Progress of a run that is not finished
    pub(crate) progress: Option<Progress>,
    /// Result; null if there is none yet
    pub(crate) result: Option<T>,
    /// Error; null if there is none
    pub(crate) error: Option<AnswerError>,
    /// Items that were not checked
    pub(crate) not_checked: Vec<String>,
    /// True if lists or texts of this answer were cut; the run folder has all of them
    pub(crate) is_cut: bool,
}

impl<T> Answer<T> {
    /// Creates an answer without a result.
    pub(crate) fn new(state: RunState, run: Option<&Path>) -> Self {
        Self {
            state,
            run: run.map(Path::to_owned),
            progress: None,
            result: None,
            error: None,
            not_checked: Vec::new(),
            is_cut: false,
        }
    }
}

/// Answer with its text.
#[derive(Clone, Debug)]
pub(crate) struct ToolAnswer {
    pub(crate) answer: Answer<Value>,
    pub(crate) text: String,
}

impl ToolAnswer {
    /// Creates the answer to a call that cannot be performed.
    pub(crate) fn from_error(kind: ErrorKind, message: &str, help: &str) -> Self {
        let error = AnswerError { kind, message: message.to_owned(), help: Some(help.to_owned()) };
        let text = format!("error: {message}\nhelp: {help}\n");
        Self { answer: Answer { error: Some(error), ..Answer::new(RunState::Failed, None) }, text }
    }

    /// Converts the answer for the protocol, cut to the maximum size.
    pub(crate) fn into_call_result(self, size: AnswerSize) -> CallToolResult {
        let text = size.bound_text(&self.text, self.answer.run.as_deref());
        let is_error = self.answer.state == RunState::Failed;
        let mut value = serde_json::to_value(&self.answer).unwrap_or_default();
        if size.bound_value(&mut value) {
            value["is_cut"] = true.into();
        }
        let content = vec![ContentBlock::text(text)];
        let mut result = if is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(value);
        result
    }
}

impl From<InvalidArguments> for ToolAnswer {
    fn from(error: InvalidArguments) -> Self {
        Self::from_error(ErrorKind::InvalidArguments, &error.message, &error.help)
    }
}
