//! From the change between two versions to the few components that matter.

use crate::run::bisect::commit_range::{Authors, Lineage, Origins};
use crate::run::judge::parallel::each;
use crate::run::judge::{Judge, Judgement};
use crate::run::session::request::SubjectRequest;
use crate::run::session::run_log::{Effort, Tried};
use crate::run::session::versions::Version;
use crate::run::subject::attribution::{Attribution, WholeChange};
use crate::run::subject::parse_cache::Parsed;
use crate::run::subject::search_units::units;
use mend_delta::{Component, Delta, JavaMode};
use mend_git::Store;
use mend_java::facts::{Facts, Refusal};
use mend_model::{
    Event, FileChange, Outcome, Phase, Problem, RepoPath, Result, Symptom, TestResult, TreeEdit,
    TreeId, Verdict, counted,
};
use mend_report::delta::DeltaView;
use mend_report::{DeltaSize, Sought, Standing, of_size};
use mend_search::bisection::steps_left;
use mend_search::{Answer, Goal, Lesson, Limits, Minimal, Minimiser, Oracle, Step, Subset, Units};
use std::collections::HashSet;
use std::sync::Mutex;

/// The change between two versions, split into components.
pub(crate) struct Change<'a> {
    store: &'a Store,
    judge: &'a Judge,
    target: Version,
    delta: Delta,
    /// What the delta was made of.
    files: Vec<FileChange>,
    facts: Option<[Facts; 2]>,
    units: Units,
    origins: Option<Origins>,
    mode: JavaMode,
    jobs: usize,
    parsed: Parsed,
    /// Whether it stands in the run folder.
    is_written: bool,
    proviso: Option<&'a Proviso<'a>>,
}

/// Extra condition for a variant that passes; it receives the variant and its test outcome.
pub(crate) type Proviso<'a> = dyn Fn(&TreeId, &Outcome) -> Result<bool> + Sync + 'a;

/// A minimal set of components, and the variant that it makes.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) tree: TreeId,
    pub(crate) components: usize,
    pub(crate) hunks: usize,
    pub(crate) minimal: bool,
    pub(crate) interrupted: bool,
    /// The files of those parts that matter only together, one for each part.
    pub(crate) together: Vec<RepoPath>,
    /// Whether no set that failed lies in one that passed.
    pub(crate) monotone: bool,
    /// Who brought it, where that was looked into.
    pub(crate) authors: Authors,
    /// The numbers of its components, where the change stands in the run folder.
    pub(crate) parts: Vec<usize>,
}

impl<'a> Change<'a> {
    /// Splits the change from `base` to `target` into components, along the commits in `lineage` too.
    pub(crate) fn between(
        (base, target): (&Version, &Version),
        lineage: Option<&Lineage>,
        store: &'a Store,
        (judge, attribution): (&'a Judge, Option<&Attribution>),
        subject: &SubjectRequest,
    ) -> Result<Self> {
        let (mode, jobs) = (subject.java, subject.jobs);
        let changes = store.changes(&base.tree, &target.tree)?;
        let pool = &judge.bench.pool;
        let (base, files) = (&base.tree, &changes[..]);
        let whole = WholeChange { pool, base, target: &target.tree, files };
        let taken = match attribution {
            Some(attribution) if mode == JavaMode::Ast && whole.has_java() => {
                let stage = "analysing dependencies between changes with the compiler".to_owned();
                judge.ledger.tell(Event::Stage(stage))?;
                attribution.take_apart(&whole)?
            }
            _ => whole.by_names(mode),
        };
        taken.notice().map_or(Ok(()), |notice| judge.ledger.tell(notice))?;
        judge.ledger.compiled(taken.builds, taken.builds_ok)?;
        let delta = taken.delta;
        let origins = lineage.map(|lineage| lineage.origins(&delta, mode));
        let units = units(&delta, origins.as_ref().map(Origins::stage))?;
        for path in delta.unparsed() {
            judge.ledger.note(format!(
                "the syntax of {path}: it does not parse as Java, so its diff is split by lines"
            ))?;
        }
        let (target, facts) = (target.clone(), taken.facts);
        let (files, parsed, is_written, proviso) = (changes, Parsed::default(), false, None);
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

    /// The same, written into the run folder for those who read the run.
    pub(crate) fn written(mut self) -> Result<Self> {
        let view = DeltaView::of(&self.delta, &self.files);
        self.judge.ledger.folder.write_delta(&view)?;
        self.is_written = true;
        Ok(self)
    }

    /// The same, where a variant passes only if `proviso` is met as well.
    pub(crate) fn provided(self, proviso: &'a Proviso<'a>) -> Self {
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

    /// What the searches in this change share. The two versions themselves have been judged.
    pub(crate) fn minimiser(&self, limits: Limits) -> Result<Minimiser> {
        Ok(Minimiser::new(self.units.clone(), limits).suspecting(vec![self.on_the_stack()?]))
    }

    /// The components in files that were at work when the target failed.
    fn on_the_stack(&self) -> Result<Subset> {
        let Judge { bench, limits, own_code, symptom, .. } = &self.judge;
        let components = self.delta.components();
        let mut suspects = Subset::with_capacity(components.len());
        let is_told = matches!(symptom, Symptom::Tests(_) | Symptom::Demands(_));
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
    pub(crate) fn minimise(&self, minimiser: &mut Minimiser, goal: Goal) -> Result<Found> {
        let minimal =
            self.asking(goal, |oracle, observe| minimiser.minimise(goal, oracle, observe))?;
        self.found(goal, &minimal)
    }

    /// Finds one more culprit without those known so far.
    pub(crate) fn further(&self, minimiser: &mut Minimiser) -> Result<Option<Found>> {
        let goal = Goal::Culprit;
        let minimal = self.asking(goal, |oracle, observe| minimiser.further(oracle, observe))?;
        minimal.map(|minimal| self.found(goal, &minimal)).transpose()
    }

    /// The target without what makes its known culprits fail.
    pub(crate) fn without_culprits(&self, minimiser: &Minimiser) -> Result<TreeId> {
        self.store.write(&self.variant(Goal::Fix, &minimiser.without_culprits()))
    }

    fn asking<T>(
        &self,
        goal: Goal,
        search: impl FnOnce(&dyn Oracle, &mut dyn FnMut(Step)) -> Result<T>,
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

    fn found(&self, goal: Goal, minimal: &Minimal) -> Result<Found> {
        let on = goal.switched_on(&minimal.subset);
        let tree = self.store.write(&self.variant(goal, &on))?;
        let components = self.delta.components();
        let hunks = minimal.subset.ones().map(|unit| components[unit].hunks.len()).sum();
        let authors = |origins: &Origins| origins.authors(&minimal.heads, minimal.subset.ones());
        Ok(Found {
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
    fn variant(&self, goal: Goal, on: &Subset) -> TreeEdit {
        self.delta.render_components(&|unit| on.contains(unit), goal == Goal::Fix)
    }

    /// Judges a set; `left` estimates how many sets are left, this one included.
    fn answer(&self, goal: Goal, on: &Subset, tried: Tried, left: usize) -> Result<Answer> {
        let edit = self.variant(goal, on);
        let tree = self.store.write(&edit)?;
        if !self.parses(&edit) {
            self.judge.ledger.rejected()?;
            let verdict = Verdict::Unresolved(Phase::Rejected);
            self.judge.ledger.judged(&tree, tried, verdict, Effort::default())?;
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
        Ok(Answer { verdict, lessons: self.lessons(goal, &refusals, on) })
    }

    /// What the compiler's refusal of a variant teaches.
    fn lessons(&self, goal: Goal, refusals: &[Refusal], on: &Subset) -> Vec<Lesson> {
        let Some([old, new]) = self.facts.as_ref().filter(|_| !refusals.is_empty()) else {
            return Vec::new();
        };
        let is_on = |unit: usize| on.contains(unit);
        let layout = goal == Goal::Fix;
        let lessons = self.delta.lessons(&self.files, (old, new), refusals, (&is_on, layout));
        lessons.into_iter().map(|one| Lesson { all: one.all, any: one.any }).collect()
    }

    /// Whether every Java file of a variant is Java, so that a compiler is worth starting.
    fn parses(&self, edit: &TreeEdit) -> bool {
        self.mode == JavaMode::Text
            || edit.changes.iter().all(|(path, state)| {
                let is_checked = path.is_java() && !self.delta.unparsed().contains(path);
                state
                    .as_ref()
                    .is_none_or(|state| !is_checked || self.parsed.is_java(&state.content))
            })
    }
}

/// Judges sets of components, several at once.
struct DeltaOracle<'a> {
    change: &'a Change<'a>,
    goal: Goal,
    last: &'a Mutex<Option<Step>>,
}

impl DeltaOracle<'_> {
    /// What is asked, and about how many questions are left with it.
    fn tried(&self, on: &Subset) -> (Tried, usize) {
        let (sought, word, tried) = match self.goal {
            Goal::Culprit => (Sought::Culprit, "with", on.count_ones(..)),
            Goal::Fix => (Sought::Fix, "without", on.count_zeroes(..)),
        };
        let last = self.last.lock().ok().and_then(|last| *last);
        let whole = || (on.len(), self.change.delta.tokens());
        let (suspected, tokens) =
            last.map_or_else(whole, |step| (step.kept_units, step.kept_weight));
        let left = last.map_or_else(|| steps_left(on.len()) as usize + 1, |step| step.left.max(1));
        let what = format!("{word} {}; {suspected} suspected", counted(tried, "component"));
        let search = Some(Standing { goal: sought, tried, suspected, tokens });
        (Tried { what, commit: None, search }, left)
    }
}

impl Oracle for DeltaOracle<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<Answer>> {
        let answer = |at: usize| {
            let on = &sets[at];
            let (tried, left) = self.tried(on);
            match self.change.answer(self.goal, on, tried, left) {
                // The search ends as by an interrupt, with what it has.
                Err(Problem::RunsSpent { .. }) => Err(Problem::Interrupted),
                other => other,
            }
        };
        each(self.change.jobs, sets.len(), answer).into_iter().collect()
    }

    fn parallelism(&self) -> usize {
        self.change.jobs
    }
}

/// Says what is about to be searched.
pub(crate) fn announce(judge: &Judge, size: &DeltaSize, from: &str, to: &str) -> Result<()> {
    let text = format!("searching the diff {from}..{to}: {}", of_size(size));
    judge.ledger.tell(Event::Stage(text))
}
