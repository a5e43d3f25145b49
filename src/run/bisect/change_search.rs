//! Searches the change between two versions for a minimal set of components.

use crate::run::bisect::commit_range::{CommitRange, ComponentBlame, ContributingCommits};
use crate::run::judge::parallel::run_parallel;
use crate::run::judge::{Judgement, SymptomOracle};
use crate::run::session::request::SubjectRequest;
use crate::run::session::run_log::{TrialCost, TrialSubject};
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use crate::run::subject::attribution::{Attribution, WholeChange};
use crate::run::subject::parse_cache::ParseCache;
use crate::run::subject::search_units::to_search_units;
use mend_delta::{Component, Delta, JavaGranularity};
use mend_git::{Commit, ObjectStore};
use mend_java::facts::{CompileError, SemanticModel};
use mend_model::{
    FileChange, Outcome, Phase, Problem, ProgressEvent, RepoPath, Result, Symptom, TestResult,
    TreeEdit, TreeId, Verdict, format_count,
};
use mend_report::delta::DeltaView;
use mend_report::{DeltaSize, SearchGoal, SearchProgress, format_delta_size};
use mend_search::bisection::estimate_remaining_tests;
use mend_search::{
    LearnedImplication, MinimisationGoal, MinimisedSet, Minimiser, MinimiserProgress, Oracle,
    OracleAnswer, SearchLimits, Subset, Units,
};
use std::collections::HashSet;
use std::sync::Mutex;

/// Change between two versions, split into components.
pub(crate) struct ChangeSearch<'a> {
    store: &'a ObjectStore,
    oracle: &'a SymptomOracle<'a>,
    target: ResolvedVersion,
    delta: Delta,
    /// Changed files.
    files: Vec<FileChange>,
    models: Option<[SemanticModel; 2]>,
    units: Units,
    blame: Option<ComponentBlame>,
    granularity: JavaGranularity,
    jobs: usize,
    parse_cache: ParseCache,
    /// True if the delta was written to the run folder.
    is_written: bool,
    extra_check: Option<&'a ExtraCheck<'a>>,
}

/// Additional condition for a passing variant. It receives the variant and its test outcome.
pub(crate) type ExtraCheck<'a> = dyn Fn(&TreeId, &Outcome) -> Result<bool> + Sync + 'a;

/// Minimal set of components, and the resulting tree.
#[derive(Clone)]
pub(crate) struct MinimisedChange {
    pub(crate) tree: TreeId,
    pub(crate) components: usize,
    pub(crate) hunks: usize,
    pub(crate) is_minimal: bool,
    pub(crate) is_interrupted: bool,
    /// Files of the parts that have an effect only together, one for each part.
    pub(crate) joint_files: Vec<RepoPath>,
    /// True if the verdicts are monotone: no failing set is a subset of a passing one.
    pub(crate) is_monotone: bool,
    /// Commits that contributed to it, if the commit history was analysed.
    pub(crate) contributing_commits: ContributingCommits,
    /// Numbers of its components, if the delta was written to the run folder.
    pub(crate) component_numbers: Vec<usize>,
}

impl MinimisedChange {
    /// Names the culprit as the only contributing commit, unless the commit history was analysed.
    pub(crate) fn with_culprit(mut self, culprit: Option<&Commit>) -> Self {
        if self.contributing_commits.commits.is_empty() {
            self.contributing_commits.commits.extend(culprit.cloned());
        }
        self
    }
}

impl<'a> ChangeSearch<'a> {
    /// Splits the change from `base` to `target` into components. With `lineage`, the commits determine the first stage
    /// of the search.
    pub(crate) fn new(
        VersionPair { base, target }: VersionPair<'_>,
        lineage: Option<&CommitRange>,
        store: &'a ObjectStore,
        oracle: &'a SymptomOracle<'a>,
        attribution: Option<&Attribution>,
        subject: &SubjectRequest,
    ) -> Result<Self> {
        let (mode, jobs) = (subject.java, subject.jobs);
        let changes = store.diff_trees(&base.overlaid_tree, &target.overlaid_tree)?;
        let pool = &oracle.executor.pool;
        let (base, files) = (&base.overlaid_tree, &changes[..]);
        let change = WholeChange { pool, base, target: &target.overlaid_tree, files };
        let by_names = change.decompose_by_names(mode);
        let decomposition = match attribution {
            Some(attribution)
                if mode == JavaGranularity::Ast && by_names.may_have_dependencies() =>
            {
                let stage = "analysing dependencies between changes with the compiler".to_owned();
                oracle.run_log.emit(ProgressEvent::Stage(stage))?;
                attribution.decompose(&change, by_names)?
            }
            _ => by_names,
        };
        decomposition.notice().map_or(Ok(()), |notice| oracle.run_log.emit(notice))?;
        oracle.run_log.add_compilation_cost(decomposition.builds, decomposition.builds_ok)?;
        let delta = decomposition.delta;
        let origins = lineage.map(|lineage| lineage.blame_components(&delta, mode));
        let units = to_search_units(&delta, origins.as_ref().map(ComponentBlame::group_by_commit))?;
        for path in delta.unparsed_files() {
            oracle.run_log.note_unchecked(format!(
                "the syntax of {path}: it does not parse as Java, so its diff is split by lines"
            ))?;
        }
        let (target, facts) = (target.clone(), decomposition.semantic_models);
        let (files, parsed, is_written, proviso) = (changes, ParseCache::default(), false, None);
        Ok(Self {
            store,
            oracle,
            target,
            delta,
            files,
            models: facts,
            units,
            blame: origins,
            granularity: mode,
            jobs,
            parse_cache: parsed,
            is_written,
            extra_check: proviso,
        })
    }

    /// Writes the delta to the run folder, for the report.
    pub(crate) fn write_delta(mut self) -> Result<Self> {
        let view = DeltaView::new(&self.delta, &self.files);
        self.oracle.run_log.folder.write_delta(&view)?;
        self.is_written = true;
        Ok(self)
    }

    /// Attributes the components to commits. The search does not take the components of a commit together.
    pub(crate) fn with_blame(self, lineage: Option<&CommitRange>) -> Self {
        let blame = lineage.map(|lineage| lineage.blame_components(&self.delta, self.granularity));
        Self { blame, ..self }
    }

    /// Adds a condition that a passing variant must also satisfy.
    pub(crate) fn with_extra_check(self, extra_check: &'a ExtraCheck<'a>) -> Self {
        Self { extra_check: Some(extra_check), ..self }
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

    /// Creates the minimiser that all searches in this change share. Both versions must have verdicts already.
    pub(crate) fn minimiser(&self, limits: SearchLimits) -> Result<Minimiser> {
        Ok(Minimiser::new(self.units.clone(), limits)
            .with_suspected_sets(vec![self.components_on_stack()?]))
    }

    /// Returns the components in files of the stack traces with which the target failed.
    fn components_on_stack(&self) -> Result<Subset> {
        let SymptomOracle { executor, limits, project_files: own_code, symptom, .. } = &self.oracle;
        let symptom = symptom.current();
        let components = self.delta.components();
        let mut suspects = Subset::with_capacity(components.len());
        let has_test_results = matches!(symptom, Symptom::Tests(_) | Symptom::Expectations(_));
        // A single component needs no suspects.
        if components.len() < 2 || !has_test_results {
            return Ok(suspects);
        }
        let cached_execution =
            executor.execute(&self.target.overlaid_tree, self.target.commit_id(), 0, limits)?;
        let Outcome::Tests { results } = cached_execution.execution.outcome else {
            return Ok(suspects);
        };
        let failures = results.iter().filter_map(TestResult::failure);
        let frames = failures.map(|failure| &failure.frames);
        let files: HashSet<&RepoPath> =
            frames.flatten().flat_map(|frame| own_code.files_of_frame(frame)).collect();
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
            self.run_search(goal, |oracle, observe| minimiser.minimise(goal, oracle, observe))?;
        self.to_minimised_change(goal, &minimal)
    }

    /// Finds a further culprit in the components outside of those found so far.
    pub(crate) fn find_next_culprit(
        &self,
        minimiser: &mut Minimiser,
    ) -> Result<Option<MinimisedChange>> {
        let goal = MinimisationGoal::Culprit;
        let minimal =
            self.run_search(goal, |oracle, observe| minimiser.find_next_culprit(oracle, observe))?;
        minimal.map(|minimal| self.to_minimised_change(goal, &minimal)).transpose()
    }

    /// Returns the target without the culprits found so far.
    pub(crate) fn without_culprits(&self, minimiser: &Minimiser) -> Result<TreeId> {
        self.store
            .write_tree(&self.render_variant(MinimisationGoal::Fix, &minimiser.without_culprits()))
    }

    fn run_search<T>(
        &self,
        goal: MinimisationGoal,
        search: impl FnOnce(&dyn Oracle, &mut dyn FnMut(MinimiserProgress)) -> Result<T>,
    ) -> Result<T> {
        let last = Mutex::new(None);
        let oracle = DeltaOracle { change: self, goal, progress: &last };
        let result = search(&oracle, &mut |step| {
            if let Ok(mut last) = last.lock() {
                *last = Some(step);
            }
        });
        match result {
            Err(Problem::Interrupted) => Err(self.oracle.early_end_reason()),
            other => other,
        }
    }

    fn to_minimised_change(
        &self,
        goal: MinimisationGoal,
        minimal: &MinimisedSet,
    ) -> Result<MinimisedChange> {
        let active = goal.enabled_units(&minimal.subset);
        let tree = self.store.write_tree(&self.render_variant(goal, &active))?;
        let components = self.delta.components();
        let hunks = minimal.subset.ones().map(|unit| components[unit].hunks.len()).sum();
        let authors = |origins: &ComponentBlame| {
            origins.contributing_commits(&minimal.root_units, minimal.subset.ones())
        };
        Ok(MinimisedChange {
            tree,
            components: minimal.subset.count_ones(..),
            hunks,
            is_minimal: minimal.is_minimal,
            is_interrupted: minimal.is_interrupted,
            joint_files: minimal
                .decisive_units
                .iter()
                .filter_map(|unit| self.first_file(*unit))
                .collect(),
            is_monotone: minimal.is_monotone,
            contributing_commits: self.blame.as_ref().map(authors).unwrap_or_default(),
            component_numbers: if self.is_written {
                minimal.subset.ones().map(|unit| unit + 1).collect()
            } else {
                Vec::new()
            },
        })
    }

    /// Returns the first file of a component.
    fn first_file(&self, unit: usize) -> Option<RepoPath> {
        let hunk = *self.delta.components()[unit].hunks.first()?;
        Some(self.delta.hunks()[hunk].path.clone())
    }

    /// Returns the variant with some components active. Differences that no test can observe are not applied: they keep
    /// the text of good for a culprit, and of bad for a fix.
    fn render_variant(&self, goal: MinimisationGoal, active: &Subset) -> TreeEdit {
        self.delta.render_components(&|unit| active.contains(unit), goal == MinimisationGoal::Fix)
    }

    /// Judges a set of components. `remaining` is the estimated number of sets to judge, including this one.
    fn judge_components(
        &self,
        goal: MinimisationGoal,
        active: &Subset,
        trial: TrialSubject,
        remaining: usize,
    ) -> Result<OracleAnswer> {
        let edit = self.render_variant(goal, active);
        let tree = self.store.write_tree(&edit)?;
        if !self.is_parsable(&edit) {
            self.oracle.run_log.count_rejected()?;
            let verdict = Verdict::Unresolved(Phase::Rejected);
            self.oracle.run_log.record_trial(&tree, trial, verdict, TrialCost::default())?;
            return Ok(verdict.into());
        }
        let head = self.target.commit_id();
        let Judgement { verdict, compile_errors, outcome, .. } =
            self.oracle.judge(&tree, head, trial, Some(remaining))?;
        let verdict = match (self.extra_check, outcome) {
            (Some(is_met), Some(outcome)) if verdict == Verdict::Pass => {
                if is_met(&tree, &outcome)? { verdict } else { Verdict::Fail }
            }
            _ => verdict,
        };
        Ok(OracleAnswer {
            verdict,
            learned_implications: self.learn_constraints(goal, &compile_errors, active),
        })
    }

    /// Learns constraints from the compile errors of a variant.
    fn learn_constraints(
        &self,
        goal: MinimisationGoal,
        compile_errors: &[CompileError],
        active: &Subset,
    ) -> Vec<LearnedImplication> {
        let Some([old, new]) = self.models.as_ref().filter(|_| !compile_errors.is_empty()) else {
            return Vec::new();
        };
        let is_on = |unit: usize| active.contains(unit);
        let includes_layout = goal == MinimisationGoal::Fix;
        let implications = self.delta.learn_constraints(
            &self.files,
            (old, new),
            compile_errors,
            &is_on,
            includes_layout,
        );
        implications
            .into_iter()
            .map(|one| LearnedImplication {
                premises: one.premises,
                alternatives: one.alternatives,
            })
            .collect()
    }

    /// Returns true if every Java file of a variant parses. A variant that does not parse is not compiled.
    fn is_parsable(&self, edit: &TreeEdit) -> bool {
        self.granularity == JavaGranularity::Text
            || edit.changes.iter().all(|(path, state)| {
                let is_checked = path.is_java() && !self.delta.unparsed_files().contains(path);
                state.as_ref().is_none_or(|state| {
                    !is_checked || self.parse_cache.parses_as_java(&state.content)
                })
            })
    }
}

/// Oracle that judges sets of components in parallel.
struct DeltaOracle<'a> {
    change: &'a ChangeSearch<'a>,
    goal: MinimisationGoal,
    progress: &'a Mutex<Option<MinimiserProgress>>,
}

impl DeltaOracle<'_> {
    /// Returns the description of a trial and the estimated number of remaining trials, this one included.
    fn describe_trial(&self, active: &Subset) -> (TrialSubject, usize) {
        let (search_goal, preposition, applied_count) = match self.goal {
            MinimisationGoal::Culprit => (SearchGoal::Culprit, "with", active.count_ones(..)),
            MinimisationGoal::Fix => (SearchGoal::Fix, "without", active.count_zeroes(..)),
        };
        let last = self.progress.lock().ok().and_then(|last| *last);
        let whole_change = || (active.len(), self.change.delta.tokens());
        let (suspected_count, tokens) =
            last.map_or_else(whole_change, |step| (step.suspected_units, step.suspected_weight));
        let remaining = last.map_or_else(
            || estimate_remaining_tests(active.len()) as usize + 1,
            |step| step.remaining_tests.max(1),
        );
        let description = format!(
            "{preposition} {}; {suspected_count} suspected",
            format_count(applied_count, "component")
        );
        let search = Some(SearchProgress {
            goal: search_goal,
            tried: applied_count,
            suspected: suspected_count,
            tokens,
        });
        (TrialSubject { description, commit: None, search }, remaining)
    }
}

impl Oracle for DeltaOracle<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        let answer = |at: usize| {
            let on = &sets[at];
            let (trial, remaining) = self.describe_trial(on);
            match self.change.judge_components(self.goal, on, trial, remaining) {
                // An exhausted budget ends the search like an interrupt, and keeps the result so far.
                Err(Problem::RunBudgetExhausted { .. }) => Err(Problem::Interrupted),
                other => other,
            }
        };
        run_parallel(self.change.jobs, sets.len(), answer).into_iter().collect()
    }

    fn parallelism(&self) -> usize {
        self.change.jobs
    }
}

/// Reports the start of a search in a diff.
pub(crate) fn announce_search(
    oracle: &SymptomOracle<'_>,
    size: &DeltaSize,
    from: &str,
    to: &str,
) -> Result<()> {
    let text = format!("searching the diff {from}..{to}: {}", format_delta_size(size));
    oracle.run_log.emit(ProgressEvent::Stage(text))
}
