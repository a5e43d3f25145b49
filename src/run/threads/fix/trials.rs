//! Runs candidates under schedules, the most promising first; adds further edits to a partial fix.

use crate::run::fix::applied_edits::variant;
use crate::run::fix::budget::BudgetUse;
use crate::run::fix::request::FixRequest;
use crate::run::session::next_command;
use crate::run::session::run_log::TrialCost;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::TestOverlay;
use crate::run::threads::explorer::{ExplorationOutcome, Explorer};
use crate::run::threads::fix::diagnosis_config::explore_order;
use crate::run::threads::fix::source_files::source_files;
use crate::run::threads::rejections::{UnpatchedSchedules, objection, omission};
use mend_engine::ExploreConfig;
use mend_git::ObjectStore;
use mend_java::{Edit, translate_to_original};
use mend_model::schedules::Findings;
use mend_model::{Phase, ProgressEvent, RepoPath, Result, TreeId, Verdict, counted};
use mend_threads::{ConcurrencyCandidate, ConcurrencyOperator, SourceFile, remedies};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Number of schedules of the first stage. It repeats the failing schedules, because the seed is the same.
const FIRST: u32 = 30;

/// Maximum of that number, if the first failure came late.
const FIRST_MOST: u32 = 150;

/// Number of schedules of the second stage, with another seed and partly directed.
const SECOND: u32 = 150;

/// Time limit of one stage for one candidate.
const LONGEST: Duration = Duration::from_secs(8);

/// Number of partial fixes that get further edits on top.
const PARTIAL: usize = 4;

/// Maximum number of combined candidates.
const ROUNDS: usize = 3;

/// Number of schedules for the diagnosis of the remaining faults.
const LOOK_AGAIN: u32 = 100;

/// Searches for candidates that fix a version.
pub(super) struct ScheduleTrials<'a> {
    pub(super) explorer: Explorer<'a>,
    pub(super) store: &'a ObjectStore,
    pub(super) attribution: &'a Attribution,
    pub(super) overlay: &'a TestOverlay,
    pub(super) request: &'a FixRequest,
    pub(super) spending: BudgetUse,
}

/// Candidate that no schedule rejects.
pub(super) struct PassingCandidate {
    /// Combined candidates, each applied on top of the previous one.
    pub(super) remedies: Vec<ConcurrencyCandidate>,
    pub(super) tree: TreeId,
    /// Number of schedules that ran with the failing seed.
    pub(super) again: usize,
}

/// A partial fix.
struct PartialFix {
    remedies: Vec<ConcurrencyCandidate>,
    tree: TreeId,
    /// Schedules before the first fault.
    clean: usize,
}

/// Result of a trial.
enum TrialResult {
    /// Clean; with the number of schedules that ran with the seed that failed.
    Clean(usize),
    /// Faulty; with the number of clean schedules before the fault.
    Faulty(usize),
    Untestable,
}

/// State of the search for candidates, from one call to the next.
pub(super) struct CandidateSearch {
    before: UnpatchedSchedules,
    /// Number of schedules in the first stage.
    first: u32,
    /// The trees that were tried.
    seen: HashSet<TreeId>,
    found: ScheduleTrialResults,
}

impl CandidateSearch {
    /// Begins the search for fixes of the bugs found.
    pub(super) fn new(findings: &Findings) -> Self {
        let (before, first) = (UnpatchedSchedules::from_findings(findings), first_of(findings));
        Self { before, first, seen: HashSet::new(), found: ScheduleTrialResults::default() }
    }

    /// Describes how much was tried.
    pub(super) fn describe(&self) -> String {
        let (tried, run) = (self.found.tried, self.found.schedules);
        format!("{} tried under {}", counted(tried, "candidate"), counted(run, "schedule"))
    }
}

/// Results of the trials.
#[derive(Default)]
struct ScheduleTrialResults {
    mended: Vec<PassingCandidate>,
    partial: Vec<PartialFix>,
    tried: usize,
    schedules: usize,
}

impl ScheduleTrials<'_> {
    /// Returns candidates that fix the bugs found, the best first, up to the number requested; a
    /// further call continues after these.
    pub(super) fn further(
        &self,
        files: &[SourceFile<'_>],
        findings: &Findings,
        search: &mut CandidateSearch,
    ) -> Result<Vec<PassingCandidate>> {
        let candidates = remedies(files, findings);
        let what = match search.found.tried {
            0 => format!("trying {}", counted(candidates.len(), "candidate")),
            _ => "trying further candidates".to_owned(),
        };
        self.explorer.session.ledger.emit(ProgressEvent::Stage(what))?;
        let base = self.explorer.bad.tree.clone();
        self.each(&[], &base, candidates, search)?;
        for _ in 1..ROUNDS {
            if !search.found.mended.is_empty() || self.spending.is_over(search.found.tried) {
                break;
            }
            self.on_top(search)?;
        }
        Ok(std::mem::take(&mut search.found.mended))
    }

    /// Returns the command that continues the search if the budget ended without a fix.
    pub(super) fn longer(&self, search: &CandidateSearch, is_mended: bool) -> Option<String> {
        let is_late = !is_mended && self.spending.is_over(search.found.tried);
        let line = &self.explorer.session.subject.command_line;
        is_late.then(|| next_command::longer(line, self.spending.more()))
    }

    /// Tries further edits on top of partial fixes.
    fn on_top(&self, search: &mut CandidateSearch) -> Result<()> {
        let mut partial = std::mem::take(&mut search.found.partial);
        partial.sort_by_key(|one| std::cmp::Reverse(one.clean));
        partial.truncate(PARTIAL);
        for at in 0..partial.len() {
            let PartialFix { remedies: done, tree, .. } = &partial[at];
            let what = format!(
                "searching for the remaining faults with this applied: {}",
                describe_candidates(done)
            );
            self.explorer.session.ledger.emit(ProgressEvent::Stage(what))?;
            let order = ExploreConfig { is_trial: false, ..self.order(LOOK_AGAIN, 0) };
            let outcome = self.explorer.explore(tree, &order)?;
            let Ok(findings) = outcome.into_findings_or_reason() else { continue };
            let (facts, sources) = self.attribution.of_one(&self.explorer.bench.pool, tree)?;
            let files = source_files(&facts, &sources, self.overlay);
            let candidates = remedies(&files, &findings);
            self.each(done, tree, candidates, search)?;
            if !search.found.mended.is_empty() {
                // A further call goes on here.
                search.found.partial.extend(partial.drain(at..));
                break;
            }
        }
        Ok(())
    }

    /// Tries candidates on a tree until there are enough.
    fn each(
        &self,
        done: &[ConcurrencyCandidate],
        base: &TreeId,
        candidates: Vec<ConcurrencyCandidate>,
        search: &mut CandidateSearch,
    ) -> Result<()> {
        let count = candidates.len();
        for (at, remedy) in candidates.into_iter().enumerate() {
            if search.found.mended.len() >= self.request.top
                || self.spending.is_over(search.found.tried)
            {
                break;
            }
            // The same in another form is no choice.
            let is_known = |one: &PassingCandidate| {
                one.remedies.last().is_some_and(|last| last.why == remedy.why)
            };
            if search.found.mended.iter().any(is_known) {
                continue;
            }
            let edits = remedy.edits.iter().map(|(path, edits)| (path, &edits[..]));
            let tree = variant(self.store, base, edits)?;
            let Some(tree) = tree.filter(|tree| search.seen.insert(tree.clone())) else { continue };
            let remedies: Vec<ConcurrencyCandidate> =
                done.iter().cloned().chain([remedy]).collect();
            self.announce_candidate(&remedies, search.found.tried, count - at - 1)?;
            let begun = Instant::now();
            let tried = self.sieved(&tree, &remedies, search)?;
            self.book(&tree, &remedies, &tried, begun)?;
            search.found.tried += 1;
            match tried {
                TrialResult::Clean(again) => {
                    let mended = PassingCandidate { remedies, tree, again };
                    let least = self.least(mended, search)?;
                    search.found.mended.push(least);
                }
                TrialResult::Faulty(clean) => {
                    search.found.partial.push(PartialFix { remedies, tree, clean });
                }
                TrialResult::Untestable => {}
            }
        }
        Ok(())
    }

    /// Removes candidates from a combination that passes without them.
    fn least(
        &self,
        mended: PassingCandidate,
        search: &mut CandidateSearch,
    ) -> Result<PassingCandidate> {
        let Some(mut all) = side_by_side(&mended.remedies) else { return Ok(mended) };
        let (mut least, mut at) = (mended, 0);
        while at + 1 < all.len() && !self.spending.is_over(search.found.tried) {
            let mut fewer = all.clone();
            fewer.remove(at);
            let edits = fewer.iter().flat_map(|one| &one.edits);
            let edits = edits.map(|(path, edits)| (path, &edits[..]));
            let tree = variant(self.store, &self.explorer.bad.tree, edits)?;
            let tree = tree.filter(|tree| search.seen.insert(tree.clone()));
            at += 1;
            let Some(tree) = tree else { continue };
            let begun = Instant::now();
            self.announce_candidate(&fewer, search.found.tried, 0)?;
            let tried = self.sieved(&tree, &fewer, search)?;
            self.book(&tree, &fewer, &tried, begun)?;
            search.found.tried += 1;
            if let TrialResult::Clean(again) = tried {
                least = PassingCandidate { remedies: fewer.clone(), tree, again };
                (all, at) = (fewer, 0);
            }
        }
        Ok(least)
    }

    /// Announces the next candidate; `tried` come before it and `waiting` after it.
    fn announce_candidate(
        &self,
        remedies: &[ConcurrencyCandidate],
        tried: usize,
        waiting: usize,
    ) -> Result<()> {
        let over = tried + 1;
        let waiting = self.request.budget.most(over + waiting).saturating_sub(over);
        self.explorer.session.ledger.emit(ProgressEvent::TrialStarted {
            what: describe_candidates(remedies),
            left: Some(self.spending.estimate_remaining(tried, waiting)),
            if_slow: Some("slow because each candidate runs under many schedules".to_owned()),
        })
    }

    /// Writes a trial down.
    fn book(
        &self,
        tree: &TreeId,
        remedies: &[ConcurrencyCandidate],
        tried: &TrialResult,
        begun: Instant,
    ) -> Result<()> {
        let verdict = match tried {
            TrialResult::Clean(_) => Verdict::Pass,
            TrialResult::Faulty(_) => Verdict::Fail,
            TrialResult::Untestable => Verdict::Unresolved(Phase::NotTestable),
        };
        let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let effort = TrialCost { milliseconds, runs: 1, ..TrialCost::default() };
        self.explorer.session.ledger.judged(
            tree,
            describe_candidates(remedies).as_str().into(),
            verdict,
            effort,
        )
    }

    /// Runs the stages: first the failing schedules, then others.
    fn sieved(
        &self,
        tree: &TreeId,
        remedies: &[ConcurrencyCandidate],
        search: &mut CandidateSearch,
    ) -> Result<TrialResult> {
        let CandidateSearch { before, first, found, .. } = search;
        let (mut clean, mut again) = (0, None);
        for order in [self.order(*first, 0), before.directed(self.order(SECOND, 1))] {
            let outcome = self.explorer.seen_within(tree, &order, Some(LONGEST), &mut |_, _| ())?;
            let is_built = !matches!(outcome, ExplorationOutcome::NotBuilt(_));
            let findings = match outcome.into_findings_or_reason() {
                Ok(findings) => findings,
                Err(why) => {
                    let prefix = if is_built { "not controlled by the scheduler: " } else { "" };
                    let folder = &self.explorer.session.ledger.folder;
                    folder.append_log(&format!("{prefix}{why}"))?;
                    return Ok(TrialResult::Untestable);
                }
            };
            found.schedules += findings.run;
            clean += findings.chosen();
            again.get_or_insert(findings.run);
            if let Some(why) = rejection_reason(remedies, before, &findings) {
                let said = format!("rejected: {why}");
                self.explorer.session.ledger.folder.append_log(&said)?;
                return Ok(TrialResult::Faulty(clean));
            }
            if findings.is_proved() {
                break;
            }
        }
        // Where none was chosen, nothing is known.
        let again = again.filter(|_| clean > 0);
        Ok(again.map_or(TrialResult::Untestable, TrialResult::Clean))
    }

    fn order(&self, schedules: u32, more: u64) -> ExploreConfig {
        let seed = self.explorer.session.subject.seed.wrapping_add(more);
        ExploreConfig { schedules, seed, is_trial: true, ..explore_order(self.request) }
    }
}

/// Describes combined candidates.
pub(super) fn describe_candidates(remedies: &[ConcurrencyCandidate]) -> String {
    remedies.iter().map(|one| one.why.as_str()).collect::<Vec<_>>().join("; ")
}

/// Returns the reason to reject combined candidates. A candidate that removes code must not remove output.
pub(super) fn rejection_reason(
    remedies: &[ConcurrencyCandidate],
    before: &UnpatchedSchedules,
    after: &Findings,
) -> Option<String> {
    let leaves_out = remedies.iter().any(|one| one.way == ConcurrencyOperator::SkipMissing);
    let objection = objection(before, after).map(|objection| objection.reason().to_owned());
    objection.or_else(|| omission(before, after).filter(|_| leaves_out))
}

/// Converts candidates that were applied on top of each other into independent ones; `None` if one changes the edits of
/// another.
fn side_by_side(remedies: &[ConcurrencyCandidate]) -> Option<Vec<ConcurrencyCandidate>> {
    let alone = |(at, remedy): (usize, &ConcurrencyCandidate)| {
        let below = &remedies[..at];
        let of_file = |(path, edits): (&RepoPath, &Vec<Edit>)| {
            let mut made = below.iter().rev().filter_map(|one| one.edits.get(path));
            let edits: Option<Vec<Edit>> = made.try_fold(edits.clone(), |edits, made| {
                edits.iter().map(|edit| translate_to_original(edit, made)).collect()
            });
            Some((path.clone(), edits?))
        };
        let edits = remedy.edits.iter().map(of_file).collect::<Option<_>>()?;
        Some(ConcurrencyCandidate { edits, ..remedy.clone() })
    };
    remedies.iter().enumerate().map(alone).collect()
}

/// Returns the number of schedules that the first stage needs to include the first failing one.
fn first_of(findings: &Findings) -> u32 {
    let first = findings.groups.iter().map(|group| group.first).min().unwrap_or(0);
    u32::try_from(first).unwrap_or(u32::MAX).saturating_add(10).clamp(FIRST, FIRST_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_java::edited;

    fn remedy(way: ConcurrencyOperator, edits: &[((usize, usize), &str)]) -> ConcurrencyCandidate {
        let edits =
            edits.iter().map(|(bytes, text)| Edit { bytes: *bytes, text: (*text).to_owned() });
        let edits = [(RepoPath::from("A.java"), edits.collect())].into();
        ConcurrencyCandidate { edits, way, why: way.word().to_owned(), weight: 1.0 }
    }

    #[test]
    fn remedies_on_top_of_each_other_are_told_apart_unless_one_changes_the_other() {
        let below = remedy(ConcurrencyOperator::OtherLock, &[((0, 0), "lock ")]);
        let top = remedy(ConcurrencyOperator::Join, &[((8, 8), " join")]);
        let apart = side_by_side(&[below.clone(), top]).unwrap();
        let alone = &apart[1].edits[&RepoPath::from("A.java")];
        assert_eq!(edited("add", alone).unwrap(), "add join");
        let changes = remedy(ConcurrencyOperator::Join, &[((0, 4), "try")]);
        assert!(side_by_side(&[below, changes]).is_none());
    }
}
