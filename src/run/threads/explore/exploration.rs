//! Result of an exploration or an audit.

use crate::run::session::command_result::CommandResult;
use crate::run::session::{Session, next_command};
use crate::run::subject::test_overlay::TestOverlay;
use crate::run::threads::findings_report::{RecordedSchedules, record_findings};
use mend_engine::ExploreConfig;
use mend_model::schedules::Findings;
use mend_model::{Result, format_count};
use mend_report::{RunResult, RunStatus, ScheduleReport};

/// Result of an exploration or an audit, complete or so far.
#[derive(Clone)]
pub(super) struct Exploration {
    pub(super) schedules: ScheduleReport,
    /// Summary for people, the verdict first.
    pub(super) messages: Vec<String>,
    /// Command that replays the failing schedule.
    pub(super) reproduce: Option<String>,
    pub(super) next_command: Option<String>,
    /// Cost of all schedules, or `None` before the end.
    pub(super) cost: Option<ScheduleCost>,
    /// True if a schedule fails or the patch is rejected.
    pub(super) has_failed: bool,
}

/// Cost of schedules.
#[derive(Clone, Copy)]
pub(super) struct ScheduleCost {
    run: usize,
    seconds: f64,
}

impl ScheduleCost {
    /// Sums the costs of explorations.
    pub(super) fn from_findings(all: &[&Findings]) -> Self {
        let seconds = f64::from(all.iter().map(|one| one.millis).sum::<u32>()) / 1000.0;
        Self { run: all.iter().map(|one| one.run).sum(), seconds }
    }
}

impl Exploration {
    /// Writes the failing schedules to the run folder, and returns the result of a complete exploration.
    pub(super) fn from_findings(
        findings: &Findings,
        order: &ExploreConfig,
        session: &Session<'_>,
        overlay: &TestOverlay,
    ) -> Result<Self> {
        let RecordedSchedules { report, headline } =
            record_findings(findings, order, session, overlay)?;
        Ok(Self {
            messages: [headline].into_iter().chain(other_failures(findings)).collect(),
            reproduce: reproduce(&report, order, session),
            schedules: report,
            next_command: next_of(findings, order, session),
            cost: Some(ScheduleCost::from_findings(&[findings])),
            has_failed: has_failed(findings),
        })
    }

    /// Creates the result of an audit before its verdict.
    pub(super) fn from_schedules(schedules: RecordedSchedules) -> Self {
        Self {
            schedules: schedules.report,
            messages: vec![schedules.headline],
            reproduce: None,
            next_command: None,
            cost: None,
            has_failed: false,
        }
    }

    /// Removes the certificate, which is valid only for a patch that passes.
    pub(super) fn uncertified(self) -> Self {
        let schedules = ScheduleReport { certificate: None, ..self.schedules };
        Self { schedules, ..self }
    }
}

impl CommandResult for Exploration {
    fn status(&self) -> RunStatus {
        if self.has_failed { RunStatus::Found } else { RunStatus::None }
    }

    fn write_to(&self, document: &mut RunResult) {
        document.schedules = Some(self.schedules.clone());
        document.messages.clone_from(&self.messages);
        document.message = self.messages.first().cloned();
        document.next_command.clone_from(&self.next_command);
        if let Some(command_line) = &self.reproduce {
            document.reproduce = Some(command_line.clone());
        }
        if let Some(cost) = self.cost {
            (document.cost.tests, document.cost.seconds_test) = (cost.run, cost.seconds);
        }
    }
}

/// Describes the schedules that fail in another way than the failure to reproduce.
fn other_failures(findings: &Findings) -> Option<String> {
    let first = findings.other_failure.as_ref()?.lines().next()?;
    let (count, verb) = match findings.other_failures {
        1 => ("1 schedule".to_owned(), "fails"),
        several => (format_count(several, "schedule"), "fail"),
    };
    Some(format!("{count} {verb} in another way, first: {first}"))
}

/// Returns true if a schedule fails, or another fault is found and none is to be reproduced.
fn has_failed(findings: &Findings) -> bool {
    findings.failing > 0 || !findings.has_goal && findings.is_failing()
}

/// Returns the next command: a search for a fix, or an exploration of further schedules if none failed and more exist.
fn next_of(findings: &Findings, order: &ExploreConfig, session: &Session<'_>) -> Option<String> {
    let line = &session.subject.command_line;
    if has_failed(findings) {
        return Some(next_command::fix_command(line));
    }
    let is_all = order.replay.is_none()
        && (findings.is_proved() || findings.multi_threaded_tests.is_empty());
    (!is_all).then(|| next_command::explore_more_command(line, order.schedules, order.seed))
}

/// Returns the command that replays the failing schedule.
fn reproduce(
    report: &ScheduleReport,
    order: &ExploreConfig,
    session: &Session<'_>,
) -> Option<String> {
    let failure = report.failures.first().filter(|_| order.replay.is_none())?;
    let file = session.run_log.folder.path().join(&failure.schedule);
    Some(next_command::replay_command(&session.subject.command_line, &file.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::DataRace;

    #[test]
    fn other_faults_are_no_failure_if_one_is_to_be_reproduced() {
        let race = DataRace { variable: "A.n".to_owned(), sites: Vec::new(), schedules: 1 };
        let any = Findings { races: vec![race], ..Findings::default() };
        assert!(has_failed(&any));
        let other = Findings { has_goal: true, other_failures: 2, ..any };
        assert!(!has_failed(&other));
        assert!(has_failed(&Findings { failing: 1, ..other }));
    }
}
