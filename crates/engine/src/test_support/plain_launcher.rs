//! A launcher for tests: no process group, output through a file.

use crate::{ExitInfo, LaunchSpec, Launcher, SupervisedLauncher};
use mend_model::{Interrupt, Problem, Result};
use mend_process::{PipedProcess, Supervisor};
use std::io::{Read as _, Seek as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Starts programs without a process group of their own.
pub struct PlainLauncher;

fn wait_for_exit(
    child: &mut Child,
    limit: Option<Duration>,
    is_expired: &mut dyn FnMut() -> bool,
) -> (ExitStatus, bool) {
    let start = Instant::now();
    let mut has_timed_out = false;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status, has_timed_out);
        }
        let is_overdue = limit.is_some_and(|limit| start.elapsed() >= limit) || is_expired();
        if !has_timed_out && is_overdue {
            has_timed_out = true;
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Launcher for PlainLauncher {
    fn run_until(
        &self,
        command: &LaunchSpec,
        is_expired: &mut dyn FnMut() -> bool,
    ) -> Result<ExitInfo> {
        let mut output_file = tempfile::tempfile().unwrap();
        let mut child = Command::new(&command.program)
            .args(&command.args)
            .current_dir(&command.cwd)
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output_file.try_clone().unwrap())
            .stderr(output_file.try_clone().unwrap())
            .spawn()
            .map_err(|error| Problem::ProgramMissing {
                program: command.program.to_string_lossy().into_owned(),
                reason: error.to_string(),
            })?;
        let (status, has_timed_out) = wait_for_exit(&mut child, command.time_limit, is_expired);
        let mut output = Vec::new();
        output_file.rewind().unwrap();
        output_file.read_to_end(&mut output).unwrap();
        let output = String::from_utf8_lossy(&output).into_owned();
        Ok(ExitInfo { code: status.code(), has_timed_out, output })
    }

    fn start_piped(&self, command: &LaunchSpec) -> Result<PipedProcess> {
        let supervisor = Supervisor::without_watchdog(Interrupt::default());
        SupervisedLauncher { supervisor, ceiling: command.cwd.clone() }.start_piped(command)
    }
}
