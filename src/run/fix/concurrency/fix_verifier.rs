//! Final verification of fixes for concurrency bugs: many schedules, a clean build and other tests.

use super::trials::{Mended, against, why};
use crate::run::explore::{Before, Explorer, Seen, certificate, telling};
use crate::run::fix::budget::Spending;
use crate::run::fix::concurrency::diagnosis_config::explore_order;
use crate::run::fix::request::FixRequest;
use crate::run::fix::revert::Undo;
use crate::run::judge::Judge;
use crate::run::patch::affected_tests::Neighbours;
use crate::run::patch::repair_context::{Mending, Source};
use crate::run::patch::verification::{Fresh, difference};
use crate::run::session::Session;
use crate::run::session::versions::Version;
use anyhow::anyhow;
use mend_engine::{ExploreOrder, Sampler};
use mend_git::Store;
use mend_model::schedules::{Findings, Group};
use mend_model::{Demands, Event, Result, TestStatus, Verdict, counted};
use mend_report::{FixResult, Validated};
use std::collections::BTreeSet;
use std::time::Duration;

/// Schedules that what is shown first must stand, under a seed that had no part in choosing it, where not all orders of
/// its steps could be run: a thousand that are sampled, and the first one.
const FIRST: u32 = 1001;

/// Those of what is shown beside it.
const OTHERS: u32 = 301;

/// Time limit for these schedules; the reported bound counts only the schedules that were run.
const LONGEST: Duration = Duration::from_secs(25);

/// Shows what is proved.
pub(super) struct Shown<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) judge: &'a Judge,
    pub(super) store: &'a Store,
    pub(super) bad: &'a Version,
    pub(super) findings: &'a Findings,
    pub(super) spending: Spending,
    pub(super) request: &'a FixRequest,
    /// What undoing comes to stands in the result already.
    pub(super) undo: Undo,
    pub(super) done: Done,
}

/// Result of the verification so far.
#[derive(Default)]
pub(super) struct Done {
    shown: Vec<FixResult>,
    /// Why others are not.
    refused: Vec<String>,
}

impl Shown<'_> {
    /// Verifies fixes, the best first, and writes them down. Returns true if all were rejected, so
    /// that more candidates are needed.
    pub(super) fn check(&mut self, mended: Vec<Mended>) -> Result<bool> {
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
            let fixes = self.undo.among(&self.done.shown, self.request.top);
            self.session.ledger.update(|result| result.fixes = fixes)?;
        }
        Ok(!self.is_any() && self.done.refused.len() > refused)
    }

    /// Whether anything is proved.
    pub(super) fn is_any(&self) -> bool {
        !self.done.shown.is_empty()
    }

    /// Says how many are shown, which it gives, and why others are not.
    pub(super) fn end(self) -> Result<usize> {
        let (ledger, Done { shown, refused }) = (&self.session.ledger, self.done);
        if let Some(why) = refused.first() {
            let times = counted(refused.len(), "candidate");
            let words = format!("{times} rejected by the final check: {why}");
            ledger.update(|result| result.say(words))?;
        }
        if shown.iter().any(|fix| !fix.validated.exhaustive) {
            let what = "schedules that were not run: not every fix was checked under all schedules";
            ledger.note(what.to_owned())?;
        }
        ledger.update(|result| {
            result.say(match shown.len() {
                0 => "no candidate fixes it".to_owned(),
                found => format!("{} found", counted(found, "fix")),
            });
        })?;
        Ok(shown.len())
    }

    /// A repair with its patch written, if schedules, a fresh build and other tests confirm it; else why they do not.
    fn proved(
        &self,
        one: &Mended,
        rank: usize,
        schedules: u32,
    ) -> Result<Result<FixResult, String>> {
        let ledger = &self.session.ledger;
        let what =
            format!("checking a fix under up to {}", counted(schedules as usize, "schedule"));
        ledger.tell(Event::Stage(what))?;
        let explorer = Explorer { session: self.session, bench: &self.judge.bench, bad: self.bad };
        let seed = self.session.subject.seed.wrapping_add(2);
        let before = Before::of(self.findings);
        let order = ExploreOrder { schedules, seed, is_trial: true, ..explore_order(self.request) };
        let order = before.directed(order);
        let (confirmed, seen) = std::thread::scope(|scope| {
            let confirmed = scope.spawn(|| {
                let others = Neighbours::new(self.session, &self.findings.tests);
                self.confirmed(one, rank)?.map(|fix| others.beside(fix)).transpose()
            });
            let mut listener = telling(&*self.session.context.progress, &order);
            let seen = explorer.seen_within(&one.tree, &order, Some(LONGEST), &mut listener);
            (confirmed.join(), seen)
        });
        let confirmed = confirmed.map_err(|_| anyhow!("the verification thread panicked"))??;
        let (fix, broken) = confirmed.map_or((None, None), |(fix, broken)| (Some(fix), broken));
        let refused = match seen? {
            Seen::Findings(after) => match against(&one.remedies, &before, &after).or(broken) {
                Some(why) => why,
                None if !after.is_each_seen() => {
                    "there was no time to run a schedule of each test".to_owned()
                }
                None => match fix {
                    Some(fix) => {
                        let expected = order.expected.is_some();
                        let checks = asked(one.again, &before, &after, expected);
                        return Ok(Ok(certified(fix, &after, &order.samplers, checks)));
                    }
                    None => "a clean build does not confirm it".to_owned(),
                },
            },
            Seen::NotBuilt(why) | Seen::NotControlled(why) => why,
        };
        ledger.folder.append_log(&format!("rejected: {refused}"))?;
        if let Some(file) = fix.and_then(|fix| fix.patch) {
            drop(std::fs::remove_file(ledger.folder.path().join(file)));
        }
        Ok(Err(refused))
    }

    /// The repair, if a fresh build confirms it.
    fn confirmed(&self, one: &Mended, rank: usize) -> Result<Option<FixResult>> {
        let folder = &self.session.ledger.folder;
        let why = why(&one.remedies);
        let operator = one.remedies.first().map_or("", |remedy| remedy.way.word());
        let source = Source { technique: "concurrency", operator, why: &why, has_sources: true };
        let demands = Demands::default();
        let (session, judge, store, bad) = (self.session, self.judge, self.store, self.bad);
        let mending = Mending { session, judge, demands: &demands, store, bad };
        let (fix, text) = mending.told(&one.tree, &source)?;
        let file = format!("fix-{rank}.patch");
        folder.write(&file, text.as_deref().unwrap_or_default())?;
        let patch = folder.path().join(&file);
        let fresh = Fresh {
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
        let validated = Validated {
            failing_pass: failing,
            passing_kept: passing.saturating_sub(failing),
            ..fix.validated.clone()
        };
        Ok(Some(FixResult { rank, patch: Some(file), validated, ..fix }))
    }

    /// How many tests fail under some schedule.
    fn failing(&self) -> usize {
        failing(&self.findings.groups)
    }
}

/// Returns how many tests failed. A blocked test is known by the method or class that ran; a class
/// counts only if no test of it failed.
fn failing(groups: &[Group]) -> usize {
    let example = |group: &Group| {
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
    samplers: &[Sampler],
    checks: Vec<String>,
) -> FixResult {
    let certificate = certificate(after, samplers);
    let exhaustive = after.is_proved();
    let schedules = if after.is_exhausted() { after.run } else { after.sampled_of_each() };
    let bound = certificate.map(|one| one.told());
    let validated = Validated {
        schedules: Some(schedules),
        bound,
        exhaustive,
        checks,
        ..fix.validated.clone()
    };
    FixResult { validated, ..fix }
}

/// What schedules were asked besides how many are clean: those that failed without it, those that are directed at what
/// failed, and what they show besides failures, such as what they print where the output is expected.
fn asked(again: usize, before: &Before, after: &Findings, expected: bool) -> Vec<String> {
    let directed = after.strategies.get(Sampler::Directed.word()).map_or(0, |[run, _]| *run);
    let known = format!("{} with the seed that failed", counted(again, "schedule"));
    let forced = format!("{} directed at the failure", counted(directed, "schedule"));
    let forced = (directed > 0).then_some(forced);
    let printed = expected.then(|| "each schedule prints the expected output".to_owned());
    std::iter::once(known).chain(forced).chain(printed).chain(before.asked()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::{Example, Schedule};

    /// A failure of `test`, or of the whole unit if the runner named no test.
    fn group(wanted: &str, test: Option<&str>) -> Group {
        let schedule = Schedule { test: wanted.to_owned(), ..Schedule::default() };
        let result = test.map(|test| serde_json::json!({ "test": test }));
        Group { count: 1, first: 1, example: Example { result, schedule, ..Example::default() } }
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
