//! Exchange of lines with a generator: a request, then answers and verdicts in turn, within limits.

use super::answer::parse_answer;
use super::command::PreparedGenerator;
use super::fault::GeneratorFault;
use super::process::{GeneratorOutput, GeneratorProcess, MAX_LINE_BYTES};
use super::protocol::{
    CandidateVerdict, FailureReport, GeneratorMessage, MessageContent, ProposedPatch,
    RemainingLimits, SCHEMA,
};
use crate::run::fix::budget::BudgetUse;
use anyhow::Context as _;
use mend_model::Result;
use mend_process::Supervisor;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time after the budget at which the sandbox stops a generator. The exchange ends before, with a better reason.
const SANDBOX_EXTRA_TIME: Duration = Duration::from_secs(30);

/// Exchange with a running generator.
pub(super) struct GeneratorSession {
    state: SessionState,
    answer_timeout: Duration,
    max_patches: usize,
    budget_use: BudgetUse,
    /// Number of messages that were sent.
    round: usize,
    /// Number of patches received so far.
    received: usize,
}

/// State of an exchange.
enum SessionState {
    /// The generator was sent a message at this time.
    Asked(GeneratorProcess, Instant),
    /// Its patches are being tested.
    Answered(GeneratorProcess),
    Ended,
}

/// Patch of a generator, with its number from 1.
pub(super) struct NumberedPatch {
    pub(super) number: usize,
    pub(super) patch: ProposedPatch,
}

/// Next step of an exchange.
pub(super) enum SessionStep {
    /// The generator has not answered yet.
    Waiting,
    /// Patches to test. [`GeneratorSession::send_verdicts`] continues.
    Patches(Vec<NumberedPatch>),
    /// The exchange ended just now; the reason is for the user if the generator did not end it itself.
    Ended(Option<String>),
    /// The exchange ended before.
    Over,
}

impl GeneratorSession {
    /// Starts a generator and sends the request.
    pub(super) fn start(
        generator: &PreparedGenerator<'_>,
        report: FailureReport,
        budget_use: BudgetUse,
        scratch_folder: &Path,
        supervisor: &Supervisor,
    ) -> Result<Self> {
        let PreparedGenerator { request, command } = generator;
        let time_limit = budget_use.remaining_time() + SANDBOX_EXTRA_TIME;
        let process = GeneratorProcess::start(command, scratch_folder, time_limit, supervisor)?;
        let mut session = Self {
            state: SessionState::Answered(process),
            answer_timeout: request.answer_timeout,
            max_patches: request.max_patches,
            budget_use,
            round: 0,
            received: 0,
        };
        session.send(MessageContent::Request(Box::new(report)))?;
        Ok(session)
    }

    /// Returns what the generator answered so far, without waiting.
    pub(super) fn poll(&mut self) -> Result<SessionStep> {
        self.step(Instant::now())
    }

    /// Waits for the next answer, within the limits.
    pub(super) fn wait(&mut self) -> Result<SessionStep> {
        let SessionState::Asked(_, since) = &self.state else { return Ok(SessionStep::Over) };
        let limit = self.answer_timeout.saturating_sub(since.elapsed());
        self.step(Instant::now() + limit.min(self.budget_use.remaining_time()))
    }

    /// Sends the verdicts on the patches of the last answer, and asks for more. After the maximum number of patches, ends
    /// the exchange instead, and returns the reason.
    pub(super) fn send_verdicts(
        &mut self,
        verdicts: Vec<CandidateVerdict>,
    ) -> Result<Option<String>> {
        if self.remaining_patches() == 0 {
            self.state = SessionState::Ended;
            return Ok(Some(GeneratorFault::PatchLimitReached(self.max_patches).to_string()));
        }
        self.send(MessageContent::Verdicts { verdicts }).map(|()| None)
    }

    /// Ends the exchange for a reason, which it returns in words.
    pub(super) fn end(&mut self, fault: &GeneratorFault) -> String {
        match std::mem::replace(&mut self.state, SessionState::Ended) {
            SessionState::Asked(process, _) | SessionState::Answered(process) => {
                stop_with(process, fault)
            }
            SessionState::Ended => fault.to_string(),
        }
    }

    fn send(&mut self, content: MessageContent) -> Result<()> {
        self.round += 1;
        let message = GeneratorMessage {
            schema: SCHEMA.to_owned(),
            round: self.round,
            limits: RemainingLimits {
                candidates: self.remaining_patches(),
                answer_seconds: self.answer_timeout.min(self.budget_use.remaining_time()).as_secs(),
            },
            content,
        };
        let line = serde_json::to_vec(&message).context("writing a message to the generator")?;
        if let SessionState::Answered(process) =
            std::mem::replace(&mut self.state, SessionState::Ended)
        {
            process.send(line);
            self.state = SessionState::Asked(process, Instant::now());
        }
        Ok(())
    }

    fn remaining_patches(&self) -> usize {
        self.max_patches.saturating_sub(self.received)
    }

    fn step(&mut self, deadline: Instant) -> Result<SessionStep> {
        if matches!(self.state, SessionState::Answered(_)) {
            return Ok(SessionStep::Waiting);
        }
        let SessionState::Asked(process, since) =
            std::mem::replace(&mut self.state, SessionState::Ended)
        else {
            return Ok(SessionStep::Over);
        };
        let Some(output) = process.receive(deadline)? else {
            return Ok(self.check_time(process, since));
        };
        let patches = match output {
            GeneratorOutput::Line(line) => parse_answer(&line),
            GeneratorOutput::LongLine => Err(GeneratorFault::AnswerTooLong(MAX_LINE_BYTES)),
            GeneratorOutput::End => {
                let end = process.end()?;
                Err(end.map_or(GeneratorFault::OutputClosed, GeneratorFault::Ended))
            }
        };
        Ok(match patches {
            Ok(patches) => self.accept(process, patches),
            Err(GeneratorFault::Ended(mend_process::ProcessEnd::Exited(0))) if self.round > 1 => {
                drop(process);
                SessionStep::Ended(None)
            }
            Err(fault) => SessionStep::Ended(Some(stop_with(process, &fault))),
        })
    }

    /// Ends the exchange if a time limit is exceeded.
    fn check_time(&mut self, process: GeneratorProcess, since: Instant) -> SessionStep {
        if since.elapsed() >= self.answer_timeout {
            let fault = GeneratorFault::TimedOut(self.answer_timeout);
            return SessionStep::Ended(Some(stop_with(process, &fault)));
        }
        if self.budget_use.is_time_over() {
            return SessionStep::Ended(Some(stop_with(process, &GeneratorFault::BudgetUsedUp)));
        }
        self.state = SessionState::Asked(process, since);
        SessionStep::Waiting
    }

    /// Accepts the patches of an answer up to the limit.
    fn accept(&mut self, process: GeneratorProcess, patches: Vec<ProposedPatch>) -> SessionStep {
        if patches.is_empty() {
            drop(process);
            return SessionStep::Ended(None);
        }
        let numbers = self.received + 1..;
        let numbered = numbers.zip(patches).take(self.remaining_patches());
        let patches: Vec<_> =
            numbered.map(|(number, patch)| NumberedPatch { number, patch }).collect();
        self.received += patches.len();
        self.state = SessionState::Answered(process);
        SessionStep::Patches(patches)
    }
}

/// Stops a generator. Returns the fault and its last message in words, which may be long and contain secrets.
fn stop_with(process: GeneratorProcess, fault: &GeneratorFault) -> String {
    let printed = process.stop();
    let last_stderr_line = printed.lines().rev().find(|line| !line.trim().is_empty());
    last_stderr_line
        .map_or_else(|| fault.to_string(), |line| format!("{fault}; it printed: {}", line.trim()))
}

#[cfg(test)]
mod tests;
