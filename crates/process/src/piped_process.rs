//! Worker programs that communicate over pipes.

use super::capture::OutputCapture;
use crate::supervised_process::{Process, ProcessEnd, RunningProcess};
use anyhow::Context;
use mend_model::{Interrupt, Result};
use std::io::{Read, Write};
use std::process::{ChildStdin, ChildStdout};

/// A program that communicates over its standard input and output. It ends with all processes that it started when this
/// value is dropped.
pub struct PipedProcess {
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    stderr: OutputCapture,
    process: RunningProcess,
}

impl Process {
    /// Starts the program with pipes.
    ///
    /// # Errors
    /// Errors of [`Process::run`].
    pub fn start_piped(mut self) -> Result<PipedProcess> {
        self.assign_tag()?;
        let stderr = OutputCapture::attach_stderr(self.command())?;
        let mut process = self.spawn()?;
        let (input, output) = process.take_pipes();
        Ok(PipedProcess { input, output, stderr, process })
    }
}

impl PipedProcess {
    /// Takes both pipes, for use in another thread. This is possible only once.
    ///
    /// # Errors
    /// [`mend_model::Problem::Internal`] if they were taken before.
    pub fn take_pipes(
        &mut self,
    ) -> Result<(impl Write + Send + 'static, impl Read + Send + 'static)> {
        let input = self.input.take().context("the input of a program")?;
        let output = self.output.take().context("the output of a program")?;
        Ok((input, output))
    }

    /// Discards the output on its standard error so far.
    pub fn discard_stderr(&self) {
        self.stderr.discard();
    }

    /// Returns the cancellation flag of the run.
    pub fn interrupt(&self) -> &Interrupt {
        self.process.interrupt()
    }

    /// Returns the end of the program, or `None` if it is running.
    ///
    /// # Errors
    /// An internal error of the operating system.
    pub fn end(&self) -> Result<Option<ProcessEnd>> {
        self.process.end()
    }

    /// Stops the program, and returns its output on the standard error since it was last discarded.
    pub fn stop(self) -> String {
        let Self { input, output, stderr: printed, process: running } = self;
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
    fn piped_process_answers_and_leaves_no_children() {
        let supervisor = Supervisor::without_watchdog(Interrupt::default());
        let script = "while read line; do echo \"[$line]\"; echo said >&2; sleep 1000 & done";
        let process = Program::new("sh").args(["-c", script]).supervised(&supervisor);
        let mut piped = process.start_piped().unwrap();
        let (mut input, output) = piped.take_pipes().unwrap();
        let mut lines = BufReader::new(output).lines();
        for word in ["one", "two"] {
            writeln!(input, "{word}").unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), format!("[{word}]"));
        }
        assert!(piped.stop().starts_with("said\n"));
        assert!(process_tag::find_tagged(&supervisor.run_tag_prefix()).is_empty());
    }
}
