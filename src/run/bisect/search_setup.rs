//! Start of a search: resolves both versions, prepares the subject and runs the baseline check.

use crate::run::bisect::change_search::ChangeSearch;
use crate::run::bisect::commit_history::{CommitHistory, look_back};
use crate::run::bisect::commit_range::CommitRange;
use crate::run::judge::SymptomOracle;
use crate::run::judge::baseline_check::BaselineCheck;
use crate::run::judge::executor::VariantExecutor;
use crate::run::judge::repetition::{Repeat, Repetition};
use crate::run::session::request::{BisectRequest, GoodRevision, SubjectRequest};
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{PreparedRun, Session};
use crate::run::subject::attribution::Attribution;
use crate::run::subject::project_files::ProjectFiles;
use crate::run::subject::test_overlay::TestOverlay;
use mend_git::ObjectStore;
use mend_model::{Problem, ProgressEvent, Result, Symptom};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything that judging needs, and the two ends of the search.
pub(crate) struct SearchSetup {
    pub(crate) judge: SymptomOracle,
    pub(crate) overlay: TestOverlay,
    pub(crate) attribution: Option<Attribution>,
    pub(crate) good: ResolvedVersion,
    pub(crate) bad: ResolvedVersion,
}

impl SearchSetup {
    /// Resolves and prepares both versions, and runs the baseline check.
    pub(crate) fn new(
        request: &BisectRequest,
        session: &Session<'_>,
        store: &Arc<ObjectStore>,
    ) -> Result<Self> {
        SetupBuilder { request, session }.ready(store)
    }

    /// Returns the commit history of good and bad, unless it is disabled or missing.
    pub(crate) fn history<'a>(
        &'a self,
        request: &'a BisectRequest,
        session: &'a Session<'_>,
        store: &'a ObjectStore,
    ) -> Option<CommitHistory<'a>> {
        let repository = session.repository.as_ref().filter(|_| !request.no_history)?;
        let (overlay, judge) = (&self.overlay, &self.judge);
        Some(CommitHistory { request, repository, store, overlay, judge })
    }

    /// Returns the change between two versions, split into components.
    pub(crate) fn change<'a>(
        &'a self,
        ends: (&ResolvedVersion, &ResolvedVersion),
        lineage: Option<&CommitRange>,
        subject: &'a SubjectRequest,
        store: &'a ObjectStore,
    ) -> Result<ChangeSearch<'a>> {
        ChangeSearch::new(ends, lineage, store, (&self.judge, self.attribution.as_ref()), subject)
    }
}

/// The inputs of the preparation.
struct SetupBuilder<'a> {
    request: &'a BisectRequest,
    session: &'a Session<'a>,
}

impl SetupBuilder<'_> {
    fn ready(&self, store: &Arc<ObjectStore>) -> Result<SearchSetup> {
        let session = self.session;
        let bad = session.resolve(&session.subject.bad, store)?;
        let good = match &self.request.good {
            GoodRevision::Named(spec) => Some(session.resolve(spec, store)?),
            GoodRevision::Auto => None,
        };
        session.ledger.update(|result| {
            result.bad = Some(bad.to_report());
            result.good = good.as_ref().map(ResolvedVersion::to_report);
        })?;
        let PreparedRun { bench, overlay, attribution, bad, missing, .. } =
            session.prepare(bad, store)?;
        let good = match good {
            Some(good) => {
                Some(ResolvedVersion { tree: overlay.lay_over(&good.original, store)?, ..good })
            }
            None => None,
        };
        if good.as_ref().is_some_and(|good| good.tree == bad.tree) {
            return Err(Problem::IdenticalTrees);
        }
        let (judge, good) = self.premise(bench, &overlay, good, &bad, store, &missing)?;
        Ok(SearchSetup { judge, overlay, attribution, good, bad })
    }

    /// Runs the baseline check. Returns the oracle and the good version.
    fn premise(
        &self,
        bench: VariantExecutor,
        overlay: &TestOverlay,
        good: Option<ResolvedVersion>,
        bad: &ResolvedVersion,
        store: &Arc<ObjectStore>,
        missing: &[String],
    ) -> Result<(SymptomOracle, ResolvedVersion)> {
        self.session
            .ledger
            .emit(ProgressEvent::Stage("checking that good passes and bad fails".to_owned()))?;
        let trees: Vec<_> = good.iter().map(|good| &good.tree).chain([&bad.tree]).collect();
        let own_code = ProjectFiles::from_trees(store, &trees)?;
        let baseline = self.baseline(&bench, &own_code, missing);
        let (baseline, limits) = baseline.good_as_far_as_it_passes(good.as_ref(), bad)?;
        let symptom = baseline.bad(bad, &limits)?;
        let words = symptom.describe();
        self.session.ledger.emit(ProgressEvent::Stage(format!("symptom: {words}")))?;
        self.session.ledger.update(|result| result.symptom = Some(words))?;
        let repetition = match (self.session.subject.repeat, &good) {
            (Repeat::Times(times), _) => Repetition::Times(times),
            (Repeat::Auto, Some(good)) => baseline.sampled(good, bad, &limits, &symptom)?,
            (Repeat::Auto, None) => baseline.provisional(bad, &limits, &symptom)?,
        };
        let excluded = baseline.excluded;
        let mut judge = SymptomOracle {
            excluded,
            bench,
            ledger: Arc::clone(&self.session.ledger),
            own_code,
            symptom,
            limits,
            repetition,
        };
        let good = match good {
            Some(good) => good,
            None => self.find_good(&mut judge, overlay, bad, store, missing)?,
        };
        Ok((judge, good))
    }

    fn baseline<'b>(
        &'b self,
        bench: &'b VariantExecutor,
        own_code: &'b ProjectFiles,
        missing: &'b [String],
    ) -> BaselineCheck<'b> {
        BaselineCheck {
            request: self.session.subject,
            symptom: self.request.symptom.as_ref(),
            bench,
            ledger: &self.session.ledger,
            own_code,
            missing,
            excluded: BTreeSet::new(),
        }
    }

    /// `--good auto`.
    fn find_good(
        &self,
        judge: &mut SymptomOracle,
        overlay: &TestOverlay,
        bad: &ResolvedVersion,
        store: &ObjectStore,
        missing: &[String],
    ) -> Result<ResolvedVersion> {
        let (Some(repository), Some(commit)) = (&self.session.repository, &bad.commit) else {
            return Err(Problem::Usage {
                message: "--good auto needs history, and bad is a folder".to_owned(),
                remedy: "pass a good folder with --good".to_owned(),
            });
        };
        self.session.ledger.emit(ProgressEvent::Stage(
            "searching backwards for a commit that passes".to_owned(),
        ))?;
        let good = look_back(
            &CommitHistory { request: self.request, repository, store, overlay, judge },
            commit,
        )?;
        self.session.ledger.update(|result| result.good = Some(good.to_report()))?;
        let baseline = self.baseline(&judge.bench, &judge.own_code, missing);
        let limits = baseline.good(&good, None)?;
        let repetition = (self.session.subject.repeat == Repeat::Auto)
            .then(|| baseline.sampled(&good, bad, &limits, &judge.symptom))
            .transpose()?;
        if !matches!(judge.symptom, Symptom::TimeOut(_)) {
            judge.limits = limits;
        }
        if let Some(repetition) = repetition {
            judge.repetition = repetition;
        }
        Ok(good)
    }
}
