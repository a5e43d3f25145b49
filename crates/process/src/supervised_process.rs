//! Supervised programs, which end with all processes that they started.

use super::capture::{Output, OutputCapture};
use super::{Program, Supervisor};
use crate::process_tag;
use anyhow::Context;
use mend_model::{Interrupt, Problem, Result};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};
use std::fs::File;
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Time between the termination signal and the kill.
const TERMINATION_GRACE_PERIOD: Duration = Duration::from_secs(2);

/// Maximum interval between two polls of a program.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A supervised program. When it exits, is stopped or reaches its time limit, all processes that it started end too.
pub struct Process {
    program: Program,
    time_limit: Option<Duration>,
    has_separate_streams: bool,
    stdout_file: Option<File>,
    tag: String,
    supervisor: Supervisor,
}

/// Exit and output of a program.
#[derive(Clone, Debug)]
pub struct FinishedProcess {
    /// Its exit.
    pub end: ProcessEnd,
    /// Its output.
    pub output: Output,
    /// Its duration.
    pub elapsed: Duration,
}

/// Exit of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// It exited with this code.
    Exited(i32),
    /// It was killed by this signal.
    Signalled(i32),
    /// It was killed at its time limit.
    TimedOut,
}

impl Program {
    /// Puts the program under supervision.
    pub fn supervised(self, supervisor: &Supervisor) -> Process {
        let (mark, supervisor) = (String::new(), supervisor.clone());
        Process {
            program: self,
            time_limit: None,
            has_separate_streams: false,
            stdout_file: None,
            tag: mark,
            supervisor,
        }
    }
}

impl Process {
    /// Sets the time limit.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Captures the two streams separately instead of in the order of printing.
    #[must_use]
    pub fn with_separate_streams(mut self) -> Self {
        self.has_separate_streams = true;
        self
    }

    /// Writes the standard output to a file instead of capturing it.
    #[must_use]
    pub fn stdout_to(mut self, file: File) -> Self {
        self.stdout_file = Some(file);
        self
    }

    /// Runs the program until it exits.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if it cannot be started, [`Problem::Interrupted`] after an
    /// interrupt.
    pub fn run(self) -> Result<FinishedProcess> {
        self.run_until(&mut || false)
    }

    /// Runs the program like [`Process::run`], and also times out once `is_expired` returns true, which is polled.
    ///
    /// # Errors
    /// Errors of [`Process::run`].
    pub fn run_until(mut self, is_expired: &mut dyn FnMut() -> bool) -> Result<FinishedProcess> {
        self.assign_tag()?;
        let capture = OutputCapture::attach(self.program.command(), self.has_separate_streams)?;
        if let Some(file) = self.stdout_file.take() {
            self.command().stdout(file);
        }
        let limit = self.time_limit;
        let start = Instant::now();
        let process = self.spawn()?;
        let end = process.wait_for_end(start, limit, is_expired)?;
        let elapsed = start.elapsed();
        drop(process);
        Ok(FinishedProcess { end, output: capture.finish(), elapsed })
    }

    /// Returns the command to start.
    pub(super) fn command(&mut self) -> &mut Command {
        self.program.command()
    }

    /// Assigns a tag to the program, unless the run is interrupted.
    pub(super) fn assign_tag(&mut self) -> Result<()> {
        self.supervisor.interrupt().check()?;
        self.tag = self.supervisor.next_tag();
        self.program.command().env(process_tag::ENVIRONMENT_VARIABLE, &self.tag);
        Ok(())
    }

    /// Starts the program.
    pub(super) fn spawn(mut self) -> Result<RunningProcess> {
        let child = self.program.spawn()?;
        // The command contains the other ends of the pipes: the streams end only after it is dropped.
        drop(self.program);
        let group = Pid::from_child(&child);
        self.supervisor.report_started(group);
        Ok(RunningProcess { child, group, tag: self.tag, supervisor: self.supervisor })
    }
}

/// A running program with all processes that it started. They are killed when this value is dropped.
pub(super) struct RunningProcess {
    child: Child,
    group: Pid,
    tag: String,
    supervisor: Supervisor,
}

impl RunningProcess {
    /// Takes its standard input and output, if they are pipes that were not taken.
    pub(super) fn take_pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.child.stdin.take(), self.child.stdout.take())
    }

    /// Returns the cancellation flag of the run.
    pub(super) fn interrupt(&self) -> &Interrupt {
        self.supervisor.interrupt()
    }

    /// Waits until the program exits, reaches its time limit, or the run is interrupted.
    fn wait_for_end(
        &self,
        start: Instant,
        limit: Option<Duration>,
        is_expired: &mut dyn FnMut() -> bool,
    ) -> Result<ProcessEnd> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(end) = self.end()? {
                return Ok(end);
            }
            if self.supervisor.interrupt().is_requested() {
                self.terminate_group()?;
                return Err(Problem::Interrupted);
            }
            if limit.is_some_and(|limit| start.elapsed() >= limit) || is_expired() {
                self.terminate_group()?;
                return Ok(ProcessEnd::TimedOut);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(MAX_POLL_INTERVAL);
        }
    }

    /// Returns the exit status, if the program has exited. The process is not reaped, so that its id is not reused
    /// before its group is killed.
    fn status(&self) -> Result<Option<WaitIdStatus>> {
        let wait_options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.group), wait_options).context("waiting for a program")?)
    }

    /// Returns the end of the program, or `None` if it is running.
    pub(super) fn end(&self) -> Result<Option<ProcessEnd>> {
        Ok(self.status()?.map(|status| process_end(&status)))
    }

    fn terminate_group(&self) -> Result<()> {
        // The process may have just ended.
        let _ = kill_process_group(self.group, Signal::TERM);
        let start = Instant::now();
        while start.elapsed() < TERMINATION_GRACE_PERIOD && self.status()?.is_none() {
            thread::sleep(MAX_POLL_INTERVAL);
        }
        Ok(())
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // Both fail only if no process is left.
        let _ = kill_process_group(self.group, Signal::KILL);
        process_tag::kill_tagged(&self.tag);
        let _ = self.child.wait();
        self.supervisor.report_ended(self.group);
    }
}

fn process_end(status: &WaitIdStatus) -> ProcessEnd {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => ProcessEnd::Exited(code),
        (None, signal) => ProcessEnd::Signalled(signal.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn supervisor() -> Supervisor {
        Supervisor::without_watchdog(Interrupt::default())
    }

    fn shell_process(script: &str) -> Program {
        Program::new("sh").args(["-c", script])
    }

    fn run(script: &str, supervisor: &Supervisor) -> Result<FinishedProcess> {
        shell_process(script).supervised(supervisor).run()
    }

    /// Starts `script`, and interrupts it once it has created the file `$READY`.
    fn run_and_interrupt(script: &str, supervisor: &Supervisor) -> Result<FinishedProcess> {
        let dir = tempfile::tempdir().unwrap();
        let ready = dir.path().join("ready");
        thread::scope(|scope| {
            scope.spawn(|| {
                while !ready.exists() {
                    thread::sleep(Duration::from_millis(1));
                }
                supervisor.interrupt().request();
            });
            shell_process(script).env("READY", &ready).supervised(supervisor).run()
        })
    }

    fn has_no_tagged_processes(supervisor: &Supervisor) -> bool {
        process_tag::find_tagged(&supervisor.run_tag_prefix()).is_empty()
    }

    #[test]
    fn exit_code_and_interleaved_output_are_returned() {
        let script = "echo one; echo two >&2; echo three; exit 7";
        let finished = run(script, &supervisor()).unwrap();
        assert_eq!(finished.end, ProcessEnd::Exited(7));
        assert_eq!(finished.output, Output::Interleaved("one\ntwo\nthree\n".into()));
    }

    #[test]
    fn separate_streams_are_captured_separately() {
        let finished = shell_process("echo one; echo two >&2")
            .supervised(&supervisor())
            .with_separate_streams()
            .run()
            .unwrap();
        let expected = Output::Separate { stdout: "one\n".into(), stderr: "two\n".into() };
        assert_eq!(finished.output, expected);
    }

    #[test]
    fn stdout_can_go_to_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let finished = shell_process("echo one; echo two >&2")
            .supervised(&supervisor())
            .stdout_to(file.reopen().unwrap())
            .run()
            .unwrap();
        assert_eq!(finished.output.text(), "two\n");
        assert_eq!(fs::read_to_string(file.path()).unwrap(), "one\n");
    }

    #[test]
    fn death_by_signal_is_reported_as_signal() {
        let finished = run("kill -ABRT $$", &supervisor()).unwrap();
        assert_eq!(finished.end, ProcessEnd::Signalled(6));
    }

    #[test]
    fn missing_program_is_named_in_the_error() {
        let problem = Program::new("no-such-program").supervised(&supervisor()).run().unwrap_err();
        assert!(
            matches!(problem, Problem::ProgramMissing { program, .. } if program == "no-such-program")
        );
    }

    #[test]
    fn folder_and_environment_are_set_and_stdin_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let script = "pwd -P; cat; echo $A-$GIT_DIR-$B";
        let finished = shell_process(script)
            .cwd(dir.path())
            .env("A", "a")
            .env("B", "b")
            .env_remove("B")
            .supervised(&supervisor())
            .run()
            .unwrap();
        let dir = dir.path().canonicalize().unwrap();
        assert_eq!(finished.output.text(), format!("{}\na--\n", dir.display()));
    }

    #[test]
    fn env_clear_keeps_the_process_tag() {
        let env = fs::canonicalize("/usr/bin/env").unwrap();
        let finished = Program::new(env).env_clear().supervised(&supervisor()).run().unwrap();
        let text = finished.output.text();
        assert!(
            text.starts_with(process_tag::ENVIRONMENT_VARIABLE) && text.lines().count() == 1,
            "{text}"
        );
    }

    #[test]
    fn output_of_100_megabytes_is_truncated() {
        let script = "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last >&2";
        let finished = run(script, &supervisor()).unwrap();
        let text = finished.output.text();
        assert_eq!(finished.end, ProcessEnd::Exited(0));
        assert!(text.starts_with("first\n") && text.ends_with("\nlast\n"));
        assert!(text.contains("bytes left out") && text.len() < 2_000_000);
    }

    #[test]
    fn timeout_kills_the_process_and_keeps_its_output() {
        let supervisor = supervisor();
        let process = shell_process("echo said; sleep 1000")
            .supervised(&supervisor)
            .time_limit(Duration::from_secs(2));
        let finished = process.run().unwrap();
        assert_eq!(finished.end, ProcessEnd::TimedOut);
        assert_eq!(finished.output.text(), "said\n");
        assert!(has_no_tagged_processes(&supervisor));
    }

    #[test]
    fn process_that_ignores_sigterm_is_killed() {
        let supervisor = supervisor();
        let script = "trap '' TERM; touch $READY; while :; do sleep 1; done";
        assert!(matches!(run_and_interrupt(script, &supervisor), Err(Problem::Interrupted)));
        assert!(has_no_tagged_processes(&supervisor));
    }

    #[test]
    fn interrupted_process_can_clean_up_on_sigterm() {
        let dir = tempfile::tempdir().unwrap();
        let cleanup_marker = dir.path().join("tidied");
        let trap = format!("trap 'touch {}; exit' TERM", cleanup_marker.display());
        let script = format!("{trap}; sleep 1000 & touch $READY; wait");
        let supervisor = supervisor();
        assert!(run_and_interrupt(&script, &supervisor).is_err());
        assert!(cleanup_marker.exists());
        assert!(has_no_tagged_processes(&supervisor));
    }

    #[test]
    fn interrupted_run_starts_no_process() {
        let supervisor = supervisor();
        supervisor.interrupt().request();
        assert!(matches!(run("true", &supervisor), Err(Problem::Interrupted)));
    }

    #[test]
    fn background_children_are_killed_at_exit() {
        let supervisor = supervisor();
        let finished = run("sleep 1000 & sleep 1000 & echo started", &supervisor).unwrap();
        assert_eq!(finished.end, ProcessEnd::Exited(0));
        assert_eq!(finished.output.text(), "started\n");
        assert!(has_no_tagged_processes(&supervisor));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn grandchild_in_another_session_is_killed() {
        let supervisor = supervisor();
        let script = "setsid sh -c 'echo away; touch $READY; sleep 1000' & \
                      while [ ! -e $READY ]; do sleep 0.01; done";
        let dir = tempfile::tempdir().unwrap();
        let finished = shell_process(script)
            .env("READY", dir.path().join("ready"))
            .supervised(&supervisor)
            .run()
            .unwrap();
        assert_eq!(finished.output.text(), "away\n");
        assert!(has_no_tagged_processes(&supervisor));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn untagged_grandchild_holding_stdout_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        // The process ends when its folder is removed, so that it does not outlive the test.
        let hidden = "echo $$ > $0; while [ -e $0 ]; do sleep 0.05; done";
        let script = format!(
            "env -i PATH=$PATH setsid sh -c '{hidden}' {0} & \
             while [ ! -s {0} ]; do sleep 0.01; done; echo done",
            dir.path().join("pid").display(),
        );
        let finished = run(&script, &supervisor()).unwrap();
        assert_eq!(finished.output.text(), "done\n");
    }

    #[test]
    fn killing_one_process_spares_others_of_the_run() {
        let supervisor = supervisor();
        let dir = tempfile::tempdir().unwrap();
        let stop = dir.path().join("stop");
        let long_script = "while [ ! -e $STOP ]; do sleep 0.01; done; exit 3";
        thread::scope(|scope| {
            let long_script = scope.spawn(|| {
                shell_process(long_script).env("STOP", &stop).supervised(&supervisor).run().unwrap()
            });
            run("true", &supervisor).unwrap();
            fs::write(&stop, "").unwrap();
            assert_eq!(long_script.join().unwrap().end, ProcessEnd::Exited(3));
        });
    }
}
