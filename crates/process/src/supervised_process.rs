//! Programs of a run, which end with everything that they started.

use super::capture::{Output, OutputCapture};
use super::{Program, Supervisor};
use crate::process_tag;
use anyhow::Context;
use mend_model::{Interrupt, Problem, Result};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Time between the request to end and the kill.
const GRACE: Duration = Duration::from_secs(2);

/// The longest pause between two looks at a program.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// A supervised program. When it ends, is stopped or runs out of time, everything that it started ends too.
pub struct Process {
    program: Program,
    limit: Option<Duration>,
    is_separate: bool,
    mark: String,
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
    /// Puts it under supervision.
    pub fn supervised(self, supervisor: &Supervisor) -> Process {
        let (mark, supervisor) = (String::new(), supervisor.clone());
        Process { program: self, limit: None, is_separate: false, mark, supervisor }
    }
}

impl Process {
    /// Stops it after this time.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Keeps the two streams apart instead of in the order of printing.
    #[must_use]
    pub fn separate_streams(mut self) -> Self {
        self.is_separate = true;
        self
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if it cannot be started, [`Problem::Interrupted`] after an
    /// interrupt.
    pub fn run(self) -> Result<FinishedProcess> {
        self.run_until(&mut || false)
    }

    /// Runs it as [`Process::run`] does, and also times out once `is_over` returns true, which is polled.
    ///
    /// # Errors
    /// Those of [`Process::run`].
    pub fn run_until(mut self, is_over: &mut dyn FnMut() -> bool) -> Result<FinishedProcess> {
        self.check_and_mark()?;
        let capture = OutputCapture::attach(self.program.command(), self.is_separate)?;
        let limit = self.limit;
        let start = Instant::now();
        let running = self.spawn()?;
        let end = running.watch(start, limit, is_over)?;
        let elapsed = start.elapsed();
        drop(running);
        Ok(FinishedProcess { end, output: capture.finish(), elapsed })
    }

    /// Returns the command to start.
    pub(super) fn command(&mut self) -> &mut Command {
        self.program.command()
    }

    /// Gives it its mark, unless nothing is to be started any more.
    pub(super) fn check_and_mark(&mut self) -> Result<()> {
        self.supervisor.interrupt().check()?;
        self.mark = self.supervisor.next_mark();
        self.program.command().env(process_tag::VARIABLE, &self.mark);
        Ok(())
    }

    /// Starts it.
    pub(super) fn spawn(mut self) -> Result<RunningProcess> {
        let child = self.program.spawn()?;
        // The streams end only once no process can write to them: the command holds their other
        // side.
        drop(self.program);
        let group = Pid::from_child(&child);
        self.supervisor.has_started(group);
        Ok(RunningProcess { child, group, mark: self.mark, supervisor: self.supervisor })
    }
}

/// A program and all that it started; when this goes, they go.
pub(super) struct RunningProcess {
    child: Child,
    group: Pid,
    mark: String,
    supervisor: Supervisor,
}

impl RunningProcess {
    /// Its standard input and output, where they are pipes that were not taken.
    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.child.stdin.take(), self.child.stdout.take())
    }

    /// The wish to stop.
    pub(super) fn interrupt(&self) -> &Interrupt {
        self.supervisor.interrupt()
    }

    /// Waits for its end, the time limit or the wish to stop, whichever comes first.
    fn watch(
        &self,
        start: Instant,
        limit: Option<Duration>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Result<ProcessEnd> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = self.status()? {
                return Ok(end(&status));
            }
            if self.supervisor.interrupt().is_requested() {
                self.ask_to_end()?;
                return Err(Problem::Interrupted);
            }
            if limit.is_some_and(|limit| start.elapsed() >= limit) || is_over() {
                self.ask_to_end()?;
                return Ok(ProcessEnd::TimedOut);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Returns the exit status, if it has exited. It stays unreaped, so that its number is not
    /// reused before its group is killed.
    fn status(&self) -> Result<Option<WaitIdStatus>> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.group), look).context("waiting for a program")?)
    }

    fn ask_to_end(&self) -> Result<()> {
        // It may have ended just now.
        let _ = kill_process_group(self.group, Signal::TERM);
        let start = Instant::now();
        while start.elapsed() < GRACE && self.status()?.is_none() {
            thread::sleep(LONGEST_PAUSE);
        }
        Ok(())
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // Both fail only if there is nothing left to end.
        let _ = kill_process_group(self.group, Signal::KILL);
        process_tag::kill_marked(&self.mark);
        let _ = self.child.wait();
        self.supervisor.has_ended(self.group);
    }
}

fn end(status: &WaitIdStatus) -> ProcessEnd {
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
        Supervisor::unwatched(Interrupt::default())
    }

    fn shell(script: &str) -> Program {
        Program::new("sh").args(["-c", script])
    }

    fn run(script: &str, supervisor: &Supervisor) -> Result<FinishedProcess> {
        shell(script).supervised(supervisor).run()
    }

    /// Starts `script` and asks to stop once it has made the file `$READY`.
    fn interrupted(script: &str, supervisor: &Supervisor) -> Result<FinishedProcess> {
        let dir = tempfile::tempdir().unwrap();
        let ready = dir.path().join("ready");
        thread::scope(|scope| {
            scope.spawn(|| {
                while !ready.exists() {
                    thread::sleep(Duration::from_millis(1));
                }
                supervisor.interrupt().request();
            });
            shell(script).env("READY", &ready).supervised(supervisor).run()
        })
    }

    fn nothing_is_left_of(supervisor: &Supervisor) -> bool {
        process_tag::marked(&supervisor.run_mark()).is_empty()
    }

    #[test]
    fn an_exit_code_and_both_streams_in_order_come_back() {
        let script = "echo one; echo two >&2; echo three; exit 7";
        let finished = run(script, &supervisor()).unwrap();
        assert_eq!(finished.end, ProcessEnd::Exited(7));
        assert_eq!(finished.output, Output::Interleaved("one\ntwo\nthree\n".into()));
    }

    #[test]
    fn streams_can_be_kept_apart() {
        let finished = shell("echo one; echo two >&2")
            .supervised(&supervisor())
            .separate_streams()
            .run()
            .unwrap();
        let wanted = Output::Separate { stdout: "one\n".into(), stderr: "two\n".into() };
        assert_eq!(finished.output, wanted);
    }

    #[test]
    fn a_signal_is_no_exit_code() {
        let finished = run("kill -ABRT $$", &supervisor()).unwrap();
        assert_eq!(finished.end, ProcessEnd::Signalled(6));
    }

    #[test]
    fn a_missing_program_is_named() {
        let problem = Program::new("no-such-program").supervised(&supervisor()).run().unwrap_err();
        assert!(
            matches!(problem, Problem::ProgramMissing { program, .. } if program == "no-such-program")
        );
    }

    #[test]
    fn folder_and_environment_are_as_asked_and_there_is_nothing_to_read() {
        let dir = tempfile::tempdir().unwrap();
        let script = "pwd -P; cat; echo $A-$GIT_DIR-$B";
        let finished = shell(script)
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
    fn a_cleared_environment_still_carries_the_mark() {
        let env = fs::canonicalize("/usr/bin/env").unwrap();
        let finished = Program::new(env).env_clear().supervised(&supervisor()).run().unwrap();
        let text = finished.output.text();
        assert!(text.starts_with(process_tag::VARIABLE) && text.lines().count() == 1, "{text}");
    }

    #[test]
    fn a_hundred_megabytes_are_bounded() {
        let script = "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last >&2";
        let finished = run(script, &supervisor()).unwrap();
        let text = finished.output.text();
        assert_eq!(finished.end, ProcessEnd::Exited(0));
        assert!(text.starts_with("first\n") && text.ends_with("\nlast\n"));
        assert!(text.contains("bytes left out") && text.len() < 2_000_000);
    }

    #[test]
    fn a_program_out_of_time_is_stopped_with_what_it_said() {
        let supervisor = supervisor();
        let process =
            shell("echo said; sleep 1000").supervised(&supervisor).limit(Duration::from_secs(2));
        let finished = process.run().unwrap();
        assert_eq!(finished.end, ProcessEnd::TimedOut);
        assert_eq!(finished.output.text(), "said\n");
        assert!(nothing_is_left_of(&supervisor));
    }

    #[test]
    fn a_program_that_ignores_being_asked_is_killed() {
        let supervisor = supervisor();
        let script = "trap '' TERM; touch $READY; while :; do sleep 1; done";
        assert!(matches!(interrupted(script, &supervisor), Err(Problem::Interrupted)));
        assert!(nothing_is_left_of(&supervisor));
    }

    #[test]
    fn a_program_that_is_asked_to_end_may_tidy_up() {
        let dir = tempfile::tempdir().unwrap();
        let tidied = dir.path().join("tidied");
        let trap = format!("trap 'touch {}; exit' TERM", tidied.display());
        let script = format!("{trap}; sleep 1000 & touch $READY; wait");
        let supervisor = supervisor();
        assert!(interrupted(&script, &supervisor).is_err());
        assert!(tidied.exists());
        assert!(nothing_is_left_of(&supervisor));
    }

    #[test]
    fn a_run_that_is_to_stop_starts_nothing() {
        let supervisor = supervisor();
        supervisor.interrupt().request();
        assert!(matches!(run("true", &supervisor), Err(Problem::Interrupted)));
    }

    #[test]
    fn a_killed_group_leaves_no_process() {
        let supervisor = supervisor();
        let finished = run("sleep 1000 & sleep 1000 & echo started", &supervisor).unwrap();
        assert_eq!(finished.end, ProcessEnd::Exited(0));
        assert_eq!(finished.output.text(), "started\n");
        assert!(nothing_is_left_of(&supervisor));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_grandchild_in_a_session_of_its_own_is_found() {
        let supervisor = supervisor();
        let script = "setsid sh -c 'echo away; touch $READY; sleep 1000' & \
                      while [ ! -e $READY ]; do sleep 0.01; done";
        let dir = tempfile::tempdir().unwrap();
        let finished = shell(script)
            .env("READY", dir.path().join("ready"))
            .supervised(&supervisor)
            .run()
            .unwrap();
        assert_eq!(finished.output.text(), "away\n");
        assert!(nothing_is_left_of(&supervisor));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_grandchild_that_hides_and_holds_the_stream_does_not_hold_us() {
        let dir = tempfile::tempdir().unwrap();
        // It ends with the folder, so that it does not outlive the test.
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
    fn another_program_of_the_run_lives_on() {
        let supervisor = supervisor();
        let dir = tempfile::tempdir().unwrap();
        let stop = dir.path().join("stop");
        let long = "while [ ! -e $STOP ]; do sleep 0.01; done; exit 3";
        thread::scope(|scope| {
            let long = scope
                .spawn(|| shell(long).env("STOP", &stop).supervised(&supervisor).run().unwrap());
            run("true", &supervisor).unwrap();
            fs::write(&stop, "").unwrap();
            assert_eq!(long.join().unwrap().end, ProcessEnd::Exited(3));
        });
    }
}
