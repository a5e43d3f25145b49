//! Searches the change between two versions for the minimal set of components.

use crate::run::bisect::commit_range::{CommitRange, ComponentBlame, ContributingCommits};
use crate::run::judge::parallel::each;
use crate::run::judge::{Judgement, SymptomOracle};
use crate::run::session::request::SubjectRequest;
use crate::run::session::run_log::{TrialCost, TrialSubject};
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use crate::run::subject::attribution::{Attribution, WholeChange};
use crate::run::subject::parse_cache::ParseCache;
use crate::run::subject::search_units::units;
use mend_delta::{Component, Delta, JavaGranularity};
use mend_git::ObjectStore;
use mend_java::facts::{CompileError, SemanticModel};
use mend_model::{
    FileChange, Outcome, Phase, Problem, ProgressEvent, RepoPath, Result, Symptom, TestResult,
    TreeEdit, TreeId, Verdict, counted,
};
use mend_report::delta::DeltaView;
use mend_report::{DeltaSize, SearchGoal, SearchProgress, format_delta_size};
use mend_search::bisection::steps_left;
use mend_search::{
    LearnedImplication, MinimisationGoal, MinimisedSet, Minimiser, MinimiserProgress, Oracle,
    OracleAnswer, SearchLimits, Subset, Units,
};
use std::collections::HashSet;
use std::sync::Mutex;

/// The change between two versions, split into components.
pub(crate) struct ChangeSearch<'a> {
    store: &'a ObjectStore,
    judge: &'a SymptomOracle<'a>,
    target: ResolvedVersion,
    delta: Delta,
    /// Files that the delta consists of.
    files: Vec<FileChange>,
    facts: Option<[SemanticModel; 2]>,
    units: Units,
    origins: Option<ComponentBlame>,
    mode: JavaGranularity,
    jobs: usize,
    parsed: ParseCache,
    /// The delta was written to the run folder.
    is_written: bool,
    proviso: Option<&'a ExtraCheck<'a>>,
}

/// Extra condition for a variant that passes; it receives the variant and its test outcome.
pub(crate) type ExtraCheck<'a> = dyn Fn(&TreeId, &Outcome) -> Result<bool> + Sync + 'a;

/// Minimal set of components, with the resulting tree.
#[derive(Clone)]
pub(crate) struct MinimisedChange {
    pub(crate) tree: TreeId,
    pub(crate) components: usize,
    pub(crate) hunks: usize,
    pub(crate) minimal: bool,
    pub(crate) interrupted: bool,
    /// The files of those parts that matter only together, one for each part.
    pub(crate) together: Vec<RepoPath>,
    /// No failing set is a subset of a passing one.
    pub(crate) monotone: bool,
    /// Commits that contributed it, if the commit history was analysed.
    pub(crate) authors: ContributingCommits,
    /// Numbers of its components, if the delta was written to the run folder.
    pub(crate) parts: Vec<usize>,
}

impl<'a> ChangeSearch<'a> {
    /// Splits the change from `base` to `target` into components, along the commits in `lineage` too.
    pub(crate) fn new(
        VersionPair { base, target }: VersionPair<'_>,
        lineage: Option<&CommitRange>,
        store: &'a ObjectStore,
        judge: &'a SymptomOracle<'a>,
        attribution: Option<&Attribution>,
        subject: &SubjectRequest,
    ) -> Result<Self> {
        let (mode, jobs) = (subject.java, subject.jobs);
        let changes = store.changes(&base.tree, &target.tree)?;
        let pool = &judge.bench.pool;
        let (base, files) = (&base.tree, &changes[..]);
        let whole = WholeChange { pool, base, target: &target.tree, files };
        let taken = match attribution {
            Some(attribution) if mode == JavaGranularity::Ast && whole.has_java() => {
                let stage = "analysing dependencies between changes with the compiler".to_owned();
                judge.ledger.emit(ProgressEvent::Stage(stage))?;
                attribution.take_apart(&whole)?
            }
            _ => whole.by_names(mode),
        };
        taken.notice().map_or(Ok(()), |notice| judge.ledger.emit(notice))?;
        judge.ledger.compiled(taken.builds, taken.builds_ok)?;
        let delta = taken.delta;
        let origins = lineage.map(|lineage| lineage.origins(&delta, mode));
        let units = units(&delta, origins.as_ref().map(ComponentBlame::stage))?;
        for path in delta.unparsed() {
            judge.ledger.note(format!(
                "the syntax of {path}: it does not parse as Java, so its diff is split by lines"
            ))?;
        }
        let (target, facts) = (target.clone(), taken.facts);
        let (files, parsed, is_written, proviso) = (changes, ParseCache::default(), false, None);
        Ok(Self {
            store,
            judge,
            target,
            delta,
            files,
            facts,
            units,
            origins,
            mode,
            jobs,
            parsed,
            is_written,
            proviso,
        })
    }

    /// Writes the delta to the run folder, for the report.
    pub(crate) fn written(mut self) -> Result<Self> {
        let view = DeltaView::new(&self.delta, &self.files);
        self.judge.ledger.folder.write_delta(&view)?;
        self.is_written = true;
        Ok(self)
    }

    /// Adds a condition that a passing variant must also meet.
    pub(crate) fn provided(self, proviso: &'a ExtraCheck<'a>) -> Self {
        Self { proviso: Some(proviso), ..self }
    }

    pub(crate) fn size(&self) -> DeltaSize {
        let (files, java_files) = self.delta.file_counts();
        DeltaSize {
            files,
            java_files,
            hunks: self.delta.hunks().len(),
            components: self.delta.components().len(),
            tokens: self.delta.tokens(),
        }
    }

    /// Creates the minimiser that the searches in this change share. Both versions are already judged.
    pub(crate) fn minimiser(&self, limits: SearchLimits) -> Result<Minimiser> {
        Ok(Minimiser::new(self.units.clone(), limits).suspecting(vec![self.on_the_stack()?]))
    }

    /// The components in files that were at work when the target failed.
    fn on_the_stack(&self) -> Result<Subset> {
        let SymptomOracle { bench, limits, own_code, symptom, .. } = &self.judge;
        let components = self.delta.components();
        let mut suspects = Subset::with_capacity(components.len());
        let is_told = matches!(symptom, Symptom::Tests(_) | Symptom::Expectations(_));
        // Where there is one component, nothing has to be found among others.
        if components.len() < 2 || !is_told {
            return Ok(suspects);
        }
        let known = bench.execution(&self.target.tree, self.target.commit_id(), 0, limits)?;
        let Outcome::Tests { results } = known.execution.outcome else { return Ok(suspects) };
        let failures = results.iter().filter_map(TestResult::failure);
        let frames = failures.map(|failure| &failure.frames);
        let files: HashSet<&RepoPath> =
            frames.flatten().flat_map(|frame| own_code.files(frame)).collect();
        let is_suspect = |component: &Component| {
            component.hunks.iter().any(|hunk| files.contains(&self.delta.hunks()[*hunk].path))
        };
        let all = components.iter().enumerate();
        suspects.extend(all.filter(|(_, component)| is_suspect(component)).map(|(at, _)| at));
        Ok(suspects)
    }

    /// Finds a minimal set for a goal.
    pub(crate) fn minimise(
        &self,
        minimiser: &mut Minimiser,
        goal: MinimisationGoal,
    ) -> Result<MinimisedChange> {
        let minimal =
            self.asking(goal, |oracle, observe| minimiser.minimise(goal, oracle, observe))?;
        self.found(goal, &minimal)
    }

    /// Finds one more culprit besides those found so far.
    pub(crate) fn further(&self, minimiser: &mut Minimiser) -> Result<Option<MinimisedChange>> {
        let goal = MinimisationGoal::Culprit;
        let minimal = self.asking(goal, |oracle, observe| minimiser.further(oracle, observe))?;
        minimal.map(|minimal| self.found(goal, &minimal)).transpose()
    }

    /// Returns the target without the culprits found so far.
    pub(crate) fn without_culprits(&self, minimiser: &Minimiser) -> Result<TreeId> {
        self.store.write(&self.variant(MinimisationGoal::Fix, &minimiser.without_culprits()))
    }

    fn asking<T>(
        &self,
        goal: MinimisationGoal,
        search: impl FnOnce(&dyn Oracle, &mut dyn FnMut(MinimiserProgress)) -> Result<T>,
    ) -> Result<T> {
        let last = Mutex::new(None);
        let oracle = DeltaOracle { change: self, goal, last: &last };
        let found = search(&oracle, &mut |step| {
            if let Ok(mut last) = last.lock() {
                *last = Some(step);
            }
        });
        match found {
            Err(Problem::Interrupted) => Err(self.judge.end()),
            other => other,
        }
    }

    fn found(&self, goal: MinimisationGoal, minimal: &MinimisedSet) -> Result<MinimisedChange> {
        let on = goal.switched_on(&minimal.subset);
        let tree = self.store.write(&self.variant(goal, &on))?;
        let components = self.delta.components();
        let hunks = minimal.subset.ones().map(|unit| components[unit].hunks.len()).sum();
        let authors =
            |origins: &ComponentBlame| origins.authors(&minimal.heads, minimal.subset.ones());
        Ok(MinimisedChange {
            tree,
            components: minimal.subset.count_ones(..),
            hunks,
            minimal: minimal.minimal,
            interrupted: minimal.interrupted,
            together: minimal.together.iter().filter_map(|unit| self.path(*unit)).collect(),
            monotone: minimal.monotone,
            authors: self.origins.as_ref().map(authors).unwrap_or_default(),
            parts: if self.is_written {
                minimal.subset.ones().map(|unit| unit + 1).collect()
            } else {
                Vec::new()
            },
        })
    }

    /// The file of a component, or the first of its files.
    fn path(&self, unit: usize) -> Option<RepoPath> {
        let hunk = *self.delta.components()[unit].hunks.first()?;
        Some(self.delta.hunks()[hunk].path.clone())
    }

    /// Returns the variant with some components switched on. A difference that no test can observe
    /// stays as in the version to be changed: good for a culprit, bad for a fix.
    fn variant(&self, goal: MinimisationGoal, on: &Subset) -> TreeEdit {
        self.delta.render_components(&|unit| on.contains(unit), goal == MinimisationGoal::Fix)
    }

    /// Judges a set; `remaining` is the estimated number of sets to judge, this one included.
    fn answer(
        &self,
        goal: MinimisationGoal,
        on: &Subset,
        tried: TrialSubject,
        left: usize,
    ) -> Result<OracleAnswer> {
        let edit = self.variant(goal, on);
        let tree = self.store.write(&edit)?;
        if !self.parses(&edit) {
            self.judge.ledger.rejected()?;
            let verdict = Verdict::Unresolved(Phase::Rejected);
            self.judge.ledger.judged(&tree, tried, verdict, TrialCost::default())?;
            return Ok(verdict.into());
        }
        let head = self.target.commit_id();
        let Judgement { verdict, refusals, outcome, .. } =
            self.judge.judgement(&tree, head, tried, Some(left))?;
        let verdict = match (self.proviso, outcome) {
            (Some(is_met), Some(outcome)) if verdict == Verdict::Pass => {
                if is_met(&tree, &outcome)? { verdict } else { Verdict::Fail }
            }
            _ => verdict,
        };
        Ok(OracleAnswer { verdict, lessons: self.lessons(goal, &refusals, on) })
    }

    /// Learns constraints from the compile errors of a variant.
    fn lessons(
        &self,
        goal: MinimisationGoal,
        refusals: &[CompileError],
        on: &Subset,
    ) -> Vec<LearnedImplication> {
        let Some([old, new]) = self.facts.as_ref().filter(|_| !refusals.is_empty()) else {
            return Vec::new();
        };
        let is_on = |unit: usize| on.contains(unit);
        let layout = goal == MinimisationGoal::Fix;
        let lessons = self.delta.lessons(&self.files, (old, new), refusals, &is_on, layout);
        lessons.into_iter().map(|one| LearnedImplication { all: one.all, any: one.any }).collect()
    }

    /// Returns true if every Java file of a variant parses. Otherwise no compiler is started.
    fn parses(&self, edit: &TreeEdit) -> bool {
        self.mode == JavaGranularity::Text
            || edit.changes.iter().all(|(path, state)| {
                let is_checked = path.is_java() && !self.delta.unparsed().contains(path);
                state
                    .as_ref()
                    .is_none_or(|state| !is_checked || self.parsed.is_java(&state.content))
            })
    }
}

/// Oracle that judges sets of components in parallel.
struct DeltaOracle<'a> {
    change: &'a ChangeSearch<'a>,
    goal: MinimisationGoal,
    last: &'a Mutex<Option<MinimiserProgress>>,
}

impl DeltaOracle<'_> {
    /// Returns the description of a trial and the estimated number of remaining trials, this one included.
    fn tried(&self, on: &Subset) -> (TrialSubject, usize) {
        let (sought, word, tried) = match self.goal {
            MinimisationGoal::Culprit => (SearchGoal::Culprit, "with", on.count_ones(..)),
            MinimisationGoal::Fix => (SearchGoal::Fix, "without", on.count_zeroes(..)),
        };
        let last = self.last.lock().ok().and_then(|last| *last);
        let whole = || (on.len(), self.change.delta.tokens());
        let (suspected, tokens) =
            last.map_or_else(whole, |step| (step.kept_units, step.kept_weight));
        let left = last.map_or_else(|| steps_left(on.len()) as usize + 1, |step| step.left.max(1));
        let what = format!("{word} {}; {suspected} suspected", counted(tried, "component"));
        let search = Some(SearchProgress { goal: sought, tried, suspected, tokens });
        (TrialSubject { what, commit: None, search }, left)
    }
}

impl Oracle for DeltaOracle<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        let answer = |at: usize| {
            let on = &sets[at];
            let (tried, left) = self.tried(on);
            match self.change.answer(self.goal, on, tried, left) {
                // The search ends as by an interrupt, with what it has.
                Err(Problem::RunBudgetExhausted { .. }) => Err(Problem::Interrupted),
                other => other,
            }
        };
        each(self.change.jobs, sets.len(), answer).into_iter().collect()
    }

    fn parallelism(&self) -> usize {
        self.change.jobs
    }
}

/// Announces the search of a diff.
pub(crate) fn announce(
    judge: &SymptomOracle<'_>,
    size: &DeltaSize,
    from: &str,
    to: &str,
) -> Result<()> {
    let text = format!("searching the diff {from}..{to}: {}", format_delta_size(size));
    judge.ledger.emit(ProgressEvent::Stage(text))
}
