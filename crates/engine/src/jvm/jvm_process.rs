//! Resident JVMs that serve requests.
//!
//! Requests and responses are frames: a version, a number that the response repeats, a length, and the payload. They
//! use pipes of their own, because programs in a JVM may print.

use crate::{LaunchSpec, Launcher};
use anyhow::Context as _;
use mend_model::{Interrupt, Problem, Result};
use mend_process::PipedProcess;
use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{Error, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Version of the frame format.
const PROTOCOL_VERSION: u8 = 1;

/// Maximum length of a payload, in bytes.
const MAX_PAYLOAD_BYTES: usize = 1 << 30;

/// Interval at which cancellation is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Script that moves the pipes to other file descriptors before the JVM starts, because programs print to the standard
/// ones.
const REDIRECT_PIPES_SCRIPT: &str = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>&2";

/// Parameters of a JVM to start.
pub(crate) struct JvmCommand<'a> {
    /// The JDK's `java`.
    pub(crate) java: PathBuf,
    pub(crate) launcher: &'a dyn Launcher,
    /// Working directory.
    pub(crate) cwd: &'a Path,
    /// Environment variables in addition to those of this process.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// JVM options, including the class path.
    pub(crate) options: Vec<OsString>,
    pub(crate) main: &'a str,
}

/// A JVM that serves one request after the other. It ends when this value is dropped, and also when this process ends
/// abnormally.
pub(crate) struct Jvm {
    process: Option<PipedProcess>,
    requests: Sender<Vec<u8>>,
    answers: Receiver<std::io::Result<Vec<u8>>>,
    interrupt: Interrupt,
}

/// Result of a request. After anything except an answer the JVM cannot be used again.
pub(crate) enum JvmResponse {
    /// The response of the JVM.
    Answer(Vec<u8>),
    /// The request failed in the JVM, with this message.
    Failed(String),
    /// The JVM ended, or its response is invalid.
    Died,
    /// The JVM did not respond in time.
    TimedOut,
}

impl JvmCommand<'_> {
    /// Starts the JVM. An invalid program is detected only by the first request.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if it cannot be started.
    pub(crate) fn start(self) -> Result<Jvm> {
        let mut command = LaunchSpec::new("sh", self.cwd)
            .args(["-c", REDIRECT_PIPES_SCRIPT, "sh"])
            .arg(self.java)
            .args(self.options)
            .arg(self.main);
        command.env = self.variables;
        let mut process = self.launcher.start_piped(&command)?;
        let (input, output) = process.take_pipes()?;
        let interrupt = process.interrupt().clone();
        let (requests, request_receiver) = channel();
        let (answer_sender, answers) = channel();
        std::thread::Builder::new()
            .name("jvm".into())
            .spawn(move || relay_requests(input, output, &request_receiver, &answer_sender))
            .context("starting a thread")?;
        Ok(Jvm { process: Some(process), requests, answers, interrupt })
    }
}

impl Jvm {
    /// Sends a request and waits for its result.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] after an interrupt.
    pub(crate) fn send_and_receive(
        &mut self,
        request: Vec<u8>,
        limit: Option<Duration>,
    ) -> Result<JvmResponse> {
        self.send_request(request);
        self.receive_response(limit)
    }

    /// Sends a request; [`Jvm::receive_response`] waits for its result.
    pub(crate) fn send_request(&self, request: Vec<u8>) {
        // If the JVM has ended, receiving the response reports it.
        let _ = self.requests.send(request);
    }

    /// Waits for the result of the last request.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] after an interrupt.
    pub(crate) fn receive_response(&mut self, limit: Option<Duration>) -> Result<JvmResponse> {
        self.receive_response_until(limit, &mut || false)
    }

    /// Waits for a response like [`Jvm::receive_response`], and also times out once `is_expired` returns true, which is
    /// polled.
    ///
    /// # Errors
    /// Errors of [`Jvm::receive_response`].
    pub(crate) fn receive_response_until(
        &mut self,
        limit: Option<Duration>,
        is_expired: &mut dyn FnMut() -> bool,
    ) -> Result<JvmResponse> {
        if self.process.is_none() {
            return Ok(JvmResponse::Died);
        }
        let start = Instant::now();
        loop {
            let remaining =
                limit.map_or(POLL_INTERVAL, |limit| limit.saturating_sub(start.elapsed()));
            match self.answers.recv_timeout(POLL_INTERVAL.min(remaining)) {
                Ok(Ok(answer)) => return Ok(parse_response(answer)),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(JvmResponse::Died),
                Err(RecvTimeoutError::Timeout) if self.interrupt.is_requested() => {
                    self.stop();
                    return Err(Problem::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if remaining.is_zero() || is_expired() => {
                    return Ok(JvmResponse::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Discards the output so far.
    pub(crate) fn discard_output(&self) {
        self.process.iter().for_each(PipedProcess::discard_stderr);
    }

    /// Returns true if the JVM was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.process.is_none()
    }

    /// Stops the JVM, and returns its output since it was last discarded. A caller that stops waiting for a response
    /// must stop the JVM, because a late response would be taken for that to another request.
    pub(crate) fn stop(&mut self) -> String {
        self.process.take().map(PipedProcess::stop).unwrap_or_default()
    }
}

fn parse_response(mut answer: Vec<u8>) -> JvmResponse {
    if answer.first() == Some(&0) {
        return JvmResponse::Answer(answer.split_off(1));
    }
    JvmResponse::Failed(String::from_utf8_lossy(answer.get(1..).unwrap_or_default()).into_owned())
}

/// Relays requests and responses until one side has closed its pipe.
fn relay_requests(
    mut input: impl Write,
    mut output: impl Read,
    requests: &Receiver<Vec<u8>>,
    answers: &Sender<std::io::Result<Vec<u8>>>,
) {
    let mut number = RandomState::new().build_hasher().finish();
    for request in requests {
        number = number.wrapping_add(1);
        let answer = write_frame(&mut input, number, &request)
            .and_then(|()| read_frame(&mut output, number));
        let is_broken = answer.is_err();
        if answers.send(answer).is_err() || is_broken {
            return;
        }
    }
}

fn write_frame(output: &mut impl Write, number: u64, payload: &[u8]) -> std::io::Result<()> {
    let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= MAX_PAYLOAD_BYTES);
    let length = length.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "a frame too long"))?;
    output.write_all(&[PROTOCOL_VERSION])?;
    output.write_all(&number.to_be_bytes())?;
    output.write_all(&length.to_be_bytes())?;
    output.write_all(payload)?;
    output.flush()
}

fn read_frame(input: &mut impl Read, number: u64) -> std::io::Result<Vec<u8>> {
    let mut header = [0; 13];
    input.read_exact(&mut header)?;
    let length = u32::from_be_bytes([header[9], header[10], header[11], header[12]]) as usize;
    if header[0] != PROTOCOL_VERSION
        || header[1..9] != number.to_be_bytes()
        || length > MAX_PAYLOAD_BYTES
    {
        return Err(Error::new(ErrorKind::InvalidData, "not a frame that was waited for"));
    }
    let mut payload = vec![0; length];
    input.read_exact(&mut payload)?;
    Ok(payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_frame_comes_back_to_whoever_waits_for_it(payload: Vec<u8>, number: u64, other: u64) {
            let mut frame = Vec::new();
            write_frame(&mut frame, number, &payload).unwrap();
            prop_assert_eq!(read_frame(&mut &frame[..], number).unwrap(), payload);
            prop_assert!(number == other || read_frame(&mut &frame[..], other).is_err());
        }

        #[test]
        fn a_frame_beyond_the_longest_is_refused_before_it_is_read(more in 1..=u32::MAX - (1 << 30)) {
            let length = (1_u32 << 30) + more;
            let head = [&[PROTOCOL_VERSION][..], &[0; 8], &length.to_be_bytes()].concat();
            prop_assert_eq!(read_frame(&mut &head[..], 0).unwrap_err().kind(), ErrorKind::InvalidData);
        }

        #[test]
        fn what_is_no_frame_is_refused(bytes: Vec<u8>, number: u64) {
            prop_assume!(bytes.first() != Some(&PROTOCOL_VERSION));
            prop_assert!(read_frame(&mut &bytes[..], number).is_err());
        }
    }
}
