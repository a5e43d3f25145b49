//! Launcher that starts programs under supervision, each in its own process group.

use crate::{ExitInfo, LaunchSpec, Launcher};
use mend_model::Result;
use mend_process::{PipedProcess, Process, ProcessEnd, Program, Supervisor};
use std::path::PathBuf;

/// Starts programs that are killed when the run ends.
#[derive(Clone, Debug)]
pub struct SupervisedLauncher {
    /// Supervisor of the programs.
    pub supervisor: Supervisor,
    /// Folder above which git, started by a program, does not search for a repository.
    pub ceiling: PathBuf,
}

impl SupervisedLauncher {
    fn new_process(&self, command: &LaunchSpec) -> Process {
        let program = Program::new(&command.program)
            .args(&command.args)
            .cwd(&command.cwd)
            .env("GIT_CEILING_DIRECTORIES", &self.ceiling);
        let set = command.env.iter();
        let program = set.fold(program, |program, (name, value)| program.env(name, value));
        let process = program.supervised(&self.supervisor);
        match command.time_limit {
            Some(limit) => process.time_limit(limit),
            None => process,
        }
    }
}

impl Launcher for SupervisedLauncher {
    fn run_until(
        &self,
        command: &LaunchSpec,
        is_expired: &mut dyn FnMut() -> bool,
    ) -> Result<ExitInfo> {
        let finished = self.new_process(command).run_until(is_expired)?;
        let (code, has_timed_out) = match finished.end {
            ProcessEnd::Exited(code) => (Some(code), false),
            ProcessEnd::Signalled(signal) => (Some(128 + signal), false),
            ProcessEnd::TimedOut => (None, true),
        };
        Ok(ExitInfo { code, has_timed_out, output: finished.output.text().into_owned() })
    }

    fn start_piped(&self, command: &LaunchSpec) -> Result<PipedProcess> {
        self.new_process(command).start_piped()
    }
}
