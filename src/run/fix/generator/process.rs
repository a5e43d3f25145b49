//! Process of a generator, with which lines are exchanged. It is never waited for without a limit.

use super::command::GeneratorCommand;
use anyhow::Context as _;
use mend_model::Result;
use mend_process::{PipedProcess, ProcessEnd, Supervisor};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum size of a line of a generator, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 8 << 20;

/// Number of lines that may wait. A generator that writes more has to wait.
const MAX_WAITING_LINES: usize = 1;

/// Interval at which a waiting caller checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Time to wait for the end of a program that closed its output.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// Running generator. It ends with all processes that it started when this value is dropped.
pub(super) struct GeneratorProcess {
    process: PipedProcess,
    input: Sender<Vec<u8>>,
    output: Receiver<GeneratorOutput>,
}

/// Output of a generator.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GeneratorOutput {
    /// Line without its end.
    Line(Vec<u8>),
    /// Line that is longer than [`MAX_LINE_BYTES`].
    LongLine,
    /// End of the output.
    End,
}

impl GeneratorProcess {
    /// Starts a generator.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if it cannot be started.
    pub(super) fn start(
        command: &GeneratorCommand,
        scratch_folder: &Path,
        time_limit: Duration,
        supervisor: &Supervisor,
    ) -> Result<Self> {
        let mut process = command.process(scratch_folder, time_limit, supervisor).start_piped()?;
        let (stdin, stdout) = process.take_pipes()?;
        let (input, lines) = channel();
        let (sender, output) = sync_channel(MAX_WAITING_LINES);
        // Both threads end at the latest when the process is killed, which closes its pipes.
        start_thread("generator-input", move || write_lines(stdin, &lines))?;
        start_thread("generator-output", move || read_lines(stdout, &sender))?;
        Ok(Self { process, input, output })
    }

    /// Sends a line. A generator that does not read it blocks only a thread.
    pub(super) fn send(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        // The generator may have closed its input. It may answer nevertheless.
        drop(self.input.send(line));
    }

    /// Returns the next output, if there is any before `deadline`.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`].
    pub(super) fn receive(&self, deadline: Instant) -> Result<Option<GeneratorOutput>> {
        loop {
            self.process.interrupt().check()?;
            let remaining = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(remaining.min(POLL_INTERVAL)) {
                Ok(output) => return Ok(Some(output)),
                Err(RecvTimeoutError::Disconnected) => return Ok(Some(GeneratorOutput::End)),
                Err(RecvTimeoutError::Timeout) if remaining.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Returns the end of a program that closed its output, or `None` if it runs on.
    pub(super) fn end(&self) -> Result<Option<ProcessEnd>> {
        let start = Instant::now();
        loop {
            let end = self.process.end()?;
            if end.is_some() || start.elapsed() >= END_TIMEOUT {
                return Ok(end);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Stops the generator, and returns what it wrote to its standard error.
    pub(super) fn stop(self) -> String {
        let Self { process, input, output } = self;
        drop((input, output));
        process.stop()
    }
}

fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    Ok(started.map(drop).context("starting a thread")?)
}

fn write_lines(mut stdin: impl Write, lines: &Receiver<Vec<u8>>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

/// Passes lines on until the end of the output, a line that is too long, or the end of the receiver.
fn read_lines(stdout: impl Read, sender: &SyncSender<GeneratorOutput>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let output = read_line(&mut reader);
        let is_last = !matches!(output, GeneratorOutput::Line(_));
        if sender.send(output).is_err() || is_last {
            break;
        }
    }
}

fn read_line(reader: &mut impl BufRead) -> GeneratorOutput {
    let mut line = Vec::new();
    let limit = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX);
    match reader.take(limit + 1).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => GeneratorOutput::End,
        Ok(_) if line.ends_with(b"\n") => {
            line.pop();
            GeneratorOutput::Line(line)
        }
        Ok(count) if count > MAX_LINE_BYTES => GeneratorOutput::LongLine,
        // The last line may lack its end.
        Ok(_) => GeneratorOutput::Line(line),
    }
}
