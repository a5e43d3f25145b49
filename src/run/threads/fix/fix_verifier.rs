//! Verifies concurrency fixes: many schedules, a clean build and affected tests.

use super::passing_candidate::PassingCandidate;
use super::trials::rejection_reason;
use crate::run::fix::budget::BudgetUse;
use crate::run::fix::request::FixRequest;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::RevertRanking;
use crate::run::fix::unverified_fixes::{FixToVerify, VERIFICATION_CHECKS, write_unverified_fixes};
use crate::run::judge::SymptomOracle;
use crate::run::patch::affected_tests::AffectedTestRunner;
use crate::run::patch::fix_confirmation::{ConfirmedFix, ProposedFix, delete_patch};
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::patch::verification::diff_to_original;
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use crate::run::threads::explorer::Explorer;
use crate::run::threads::findings_report::to_certificate;
use crate::run::threads::fix::diagnosis_config::create_diagnosis_config;
use crate::run::threads::progress::schedule_listener;
use crate::run::threads::rejections::UnpatchedSchedules;
use anyhow::anyhow;
use mend_delta::count_changed_tokens;
use mend_engine::{ExploreConfig, SchedulerKind};
use mend_git::ObjectStore;
use mend_model::schedules::{FailureGroup, Findings};
use mend_model::{ProgressEvent, Result, TestExpectations, TestStatus, format_count};
use mend_report::{FixEvidence, FixResult};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Number of schedules for the first fix, with a new seed: one thousand samples and the first schedule. An exhaustive
/// exploration needs fewer.
const FIRST_FIX_SCHEDULES: u32 = 1001;

/// Number of schedules for the other fixes.
const OTHER_FIX_SCHEDULES: u32 = 301;

/// Time limit of these schedules. The reported bound counts only the schedules that ran.
const SCHEDULES_TIME_LIMIT: Duration = Duration::from_secs(25);

/// Verifier of concurrency fixes.
pub(super) struct ConcurrencyFixVerifier<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) oracle: &'a SymptomOracle<'a>,
    pub(super) store: &'a ObjectStore,
    pub(super) bad: &'a ResolvedVersion,
    pub(super) findings: &'a Findings,
    pub(super) budget_use: BudgetUse,
    pub(super) request: &'a FixRequest,
    /// Result of the earlier techniques.
    pub(super) so_far: &'a Fixes,
    pub(super) revert: RevertRanking,
    pub(super) verified: VerifiedFixes,
}

/// Verified and rejected fixes so far.
#[derive(Default)]
pub(super) struct VerifiedFixes {
    fixes: Vec<FixResult>,
    /// Reasons for the rejection of candidates.
    rejection_reasons: Vec<String>,
    /// Reasons why patches of a generator were rejected, by name.
    rejected_patches: BTreeMap<String, String>,
    /// Names of patches of a generator that are the same as the revert.
    reverting_patches: BTreeSet<String>,
    /// Candidates that remain to be verified, best first.
    unverified: VecDeque<PassingCandidate>,
}

impl ConcurrencyFixVerifier<'_> {
    /// Verifies fixes, the best first, and writes their patches. Returns true if all were rejected, so that more
    /// candidates are needed.
    pub(super) fn verify_fixes(&mut self, candidates: Vec<PassingCandidate>) -> Result<bool> {
        let refused = self.verified.rejection_reasons.len();
        self.verified.unverified = self.rank_patches(candidates)?.into();
        while let Some(one) = self.next_unverified() {
            if self.revert.has_same_patch(&diff_to_original(self.bad, &one.tree, self.store)?.1) {
                let patch = one.generator_patch.as_ref();
                self.verified.reverting_patches.extend(patch.map(|patch| patch.name.clone()));
                self.verified.unverified.pop_front();
                continue;
            }
            self.session.run_log.save(&self.with_unverified(&[])?)?;
            let is_first = self.verified.fixes.is_empty() && !self.budget_use.is_time_over();
            let schedules = if is_first { FIRST_FIX_SCHEDULES } else { OTHER_FIX_SCHEDULES };
            match self.verify_fix(&one, self.verified.fixes.len() + 1, schedules)? {
                Ok(fix) => self.verified.fixes.push(fix),
                Err(why) => {
                    let patch = one.generator_patch.as_ref().map(|patch| patch.name.clone());
                    self.verified.rejected_patches.extend(patch.map(|name| (name, why.clone())));
                    self.verified.rejection_reasons.push(why);
                }
            }
            self.verified.unverified.pop_front();
            self.session.run_log.save(&self.fixes())?;
        }
        self.verified.unverified.clear();
        Ok(!self.has_fix() && self.verified.rejection_reasons.len() > refused)
    }

    /// Returns the best candidate that is not verified, unless there are enough fixes.
    fn next_unverified(&self) -> Option<PassingCandidate> {
        let is_enough = self.count() >= self.request.max_fixes;
        self.verified.unverified.front().filter(|_| !is_enough).cloned()
    }

    /// Puts each patch of a generator before the first larger fix of our own.
    fn rank_patches(&self, candidates: Vec<PassingCandidate>) -> Result<Vec<PassingCandidate>> {
        let (patches, own): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|one| one.generator_patch.is_some());
        let with_size = |one: PassingCandidate| -> Result<(usize, PassingCandidate)> {
            let changes = self.store.diff_trees(&self.bad.overlaid_tree, &one.tree)?;
            Ok((count_changed_tokens(&changes), one))
        };
        let mut ranked: Vec<_> = own.into_iter().map(with_size).collect::<Result<_>>()?;
        for patch in patches {
            let patch = with_size(patch)?;
            let at = ranked.iter().position(|(tokens, _)| *tokens > patch.0);
            ranked.insert(at.unwrap_or(ranked.len()), patch);
        }
        Ok(ranked.into_iter().map(|(_, one)| one).collect())
    }

    /// Returns true if a fix was verified.
    pub(super) fn has_fix(&self) -> bool {
        self.count() > 0
    }

    /// Returns the number of verified fixes.
    pub(super) fn count(&self) -> usize {
        self.verified.fixes.len()
    }

    /// Returns the result so far with the verified fixes and the revert.
    pub(super) fn fixes(&self) -> Fixes {
        let ranked = self.revert.insert_into(&self.verified.fixes, self.request.max_fixes);
        let rejected_patches = self.verified.rejected_patches.clone();
        let reverting_patches = self.verified.reverting_patches.clone();
        Fixes { ranked, rejected_patches, reverting_patches, ..self.so_far.clone() }
    }

    /// Writes the patches of the candidates that are not verified, and of further ones. Returns the result with them.
    pub(super) fn with_unverified(&self, further: &[PassingCandidate]) -> Result<Fixes> {
        let schedules = "schedules with another seed".to_owned();
        let checks = VERIFICATION_CHECKS.into_iter().map(str::to_owned).chain([schedules]);
        let not_checked: Vec<String> = checks.collect();
        let all = self.verified.unverified.iter().chain(further).map(|one| {
            let (technique, operator) = one.technique_and_operator();
            FixToVerify {
                tree: &one.tree,
                technique,
                operator,
                description: one.description(),
                failing_count: self.failing_test_count(),
                still_failing: BTreeSet::new(),
                not_checked: not_checked.clone(),
            }
        });
        let expectations = TestExpectations::default();
        let repair_context = self.repair_context(&expectations);
        let unverified = write_unverified_fixes(repair_context, all, self.request.max_fixes)?;
        Ok(Fixes { unverified, ..self.fixes() })
    }

    fn repair_context<'b>(&'b self, expectations: &'b TestExpectations) -> RepairContext<'b> {
        let Self { session, oracle, store, bad, .. } = *self;
        RepairContext { session, oracle, expectations, store, bad }
    }

    /// Describes the reasons for rejections and the number of fixes. Records what was not checked. The budget was
    /// exhausted if candidates remain.
    pub(super) fn report(self, is_budget_exhausted: bool) -> Result<Vec<String>> {
        let VerifiedFixes { fixes: shown, rejection_reasons: refused, .. } = self.verified;
        if shown.iter().any(|fix| !fix.validated.exhaustive) {
            let note = "schedules that were not run: not every fix was checked under all schedules";
            self.session.run_log.note_unchecked(note.to_owned())?;
        }
        let rejected = refused.first().map(|why| {
            let times = format_count(refused.len(), "candidate");
            format!("{times} rejected by the final check: {why}")
        });
        let found = match shown.len() {
            0 if is_budget_exhausted => {
                "the budget ended before all candidates were tried: no fix found yet".to_owned()
            }
            0 => "no candidate fixes it".to_owned(),
            found => format!("{} found", format_count(found, "fix")),
        };
        Ok(rejected.into_iter().chain([found]).collect())
    }

    /// Writes a fix and verifies it with schedules, a clean build and affected tests. Returns the reason if it is
    /// rejected.
    fn verify_fix(
        &self,
        candidate: &PassingCandidate,
        rank: usize,
        schedules: u32,
    ) -> Result<Result<FixResult, String>> {
        let run_log = &self.session.run_log;
        let stage =
            format!("checking a fix under up to {}", format_count(schedules as usize, "schedule"));
        run_log.emit(ProgressEvent::Stage(stage))?;
        let explorer =
            Explorer { session: self.session, executor: self.oracle.executor, bad: self.bad };
        let seed = self.session.subject.seed.wrapping_add(2);
        let unpatched = UnpatchedSchedules::from_findings(self.findings);
        let config = ExploreConfig {
            schedules,
            seed,
            is_fail_fast: true,
            ..create_diagnosis_config(self.request)
        };
        let config = unpatched.with_directed_schedules(config);
        let (confirmed, outcome) = std::thread::scope(|scope| {
            let confirmed = scope.spawn(|| {
                let affected_tests = AffectedTestRunner::new(self.session, &self.findings.tests);
                self.confirm_in_clean_build(candidate, rank)?
                    .map(|fix| affected_tests.check_fix(fix))
                    .transpose()
            });
            let mut listener = schedule_listener(&*self.session.context.progress, &config);
            let outcome = explorer.explore_within(
                &candidate.tree,
                &config,
                Some(SCHEDULES_TIME_LIMIT),
                &mut listener,
            );
            (confirmed.join(), outcome)
        });
        let confirmed = confirmed.map_err(|_| anyhow!("the verification thread panicked"))??;
        let (fix, regression) =
            confirmed.map_or((None, None), |(fix, regression)| (Some(fix), regression));
        let outcome = outcome.inspect_err(|_| {
            if let Some(fix) = &fix {
                delete_patch(fix, run_log);
            }
        });
        let rejection_reason = match outcome?.into_findings_or_reason() {
            Ok(after) => {
                match rejection_reason(&candidate.candidates, &unpatched, &after).or(regression) {
                    Some(why) => why,
                    None if !after.is_each_test_explored() => {
                        "there was no time to run a schedule of each test".to_owned()
                    }
                    None => match fix {
                        Some(fix) => {
                            let expected = config.expected_output.is_some();
                            let checks = check_descriptions(
                                candidate.repeated_schedules,
                                &unpatched,
                                &after,
                                expected,
                            );
                            return Ok(Ok(with_schedule_evidence(
                                fix,
                                &after,
                                &config.schedulers,
                                checks,
                            )));
                        }
                        None => "a clean build does not confirm it".to_owned(),
                    },
                }
            }
            Err(why) => why,
        };
        run_log.folder.append_log(&format!("rejected: {rejection_reason}"))?;
        if let Some(fix) = fix {
            delete_patch(&fix, run_log);
        }
        Ok(Err(rejection_reason))
    }

    /// Verifies the fix in a clean build.
    fn confirm_in_clean_build(
        &self,
        candidate: &PassingCandidate,
        rank: usize,
    ) -> Result<Option<FixResult>> {
        let why = candidate.description();
        let (technique, operator) = candidate.technique_and_operator();
        let proposed = ProposedFix {
            rank,
            tree: &candidate.tree,
            origin: RepairOrigin { technique, operator, description: &why, has_sources: true },
            still_failing: &BTreeSet::new(),
        };
        let expectations = TestExpectations::default();
        let confirmed = proposed.confirm(self.repair_context(&expectations))?;
        Ok(confirmed.map(|confirmed| self.with_test_counts(confirmed)))
    }

    /// Adds the numbers of failing and passing tests to a fix.
    fn with_test_counts(&self, ConfirmedFix { fix, outcome }: ConfirmedFix) -> FixResult {
        let passing = outcome.tests_with_status(|status| *status == TestStatus::Passed).len();
        let failing = self.failing_test_count();
        let validated = FixEvidence {
            failing_pass: failing,
            passing_kept: passing.saturating_sub(failing),
            ..fix.validated.clone()
        };
        FixResult { validated, ..fix }
    }

    /// Returns the number of tests that fail under some schedule.
    fn failing_test_count(&self) -> usize {
        count_failing_tests(&self.findings.groups)
    }
}

/// Counts the failing tests. A blocked test is identified by the method or class that ran. A class counts only if no
/// test of it failed.
fn count_failing_tests(groups: &[FailureGroup]) -> usize {
    let blocked_test = |group: &FailureGroup| {
        let result = group.example.result.as_ref();
        let test = result.and_then(|result| result["test"].as_str()).map(str::to_owned);
        let mut test_parts = group.example.schedule.test.split('\t').map(str::to_owned);
        let class = test_parts.next().unwrap_or_default();
        let method = test_parts.next().filter(|method| !method.is_empty());
        test.or(method.map(|method| format!("{class}#{method}"))).ok_or(class)
    };
    let (mut tests, mut classes) = (BTreeSet::new(), BTreeSet::new());
    for group in groups {
        match blocked_test(group) {
            Ok(test) => tests.insert(test),
            Err(class) => classes.insert(class),
        };
    }
    let is_test_of = |test: &String, class: &String| {
        test.strip_prefix(class.as_str()).is_some_and(|rest| rest.starts_with('#'))
    };
    classes.retain(|class| !tests.iter().any(|test| is_test_of(test, class)));
    tests.len() + classes.len()
}

/// Returns the fix with the results of the clean schedules.
fn with_schedule_evidence(
    fix: FixResult,
    after: &Findings,
    samplers: &[SchedulerKind],
    checks: Vec<String>,
) -> FixResult {
    let certificate = to_certificate(after, samplers);
    let exhaustive = after.is_proved();
    let schedules = if after.is_exhaustive() { after.run } else { after.min_sampled_per_test() };
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

/// Lists the checks of a fix in addition to clean schedules: schedules with the failing seed, directed schedules, and
/// comparisons such as the printed output.
fn check_descriptions(
    repeated_schedules: usize,
    unpatched: &UnpatchedSchedules,
    after: &Findings,
    expected: bool,
) -> Vec<String> {
    let directed = after.strategies.get(SchedulerKind::Directed.name()).map_or(0, |[run, _]| *run);
    let repeated =
        format!("{} with the seed that failed", format_count(repeated_schedules, "schedule"));
    let directed_check = format!("{} directed at the failure", format_count(directed, "schedule"));
    let directed_check = (directed > 0).then_some(directed_check);
    let printed = expected.then(|| "each schedule prints the expected output".to_owned());
    std::iter::once(repeated)
        .chain(directed_check)
        .chain(printed)
        .chain(unpatched.check_descriptions())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::{Schedule, ScheduleTrace};

    /// Creates a failure of `test`, or of the whole class if the test framework named no test.
    fn failure_group(wanted: &str, test: Option<&str>) -> FailureGroup {
        let schedule = Schedule { test: wanted.to_owned(), ..Schedule::default() };
        let result = test.map(|test| serde_json::json!({ "test": test }));
        FailureGroup {
            count: 1,
            first: 1,
            example: ScheduleTrace { result, schedule, ..ScheduleTrace::default() },
        }
    }

    #[test]
    fn failing_and_blocked_test_counts_once() {
        let (all, one) = ("p.ATest\t\talways", Some("p.ATest#one"));
        assert_eq!(count_failing_tests(&[failure_group(all, one), failure_group(all, None)]), 1);
        assert_eq!(count_failing_tests(&[failure_group(all, None), failure_group(all, None)]), 1);
        assert_eq!(
            count_failing_tests(&[
                failure_group(all, one),
                failure_group("p.BTest\t\talways", None)
            ]),
            2
        );
        let methods = ["p.ATest\tone\talways", "p.ATest\ttwo\talways"];
        assert_eq!(count_failing_tests(&methods.map(|wanted| failure_group(wanted, None))), 2);
    }
}
