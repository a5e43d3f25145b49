//! Tests of the exchange with generators, which are shell scripts, and of what they may do wrong.

use super::*;
use crate::run::fix::budget::Budget;
use crate::run::fix::generator::command::GeneratorRequest;
use crate::run::fix::generator::protocol::VerdictKind;
use mend_model::{Interrupt, Problem};
use std::path::PathBuf;
use tempfile::TempDir;

const SECOND: Duration = Duration::from_secs(1);

/// Generous limit for machines under load.
const LONG: Duration = Duration::from_secs(60);

const ANSWER: &str = r#"{"candidates": [{"patch": "p"}, {"patch": "q", "reason": "r"}]}"#;

struct Case {
    dir: TempDir,
    interrupt: Interrupt,
    answer_timeout: Duration,
    budget: Duration,
    max_patches: usize,
}

impl Case {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            interrupt: Interrupt::default(),
            answer_timeout: LONG,
            budget: LONG,
            max_patches: 20,
        }
    }

    /// Starts a generator in a shell. `$ANSWER` is a valid answer with two patches.
    fn start(&self, script: &str) -> GeneratorSession {
        let script = format!("ANSWER={}\n{script}", shell_words::quote(ANSWER));
        let command = shell_words::join(["sh", "-c", &script]);
        let request =
            GeneratorRequest::parse(&command, true, self.answer_timeout, self.max_patches).unwrap();
        let generator = request.prepare(self.dir.path()).unwrap();
        let budget = Budget { time_limit: self.budget, max_candidates: None };
        let supervisor = Supervisor::without_watchdog(self.interrupt.clone());
        GeneratorSession::start(&generator, report(), budget.start(), self.dir.path(), &supervisor)
            .unwrap()
    }

    /// Returns the reason for which the exchange with a generator ends.
    fn end(&self, script: &str) -> Option<String> {
        let mut session = self.start(script);
        loop {
            match session.wait().unwrap() {
                SessionStep::Waiting => {}
                SessionStep::Patches(patches) => {
                    let reason = session.send_verdicts(verdicts(&patches)).unwrap();
                    if reason.is_some() {
                        return reason;
                    }
                }
                SessionStep::Ended(reason) => return reason,
                SessionStep::Over => panic!("it ended before"),
            }
        }
    }
}

/// Returns a report that is larger than the buffer of a pipe.
fn report() -> FailureReport {
    FailureReport {
        version: "x".repeat(1 << 20),
        failing_tests: Vec::new(),
        passing_tests: 0,
        culprit: None,
        locations: Vec::new(),
        contracts: Vec::new(),
        sources: Vec::new(),
        schedules: None,
    }
}

fn verdicts(patches: &[NumberedPatch]) -> Vec<CandidateVerdict> {
    let verdict = |patch: &NumberedPatch| CandidateVerdict {
        candidate: format!("candidate-{}", patch.number),
        verdict: VerdictKind::Fails,
        reason: "a test fails".to_owned(),
        output: None,
        still_failing: Vec::new(),
        edits_tests: false,
    };
    patches.iter().map(verdict).collect()
}

fn is_alive(pid_file: &PathBuf) -> bool {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn generator_gets_verdicts_and_offers_more() {
    let mut session = Case::new().start(
        "read -r request; echo \"$ANSWER\"; read -r verdicts; \
         case \"$verdicts\" in *'\"candidate-2\",\"verdict\":\"fails\"'*) echo \"$ANSWER\";; esac; read -r more; \
         echo '{\"candidates\": []}'",
    );
    for numbers in [[1, 2], [3, 4]] {
        let SessionStep::Patches(patches) = session.wait().unwrap() else { panic!() };
        assert_eq!(patches.iter().map(|one| one.number).collect::<Vec<_>>(), numbers);
        assert!(matches!(session.poll().unwrap(), SessionStep::Waiting));
        assert_eq!(session.send_verdicts(verdicts(&patches)).unwrap(), None);
    }
    assert!(matches!(session.wait().unwrap(), SessionStep::Ended(None)));
    assert!(matches!(session.wait().unwrap(), SessionStep::Over));
}

#[test]
fn slow_generator_does_not_block_a_poll() {
    let mut session = Case::new().start("sleep 1000");
    let start = Instant::now();
    assert!(matches!(session.poll().unwrap(), SessionStep::Waiting));
    assert!(start.elapsed() < 10 * SECOND);
}

#[test]
fn fault_of_a_dying_generator_contains_its_last_stderr_line() {
    let case = Case::new();
    let end = case.end("echo 'no key is set' >&2; exit 3").unwrap();
    assert_eq!(end, "it exited with code 3 instead of an answer; it printed: no key is set");
    assert!(case.end("kill -9 $$").unwrap().starts_with("signal 9 ended it"));
    assert!(case.end("exit 0").unwrap().starts_with("it exited with code 0"));
}

#[test]
fn exit_after_an_answer_ends_the_exchange() {
    assert_eq!(Case::new().end("read -r request; echo \"$ANSWER\""), None);
}

#[test]
fn hanging_generator_is_killed_with_its_processes() {
    let case = Case { answer_timeout: SECOND, ..Case::new() };
    let end =
        case.end("setsid sleep 1000 & echo $! > child; echo $$ > parent; sleep 1000").unwrap();
    assert!(end.starts_with("it did not answer within 1 second (--generator-timeout)"), "{end}");
    for name in ["child", "parent"] {
        assert!(!is_alive(&case.dir.path().join(name)), "{name}");
    }
}

#[test]
fn budget_limits_a_slow_generator() {
    let end = Case { budget: SECOND, ..Case::new() }.end("sleep 1000").unwrap();
    assert!(end.starts_with("the time of --budget was used up"), "{end}");
}

#[test]
fn garbage_and_endless_lines_are_named() {
    let case = Case::new();
    let end = case.end("echo Hello; sleep 1000").unwrap();
    assert!(end.starts_with("its answer is not a line of git-mend/generator/1: "), "{end}");
    for script in ["head -c 1000000000 /dev/zero; sleep 1000", "cat /dev/zero"] {
        assert_eq!(case.end(script).unwrap(), "its answer is longer than 8 MiB");
    }
}

#[test]
fn closed_streams_do_not_hang() {
    let case = Case::new();
    assert_eq!(case.end("exec <&-; echo '{\"candidates\": []}'; sleep 1000"), None);
    let end = case.end("exec >&-; sleep 1000").unwrap();
    assert_eq!(end, "it closed its standard output without an answer");
}

#[test]
fn generator_that_never_reads_may_answer() {
    let case = Case::new();
    assert_eq!(case.end("echo '{\"candidates\": []}'; sleep 1000"), None);
}

#[test]
fn flood_of_patches_ends_at_the_limit() {
    let case = Case { max_patches: 3, ..Case::new() };
    let end = case.end("while :; do echo \"$ANSWER\"; done").unwrap();
    assert_eq!(end, "at most 3 are tested (--generator-candidates)");
}

#[test]
fn interrupt_ends_the_wait() {
    let case = Case::new();
    let mut session = case.start("sleep 1000");
    case.interrupt.request();
    assert!(matches!(session.wait(), Err(Problem::Interrupted)));
}
