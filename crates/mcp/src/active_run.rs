//! A run that this server started: its process, and its end.

use crate::call_record::{clear_cancel, is_cancel_requested};
use crate::run_request::RunRequest;
use mend_git::RunLock;
use mend_model::{Exit, Interrupt, Problem, Result};
use mend_process::{FinishedProcess, Output, Process, ProcessEnd, Program, Supervisor};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Interval at which a run looks for a request of another server to stop it.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Last line of an error about the command line, and the one about a call instead.
const COMMAND_LINE_HELP: &str = "For more information, try '--help'.";
const TOOL_HELP: &str = "help: compare the arguments with the input schema of the tool";

/// Suffix of the file for the standard output until it is complete.
const PARTIAL_SUFFIX: &str = ".part";

/// A run that this server started.
#[derive(Debug)]
pub(crate) struct ActiveRun {
    pub(crate) folder: PathBuf,
    interrupt: Interrupt,
    end: watch::Receiver<Option<RunEnd>>,
}

/// End of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunEnd {
    /// Exit code.
    pub(crate) code: i32,
    /// Error message on standard error, with its help line; empty if there is none.
    pub(crate) messages: String,
}

impl ActiveRun {
    /// Starts a run in its folder, in its own process group.
    pub(crate) fn start(
        program: &Path,
        project: &Path,
        folder: &Path,
        request: &RunRequest,
    ) -> Result<Self> {
        clear_cancel(folder);
        let interrupt = Interrupt::default();
        let supervisor = Supervisor::start(interrupt.clone(), program)?;
        let words = request.command_line(project, folder);
        let process = Program::new(program).args(words).cwd(project).supervised(&supervisor);
        let (process, output) = match request.stdout_file {
            Some(name) => {
                let output = StdoutFile::create(folder, name)?;
                (process.stdout_to(output.file()?), Some(output))
            }
            None => (process, None),
        };
        let (sender, end) = watch::channel(None);
        let run_folder = folder.to_owned();
        let run = move || {
            let run_end = run_to_end(process.with_separate_streams(), &run_folder);
            if let Some(output) = output.filter(|_| run_end.code == Exit::Found as i32) {
                output.complete();
            }
            clear_cancel(&run_folder);
            sender.send_replace(Some(run_end));
        };
        let thread = thread::Builder::new().name("run".to_owned());
        thread.spawn(run).map_err(anyhow::Error::new)?;
        Ok(Self { folder: folder.to_owned(), interrupt, end })
    }

    /// Asks the run to stop, with all its processes.
    pub(crate) fn stop(&self) {
        self.interrupt.request();
    }

    /// Returns the end of the run, if it has ended.
    pub(crate) fn end(&self) -> Option<RunEnd> {
        self.end.borrow().clone()
    }

    /// Waits for the end of the run, for at most this time.
    pub(crate) async fn wait(&self, limit: Duration) -> Option<RunEnd> {
        let mut end = self.end.clone();
        let ended = end.wait_for(Option::is_some);
        tokio::time::timeout(limit, ended).await.ok()?.ok()?.clone()
    }
}

fn run_to_end(process: Process, folder: &Path) -> RunEnd {
    let mut last_poll = Instant::now();
    let mut is_cancelled = || {
        if last_poll.elapsed() < CANCEL_POLL_INTERVAL {
            return false;
        }
        last_poll = Instant::now();
        is_cancel_requested(folder)
    };
    match process.run_until(&mut is_cancelled) {
        Ok(FinishedProcess { end, output, .. }) => {
            let code = match end {
                ProcessEnd::Exited(code) => code,
                ProcessEnd::TimedOut => Exit::Interrupted as i32,
                ProcessEnd::Signalled(_) => Exit::Internal as i32,
            };
            let stderr = match output {
                Output::Separate { stderr, .. } => stderr,
                Output::Interleaved(text) => text,
            };
            let messages = error_message(&stderr).replace(COMMAND_LINE_HELP, TOOL_HELP);
            RunEnd { code, messages }
        }
        Err(problem) => to_run_end(&problem),
    }
}

/// Returns the error message on standard error, without the progress before it.
fn error_message(stderr: &str) -> &str {
    let is_start = |at: &usize| stderr[..*at].is_empty() || stderr[..*at].ends_with('\n');
    let start = stderr.match_indices("error:").map(|(at, _)| at).find(is_start);
    start.map_or("", |start| &stderr[start..])
}

fn to_run_end(problem: &Problem) -> RunEnd {
    let messages = format!("error: {problem}\nhelp: {}\n", problem.remedy());
    RunEnd { code: problem.exit() as i32, messages }
}

/// File for the standard output of a command that has no run folder. It gets its name when it is complete, and holds the
/// lock of the run folder until then, so that other servers see that the command is running.
struct StdoutFile {
    partial: PathBuf,
    complete: PathBuf,
    _lock: RunLock,
}

impl StdoutFile {
    fn create(folder: &Path, name: &str) -> Result<Self> {
        let lock = RunLock::acquire(folder)?;
        let partial = folder.join(format!("{name}{PARTIAL_SUFFIX}"));
        Ok(Self { partial, complete: folder.join(name), _lock: lock })
    }

    fn file(&self) -> Result<File> {
        File::create(&self.partial).map_err(|error| Problem::io(error, &self.partial))
    }

    fn complete(self) {
        // If this fails, the run looks interrupted.
        drop(std::fs::rename(&self.partial, &self.complete));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_message_starts_at_its_line() {
        let stderr = "checking an error: no\nerror: unknown\nhelp: look\n";
        assert_eq!(error_message(stderr), "error: unknown\nhelp: look\n");
        assert_eq!(error_message("error: one"), "error: one");
        assert_eq!(error_message("all is well\n"), "");
    }
}
