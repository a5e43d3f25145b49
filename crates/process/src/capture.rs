//! Capture of a program's output, with a size limit.

use anyhow::Context;
use mend_model::Result;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{ErrorKind, PipeReader, Read, pipe};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Number of bytes kept of the beginning of a stream.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Number of bytes kept of the end of a stream.
const MAX_TAIL_BYTES: usize = 1024 * 1024;

/// Time to wait for the end of a stream once all known processes are gone. Only a process that removed its tag can hold
/// it open longer.
const STREAM_END_TIMEOUT: Duration = Duration::from_secs(1);

/// Output of a program. Invalid UTF-8 is replaced. If a stream was too long, a line in the middle states how much is
/// omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Both streams in the order of printing.
    Interleaved(String),
    /// Each stream separately.
    Separate {
        /// The standard output.
        stdout: String,
        /// The standard error.
        stderr: String,
    },
}

impl Output {
    /// Returns the whole output; separate streams follow each other.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Interleaved(text) => Cow::Borrowed(text),
            Self::Separate { stdout, stderr } => Cow::Owned(format!("{stdout}{stderr}")),
        }
    }
}

/// Output streams of a running program.
pub(super) struct OutputCapture {
    streams: Vec<Arc<Mutex<BoundedOutput>>>,
    stream_ends: Receiver<()>,
}

impl OutputCapture {
    /// Connects the streams of a program, which is not yet started, to threads that read them.
    pub(super) fn attach(command: &mut Command, is_separate: bool) -> Result<Self> {
        let (reader, writer) = pipe().context("making a pipe")?;
        let (error_reader, error_writer) = if is_separate {
            let (reader, writer) = pipe().context("making a pipe")?;
            (Some(reader), writer)
        } else {
            (None, writer.try_clone().context("making a pipe")?)
        };
        command.stdout(Stdio::from(writer)).stderr(Stdio::from(error_writer));
        Self::from_readers(std::iter::once(reader).chain(error_reader))
    }

    /// Connects only the standard error to a thread that reads it; the other streams are pipes for requests and
    /// responses.
    pub(super) fn attach_stderr(command: &mut Command) -> Result<Self> {
        let (reader, writer) = pipe().context("making a pipe")?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::from(writer));
        Self::from_readers(std::iter::once(reader))
    }

    fn from_readers(readers: impl Iterator<Item = PipeReader>) -> Result<Self> {
        let (sender, ends) = channel();
        let mut capture = Self { streams: Vec::new(), stream_ends: ends };
        for reader in readers {
            let stream = Arc::default();
            capture.streams.push(Arc::clone(&stream));
            let sender = sender.clone();
            thread::Builder::new()
                .name("drain".into())
                .spawn(move || drain(reader, &stream, &sender))
                .context("starting a thread")?;
        }
        Ok(capture)
    }

    /// Discards the output so far.
    pub(super) fn discard(&self) {
        for stream in &self.streams {
            *lock(stream) = BoundedOutput::default();
        }
    }

    /// Returns the output so far, after a short wait if a stream is still open.
    pub(super) fn finish(self) -> Output {
        let start = Instant::now();
        for _ in &self.streams {
            let remaining_time = STREAM_END_TIMEOUT.saturating_sub(start.elapsed());
            if self.stream_ends.recv_timeout(remaining_time).is_err() {
                break;
            }
        }
        let mut texts = self.streams.iter().map(|kept| lock(kept).text());
        match (texts.next().unwrap_or_default(), texts.next()) {
            (text, None) => Output::Interleaved(text),
            (stdout, Some(stderr)) => Output::Separate { stdout, stderr },
        }
    }
}

fn drain(mut reader: PipeReader, output: &Mutex<BoundedOutput>, end_sender: &Sender<()>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(count @ 1..) => lock(output).append(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    // The receiver is gone if the stream stayed open beyond the grace period.
    let _ = end_sender.send(());
}

fn lock(output: &Mutex<BoundedOutput>) -> std::sync::MutexGuard<'_, BoundedOutput> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Beginning and end of a stream.
#[derive(Default)]
struct BoundedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped_bytes: usize,
}

impl BoundedOutput {
    fn append(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(MAX_HEAD_BYTES - self.head.len()));
        self.head.extend(first);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(MAX_TAIL_BYTES);
        self.tail.drain(..excess);
        self.dropped_bytes += excess;
    }

    fn text(&self) -> String {
        let mut head = self.head.as_slice();
        let mut tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.dropped_bytes > 0 {
            // Partial lines and words are omitted: a part of a secret would not be redacted.
            let partial_head = head.len() - end_of_last_complete_line(head);
            head = &head[..head.len() - partial_head];
            let partial_tail = start_of_first_complete_line(&tail);
            tail.drain(..partial_tail);
            let dropped_bytes = self.dropped_bytes + partial_head + partial_tail;
            let note = format!("\n[… {dropped_bytes} bytes left out …]\n");
            tail.splice(..0, note.into_bytes());
        }
        String::from_utf8_lossy(&[head, &tail].concat()).into_owned()
    }
}

/// Returns the end of the last complete line of a truncated text, or of the last complete word if there is only one
/// line.
fn end_of_last_complete_line(bytes: &[u8]) -> usize {
    let last_index = |is_end: fn(&u8) -> bool| bytes.iter().rposition(is_end);
    last_index(|byte| *byte == b'\n')
        .or_else(|| last_index(u8::is_ascii_whitespace))
        .unwrap_or(bytes.len())
}

/// Returns the start of the first complete line of a truncated text, or of the first complete word if there is only one
/// line.
fn start_of_first_complete_line(bytes: &[u8]) -> usize {
    let first_index = |is_end: fn(&u8) -> bool| bytes.iter().position(is_end);
    let end = first_index(|byte| *byte == b'\n').or_else(|| first_index(u8::is_ascii_whitespace));
    end.map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_output_keeps_head_and_tail_and_reports_omitted_bytes() {
        let mut output = BoundedOutput::default();
        output.append(b"begin");
        output.append(&vec![b'x'; MAX_HEAD_BYTES + MAX_TAIL_BYTES]);
        output.append(b"end");
        let text = output.text();
        assert!(text.starts_with("beginx") && text.ends_with("xend"));
        assert!(text.contains("[… 8 bytes left out …]"));
    }

    #[test]
    fn truncation_drops_partial_lines() {
        let mut output = BoundedOutput::default();
        output.append(b"first\n");
        output.append(&vec![b'x'; MAX_HEAD_BYTES + MAX_TAIL_BYTES]);
        output.append(b"\nlast line\n");
        let dropped_bytes = MAX_HEAD_BYTES + MAX_TAIL_BYTES + 2;
        assert_eq!(
            output.text(),
            format!("first\n[… {dropped_bytes} bytes left out …]\nlast line\n")
        );
    }

    #[test]
    fn truncation_of_a_single_line_drops_partial_words() {
        let mut output = BoundedOutput::default();
        output.append(b"first ");
        output.append(&vec![b'x'; MAX_HEAD_BYTES + MAX_TAIL_BYTES]);
        output.append(b" last");
        let dropped_bytes = MAX_HEAD_BYTES + MAX_TAIL_BYTES + 2;
        assert_eq!(output.text(), format!("first\n[… {dropped_bytes} bytes left out …]\nlast"));
    }

    proptest! {
        #[test]
        fn a_short_stream_is_kept_whole(chunks in proptest::collection::vec("[a-z]{0,2000}", 0..60)) {
            let mut kept = BoundedOutput::default();
            for chunk in &chunks {
                kept.append(chunk.as_bytes());
            }
            prop_assert_eq!(kept.text(), chunks.concat());
        }
    }
}
