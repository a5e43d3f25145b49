//! Tests candidates of concurrency repair under schedules, the most promising first, and extends partial fixes by
//! further edits.

use crate::run::fix::budget::BudgetUse;
use crate::run::fix::request::FixRequest;
use crate::run::patch::apply_edits::write_variant;
use crate::run::session::next_command;
use crate::run::session::run_log::TrialCost;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::TestOverlay;
use crate::run::threads::explorer::{ExplorationOutcome, Explorer};
use crate::run::threads::fix::diagnosis_config::create_diagnosis_config;
use crate::run::threads::fix::independent_candidates::make_independent;
use crate::run::threads::fix::passing_candidate::PassingCandidate;
use crate::run::threads::fix::source_files::source_files;
use crate::run::threads::rejections::{UnpatchedSchedules, find_omitted_output, find_rejection};
use mend_engine::ExploreConfig;
use mend_git::ObjectStore;
use mend_java::describe_candidates;
use mend_model::schedules::Findings;
use mend_model::{Phase, ProgressEvent, Result, TreeId, Verdict, format_count};
use mend_threads::{ConcurrencyCandidate, ConcurrencyOperator, SourceFile, generate_candidates};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Minimum number of schedules of the first stage, which repeats the failing schedules because it has the same seed.
const MIN_FIRST_STAGE_SCHEDULES: u32 = 30;

/// Maximum number of schedules of the first stage, if the first failure occurred late.
const MAX_FIRST_STAGE_SCHEDULES: u32 = 150;

/// Number of schedules of the second stage, which has another seed and is partly directed.
const SECOND_STAGE_SCHEDULES: u32 = 150;

/// Time limit of one stage for one candidate.
const STAGE_TIME_LIMIT: Duration = Duration::from_secs(8);

/// Maximum number of partial fixes that are extended by further edits.
const MAX_EXTENDED_PARTIAL_FIXES: usize = 4;

/// Maximum number of combined candidates.
const MAX_COMBINED_CANDIDATES: usize = 3;

/// Number of schedules for the diagnosis of the remaining faults.
const REDIAGNOSIS_SCHEDULES: u32 = 100;

/// Tests candidates on one version under schedules.
pub(super) struct ScheduleTrials<'a> {
    pub(super) explorer: Explorer<'a>,
    pub(super) store: &'a ObjectStore,
    pub(super) attribution: &'a Attribution,
    pub(super) overlay: &'a TestOverlay,
    pub(super) request: &'a FixRequest,
    pub(super) budget_use: BudgetUse,
    /// Patches of a generator, if the user asked for them.
    pub(super) patches: Option<&'a dyn GeneratorPatches>,
}

/// Patches of a generator, which are tested between our own candidates.
pub(super) trait GeneratorPatches {
    /// Tests the patches that there are by now.
    fn advance(&self, trials: &ScheduleTrials<'_>, search: &mut CandidateSearch) -> Result<()>;

    /// Waits for all patches, within the limits, and tests them.
    fn finish(&self, trials: &ScheduleTrials<'_>, search: &mut CandidateSearch) -> Result<()>;
}

/// Candidate that fixes some of the faults.
struct PartialFix {
    candidates: Vec<ConcurrencyCandidate>,
    tree: TreeId,
    /// Number of clean schedules before the first fault.
    clean_schedules: usize,
}

/// Result of a trial.
pub(super) enum TrialResult {
    /// No fault, with the number of schedules that ran with the failing seed.
    Clean(usize),
    Faulty {
        /// Number of clean schedules before the fault.
        clean_schedules: usize,
        reason: String,
    },
    Untestable {
        phase: Phase,
        reason: String,
    },
}

impl TrialResult {
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::Clean(_) => Verdict::Pass,
            Self::Faulty { .. } => Verdict::Fail,
            Self::Untestable { phase, .. } => Verdict::Unresolved(*phase),
        }
    }
}

/// State of the search for candidates, which continues between calls.
pub(super) struct CandidateSearch {
    unpatched: UnpatchedSchedules,
    /// Number of schedules in the first stage.
    first_stage_schedules: u32,
    /// Trees that were tried.
    pub(super) tried_trees: HashSet<TreeId>,
    pub(super) results: ScheduleTrialResults,
}

impl CandidateSearch {
    /// Starts the search for fixes of the bugs found.
    pub(super) fn new(findings: &Findings) -> Self {
        let (unpatched, first) =
            (UnpatchedSchedules::from_findings(findings), first_stage_schedules(findings));
        Self {
            unpatched,
            first_stage_schedules: first,
            tried_trees: HashSet::new(),
            results: ScheduleTrialResults::default(),
        }
    }

    /// Describes the number of tried candidates and schedules.
    pub(super) fn describe(&self) -> String {
        let (tried, run) = (self.results.tried_count, self.results.schedule_count);
        format!(
            "{} tried under {}",
            format_count(tried, "candidate"),
            format_count(run, "schedule")
        )
    }
}

/// Results of the trials.
#[derive(Default)]
pub(super) struct ScheduleTrialResults {
    pub(super) passing: Vec<PassingCandidate>,
    partial_fixes: Vec<PartialFix>,
    tried_count: usize,
    /// Number of patches of a generator among them.
    pub(super) tried_patch_count: usize,
    schedule_count: usize,
}

impl ScheduleTrialResults {
    /// Returns the number of tried candidates of our own, which the budget limits.
    fn own_tried_count(&self) -> usize {
        self.tried_count - self.tried_patch_count
    }

    /// Returns the number of passing candidates of our own.
    fn own_passing_count(&self) -> usize {
        self.passing.iter().filter(|one| one.generator_patch.is_none()).count()
    }
}

impl ScheduleTrials<'_> {
    /// Returns candidates that fix the bugs found, the best first. A further call continues after these.
    pub(super) fn find_candidates(
        &self,
        files: &[SourceFile<'_>],
        findings: &Findings,
        search: &mut CandidateSearch,
    ) -> Result<Vec<PassingCandidate>> {
        let candidates = generate_candidates(files, findings);
        let stage = match search.results.tried_count {
            0 => format!("trying {}", format_count(candidates.len(), "candidate")),
            _ => "trying further candidates".to_owned(),
        };
        self.explorer.session.run_log.emit(ProgressEvent::Stage(stage))?;
        let base = self.explorer.bad.overlaid_tree.clone();
        self.try_candidates(&[], &base, candidates, search)?;
        self.patches.map_or(Ok(()), |patches| patches.finish(self, search))?;
        for _ in 1..MAX_COMBINED_CANDIDATES {
            if !search.results.passing.is_empty()
                || self.budget_use.is_exhausted(search.results.own_tried_count())
            {
                break;
            }
            self.extend_partial_fixes(search)?;
        }
        Ok(std::mem::take(&mut search.results.passing))
    }

    /// Returns the command that continues the search, if the budget is exhausted and there is no fix.
    pub(super) fn longer(&self, search: &CandidateSearch, has_fix: bool) -> Option<String> {
        let is_exhausted =
            !has_fix && self.budget_use.is_exhausted(search.results.own_tried_count());
        let line = &self.explorer.session.subject.command_line;
        is_exhausted.then(|| {
            next_command::larger_budget_command(line, self.budget_use.larger_budget_option())
        })
    }

    /// Tests further edits on top of partial fixes.
    fn extend_partial_fixes(&self, search: &mut CandidateSearch) -> Result<()> {
        let mut partial = std::mem::take(&mut search.results.partial_fixes);
        partial.sort_by_key(|one| std::cmp::Reverse(one.clean_schedules));
        partial.truncate(MAX_EXTENDED_PARTIAL_FIXES);
        for at in 0..partial.len() {
            let PartialFix { candidates: applied, tree, .. } = &partial[at];
            let stage = format!(
                "searching for the remaining faults with this applied: {}",
                describe_candidates(applied)
            );
            self.explorer.session.run_log.emit(ProgressEvent::Stage(stage))?;
            let order = ExploreConfig {
                is_fail_fast: false,
                ..self.stage_config(REDIAGNOSIS_SCHEDULES, 0)
            };
            let outcome = self.explorer.explore(tree, &order)?;
            let Ok(findings) = outcome.into_findings_or_reason() else { continue };
            let (facts, sources) =
                self.attribution.attribute_version(&self.explorer.executor.pool, tree)?;
            let files = source_files(&facts, &sources, self.overlay);
            let candidates = generate_candidates(&files, &findings);
            self.try_candidates(applied, tree, candidates, search)?;
            if !search.results.passing.is_empty() {
                // Keeps the remaining partial fixes for the next call.
                search.results.partial_fixes.extend(partial.drain(at..));
                break;
            }
        }
        Ok(())
    }

    /// Tests candidates on a tree until there are enough.
    fn try_candidates(
        &self,
        applied: &[ConcurrencyCandidate],
        base: &TreeId,
        candidates: Vec<ConcurrencyCandidate>,
        search: &mut CandidateSearch,
    ) -> Result<()> {
        let count = candidates.len();
        for (at, candidate) in candidates.into_iter().enumerate() {
            self.patches.map_or(Ok(()), |patches| patches.advance(self, search))?;
            if search.results.own_passing_count() >= self.request.max_fixes
                || self.budget_use.is_exhausted(search.results.own_tried_count())
            {
                break;
            }
            // Skips a candidate with the same description as a passing one of our own.
            let is_known =
                |one: &PassingCandidate| one.is_own_with_description(&candidate.description);
            if search.results.passing.iter().any(is_known) {
                continue;
            }
            let tree = write_variant(self.store, base, candidate.edited_files())?;
            let Some(tree) = tree.filter(|tree| search.tried_trees.insert(tree.clone())) else {
                continue;
            };
            let combination: Vec<ConcurrencyCandidate> =
                applied.iter().cloned().chain([candidate]).collect();
            match self.run_trial(&tree, &combination, count - at - 1, search)? {
                TrialResult::Clean(again) => {
                    let passing = PassingCandidate {
                        candidates: combination,
                        tree,
                        repeated_schedules: again,
                        generator_patch: None,
                    };
                    // An interrupt must not lose the whole combination.
                    let reduced = self.remove_redundant_candidates(passing.clone(), search);
                    let (smallest, problem) =
                        reduced.map_or_else(|problem| (passing, Err(problem)), |one| (one, Ok(())));
                    search.results.passing.push(smallest);
                    problem?;
                }
                TrialResult::Faulty { clean_schedules, .. } => {
                    search.results.partial_fixes.push(PartialFix {
                        candidates: combination,
                        tree,
                        clean_schedules,
                    });
                }
                TrialResult::Untestable { .. } => {}
            }
        }
        Ok(())
    }

    /// Removes candidates from a combination that passes without them.
    fn remove_redundant_candidates(
        &self,
        combination: PassingCandidate,
        search: &mut CandidateSearch,
    ) -> Result<PassingCandidate> {
        let Some(mut independent) = make_independent(&combination.candidates) else {
            return Ok(combination);
        };
        let (mut smallest, mut at) = (combination, 0);
        while at + 1 < independent.len()
            && !self.budget_use.is_exhausted(search.results.own_tried_count())
        {
            let mut fewer = independent.clone();
            fewer.remove(at);
            let edits = fewer.iter().flat_map(ConcurrencyCandidate::edited_files);
            let tree = write_variant(self.store, &self.explorer.bad.overlaid_tree, edits)?;
            let tree = tree.filter(|tree| search.tried_trees.insert(tree.clone()));
            at += 1;
            let Some(tree) = tree else { continue };
            let trial_result = self.run_trial(&tree, &fewer, 0, search)?;
            if let TrialResult::Clean(repeated_schedules) = trial_result {
                let (candidates, generator_patch) = (fewer.clone(), None);
                smallest =
                    PassingCandidate { candidates, tree, repeated_schedules, generator_patch };
                (independent, at) = (fewer, 0);
            }
        }
        Ok(smallest)
    }

    /// Tests candidates under schedules, and records the trial. `waiting` candidates follow.
    pub(super) fn run_trial(
        &self,
        tree: &TreeId,
        candidates: &[ConcurrencyCandidate],
        waiting: usize,
        search: &mut CandidateSearch,
    ) -> Result<TrialResult> {
        self.announce_candidate(candidates, search.results.tried_count, waiting)?;
        let started = Instant::now();
        let trial_result = self.run_stages(tree, candidates, search)?;
        self.record_trial(tree, candidates, &trial_result, started)?;
        search.results.tried_count += 1;
        Ok(trial_result)
    }

    /// Reports the next candidate. `tried` candidates precede it, and `waiting` candidates follow.
    fn announce_candidate(
        &self,
        candidates: &[ConcurrencyCandidate],
        tried: usize,
        waiting: usize,
    ) -> Result<()> {
        let finished = tried + 1;
        let waiting =
            self.request.budget.allowed_candidates(finished + waiting).saturating_sub(finished);
        self.explorer.session.run_log.emit(ProgressEvent::TrialStarted {
            description: describe_candidates(candidates),
            remaining: Some(self.budget_use.estimate_remaining(tried, waiting)),
            slow_hint: Some("slow because each candidate runs under many schedules".to_owned()),
        })
    }

    /// Records a trial.
    fn record_trial(
        &self,
        tree: &TreeId,
        candidates: &[ConcurrencyCandidate],
        trial_result: &TrialResult,
        started: Instant,
    ) -> Result<()> {
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let cost = TrialCost { milliseconds, runs: 1, ..TrialCost::default() };
        self.explorer.session.run_log.record_trial(
            tree,
            describe_candidates(candidates).as_str().into(),
            trial_result.verdict(),
            cost,
        )
    }

    /// Runs the stages: first the failing schedules, then others.
    fn run_stages(
        &self,
        tree: &TreeId,
        candidates: &[ConcurrencyCandidate],
        search: &mut CandidateSearch,
    ) -> Result<TrialResult> {
        let CandidateSearch { unpatched, first_stage_schedules, results, .. } = search;
        let (mut clean_schedules, mut repeated_schedules) = (0, None);
        for config in [
            self.stage_config(*first_stage_schedules, 0),
            unpatched.with_directed_schedules(self.stage_config(SECOND_STAGE_SCHEDULES, 1)),
        ] {
            let outcome = self.explorer.explore_within(
                tree,
                &config,
                Some(STAGE_TIME_LIMIT),
                &mut |_, _| (),
            )?;
            let (phase, prefix) = match &outcome {
                ExplorationOutcome::NotBuilt(_) => (Phase::NotCompiled, ""),
                _ => (Phase::NotTestable, "not controlled by the scheduler: "),
            };
            let findings = match outcome.into_findings_or_reason() {
                Ok(findings) => findings,
                Err(why) => {
                    let folder = &self.explorer.session.run_log.folder;
                    folder.append_log(&format!("{prefix}{why}"))?;
                    let reason = format!("{prefix}{why}");
                    return Ok(TrialResult::Untestable { phase, reason });
                }
            };
            results.schedule_count += findings.run;
            clean_schedules += findings.sampled_schedules();
            repeated_schedules.get_or_insert(findings.run);
            if let Some(reason) = rejection_reason(candidates, unpatched, &findings) {
                let log_line = format!("rejected: {reason}");
                self.explorer.session.run_log.folder.append_log(&log_line)?;
                return Ok(TrialResult::Faulty { clean_schedules, reason });
            }
            if findings.is_proved() {
                break;
            }
        }
        // Without a sampled schedule, the trial has no result.
        let repeated_schedules = repeated_schedules.filter(|_| clean_schedules > 0);
        let untestable = || TrialResult::Untestable {
            phase: Phase::NotTestable,
            reason: "no schedule ran".to_owned(),
        };
        Ok(repeated_schedules.map_or_else(untestable, TrialResult::Clean))
    }

    fn stage_config(&self, schedules: u32, seed_offset: u64) -> ExploreConfig {
        let seed = self.explorer.session.subject.seed.wrapping_add(seed_offset);
        ExploreConfig {
            schedules,
            seed,
            is_fail_fast: true,
            ..create_diagnosis_config(self.request)
        }
    }
}

/// Returns the reason to reject combined candidates. A candidate that removes code must not remove output.
pub(super) fn rejection_reason(
    candidates: &[ConcurrencyCandidate],
    unpatched: &UnpatchedSchedules,
    patched_findings: &Findings,
) -> Option<String> {
    let may_remove = [ConcurrencyOperator::SkipMissing, ConcurrencyOperator::External];
    let removes_code = candidates.iter().any(|one| may_remove.contains(&one.operator));
    let objection =
        find_rejection(unpatched, patched_findings).map(|objection| objection.reason().to_owned());
    objection.or_else(|| find_omitted_output(unpatched, patched_findings).filter(|_| removes_code))
}

/// Returns the number of schedules that the first stage needs to include the first failing one.
fn first_stage_schedules(findings: &Findings) -> u32 {
    let first = findings.groups.iter().map(|group| group.first).min().unwrap_or(0);
    u32::try_from(first)
        .unwrap_or(u32::MAX)
        .saturating_add(10)
        .clamp(MIN_FIRST_STAGE_SCHEDULES, MAX_FIRST_STAGE_SCHEDULES)
}
