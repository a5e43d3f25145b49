//! Final verification of fixes for concurrency bugs: many schedules, a clean build and other tests.

use super::trials::{PassingCandidate, describe_candidates, rejection_reason};
use crate::run::fix::budget::BudgetUse;
use crate::run::fix::request::FixRequest;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::RevertRanking;
use crate::run::judge::SymptomOracle;
use crate::run::patch::affected_tests::AffectedTestRunner;
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::patch::verification::{CleanCheckout, difference};
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use crate::run::threads::explorer::Explorer;
use crate::run::threads::findings_report::certificate;
use crate::run::threads::fix::diagnosis_config::explore_order;
use crate::run::threads::progress::telling;
use crate::run::threads::rejections::UnpatchedSchedules;
use anyhow::anyhow;
use mend_engine::{ExploreConfig, SchedulerKind};
use mend_git::ObjectStore;
use mend_model::schedules::{FailureGroup, Findings};
use mend_model::{ProgressEvent, Result, TestExpectations, TestStatus, Verdict, counted};
use mend_report::{FixEvidence, FixResult};
use std::collections::BTreeSet;
use std::time::Duration;

/// Number of schedules for the first fix, with a new seed, if not all schedules can be explored: one thousand samples
/// and the first schedule.
const FIRST: u32 = 1001;

/// Number of schedules for the other fixes.
const OTHERS: u32 = 301;

/// Time limit for these schedules; the reported bound counts only the schedules that were run.
const LONGEST: Duration = Duration::from_secs(25);

/// Verifies fixes of concurrency bugs.
pub(super) struct ConcurrencyFixVerifier<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) judge: &'a SymptomOracle<'a>,
    pub(super) store: &'a ObjectStore,
    pub(super) bad: &'a ResolvedVersion,
    pub(super) findings: &'a Findings,
    pub(super) spending: BudgetUse,
    pub(super) request: &'a FixRequest,
    /// Result before the search for these fixes.
    pub(super) so_far: &'a Fixes,
    pub(super) undo: RevertRanking,
    pub(super) done: VerifiedFixes,
}

/// Result of the verification so far.
#[derive(Default)]
pub(super) struct VerifiedFixes {
    shown: Vec<FixResult>,
    /// Reasons for rejected candidates.
    refused: Vec<String>,
}

impl ConcurrencyFixVerifier<'_> {
    /// Verifies fixes, the best first, and writes them down. Returns true if all were rejected, so
    /// that more candidates are needed.
    pub(super) fn check(&mut self, mended: Vec<PassingCandidate>) -> Result<bool> {
        let refused = self.done.refused.len();
        for one in mended {
            if self.undo.is_the_same(&difference(self.bad, &one.tree, self.store)?.1) {
                continue;
            }
            let is_first = self.done.shown.is_empty() && !self.spending.is_late();
            let schedules = if is_first { FIRST } else { OTHERS };
            match self.proved(&one, self.done.shown.len() + 1, schedules)? {
                Ok(fix) => self.done.shown.push(fix),
                Err(why) => self.done.refused.push(why),
            }
            self.session.ledger.save(&self.fixes())?;
        }
        Ok(!self.is_any() && self.done.refused.len() > refused)
    }

    /// Returns true if a fix was verified.
    pub(super) fn is_any(&self) -> bool {
        self.count() > 0
    }

    /// Returns the number of verified fixes.
    pub(super) fn count(&self) -> usize {
        self.done.shown.len()
    }

    /// Returns the result so far with the verified fixes and the revert.
    pub(super) fn fixes(&self) -> Fixes {
        let ranked = self.undo.insert_into(&self.done.shown, self.request.top);
        Fixes { ranked, ..self.so_far.clone() }
    }

    /// Describes the reasons for rejections and the number of fixes. Notes what was not checked.
    pub(super) fn end(self) -> Result<Vec<String>> {
        let VerifiedFixes { shown, refused } = self.done;
        if shown.iter().any(|fix| !fix.validated.exhaustive) {
            let what = "schedules that were not run: not every fix was checked under all schedules";
            self.session.ledger.note(what.to_owned())?;
        }
        let rejected = refused.first().map(|why| {
            let times = counted(refused.len(), "candidate");
            format!("{times} rejected by the final check: {why}")
        });
        let found = match shown.len() {
            0 => "no candidate fixes it".to_owned(),
            found => format!("{} found", counted(found, "fix")),
        };
        Ok(rejected.into_iter().chain([found]).collect())
    }

    /// Writes and verifies a fix with schedules, a clean build and affected tests. Returns the reason if it is
    /// rejected.
    fn proved(
        &self,
        one: &PassingCandidate,
        rank: usize,
        schedules: u32,
    ) -> Result<Result<FixResult, String>> {
        let ledger = &self.session.ledger;
        let what =
            format!("checking a fix under up to {}", counted(schedules as usize, "schedule"));
        ledger.emit(ProgressEvent::Stage(what))?;
        let explorer = Explorer { session: self.session, bench: self.judge.bench, bad: self.bad };
        let seed = self.session.subject.seed.wrapping_add(2);
        let before = UnpatchedSchedules::from_findings(self.findings);
        let order =
            ExploreConfig { schedules, seed, is_trial: true, ..explore_order(self.request) };
        let order = before.directed(order);
        let (confirmed, seen) = std::thread::scope(|scope| {
            let confirmed = scope.spawn(|| {
                let others = AffectedTestRunner::new(self.session, &self.findings.tests);
                self.confirmed(one, rank)?.map(|fix| others.check_fix(fix)).transpose()
            });
            let mut listener = telling(&*self.session.context.progress, &order);
            let seen = explorer.seen_within(&one.tree, &order, Some(LONGEST), &mut listener);
            (confirmed.join(), seen)
        });
        let confirmed = confirmed.map_err(|_| anyhow!("the verification thread panicked"))??;
        let (fix, broken) = confirmed.map_or((None, None), |(fix, broken)| (Some(fix), broken));
        let refused = match seen?.into_findings_or_reason() {
            Ok(after) => match rejection_reason(&one.remedies, &before, &after).or(broken) {
                Some(why) => why,
                None if !after.is_each_seen() => {
                    "there was no time to run a schedule of each test".to_owned()
                }
                None => match fix {
                    Some(fix) => {
                        let expected = order.expected.is_some();
                        let checks = check_descriptions(one.again, &before, &after, expected);
                        return Ok(Ok(certified(fix, &after, &order.samplers, checks)));
                    }
                    None => "a clean build does not confirm it".to_owned(),
                },
            },
            Err(why) => why,
        };
        ledger.folder.append_log(&format!("rejected: {refused}"))?;
        if let Some(file) = fix.and_then(|fix| fix.patch) {
            drop(std::fs::remove_file(ledger.folder.path().join(file)));
        }
        Ok(Err(refused))
    }

    /// Verifies the fix in a clean build.
    fn confirmed(&self, one: &PassingCandidate, rank: usize) -> Result<Option<FixResult>> {
        let folder = &self.session.ledger.folder;
        let why = describe_candidates(&one.remedies);
        let operator = one.remedies.first().map_or("", |remedy| remedy.way.word());
        let source =
            RepairOrigin { technique: "concurrency", operator, why: &why, has_sources: true };
        let demands = TestExpectations::default();
        let (session, judge, store, bad) = (self.session, self.judge, self.store, self.bad);
        let mending = RepairContext { session, judge, demands: &demands, store, bad };
        let (fix, text) = mending.to_fix_result(&one.tree, &source)?;
        let file = format!("fix-{rank}.patch");
        folder.write(&file, text.as_deref().unwrap_or_default())?;
        let patch = folder.path().join(&file);
        let fresh = CleanCheckout {
            what: format!("{file} on a clean checkout"),
            from: bad,
            patch: Some(&patch),
            tree: &one.tree,
            limits: judge.limits.patient(),
            before: None,
            may_be_known: session.subject.resume,
        };
        let judgement = fresh.judged(judge)?;
        if judgement.verdict != Verdict::Pass {
            // A patch that is not proved is not left lying about.
            drop(std::fs::remove_file(&patch));
            return Ok(None);
        }
        let passing = judgement
            .outcome
            .as_ref()
            .map_or(0, |outcome| outcome.tests(|status| *status == TestStatus::Passed).len());
        let failing = self.failing();
        let validated = FixEvidence {
            failing_pass: failing,
            passing_kept: passing.saturating_sub(failing),
            ..fix.validated.clone()
        };
        Ok(Some(FixResult { rank, patch: Some(file), validated, ..fix }))
    }

    /// Returns the number of tests that fail under some schedule.
    fn failing(&self) -> usize {
        failing(&self.findings.groups)
    }
}

/// Counts the failing tests. A blocked test is identified by the method or class that ran; a class counts only if no
/// test of it failed.
fn failing(groups: &[FailureGroup]) -> usize {
    let example = |group: &FailureGroup| {
        let result = group.example.result.as_ref();
        let test = result.and_then(|result| result["test"].as_str()).map(str::to_owned);
        let mut words = group.example.schedule.test.split('\t').map(str::to_owned);
        let class = words.next().unwrap_or_default();
        let method = words.next().filter(|method| !method.is_empty());
        test.or(method.map(|method| format!("{class}#{method}"))).ok_or(class)
    };
    let (mut tests, mut classes) = (BTreeSet::new(), BTreeSet::new());
    for group in groups {
        match example(group) {
            Ok(test) => tests.insert(test),
            Err(class) => classes.insert(class),
        };
    }
    let is_of = |test: &String, class: &String| {
        test.strip_prefix(class.as_str()).is_some_and(|rest| rest.starts_with('#'))
    };
    classes.retain(|class| !tests.iter().any(|test| is_of(test, class)));
    tests.len() + classes.len()
}

/// The fix, with the results of the clean schedules.
fn certified(
    fix: FixResult,
    after: &Findings,
    samplers: &[SchedulerKind],
    checks: Vec<String>,
) -> FixResult {
    let certificate = certificate(after, samplers);
    let exhaustive = after.is_proved();
    let schedules = if after.is_exhausted() { after.run } else { after.sampled_of_each() };
    let bound = certificate.map(|one| one.to_text());
    let validated = FixEvidence {
        schedules: Some(schedules),
        bound,
        exhaustive,
        checks,
        ..fix.validated.clone()
    };
    FixResult { validated, ..fix }
}

/// Lists the checks of a fix besides clean schedules: schedules with the failing seed, directed schedules, and
/// comparisons such as the printed output.
fn check_descriptions(
    again: usize,
    before: &UnpatchedSchedules,
    after: &Findings,
    expected: bool,
) -> Vec<String> {
    let directed = after.strategies.get(SchedulerKind::Directed.word()).map_or(0, |[run, _]| *run);
    let known = format!("{} with the seed that failed", counted(again, "schedule"));
    let forced = format!("{} directed at the failure", counted(directed, "schedule"));
    let forced = (directed > 0).then_some(forced);
    let printed = expected.then(|| "each schedule prints the expected output".to_owned());
    std::iter::once(known).chain(forced).chain(printed).chain(before.check_descriptions()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::{Schedule, ScheduleTrace};

    /// A failure of `test`, or of the whole unit if the runner named no test.
    fn group(wanted: &str, test: Option<&str>) -> FailureGroup {
        let schedule = Schedule { test: wanted.to_owned(), ..Schedule::default() };
        let result = test.map(|test| serde_json::json!({ "test": test }));
        FailureGroup {
            count: 1,
            first: 1,
            example: ScheduleTrace { result, schedule, ..ScheduleTrace::default() },
        }
    }

    #[test]
    fn a_test_that_fails_and_blocks_is_one() {
        let (all, one) = ("p.ATest\t\talways", Some("p.ATest#one"));
        assert_eq!(failing(&[group(all, one), group(all, None)]), 1);
        assert_eq!(failing(&[group(all, None), group(all, None)]), 1);
        assert_eq!(failing(&[group(all, one), group("p.BTest\t\talways", None)]), 2);
        let methods = ["p.ATest\tone\talways", "p.ATest\ttwo\talways"];
        assert_eq!(failing(&methods.map(|wanted| group(wanted, None))), 2);
    }
}
