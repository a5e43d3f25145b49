//! Worker programs that are spoken to over pipes.

use super::capture::OutputCapture;
use crate::supervised_process::{Process, RunningProcess};
use anyhow::Context;
use mend_model::{Interrupt, Result};
use std::io::{Read, Write};
use std::process::{ChildStdin, ChildStdout};

/// A program that is talked to through its standard input and output. When this goes, it ends with
/// everything that it started.
pub struct PipedProcess {
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    printed: OutputCapture,
    running: RunningProcess,
}

impl Process {
    /// Starts it, to be talked to.
    ///
    /// # Errors
    /// Those of [`Process::run`].
    pub fn converse(mut self) -> Result<PipedProcess> {
        self.check_and_mark()?;
        let printed = OutputCapture::of_errors(self.command())?;
        let mut running = self.spawn()?;
        let (input, output) = running.pipes();
        Ok(PipedProcess { input, output, printed, running })
    }
}

impl PipedProcess {
    /// Takes both pipes, for use in another thread; possible only once.
    ///
    /// # Errors
    /// [`mend_model::Problem::Internal`] if they were taken before.
    pub fn take_ends(
        &mut self,
    ) -> Result<(impl Write + Send + 'static, impl Read + Send + 'static)> {
        let input = self.input.take().context("the input of a program")?;
        let output = self.output.take().context("the output of a program")?;
        Ok((input, output))
    }

    /// Forgets what it printed on its standard error until now.
    pub fn forget(&self) {
        self.printed.forget();
    }

    /// The wish to stop.
    pub fn interrupt(&self) -> &Interrupt {
        self.running.interrupt()
    }

    /// Ends it, and gives what it printed on its standard error since that was forgotten.
    pub fn end(self) -> String {
        let Self { input, output, printed, running } = self;
        drop((input, output, running));
        printed.finish().text().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process_tag;
    use crate::{Program, Supervisor};
    use std::io::{BufRead, BufReader};

    #[test]
    fn a_program_answers_and_leaves_nothing_when_it_is_dropped() {
        let supervisor = Supervisor::unwatched(Interrupt::default());
        let script = "while read line; do echo \"[$line]\"; echo said >&2; sleep 1000 & done";
        let process = Program::new("sh").args(["-c", script]).supervised(&supervisor);
        let mut conversation = process.converse().unwrap();
        let (mut input, output) = conversation.take_ends().unwrap();
        let mut lines = BufReader::new(output).lines();
        for word in ["one", "two"] {
            writeln!(input, "{word}").unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), format!("[{word}]"));
        }
        assert!(conversation.end().starts_with("said\n"));
        assert!(process_tag::marked(&supervisor.run_mark()).is_empty());
    }
}
