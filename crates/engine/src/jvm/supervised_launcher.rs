//! Starts the engine's programs as trials: supervised, in a process group of their own.

use crate::{Ended, Launch, Launched};
use mend_model::Result;
use mend_process::{Conversation, End, Process, Supervisor};
use std::path::PathBuf;

/// Starts programs that no end of the run outlives.
#[derive(Clone, Debug)]
pub struct SupervisedLauncher {
    /// What ends them.
    pub supervisor: Supervisor,
    /// No git that is called below this folder looks for a repository in it or above.
    pub ceiling: PathBuf,
}

impl SupervisedLauncher {
    fn process(&self, command: &Launched) -> Process {
        let mut process = Process::new(&command.program, &self.supervisor)
            .args(&command.args)
            .cwd(&command.cwd)
            .env("GIT_CEILING_DIRECTORIES", &self.ceiling);
        for (name, value) in &command.env {
            process = process.env(name, value);
        }
        match command.limit {
            Some(limit) => process.limit(limit),
            None => process,
        }
    }
}

impl Launch for SupervisedLauncher {
    fn run_until(&self, command: &Launched, is_over: &mut dyn FnMut() -> bool) -> Result<Ended> {
        let finished = self.process(command).run_until(is_over)?;
        let (code, timed_out) = match finished.end {
            End::Exited(code) => (Some(code), false),
            End::Signalled(signal) => (Some(128 + signal), false),
            End::TimedOut => (None, true),
        };
        Ok(Ended { code, timed_out, output: finished.output.text().into_owned() })
    }

    fn converse(&self, command: &Launched) -> Result<Conversation> {
        self.process(command).converse()
    }
}
